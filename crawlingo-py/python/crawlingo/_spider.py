"""Spiders: a class says where a crawl starts, what it takes and what it follows."""

from __future__ import annotations

import json
import logging
import os
import re
import string
import typing
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    ClassVar,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypedDict,
    TypeVar,
    Union,
)
from urllib.parse import quote

from . import _crawlingo
from ._crawl_report import CrawlReport, report_of
from ._dataset import own_annotations
from ._fields import selector_of
from ._records import Path
from ._shapes import _UNIONS
from .errors import ConfigError, FetchError, fault

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Literal, Unpack

    from ._heal import Heal
    from ._session import Session, SessionOptions

T = TypeVar("T")
S = TypeVar("S", bound="Spider[Any]")
_LOG = logging.getLogger("crawlingo.spider")
_NOT_YET = ("parse", "start_requests")


class SpiderOptions(TypedDict, total=False):
    """The options of `@spider`."""

    name: str
    """The spider's name; that of the class unless said otherwise."""
    start: Union[str, Sequence[str]]
    """The URLs that it starts from. `{category}` in one stands for the argument `category` of the class."""
    sitemap: bool
    """Whether the sitemaps of the start's sites are read for more pages."""
    sitemap_since: str
    """Only what a sitemap says was changed then or later, as `2026-05-01`."""
    login: Mapping[str, Any]
    """How one is logged in before the first page: `url`, `form`, `fields`, `expect`."""
    logged_out: str
    """What stands on a page that asks for another login."""
    paginate: Sequence[Mapping[str, Any]]
    """Pages that are found by counting, or by a cursor, with the keys of a spider file."""
    items: Union[Sequence[type], Mapping[type, Optional[str]]]
    """What is taken, if `Spider[..]` does not say it; with a regular expression that the page's URL matches."""
    follow: Sequence[Any]
    """Which links are followed: CSS, `css(..)`, `xpath(..)`, or `follow(..)` with options."""
    allow: Sequence[str]
    """Only URLs that match one of these regular expressions are followed."""
    deny: Sequence[str]
    """URLs that match one of these are not followed."""
    hosts: Sequence[str]
    """The hosts that may be visited; those of the start unless said otherwise."""
    max_pages: int
    """The most pages that are fetched."""
    max_depth: int
    """The most links from a start to a page."""
    max_records: int
    """The most records."""
    max_bytes: int
    """The most bytes of bodies."""
    max_pages_per_host: int
    """The most pages of one host."""
    max_pages_per_pattern: int
    """The most pages of one host whose paths differ in numbers only."""
    adaptive: bool
    """Whether fewer pages are asked for at once while the servers are slow or refuse."""
    meta_robots: bool
    """Whether `nofollow` of a page's own robots meta is obeyed."""
    max_seconds: int
    """The most seconds that a run takes."""
    concurrency: int
    """How many pages are on their way at once."""
    concurrency_per_host: int
    """How many of them of one host."""
    rate_per_host: str
    """How often a host is asked: `8/s`, `30/m`, `500/h`."""
    robots: bool
    """Whether robots.txt is obeyed."""
    order: Literal["breadth", "depth"]
    """Which pages come first."""
    on_invalid: Literal["quarantine", "drop", "fail"]
    """What becomes of records that miss a required field."""
    retries: int
    """How often a page is tried again that failed in a way that may pass."""
    raise_errors: bool
    """Whether an exception of the spider's own code ends the crawl; it is told to `on_error` otherwise."""


@dataclass(frozen=True)
class FollowSpec:
    """What `follow` gives."""

    rule: Dict[str, Any]


def follow(
    selector: Any,
    *,
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
    depth: Optional[int] = None,
    priority: int = 0,
    nofollow: bool = False,
) -> FollowSpec:
    """Links that are followed, with options.

    Args:
        selector: The elements that link, or that hold what links: CSS, `css(..)` or `xpath(..)`.
        allow: Only URLs that match one of these regular expressions.
        deny: No URLs that match one of these.
        depth: Only from pages that lie fewer links than this from a start.
        priority: Higher comes first.
        nofollow: Whether links that say `rel=nofollow` are left out.
    """
    found = selector_of(selector, "follow")
    rule: Dict[str, Any] = {"css": found} if isinstance(found, str) else dict(found)
    rule.update({"allow": list(allow), "deny": list(deny), "priority": priority, "nofollow": nofollow})
    if depth is not None:
        rule["depth"] = depth
    return FollowSpec(rule)


class Stream(Generic[T]):
    """The records of a crawl, for `for` and `async for`. The crawl waits for who takes them: asking for the next one
    says that the one before is done with."""

    def __init__(self, stream: _crawlingo.Stream, spider: Spider[T]) -> None:
        self._stream = stream
        self._spider = spider

    def _item(self, came: Any) -> Optional[T]:
        item, error, url = came
        if error is not None:
            self._spider._failed(error, url)
            return None
        return self._spider._process(item, url)

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        while True:
            came = self._stream.try_next()
            if came is ...:
                came = self._stream.next()
            if came is None:
                raise StopIteration
            item = self._item(came)
            if item is not None:
                return item

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        while True:
            came = self._stream.try_next()
            while came is ...:
                came = await self._stream.next_async()
            if came is None:
                raise StopAsyncIteration
            item = self._item(came)
            if item is not None:
                return item

    @property
    def report(self) -> Optional[CrawlReport]:
        """The report, once the stream has ended."""
        said = self._stream.report()
        return None if said is None else report_of(said, self._spider._dropped)

    def close(self) -> None:
        """Ends the crawl. One with a store can be resumed."""
        self._stream.close()

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()


class Spider(Generic[T]):
    """A spider. Say what it takes as `Spider[Book]`, and the rest with `@spider`.

    >>> @spider(start="https://shop.example/{category}/", follow=["li.next a"])
    ... class Books(Spider[Book]):
    ...     category: str
    >>>
    >>> report = Books(category="maps").run(to="books.jsonl", resume=True)
    >>> for book in Books(category="maps").stream(): ...

    Annotations of the class are its arguments. Override `process_item`, `on_heal` and `on_error` for a say in what
    happens.

    Raises:
        ConfigError: An argument is missing, or there is no such argument.
    """

    __crawlingo_spider__: ClassVar[Optional[Dict[str, Any]]] = None
    __crawlingo_items__: ClassVar[Tuple[type, ...]] = ()

    def __init__(self, **arguments: Any) -> None:
        known = _arguments(type(self))
        for name in arguments:
            if name not in known:
                meant = _crawlingo.suggest(name, list(known))
                hint = f"; did you mean `{meant}`?" if meant else f"; it has {', '.join(known) or 'none'}"
                raise ConfigError(
                    f"option `{name}`: {type(self).__name__} has no such argument{hint}", key=name
                )
        for name in known:
            if name not in arguments and not hasattr(type(self), name):
                raise ConfigError(f"option `{name}`: {type(self).__name__} needs this argument", key=name)
        for name, value in arguments.items():
            setattr(self, name, value)
        self._dropped = 0

    def process_item(self, item: T) -> Optional[T]:
        """Called with each record before it is written or given. Give it, or another; `None` drops it.

        It runs in a thread of the engine where the records go to a file, and in the caller's where they are streamed.
        """
        return item

    def on_heal(self, heal: Heal) -> None:
        """Called with each heal, suggestion, refusal and drift, if the session has a `heal_store`."""

    def on_error(self, error: Exception) -> None:
        """Called with pages that failed, as `FetchError`s, and with exceptions of the spider's own code. Logs them."""
        _LOG.error("%s: %s", type(self).__name__, error, exc_info=None if isinstance(error, FetchError) else error)

    def run(
        self,
        to: Path,
        *,
        resume: bool = False,
        store: Optional[Path] = None,
        overwrite: bool = False,
        meta: Sequence[str] = (),
        quarantine: Optional[Path] = None,
        session: Optional[Session] = None,
        **session_options: Unpack[SessionOptions],
    ) -> CrawlReport:
        """Runs the whole crawl; records go to a file. An interrupt ends it within a moment, and what was committed lasts.

        Args:
            to: A `.jsonl`, `.json` or `.csv` file.
            resume: Keeps the crawl in `.crawlingo/crawls/NAME`: if it was interrupted, the same call goes on with it.
            store: The folder in which the crawl is kept, instead of that one.
            overwrite: Whether a file that is there may be written over.
            meta: Columns about the page: `url`, `fetched_at`, `run_id`, `depth`, `type`.
            quarantine: Where what is no record goes, with the reason; beside the output unless said otherwise.
            session: The session that pages are fetched by; or give its options here.

        Raises:
            ConfigError: An option is wrong.
            IoError: The file is there already, or cannot be written.
        """
        options = self._options(resume, store, session, dict(session_options))
        options.update(to=os.fspath(to), overwrite=overwrite, meta=list(meta))
        options["quarantine"] = None if quarantine is None else os.fspath(quarantine)
        return report_of(_crawlingo.crawl_run(options), self._dropped)

    async def run_async(
        self,
        to: Path,
        *,
        resume: bool = False,
        store: Optional[Path] = None,
        overwrite: bool = False,
        meta: Sequence[str] = (),
        quarantine: Optional[Path] = None,
        session: Optional[Session] = None,
        **session_options: Unpack[SessionOptions],
    ) -> CrawlReport:
        """As `run`, for `await`. Cancelling it leaves what was committed."""
        options = self._options(resume, store, session, dict(session_options))
        options.update(to=os.fspath(to), overwrite=overwrite, meta=list(meta))
        options["quarantine"] = None if quarantine is None else os.fspath(quarantine)
        return report_of(await _crawlingo.crawl_run_async(options), self._dropped)

    def stream(
        self,
        *,
        resume: bool = False,
        store: Optional[Path] = None,
        session: Optional[Session] = None,
        **session_options: Unpack[SessionOptions],
    ) -> Stream[T]:
        """The records as they come, for `for` and `async for`. The arguments are those of `run`.

        Of a crawl that is kept and interrupted, records that were not done with come again.
        """
        return Stream(_crawlingo.crawl_stream(self._options(resume, store, session, dict(session_options))), self)

    def _options(
        self, resume: bool, store: Optional[Path], session: Optional[Session], more: Dict[str, Any]
    ) -> Dict[str, Any]:
        cls = type(self)
        if cls.__crawlingo_spider__ is None:
            raise ConfigError(f"option `spider`: decorate {cls.__name__} with `@spider(start=..)`", key="spider")
        if session is not None and more:
            raise ConfigError("option `session`: give a session, or options of one, not both", key="session")
        spec = dict(cls.__crawlingo_spider__)
        raises = spec.pop("raise_errors", False)
        values = {name: quote(str(getattr(self, name)), safe=":,@!$()*;~") for name in _arguments(cls)}
        spec["start"] = [start.format_map(values) if values else start for start in spec["start"]]
        if store is None and resume:
            store = os.path.join(".crawlingo", "crawls", spec["name"])
        self._dropped, self._raises = 0, raises
        if session is None and _overrides(cls, "on_heal") and more.get("heal_store") is not None:
            more.setdefault("on_heal", self.on_heal)
        return {
            "spec": json.dumps(spec),
            "classes": list(cls.__crawlingo_items__),
            "store": None if store is None else os.fspath(store),
            "session": None if session is None else session._session,
            "session_options": more,
            "progress": self._pages_failed,
            "to": None,
            "overwrite": False,
            "meta": [],
            "quarantine": None,
            "process": self._process if _overrides(cls, "process_item") else None,
            "failed": self._failed,
        }

    def _pages_failed(self, failed: List[Tuple[str, str]]) -> None:
        for url, reason in failed:
            self.on_error(FetchError(f"cannot fetch {url}: {reason}", url=url))

    def _process(self, item: T, url: str) -> Optional[T]:
        try:
            made = self.process_item(item)
        except Exception as error:
            self._failed(error, url)
            return None
        if made is None:
            self._dropped += 1
        return made

    def _failed(self, error: Exception, url: str) -> None:
        self._dropped += 1
        if self._raises:
            raise error
        self.on_error(error)


def _overrides(cls: type, method: str) -> bool:
    return getattr(cls, method) is not getattr(Spider, method)


def _arguments(cls: type) -> List[str]:
    names: List[str] = []
    for base in reversed(cls.__mro__):
        if base is not Spider and issubclass(base, Spider):
            for name, annotation in own_annotations(base).items():
                if "ClassVar" not in str(annotation) and name not in names:
                    names.append(name)
    return names


def spider(**options: Unpack[SpiderOptions]) -> Callable[[Type[S]], Type[S]]:
    """Makes a class a spider: where it starts, what it follows, and how fast. Checked when the class is defined.

    >>> @spider(start="https://shop.example/", follow=["li.next a"], rate_per_host="8/s")
    ... class Books(Spider[Book]): ...

    Raises:
        SelectorError: A selector, a pattern or an option is wrong, with the place and what was probably meant.
        ConfigError: The class is no `Spider`, its items are no datasets, or it has a method that spiders do not have yet.
    """

    def decorate(cls: Type[S]) -> Type[S]:
        if not (isinstance(cls, type) and issubclass(cls, Spider)):
            raise ConfigError("option `spider`: it decorates a class that inherits from `Spider[..]`", key="spider")
        for method in _NOT_YET:
            if hasattr(cls, method):
                raise ConfigError(
                    f"option `{method}`: {cls.__name__}.{method} would not be called: spiders take no code for "
                    "pages and requests in Python yet; say what is taken by `Spider[..]` and what is followed by `follow`",
                    key=method,
                )
        given: Dict[str, Any] = dict(options)
        spec: Dict[str, Any] = {"name": given.pop("name", None) or _snake(cls.__name__)}
        place = (cls.__name__,)
        start = given.pop("start", ())
        spec["start"] = [start] if isinstance(start, str) else list(start)
        spec["follow"] = [_rule(rule) for rule in given.pop("follow", ())]
        items = _items(cls, given.pop("items", None))
        spec["items"] = [
            {"schema": one.__crawlingo__.schema(), **({} if on is None else {"on": on})} for one, on in items
        ]
        raises = given.pop("raise_errors", False)
        spec.update(given)
        known = _arguments(cls)
        checked = dict(spec, start=[_filled(text, known, place) for text in spec["start"]])
        try:
            text = json.dumps(checked)
        except TypeError as error:
            raise fault(f"an option is of a wrong type: {error}", place=place, kind="value") from error
        _crawlingo.check_spider(text)
        cls.__crawlingo_spider__ = dict(spec, raise_errors=raises)
        cls.__crawlingo_items__ = tuple(one for one, _ in items)
        return cls

    return decorate


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _rule(rule: Any) -> Dict[str, Any]:
    return (rule if isinstance(rule, FollowSpec) else follow(rule)).rule


def _filled(text: str, known: Sequence[str], place: Tuple[str, ...]) -> str:
    """The start with something in the place of arguments, so that it can be checked."""
    if not known:
        return text
    for _, name, _, _ in string.Formatter().parse(text):
        if name is not None and name not in known:
            meant = _crawlingo.suggest(name, list(known))
            at = text.index("{" + name)
            raise fault(
                f"the start names an argument that the class does not have: `{name}`",
                place=place,
                expression=text,
                span=(at + 1, at + 1 + len(name)),
                hint=f"did you mean `{meant}`?" if meant else f"the class has {', '.join(known)}",
            )
    return text.format_map({name: "x" for name in known})


def _items(cls: type, given: Any) -> List[Tuple[Any, Optional[str]]]:
    if given is None:
        found: List[Any] = []
        for base in getattr(cls, "__orig_bases__", ()):
            if typing.get_origin(base) is Spider:
                for one in typing.get_args(base):
                    found.extend(typing.get_args(one) if typing.get_origin(one) in _UNIONS else [one])
        items: List[Tuple[Any, Optional[str]]] = [(one, None) for one in found if not isinstance(one, TypeVar)]
    elif isinstance(given, Mapping):
        items = list(given.items())
    else:
        items = [(one, None) for one in given]
    for one, _ in items:
        if getattr(one, "__crawlingo__", None) is None:
            name = getattr(one, "__name__", one)
            raise ConfigError(
                f"option `items`: `{name}` is no dataset; decorate the class with `@dataset`, above the spider",
                key="items",
            )
    return items
