"""Declarative scraping: describe the data as a typed class; one runtime fetches, parses, extracts and heals.

>>> from crawlingo import Price, css, dataset, extract
>>>
>>> @dataset(each="article.product")
... class Book:
...     title: str = css("h3 a", attr="title")
...     price: Price = css(".price")
>>>
>>> extract("<article class=product><h3><a title=Ulysses></a></h3><p class=price>£5</article>", Book)
[Book(title='Ulysses', price=Price(amount=Decimal('5'), currency='GBP', symbol='£'))]
"""

from __future__ import annotations

from ._builder import Dataset
from ._crawl_report import CrawlReport
from ._crawlingo import Element, ElementList, Form, Page, Response, __version__
from ._dataset import asdict, dataset
from ._extract import extract
from ._fields import after_text, before_text, css, json, jsonld, meta, microdata, regex, text, xpath
from ._heal import Heal, HealStore
from ._records import Records
from ._session import Session
from ._spider import Spider, Stream, follow, spider
from .errors import (
    ConfigError,
    CrawlingoError,
    ExtractionError,
    FetchError,
    IoError,
    ParseError,
    SdkError,
    SelectorError,
)
from .types import Email, Kind, Phone, Price, Timestamp, Url

__all__ = [
    "ConfigError",
    "CrawlReport",
    "CrawlingoError",
    "Dataset",
    "Element",
    "ElementList",
    "Email",
    "ExtractionError",
    "FetchError",
    "Form",
    "Heal",
    "HealStore",
    "IoError",
    "Kind",
    "Page",
    "ParseError",
    "Phone",
    "Price",
    "Records",
    "Response",
    "SdkError",
    "SelectorError",
    "Session",
    "Spider",
    "Stream",
    "Timestamp",
    "Url",
    "__version__",
    "after_text",
    "asdict",
    "before_text",
    "css",
    "dataset",
    "extract",
    "follow",
    "json",
    "jsonld",
    "meta",
    "microdata",
    "regex",
    "spider",
    "text",
    "xpath",
]
