"""Sessions and pages against the demo shop and a server that is slow: both forms, interrupts, forks, logging."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Iterator

import pytest
from conftest import Shop

import crawlingo
from crawlingo import ConfigError, Dataset, Element, FetchError, Heal, HealStore, Page, Price, SelectorError, Session, css, dataset


@dataset(each="article.product")
class Row:
    title: str = css("h3 a", attr="title")
    price: Price = css(".price")


HTML = "<ul><li class='a x' id=1>one<li>two<li>three</ul><table><tr><th>k<th>v<tr><td>1<td>2</table><p>Price: <b>£5</b>"


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    listener = socket.create_server(("127.0.0.1", 0))
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    listener.close()


def test_a_page_and_its_elements() -> None:
    page = Page(HTML, "https://example.org/")
    items = page.css("li")
    assert len(items) == 3 and [item.text for item in items] == ["one", "two", "three"]
    assert (items[0].text, items[-1].text, items[1:].getall(), items[::-1].getall()) == (
        "one",
        "three",
        ["two", "three"],
        ["three", "two", "one"],
    )
    with pytest.raises(IndexError):
        items[3]
    first = items[0]
    assert (first.tag, first["id"], first.get("none", "-"), "id" in first, first.classes) == (
        "li",
        "1",
        "-",
        True,
        ["a", "x"],
    )
    assert first.attrs == {"class": "a x", "id": "1"} and first == page.css("#\\31")[0] and len({first, first}) == 1
    with pytest.raises(KeyError):
        first["none"]
    assert first.next is not None and first.next.text == "two" and first.previous is None
    assert first.parent is not None and first.parent.tag == "ul" and len(first.parent.children) == 3
    assert first.matches(".a") and first.closest("ul") == first.parent
    assert page.css("li::attr(id)").getall() == ["1"] and page.css("ul").css("li").get() == "one"
    assert page.xpath("//li")[1].text == "two" and page.xpath("count(//li)") == 3.0
    assert page.xpath("//li/@id") == ["1"] and page.xpath("//li[@id = $id]", id="1")[0] == first
    assert page.re(r"£(\d+)") == ["5"] and page.after_text("Price") == "£5"
    assert page.table("table") == [{"k": "1", "v": "2"}]
    assert isinstance(page.find_text("two")[0], Element)
    with pytest.raises(SelectorError):
        page.css("li >")
    with pytest.raises(ConfigError):
        Page(HTML, "example.org")


def test_fetching(shop: Shop) -> None:
    with Session() as session:
        page = session.page(shop.url + "/catalogue/1")
        assert page.status == 200 and page.url.startswith(shop.url) and "text/html" in page.headers["content-type"]
        rows = page.extract(Row)
        assert len(rows) > 5 and rows[0].price.amount > 0
        assert session.extract(shop.url + "/catalogue/1", Row) == rows
        assert session.fetch(shop.url + "/catalogue/1").content == page.content
        with pytest.raises(FetchError) as caught:
            session.page(shop.url + "/nowhere")
        assert (caught.value.status, caught.value.failure) == (404, "status")
        assert session.open(shop.url + "/nowhere").status == 404


def test_asyncio(shop: Shop) -> None:
    async def many() -> None:
        async with Session() as session:
            pages = await asyncio.gather(*(session.page_async(f"{shop.url}/catalogue/{at}") for at in range(1, 6)))
            assert len({page.url for page in pages}) == 5
            assert (await session.extract_async(pages[0].url, Row)) == pages[0].extract(Row)
            with pytest.raises(FetchError):
                await session.page_async(shop.url + "/nowhere")
            # A call that blocks does so inside of a running loop too, and does not lock up.
            assert session.page(pages[0].url).status == 200

    asyncio.run(many())
    asyncio.run(many())


def test_cancelling_and_timeouts(silent: str) -> None:
    async def cancelled() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(Session().page_async(silent), 0.2)

    asyncio.run(cancelled())
    with pytest.raises(FetchError) as caught:
        Session(timeout=0.2).page(silent)
    assert caught.value.failure == "timeout" and caught.value.retryable


def test_other_threads_run_meanwhile(silent: str) -> None:
    ticks = []

    def tick() -> None:
        for _ in range(5):
            time.sleep(0.02)
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    with pytest.raises(FetchError):
        Session(timeout=0.5).page(silent)
    assert len(ticks) == 5
    thread.join()


def test_an_interrupt_gives_control_back(silent: str) -> None:
    program = f"""
import time
from crawlingo import Session
try:
    Session().page({silent!r})
except KeyboardInterrupt:
    print(time.time(), flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    time.sleep(1.5)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    assert 0 <= float(out) - sent < 0.2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks(shop: Shop) -> None:
    program = f"""
import os, sys
from crawlingo import ConfigError, Session
url = {shop.url + "/catalogue/1"!r}
session = Session()
assert session.page(url).status == 200
child = os.fork()
if child == 0:
    try:
        session.page(url)
        os._exit(1)
    except ConfigError as error:
        assert "fork" in str(error)
    os._exit(0 if Session().page(url).status == 200 else 2)
_, status = os.waitpid(child, 0)
assert session.page(url).status == 200
sys.exit(os.waitstatus_to_exitcode(status))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0


def test_a_form(shop: Shop) -> None:
    page = Page(
        f"<form action={shop.url}/catalogue/1><input name=q value=old><input type=hidden name=t value=1>"
        "<input type=checkbox name=c></form>",
        "https://example.org/",
    )
    form = page.form("form").set("q", "new").check("c")
    assert (form.method, form.names, form.values) == ("GET", ["q", "t", "c"], [("q", "new"), ("t", "1"), ("c", "on")])
    assert page.form("form").values[0] == ("q", "old")
    with Session() as session:
        assert form.submit(session).url.endswith("?q=new&t=1&c=on")
        assert asyncio.run(_submit(form, session)).status == 200
    with pytest.raises(ConfigError, match="the form has no field `p`"):
        form.set("p", "x")


async def _submit(form: Any, session: Session) -> Page:
    page: Page = await form.submit_async(session)
    return page


def test_a_dataset_put_together(shop: Shop) -> None:
    described = Dataset(shop.url + "/catalogue/1", each="article.product")
    described.field("title", css("h3 a", attr="title")).field("price", css(".price"), Price)
    expected = [(row.title, row.price) for row in Session().extract(shop.url + "/catalogue/1", Row)]
    assert [(row.title, row.price) for row in described.extract()] == expected
    assert [(row.title, row.price) for row in asyncio.run(described.extract_async())] == expected
    assert Dataset().field("a", css("b")).extract("<b>x").to_dict() == [{"a": "x"}]
    with pytest.raises(ConfigError, match="there is one already"):
        described.field("title", css("a"))
    with pytest.raises(ConfigError, match="say which page"):
        Dataset().field("a", css("b")).extract()


def test_options_are_checked() -> None:
    for options, part in [
        ({"timeuot": 3}, "did you mean `timeout`?"),
        ({"timeout": "long"}, "seconds as a number"),
        ({"timeout": -1}, "seconds as a number"),
        ({"profile": "firefx"}, "did you mean `firefox`?"),
        ({"cookies": 1}, "takes True or False, not 1"),
        ({"concurrency": 0}, "1 or more"),
        ({"heal_strict": True}, "heal_store"),
        ({"on_heal": 5, "heal_store": ":memory:"}, "a function"),
        ({"proxy": "nowhere"}, "not a proxy's address"),
    ]:
        with pytest.raises(ConfigError) as caught:
            Session(**options)  # type: ignore[arg-type]
        assert part in str(caught.value), caught.value
        assert caught.value.key


def test_healing_and_what_is_told(caplog: Any) -> None:
    @dataset(each="article", heal=True)
    class Item:
        title: str = css("h3.title")
        price: Price = css("b.price")

    def page(count: int, title: str, price: str) -> Page:
        rows = "".join(
            f"<article><{title}>The book number {at}</h3><p>Some words about it {at}</p><{price}>£{at}.99</b></article>"
            for at in range(1, count)
        )
        html = f"<html><body><header><h1>Shop</h1></header><main>{rows}</main></body></html>"
        return Page(html, "https://example.org/list")

    heals: list[Heal] = []
    store = HealStore(":memory:")

    def told(heal: Heal) -> None:
        heals.append(heal)
        raise RuntimeError("the callback fails")

    session = Session(heal_store=store, on_heal=told)
    before = session.adopt(page(9, "h3 class=title", "b class=price")).extract(Item)
    with caplog.at_level(logging.WARNING, "crawlingo"):
        after = session.adopt(page(9, "h3 class=name", "b class=cost")).extract(Item, errors="collect")
    assert heals and {heal.dataset for heal in heals} == {"Item"}
    assert {heal.field for heal in heals} <= {"title", "price", "each"}
    healed = {heal.field for heal in heals if heal.outcome == "healed"}
    assert healed == {"title", "price"} and after == before
    assert len(store.history()) == len(heals)
    proposals = store.proposals()
    store.approve(proposals[0]["id"])
    with pytest.raises(ConfigError, match="`proposals\\(\\)` lists them"):
        store.reject("nothing")
    logged = {record.name: record for record in caplog.records}
    assert "did not match as before" in logged["crawlingo.heal"].getMessage()
    # An exception of a callback stops nothing, and is logged with its traceback.
    assert logged["crawlingo.callback"].exc_info is not None


def test_the_package_is_documented() -> None:
    for name in crawlingo.__all__:
        thing = getattr(crawlingo, name)
        if name in ("__version__", "Timestamp"):
            continue
        assert thing.__doc__, name
        if isinstance(thing, type) and thing.__module__.startswith("crawlingo"):
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert value.__doc__, f"{name}.{attribute}"
