"""Crawls by the peers: every page of a list that a server answers, two fields each; prints pages a second.

usage: crawl_peers.py scrapy|aiohttp URL COUNT AT_ONCE
"""

import asyncio
import sys
import time


def with_scrapy(url: str, count: int, at_once: int) -> float:
    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Pages(scrapy.Spider):
        name = "pages"

        async def start(self):
            for at in range(count):
                yield scrapy.Request(f"{url}?page={at}")

        def parse(self, response):
            links = response.css("a::attr(href)").getall()
            yield {"title": response.css("title::text").get(), "links": links}

    settings = {
        "LOG_LEVEL": "ERROR",
        "CONCURRENT_REQUESTS": at_once,
        "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    process.crawl(Pages)
    begun = time.perf_counter()
    process.start()
    return time.perf_counter() - begun


async def with_aiohttp(url: str, count: int, at_once: int) -> float:
    import aiohttp
    from selectolax.lexbor import LexborHTMLParser

    free = asyncio.Semaphore(at_once)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as session:

        async def page(at: int):
            async with free, session.get(f"{url}?page={at}") as response:
                document = LexborHTMLParser(await response.read())
                return document.css_first("title").text(), [link.attributes.get("href") for link in document.css("a")]

        begun = time.perf_counter()
        await asyncio.gather(*(page(at) for at in range(count)))
        return time.perf_counter() - begun


if __name__ == "__main__":
    peer, url, count, at_once = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if peer == "scrapy":
        seconds = with_scrapy(url, count, at_once)
    else:
        seconds = asyncio.run(with_aiohttp(url, count, at_once))
    print(f"{peer} {count / seconds:.0f}")
