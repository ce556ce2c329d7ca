"""All products of the demo shop, each of its own page.

    python products.py 127.0.0.1:8080 products.jsonl
"""

from __future__ import annotations

import sys
from typing import Optional

from crawlingo import Price, Spider, css, dataset, follow, spider


@dataset(key="title")
class Product:
    """A product of the shop."""

    title: str = css("h1[itemprop=name]", heal=True)
    price: Price = css(".price span[itemprop=price]", heal=True)


@spider(
    start="http://{shop}/catalogue/1",
    items={Product: "/product/"},
    follow=[follow("a[rel=next]", priority=1), "article.product h3 a"],
    deny=["/calendar/"],
    concurrency=16,
)
class Products(Spider[Product]):
    """Walks the listing and takes each product."""

    shop: str
    """Host and port."""

    def process_item(self, item: Product) -> Optional[Product]:
        """Free products are none that we want."""
        return item if item.price.amount > 0 else None


def main() -> None:
    """Runs the spider."""
    report = Products(shop=sys.argv[1]).run(to=sys.argv[2], overwrite=True)
    print(f"{report.records} products of {report.fetched} pages in {report.seconds:.1f} s")


if __name__ == "__main__":
    main()
