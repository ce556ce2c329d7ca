"""Parse and extract with the Python peers: `peers.py FOLDER LISTING`, one `name value` a line; the best of five rounds."""

import pathlib
import sys
import time

import lxml.html
from parsel import Selector
from selectolax.lexbor import LexborHTMLParser

ROUNDS = 5
pages = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.html"))]
megabytes = sum(map(len, pages)) / 1e6
listing = pathlib.Path(sys.argv[2]).read_text()


def best(work):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def parse(name, one):
    def work():
        for page in pages:
            one(page)

    print(f"parse {name} {megabytes / best(work):.1f}")


def extract(name, records):
    count = len(records())
    assert count == 1000, count
    print(f"extract {name} {count / best(records):.0f}")


def by_parsel():
    return [
        {
            "title": item.css("h3 a::attr(title)").get(),
            "price": item.css(".price::text").get(),
            "url": item.css("h3 a::attr(href)").get(),
            "stock": item.css(".stock::text").get(),
        }
        for item in Selector(text=listing).css("article.product")
    ]


def by_lexbor():
    return [
        {
            "title": item.css_first("h3 a").attributes["title"],
            "price": item.css_first(".price").text(),
            "url": item.css_first("h3 a").attributes["href"],
            "stock": item.css_first(".stock").text(),
        }
        for item in LexborHTMLParser(listing).css("article.product")
    ]


def by_lxml():
    return [
        {
            "title": item.cssselect("h3 a")[0].get("title"),
            "price": item.cssselect(".price")[0].text_content(),
            "url": item.cssselect("h3 a")[0].get("href"),
            "stock": item.cssselect(".stock")[0].text_content(),
        }
        for item in lxml.html.fromstring(listing).cssselect("article.product")
    ]


parse("selectolax", LexborHTMLParser)
parse("lxml", lxml.html.fromstring)
parse("parsel", lambda page: Selector(text=page.decode("utf-8", "replace")).root)
extract("selectolax", by_lexbor)
extract("lxml", by_lxml)
extract("parsel", by_parsel)
