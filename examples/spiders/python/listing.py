"""The first page of the demo shop's listing, without a crawl.

    python listing.py http://127.0.0.1:8080 listing.csv
"""

from __future__ import annotations

import sys

from crawlingo import Price, Session, Url, css, dataset


@dataset(each="article.product")
class Row:
    """A row of the listing."""

    title: str = css("h3 a", attr="title")
    price: Price = css(".price")
    url: Url = css("h3 a")


def main() -> None:
    """Fetches the page, extracts the rows and writes them."""
    with Session() as session:
        rows = session.extract(sys.argv[1] + "/catalogue/1", Row)
    rows.to_csv(sys.argv[2])
    dearest = max(rows, key=lambda row: row.price.amount)
    print(f"{len(rows)} rows; the dearest is {dearest.title} for {dearest.price}")


if __name__ == "__main__":
    main()
