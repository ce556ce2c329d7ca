"""Spiders against the demo shop: runs, streams, what goes on after an interrupt, and the caller's own code."""

from __future__ import annotations

import asyncio
import json
import logging
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any, List, Literal, Optional

import pytest
from conftest import ROOT, Shop

from crawlingo import (
    ConfigError,
    CrawlingoError,
    FetchError,
    IoError,
    Price,
    SdkError,
    SelectorError,
    Session,
    Spider,
    css,
    dataset,
    follow,
    spider,
)


@dataset
class Product:
    title: str = css("h1[itemprop=name]")
    price: Price = css(".price span[itemprop=price]")


OPTIONS: Any = {
    "start": "http://{shop}/catalogue/1",
    "items": {Product: "/product/"},
    "follow": [follow("a[rel=next]", priority=1), "article.product h3 a"],
    "deny": ["/calendar/"],
}


@spider(**OPTIONS)
class Products(Spider[Product]):
    shop: str


def at(shop: Shop) -> str:
    return shop.url.removeprefix("http://")


def lines(path: pathlib.Path) -> List[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def truth(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> List[Any]:
    """What the command gives, of the same spider as a file."""
    folder = tmp_path_factory.mktemp("truth")
    text = (ROOT / "examples/schemas/shop-spider.toml").read_text("utf-8").replace("http://127.0.0.1:8080", shop.url)
    (folder / "shop.toml").write_text(text)
    from conftest import BIN

    command = [str(BIN / "crawlingo"), "crawl", str(folder / "shop.toml"), "-o", str(folder / "out.jsonl"), "-q"]
    subprocess.run(command, check=True, timeout=120)
    return sorted(lines(folder / "out.jsonl"), key=lambda product: product["title"])


def by_title(records: List[Any]) -> List[Any]:
    return sorted(records, key=lambda product: product["title"])


def test_a_run_gives_what_the_command_gives(shop: Shop, truth: List[Any], tmp_path: pathlib.Path) -> None:
    report = Products(shop=at(shop)).run(to=tmp_path / "out.jsonl")
    assert by_title(lines(tmp_path / "out.jsonl")) == truth and len(truth) > 100
    assert (report.ended, report.records, report.dropped) == ("done", len(truth), 0)
    assert report.pages[200] == report.fetched > len(truth) and report.coverage["Product"]["price"] == len(truth)
    with pytest.raises(IoError, match="there already"):
        Products(shop=at(shop)).run(to=tmp_path / "out.jsonl")


def test_streams(shop: Shop, truth: List[Any], tmp_path: pathlib.Path) -> None:
    stream = Products(shop=at(shop)).stream()
    products = list(stream)
    assert all(isinstance(product, Product) for product in products)
    titles = [product["title"] for product in truth]
    assert sorted(product.title for product in products) == titles
    assert stream.report is not None and stream.report.records == len(truth)

    async def asynchronous() -> List[str]:
        return sorted([product.title async for product in Products(shop=at(shop)).stream()])

    assert asyncio.run(asynchronous()) == titles

    async def run() -> Any:
        return await Products(shop=at(shop)).run_async(to=tmp_path / "out.json", meta=["url"])

    assert asyncio.run(run()).records == len(truth)
    assert json.loads((tmp_path / "out.json").read_text("utf-8"))[0]["_url"].startswith(shop.url)


def test_a_stream_that_is_left_goes_on(shop: Shop, truth: List[Any], tmp_path: pathlib.Path) -> None:
    seen = []
    with Products(shop=at(shop)).stream(store=tmp_path / "crawl") as stream:
        for product in stream:
            seen.append(product.title)
            if len(seen) == 100:
                break
    rest = [product.title for product in Products(shop=at(shop)).stream(store=tmp_path / "crawl")]
    # Those of the last batch come again; none is missing.
    assert set(seen) | set(rest) == {product["title"] for product in truth}
    assert len(rest) < len(truth)


def test_the_callers_code(shop: Shop, truth: List[Any], tmp_path: pathlib.Path, caplog: Any) -> None:
    errors: List[Exception] = []

    @spider(**{**OPTIONS, "follow": [*OPTIONS["follow"], css("a.broken")]})
    class Own(Spider[Product]):
        shop: str
        dear = 0

        def process_item(self, item: Product) -> Optional[Product]:
            if item.price.amount > 50:
                return None
            if item.price.amount > 30:
                raise ValueError(f"nearly dear: {item.title}")
            item.title = item.title.upper()
            return item

        def on_error(self, error: Exception) -> None:
            errors.append(error)

    kept = [one for one in truth if float(one["price"]["amount"]) <= 30]
    report = Own(shop=at(shop)).run(to=tmp_path / "out.jsonl")
    assert sorted(one["title"] for one in lines(tmp_path / "out.jsonl")) == sorted(
        one["title"].upper() for one in kept
    )
    assert report.dropped == len(truth) - len(kept)
    own = [error for error in errors if isinstance(error, ValueError)]
    assert own and own[0].__traceback__ is not None
    errors.clear()
    assert sorted(one.title for one in Own(shop=at(shop)).stream()) == sorted(one["title"].upper() for one in kept)
    assert len([error for error in errors if isinstance(error, ValueError)]) == len(own)

    @spider(**OPTIONS, raise_errors=True)
    class Strict(Own):
        pass

    with pytest.raises(SdkError, match="ValueError: nearly dear") as caught:
        Strict(shop=at(shop)).run(to=tmp_path / "strict.jsonl")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(ValueError, match="nearly dear"):
        list(Strict(shop=at(shop)).stream())


def test_pages_that_fail_are_told(shop: Shop, tmp_path: pathlib.Path, caplog: Any) -> None:
    @spider(start=shop.url + "/nowhere", items=[Product])
    class Nowhere(Spider[Product]):
        pass

    with caplog.at_level(logging.ERROR, "crawlingo.spider"):
        report = Nowhere().run(to=tmp_path / "out.jsonl")
    assert (report.failures, report.pages) == (1, {404: 1})
    assert "/nowhere" in caplog.records[-1].getMessage()


def test_what_the_edge_refuses_is_not_written(shop: Shop, tmp_path: pathlib.Path) -> None:
    @dataset
    class Cheap:
        currency: Literal["XXX"] = css(".price span[itemprop=price]")

    errors: List[Exception] = []

    @spider(**{**OPTIONS, "items": {Cheap: "/product/"}}, max_pages=30)
    class Cheaps(Spider[Cheap]):
        shop: str

        def on_error(self, error: Exception) -> None:
            errors.append(error)

    report = Cheaps(shop=at(shop)).run(to=tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "" and report.dropped == len(errors) > 0
    assert isinstance(errors[0], CrawlingoError) and "currency" in str(errors[0])


def test_an_interrupted_run_goes_on(shop: Shop, truth: List[Any], tmp_path: pathlib.Path) -> None:
    program = f"""
import sys, time
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from test_spider import OPTIONS, Product, Spider, spider
@spider(**OPTIONS, rate_per_host=sys.argv[1])
class Products(Spider[Product]):
    shop: str
try:
    print(Products(shop={at(shop)!r}).run(to="out.jsonl", resume=True).ended)
except KeyboardInterrupt:
    print(time.time())
"""
    (tmp_path / "run.py").write_text(program)

    def run(rate: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "run.py", rate], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        )

    child = run("60/s")
    output = tmp_path / "out.jsonl"
    for _ in range(600):
        if output.exists() and output.stat().st_size > 0:
            break
        time.sleep(0.05)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert 0 <= float(out) - sent < 0.2
    child = run("2000/s")
    out, _ = child.communicate(timeout=120)
    assert out.strip() == "done"
    assert by_title(lines(output)) == truth


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"start": "shop.example"}, SelectorError, ["with its scheme"]),
        ({"start": "https://s/{shp}"}, SelectorError, ["{shp}\n", "^^^", "did you mean `shop`?"]),
        ({"follow": ["li >"]}, SelectorError, ["li >", "^"]),
        ({"follow": [css("a", heal=True)]}, SelectorError, ["`heal` has no meaning here"]),
        ({"concurency": 4}, SelectorError, ["did you mean `concurrency`?"]),
        ({"order": "deep"}, SelectorError, ["unknown variant `deep`"]),
        ({"allow": ["("]}, SelectorError, ["allow", "^"]),
        ({"items": [int]}, ConfigError, ["`int` is no dataset"]),
    ],
)
def test_faults_are_told_when_the_class_is_defined(options: Any, error: Any, parts: List[str]) -> None:
    with pytest.raises(error) as caught:

        @spider(**{**OPTIONS, **options})
        class Faulty(Spider[Product]):
            shop: str

    for part in parts:
        assert part in str(caught.value), caught.value


def test_what_spiders_do_not_have_yet_is_said(shop: Shop) -> None:
    with pytest.raises(ConfigError, match="would not be called"):

        @spider(**OPTIONS)
        class Parsing(Spider[Product]):
            shop: str

            def parse(self, page: Any) -> None: ...

    with pytest.raises(ConfigError, match="did you mean `shop`"):
        Products(shp="x")
    with pytest.raises(ConfigError, match="needs this argument"):
        Products()
    with pytest.raises(ConfigError, match="not both"):
        Products(shop="x").stream(session=Session(), timeout=3)
    with pytest.raises(ConfigError, match=".csv"):
        Products(shop=at(shop)).run(to="out.xls")
    with pytest.raises(ConfigError, match="there is no column"):
        Products(shop=at(shop)).run(to="out.csv", meta=["ulr"])
    assert issubclass(FetchError, CrawlingoError)


@pytest.mark.parametrize(("example", "argument"), [("products", "host"), ("listing", "url")])
def test_the_examples_run(shop: Shop, tmp_path: pathlib.Path, example: str, argument: str) -> None:
    where = at(shop) if argument == "host" else shop.url
    output = tmp_path / ("out.jsonl" if example == "products" else "out.csv")
    program = ROOT / "examples/spiders/python" / f"{example}.py"
    out = subprocess.run(
        [sys.executable, str(program), where, str(output)], check=True, capture_output=True, text=True, timeout=120
    )
    assert out.stdout.strip() and len(output.read_text("utf-8").splitlines()) > 5


def test_callbacks_and_threads_do_not_lock_up(shop: Shop, truth: List[Any], tmp_path: pathlib.Path) -> None:
    session = Session(concurrency=2)
    titles: List[Optional[str]] = []

    @spider(**OPTIONS, max_records=20)
    class Calling(Spider[Product]):
        shop: str

        def process_item(self, item: Product) -> Optional[Product]:
            # A call that blocks, from a thread of the engine, by the session that the crawl itself uses.
            titles.append(session.page(f"{shop.url}/catalogue/1").title)
            return item

    reports = []

    def run(number: int) -> None:
        reports.append(Calling(shop=at(shop)).run(to=tmp_path / f"{number}.jsonl", session=session))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert [report.records for report in reports] == [20] * 4 and len(titles) == 80

    async def inside() -> int:
        # A blocking crawl inside of a running loop, and asynchronous ones beside each other.
        blocking = sum(1 for _ in Calling(shop=at(shop)).stream(session=session))

        async def one() -> int:
            return len([item async for item in Calling(shop=at(shop)).stream(session=session)])

        return blocking + sum(await asyncio.gather(one(), one()))

    assert asyncio.run(inside()) == 60


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "raise SystemExit(0)"])
def test_the_interpreter_ends_while_a_crawl_runs(shop: Shop, end: str) -> None:
    program = f"""
import sys
import threading
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
from test_spider import Products
class Own(Products):
    def process_item(self, item):
        return item
stream = Own(shop={at(shop)!r}).stream()
print(next(stream).title)
{end}
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (run.returncode, run.stderr) == (0, "") and run.stdout.strip()
