"""Classes as datasets: what their annotations mean, and what is told of faults."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json as jsonlib
import pickle
from decimal import Decimal
from typing import Annotated, Any, List, Literal, NewType, Optional, Union

import attr
import pydantic
import pytest

import crawlingo
from crawlingo import (
    ConfigError,
    CrawlingoError,
    Email,
    ExtractionError,
    Kind,
    Phone,
    Price,
    Records,
    SelectorError,
    Timestamp,
    Url,
    after_text,
    asdict,
    before_text,
    css,
    dataset,
    extract,
    json,
    jsonld,
    meta,
    microdata,
    regex,
    text,
    xpath,
)

PAGE = """<html lang=en><head><title>Shop</title><meta property=og:title content="The shop">
<script type=application/ld+json>{"@type": "Product", "offers": {"price": "12.50"}}</script></head><body>
<article class=product><h3><a href=/b/1 title="The whole title">The who…</a></h3>
 <p class=price>1.299,00 €</p><p>3 in stock</p><p>Added <time datetime=2026-03-31>last week</time></p>
 <p>Weight: 1.5 kg</p><p><b>12</b> <span>reviews</span></p><i class=tag>maps</i><i class=tag>old</i>
 <a href="mailto:a@example.org">mail</a> <span class=tel>+49 30 123456</span><u>yes</u><q>2026-03-31T14:30:00+02:00</q>
 <s>14:30</s><em>paper</em><tt>7.25</tt><code>{"a": [1, 2]}</code><div itemscope itemtype=http://schema.org/Book>
 <span itemprop=isbn>978</span></div><ol><li><b>A</b><ol><li><b>A1</b></ol><li><b>B</b></ol></article></body></html>"""
URL = "https://example.org/shop/"


@dataset(each="article.product")
class Book:
    """A book."""

    title: str = css("h3 a", attr="title")
    price: Price = css(".price")
    url: Url = css("h3 a", attr="href")
    stock: Optional[int] = regex(r"(\d+) in stock")
    tags: list[str] = css(".tag")


class Cover(enum.Enum):
    PAPER = "paper"
    CLOTH = "cloth"


Isbn = NewType("Isbn", int)


@dataset
class Every:
    number: float = css("tt")
    exact: Decimal = css("tt")
    flag: bool = css("u")
    day: datetime.date = css("article > p > time")
    at: datetime.datetime = css("q")
    instant: Timestamp = css("q")
    clock: datetime.time = css("s")
    email: Email = css("a[href^=mailto]")
    phone: Phone = css(".tel")
    data: Any = css("code")
    cover: Cover = css("em")
    literal: Literal["paper", "cloth"] = css("em")
    isbn: Isbn = microdata("Book.isbn")
    weight: str = after_text("Weight")
    reviews: int = before_text("reviews")
    anchored: str = text("in stock")
    offer: Decimal = jsonld("Product.offers.price")
    og: str = meta("og:title")
    path: str = xpath("//h3/a/@href")
    chained: str = css(".none") | meta("og:title", upper=True)
    steps: list[str] = css(".tag", join="/", replace=("a", "o"))
    again: Annotated[str, Kind("email")] = css("a[href^=mailto]")
    pair: tuple[str, ...] = css(".tag")
    bag: frozenset[str] = css(".tag")
    made: int = css(".price", transform=len)
    words: list[str] = css(".tag", transform=str.title)
    none: Optional[str] = css(".none")
    fallback: int = css(".none", default=7)


def test_values_of_every_type() -> None:
    [every] = extract(PAGE, Every, url=URL)
    day = datetime.date(2026, 3, 31)
    assert asdict(every) == {
        "number": 7.25,
        "exact": Decimal("7.25"),
        "flag": True,
        "day": day,
        "at": datetime.datetime(2026, 3, 31, 14, 30),
        "instant": datetime.datetime(2026, 3, 31, 12, 30, tzinfo=datetime.timezone.utc),
        "clock": datetime.time(14, 30),
        "email": "a@example.org",
        "phone": "+4930123456",
        "data": {"a": [1, 2]},
        "cover": Cover.PAPER,
        "literal": "paper",
        "isbn": 978,
        "weight": "1.5 kg",
        "reviews": 12,
        "anchored": "3 in stock",
        "offer": Decimal("12.50"),
        "og": "The shop",
        "path": "/b/1",
        "chained": "THE SHOP",
        "steps": ["mops/old"],
        "again": "a@example.org",
        "pair": ("maps", "old"),
        "bag": frozenset({"maps", "old"}),
        "made": len("1.299,00 €"),
        "words": ["Maps", "Old"],
        "none": None,
        "fallback": 7,
    }
    assert (type(every.email), type(every.phone)) == (Email, Phone)
    assert every.phone.is_e164


def test_a_plain_class() -> None:
    [book] = extract(PAGE, Book, url=URL)
    price = Price(Decimal("1299.00"), "EUR", "€")
    assert book == Book(
        title="The whole title", price=price, url=Url("https://example.org/b/1"), stock=3, tags=["maps", "old"]
    )
    assert repr(book).startswith("Book(title='The whole title', price=Price(amount=Decimal('1299.00')")
    assert (book.url.host, book.url.resolve("2")) == ("example.org", "https://example.org/b/2")
    assert pickle.loads(pickle.dumps(book)) == book
    assert pickle.loads(pickle.dumps(extract(PAGE, Book, url=URL)))[0] == book
    with pytest.raises(TypeError, match="missing 5 required keyword-only"):
        Book()  # type: ignore[call-arg]
    assert Book.__crawlingo__.schema()["description"] == "A book."  # type: ignore[attr-defined]


def test_dataclasses_attrs_and_pydantic_models() -> None:
    @dataset(each="article")
    @dataclasses.dataclass
    class Data:
        title: str = css("h3 a")
        price: Optional[Price] = css(".none", default="5 EUR")
        note: str = "mine"

    @dataset(each="article")
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        title: str = css("h3 a")

    @dataset(each="article")
    @attr.define
    class Attrs:
        title: str = css("h3 a")
        stock: int = regex(r"(\d+) in stock")

    @dataset(each="article")
    class Model(pydantic.BaseModel):
        title: Annotated[str, pydantic.Field(min_length=3)] = css("h3 a")
        url: Url = css("h3 a")
        home: pydantic.HttpUrl = css("h3 a")
        price: Annotated[Price, css(".price")]
        tags: list[str] = css(".tag")

    assert extract(PAGE, Data) == [Data(title="The who…", price=Price(Decimal(5), "EUR", "EUR"))]
    assert extract(PAGE, Data)[0].note == "mine"
    assert extract(PAGE, Frozen) == [Frozen(title="The who…")]
    assert extract(PAGE, Attrs) == [Attrs(title="The who…", stock=3)]
    [model] = extract(PAGE, Model, url=URL)
    assert (model.url, str(model.home)) == ("https://example.org/b/1", "https://example.org/b/1")
    assert model.price.currency == "EUR"
    assert jsonlib.loads(model.model_dump_json())["tags"] == ["maps", "old"]
    for made in (Data, Attrs):
        with pytest.raises(TypeError, match="title"):
            made()
    with pytest.raises(pydantic.ValidationError, match="title"):
        Model()  # type: ignore[call-arg]
    assert {field.name: field.default for field in dataclasses.fields(Data)}["title"] is dataclasses.MISSING


def test_a_model_that_refuses_a_record_says_which() -> None:
    @dataset(each="article")
    class Model(pydantic.BaseModel):
        title: Annotated[str, pydantic.Field(min_length=30)] = css("h3 a")

    with pytest.raises(ExtractionError, match="at least 30 characters") as caught:
        extract(PAGE, Model, url=URL)
    assert (caught.value.dataset, caught.value.record, caught.value.url) == ("Model", 0, URL)
    assert isinstance(caught.value.__cause__, pydantic.ValidationError)


@dataset
class Node:
    name: str = css(":scope > b")
    children: list[Node] = css(":scope > ol > li")


@dataset
class Tree:
    roots: list[Node] = css("article > ol > li")
    book: Book


def test_nested_and_recursive_datasets() -> None:
    [tree] = extract(PAGE, Tree, url=URL)
    assert tree.roots == [
        Node(name="A", children=[Node(name="A1", children=[])]),
        Node(name="B", children=[]),
    ]
    assert isinstance(tree.book, Book)
    assert asdict(tree)["roots"][0]["children"] == [{"name": "A1", "children": []}]


def test_inheritance() -> None:
    @dataset(each="article")
    class Dated(Book):
        day: datetime.date = css("time")

    [dated] = extract(PAGE, Dated, url=URL)
    assert (dated.title, dated.day) == ("The whole title", datetime.date(2026, 3, 31))

    class Undecorated(Book):
        pass

    with pytest.raises(ConfigError, match="`Undecorated` is no dataset"):
        extract(PAGE, Undecorated)


def test_what_is_missing_is_an_error_or_collected() -> None:
    with pytest.raises(ExtractionError) as caught:
        extract("<article class=product><h3><a title=x href=/></a></h3></article>", Book, url=URL)
    error = caught.value
    assert (error.dataset, error.field, error.record, error.url) == ("Book", "price", 0, URL)
    assert ".price" in error.selector and isinstance(error, CrawlingoError) and not error.retryable
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.field) == (str(error), "price")
    two = PAGE.replace("</body>", "<article class=product></article></body>")
    books = extract(two, Book, url=URL, errors="collect")
    assert len(books) == 1 and [type(one) for one in books.errors] == [ExtractionError]
    assert books.report["found"] == 2
    with pytest.raises(ExtractionError):
        extract(two, Book, url=URL)


def test_what_a_transform_raises_is_the_cause() -> None:
    def refuse(price: Price) -> str:
        raise LookupError(f"no rate for {price.currency}")

    @dataset
    class Refused:
        price: str = css(".price", transform=refuse)

    with pytest.raises(ExtractionError, match="LookupError: no rate for EUR") as caught:
        extract(PAGE, Refused)
    assert isinstance(caught.value.__cause__.__cause__ or caught.value.__cause__, LookupError)
    assert caught.value.field == "price"
    assert Refused.__crawlingo__.schema()["fields"]["price"]["host_transform"] is True  # type: ignore[attr-defined]


def test_exports(tmp_path: Any) -> None:
    books = extract(PAGE, Book, url=URL)
    line = (
        '{"title":"The whole title","price":{"amount":"1299.00","currency":"EUR","symbol":"€"},'
        '"url":"https://example.org/b/1","stock":3,"tags":["maps","old"]}'
    )
    assert books.to_jsonl(tmp_path / "books.jsonl") == line + "\n"
    assert (tmp_path / "books.jsonl").read_text("utf-8") == line + "\n"
    assert jsonlib.loads(books.to_json(indent=True)) == [jsonlib.loads(line)]
    assert books.to_csv().splitlines()[1] == (
        'The whole title,1299.00 EUR,https://example.org/b/1,3,"[""maps"",""old""]"'
    )
    frame = books.df()
    assert list(frame.columns) == ["title", "price", "url", "stock", "tags"] and frame["stock"].tolist() == [3]
    assert list(extract("<p>", Book).df().columns) == list(frame.columns)
    with pytest.raises(crawlingo.IoError) as caught:
        books.to_csv(tmp_path / "none" / "books.csv")
    assert "none" in caught.value.target and isinstance(caught.value.__cause__, OSError)


def test_the_output_name_is_another_than_the_attribute() -> None:
    @dataset(each="article", key="Title")
    class Renamed:
        title: str = css("h3 a", name="Title", description="On the cover")
        shop: str = meta("og:title", name="Shop")

    books = extract(PAGE, Renamed)
    assert (books[0].title, books.to_jsonl()) == (
        "The who…",
        '{"Title":"The who…","Shop":"The shop"}\n',
    )
    schema = Renamed.__crawlingo__.schema()  # type: ignore[attr-defined]
    assert schema["fields"]["Title"]["description"] == "On the cover"


def test_bytes_and_json_and_xml() -> None:
    @dataset(each=json("$.books[*]"))
    class Item:
        title: str = json("$.title")

    for url in (URL, None):
        found = extract('{"books": [{"title": "a"}, {"title": "b"}]}', Item, url=url, content_type="application/json")
        assert found == [Item(title="a"), Item(title="b")]

    @dataset
    class Title:
        title: str = css("title")

    assert extract("<title>é".encode("latin-1"), Title, content_type="text/html; charset=iso-8859-1")[0].title == "é"


# A class in a function, for the faults that it is to have.
def bare(annotation: Any, value: Any, **options: Any) -> Any:
    space = {"__annotations__": {"field": annotation}, "__module__": __name__}
    if value is not None:
        space["field"] = value
    return dataset(**options)(type("Faulty", (), space))


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda: css("div >> a"), ["div >> a\n  |        ^", "= help: write one behind it"]),
        (lambda: css("p:frist-child"), ["did you mean `:first-child`?", "^"]),
        (lambda: xpath("//a["), ["//a[", "^"]),
        (lambda: regex("(a"), ["(a", "^"]),
        (lambda: json("$.["), ["$.[", "^"]),
        (lambda: text("  "), ["the text to look for is empty"]),
        (lambda: css("a", atr="x"), ["css('a', atr='x')\n  |          ^^^", "did you mean `attr`?"]),
        (lambda: css("a", banana=1), ["unknown option `banana`", "`css` knows attr"]),
        (lambda: css("a", attr="x", html=True), ["only one of"]),
        (lambda: css(5), ["takes a text, not int"]),
        (lambda: css("a", default=Price(Decimal(5))), ["not Price", 'default="5 EUR"']),
        (lambda: bare(complex, css("a")), ["Faulty.field: no value of a page becomes a `complex`", "^^^^^^^"]),
        (lambda: bare("Prices", css("a")), ["Faulty: an annotation names what is not there", "Prices"]),
        (lambda: bare(Union[int, str], css("a")), ["one of 2"]),
        (lambda: bare(List[List[str]], css("a")), ["list of lists"]),
        (lambda: bare(list, css("a")), ["write `list[str]`"]),
        (lambda: bare(Annotated[str, Kind("emial")], css("a")), ["did you mean `email`?"]),
        (lambda: bare(Literal["a", 1], css("a")), ["all texts or all numbers"]),
        (lambda: bare(str, None), ["Faulty.field: the field has no selector", 'field: str = css("h1")']),
        (lambda: bare(str, css("a", currency="EUR")), ["`currency` has no meaning for the kind `text`"]),
        (lambda: bare(str, css("a", heal="bnid")), ["Faulty.field", "did you mean `bind`?"]),
        (lambda: bare(int, css("a", default="many")), ["many"]),
        (lambda: bare(str, regex("a", heal=True)), ["`heal` needs a selector that finds an element"]),
        (lambda: bare(Book, css("a::text")), ["a nested dataset needs an element"]),
        (lambda: bare(str, css("a"), each="li::text"), ["`each` must find elements"]),
        (lambda: bare(str, css("a"), each=css("a", heal=True)), ["`heal` has no meaning here"]),
        (lambda: bare(str, css("a"), key="feild"), ["did you mean `field`?"]),
        (lambda: dataset(type("Empty", (), {})), ["Empty: the dataset has no fields"]),
    ],
)
def test_faults_are_told_when_the_class_is_defined(make: Any, parts: List[str]) -> None:
    with pytest.raises((SelectorError, ExtractionError)) as caught:
        make()
    for part in parts:
        assert part in str(caught.value), str(caught.value)


def test_a_fault_has_attributes() -> None:
    with pytest.raises(SelectorError) as caught:
        css("ü > > a")
    error = caught.value
    assert error.expression == "ü > > a" and error.span is not None
    assert (error.kind, error.hint is not None, error.reason in str(error)) == ("css", True, True)
    with pytest.raises(SelectorError) as caught:
        bare(str, css("a", heal="bnid"))
    assert caught.value.place == ("Faulty", "field")


def test_what_is_no_page() -> None:
    with pytest.raises(TypeError, match="a page is a str or bytes, not NoneType"):
        extract(None, Book)  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        extract("<p>\ud800", Book)
    # Deeper than a parser may go, and cut off.
    assert extract("<div>" * 100_000, Book) == [] and extract(bytearray(b"<p"), Book) == []


def test_records_are_lists() -> None:
    books = extract(PAGE, Book, url=URL)
    assert isinstance(books, Records) and isinstance(books, list) and books[0].title == "The whole title"
    with pytest.raises(ConfigError, match="is no dataset"):
        extract(PAGE, int)
    with pytest.raises(ConfigError, match="is no record"):
        asdict(5)
