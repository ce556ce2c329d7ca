"""The same schema over the same page gives the same records in Python and by the command, which is Rust's."""

from __future__ import annotations

import datetime
import json
import pathlib
import subprocess
from decimal import Decimal
from typing import Any, List, Optional

import pytest
from conftest import ROOT, Shop

import crawlingo
from crawlingo import Page, Price, Session, Url, after_text, css, dataset, extract, jsonld, meta, regex, xpath


@dataset(each="a")
class Link:
    """A link of any page."""

    text: str = css(":scope")
    url: Optional[Url] = css(":scope", attr="href")
    classes: list[str] = css(":scope", attr="class", split=" ")


@dataset
class Heading:
    text: str = css(":scope")
    html: str = css(":scope", html=True)


@dataset
class Anything:
    """What many pages have."""

    title: Optional[str] = css("title")
    headings: list[Heading] = css("h1, h2, h3")
    description: Optional[str] = meta("description") | meta("og:description")
    image: Optional[Url] = meta("og:image")
    paragraphs: list[str] = xpath("//p")
    prices: list[Price] = css("[class*=price]")
    years: list[int] = regex(r"\b((?:19|20)\d\d)\b")
    times: list[datetime.date] = css("time")
    headline: Optional[str] = jsonld("headline") | jsonld("name")
    author: Optional[str] = after_text("By")
    words: Optional[Any] = jsonld("@type")
    size: Optional[Decimal] = css("input[type=number]", attr="value")


def by_command(command: str, folder: pathlib.Path, cls: Any, page: pathlib.Path, url: str) -> Any:
    schema = folder / "schema.toml"
    schema.write_text(cls.__crawlingo__.schema_toml(), "utf-8")
    run = subprocess.run(
        [command, "extract", str(page), "--schema", str(schema), "--format", "jsonl", "--base", url],
        capture_output=True,
        timeout=60,
    )
    assert run.returncode in (0, 1, 3), run.stderr.decode()
    return [json.loads(line) for line in run.stdout.decode().splitlines()]


def by_python(cls: Any, page: pathlib.Path, url: str) -> Any:
    # A file's encoding is found by its bytes on both sides.
    records = extract(page.read_bytes(), cls, url=url, errors="collect")
    return [json.loads(line) for line in records.to_jsonl().splitlines()]


def test_shared_pages(shared: pathlib.Path, tmp_path: pathlib.Path, command: str, capsys: Any) -> None:
    folders = (shared / "pages", shared / "cases" / "docs")
    pages = sorted(path for folder in folders for path in folder.rglob("*.html"))
    assert len(pages) >= 50
    picked = pages[:: max(1, len(pages) // 60)][:60]
    records = 0
    for page in picked:
        for cls in (Anything, Link):
            url = "https://example.org/folder/page"
            found = by_python(cls, page, url)
            assert found == by_command(command, tmp_path, cls, page, url), page
            records += len(found)
    with capsys.disabled():
        print(f"\nparity: {records} records of {len(picked)} shared pages are the same")
    assert records > 500


def test_the_schema_of_the_example(shop: Shop, tmp_path: pathlib.Path, command: str) -> None:
    url = shop.url + "/catalogue/1"
    schema = ROOT / "examples/schemas/listing.toml"
    run = subprocess.run([command, "extract", url, "--schema", str(schema)], capture_output=True, timeout=60, check=True)
    rust = json.loads(run.stdout)
    fields = json.loads(run.stdout)[0]

    @dataset(each="article.product")
    class Row:
        title: str = css("h3 a", attr="title")

    python = [row.title for row in Session().extract(url, Row)]
    name = next(key for key, value in fields.items() if value == python[0])
    assert [row[name] for row in rust] == python


def test_the_command_is_that_of_rust(command: str, tmp_path: pathlib.Path) -> None:
    import sys

    page = tmp_path / "page.html"
    page.write_text("<h1>Books</h1>")
    for arguments in (["extract", str(page), "--css", "h1"], ["extract", str(page), "--css", "h1 >"], ["--help"]):
        own = subprocess.run([sys.executable, "-m", "crawlingo", *arguments], capture_output=True, timeout=60)
        rust = subprocess.run([command, *arguments], capture_output=True, timeout=60)
        assert (own.returncode, own.stdout, own.stderr) == (rust.returncode, rust.stdout, rust.stderr)


def _resident() -> int:
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="no /proc here")
def test_nothing_leaks() -> None:
    html = "<body>" + "".join(f"<a class='x y' href=/{at}>link {at}</a><h2>h {at}</h2>" for at in range(20))

    def work(times: int) -> None:
        for _ in range(times):
            links = extract(html, Link, url="https://example.org/")
            assert len(links) == 20
            page = Page(html, "https://example.org/")
            assert page.css("a")[3].text == "link 3" and page.extract(Anything)[0].headings[0].text == "h 0"
            with pytest.raises(crawlingo.SelectorError):
                page.css("a >")

    work(300)
    before = _resident()
    work(1500)
    grown = _resident() - before
    # 1500 pages of 2 KB and their 30,000 records would be many times that.
    assert grown < 4_000, f"{grown} KiB"


def test_types(tmp_path: pathlib.Path) -> None:
    """mypy knows the fields' types, and refuses what is wrong."""
    from mypy import api

    good = tmp_path / "good.py"
    good.write_text(
        """
from __future__ import annotations
import asyncio
from typing import Optional
from crawlingo import CrawlReport, Element, Page, Price, Session, Spider, Url, css, dataset, extract, spider

@dataset(each="article.product")
class Book:
    title: str = css("h3 a", attr="title", heal=True)
    price: Price = css(".price")
    url: Url = css("h3 a", attr="href")
    tags: list[str] = css(".tags a")
    stock: Optional[int] = css(".stock", default=0)

@spider(start="https://shop.example/", follow=[css("li.next a")], concurrency=16)
class Books(Spider[Book]): ...

book = Book(title="x", price=extract("", Book)[0].price, url=Url("https://x.org/"), tags=[])
title: str = book.title
amount: str = str(book.price.amount)
host: str = book.url.host
for one in Books().stream():
    title = one.title
async def main() -> None:
    async for one in Books().stream():
        print(one.price.currency)
    report: CrawlReport = await Books().run_async(to="x.jsonl")
    page: Page = await Session(timeout=3).page_async("https://x.org/")
    first: Element = page.css("a")[0]
    all_of_them: list[Book] = page.extract(Book)
    print(report.fetched, first["href"], all_of_them)
asyncio.run(main())
"""
    )
    bad = tmp_path / "bad.py"
    bad.write_text(
        """
from crawlingo import Session, Spider, css, dataset, spider
@dataset
class Book:
    title: str = css("h3 a", atr="title")
book = Book(titel="x")
number: int = Book(title="x").title
Session(timeuot=3)
"""
    )
    out, err, code = api.run(["--strict", "--no-incremental", "--cache-dir", str(tmp_path), str(good)])
    assert code == 0, out + err
    out, err, code = api.run(["--strict", "--no-incremental", "--cache-dir", str(tmp_path), str(bad)])
    found: List[str] = [line for line in out.splitlines() if ": error:" in line]
    assert {int(line.split(":")[1]) for line in found} == {5, 6, 7, 8}, out


def test_the_readme(tmp_path: pathlib.Path) -> None:
    """The quick start defines what it says, and is typed."""
    from mypy import api

    readme = (ROOT / "README.md").read_text("utf-8")
    code = "from __future__ import annotations\n" + readme.split("```python\n")[1].split("```")[0]
    defined: dict[str, Any] = {"__name__": __name__}
    exec(code.split("books = extract(")[0], defined)
    page = "<article class=product><h3><a title=x href=/1></a></h3><p class=price>£5</p>3 in stock</article>"
    [book] = extract(page, defined["Book"], url="https://shop.example/")
    assert (book.title, book.stock, book.price.currency) == ("x", 3, "GBP")
    typed = tmp_path / "readme.py"
    typed.write_text("from __future__ import annotations\nhtml = ''\n" + code.split("\n", 1)[1], "utf-8")
    out, err, code_of = api.run(["--no-incremental", "--cache-dir", str(tmp_path), str(typed)])
    assert code_of == 0, out + err


def test_the_package_is_typed(tmp_path: pathlib.Path) -> None:
    """mypy has nothing to say of the package's own code."""
    from mypy import api

    config = ROOT / "crawlingo-py/pyproject.toml"
    source = ROOT / "crawlingo-py/python/crawlingo"
    out, err, code = api.run(["--config-file", str(config), "--cache-dir", str(tmp_path), str(source)])
    assert code == 0, out + err


def test_stubs() -> None:
    """The stubs say what is there."""
    import sys

    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "crawlingo._crawlingo", "--concise"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
