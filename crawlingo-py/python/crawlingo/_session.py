"""Sessions: what fetches."""

from __future__ import annotations

import datetime
import json as jsonlib
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple, Type, TypedDict, TypeVar, Union
from urllib.parse import urlencode

from . import _crawlingo
from ._crawlingo import Page, Response

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Literal, Unpack

    from ._heal import Heal, HealStore
    from ._records import Records

T = TypeVar("T")
Seconds = Union[float, datetime.timedelta]


class SessionOptions(TypedDict, total=False):
    """The options of a session. Durations are seconds or `timedelta`s."""

    tier: Literal["standard", "stealthy"]
    """Whether requests look like this package's or like a browser's."""
    profile: Literal["chrome", "firefox", "safari", "edge", "okhttp"]
    """The browser that requests look like; sets the stealthy tier."""
    user_agent: str
    """The User-Agent of the standard tier."""
    headers: Dict[str, str]
    """Headers that every request carries."""
    proxy: str
    """The proxy: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` where it asks for that."""
    http_version: Literal["auto", "1.1", "2"]
    """The version of HTTP."""
    connect_timeout: Seconds
    """How long a connection may take to be made."""
    first_byte_timeout: Seconds
    """How long the first byte of the answer may take."""
    idle_timeout: Seconds
    """How long the body may pause."""
    timeout: Seconds
    """How long a request may take, redirects and body included."""
    max_body_bytes: int
    """The most bytes of a body."""
    max_headers: int
    """The most headers of a response."""
    max_redirects: int
    """The most redirects that one request follows."""
    concurrency: int
    """The most requests that are on their way at once."""
    cookies: bool
    """Whether cookies are kept and sent back."""
    deny_private: bool
    """Whether addresses of private networks and of this machine are refused."""
    verify_tls: bool
    """Whether the certificates of servers are checked."""
    parse_threads: int
    """The most threads that parse; 0: as many as there are cores."""
    heal_store: Union[str, os.PathLike[str], HealStore]
    """Where fingerprints are kept: a folder, `":memory:"` or a `HealStore`. Without one nothing heals."""
    heal_threshold: float
    """The probability of being right from which on a heal is bound; 0.94 unless said otherwise."""
    on_heal: Callable[[Heal], Any]
    """Called with each heal, suggestion, refusal and drift, in a thread of the engine."""
    auto_match: Union[bool, Literal["off", "suggest", "bind"]]
    """How the fields heal of datasets that say nothing of it."""
    heal_strict: bool
    """Whether a selector that seems to match something else than it did is an error."""


def _body(
    headers: Optional[Mapping[str, str]], data: Any, json: Any
) -> Tuple[Optional[Dict[str, str]], Optional[bytes]]:
    headers = dict(headers or {})
    kind: Optional[str] = None
    body: Optional[bytes] = None
    if json is not None:
        kind, body = "application/json", jsonlib.dumps(json).encode()
    elif isinstance(data, (bytes, bytearray)):
        body = bytes(data)
    elif isinstance(data, str):
        kind, body = "text/plain; charset=utf-8", data.encode()
    elif data is not None:
        kind, body = "application/x-www-form-urlencoded", urlencode(data, doseq=True).encode()
    if kind is not None and not any(name.lower() == "content-type" for name in headers):
        headers["content-type"] = kind
    return headers or None, body


class Session:
    """Fetches pages. It keeps connections and cookies, and can be used from several threads and event loops.

    Each call has two forms: `page(..)` waits, and `page_async(..)` is for `await`.

    >>> with Session(profile="firefox", timeout=20) as session:
    ...     books = session.page("https://example.org/books").extract(Book)

    After a fork, make a new one in the child.

    Raises:
        ConfigError: An option is wrong, or there is no such option.
    """

    def __init__(self, **options: Unpack[SessionOptions]) -> None:
        self._session = _crawlingo.Session(dict(options))

    def page(self, url: str) -> Page:
        """Fetches a page and parses it.

        Raises:
            FetchError: There is no complete answer, or its status is 400 or above.
            ParseError: The answer is no document.
        """
        return self._session.page(url)

    async def page_async(self, url: str) -> Page:
        """As `page`, for `await`."""
        page: Page = await self._session.page_async(url)
        return page

    def open(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Optional[Mapping[str, str]] = None,
        data: Union[Mapping[str, Any], str, bytes, None] = None,
        json: Any = None,
        timeout: Optional[Seconds] = None,
    ) -> Page:
        """Fetches a page and parses it, whatever its status.

        Args:
            url: The address.
            method: The method.
            headers: Headers of this request.
            data: The body: fields of a form, a text or bytes.
            json: The body as JSON.
            timeout: How long it may take.

        Raises:
            FetchError: There is no complete answer.
            ParseError: The answer is no document.
        """
        headers, body = _body(headers, data, json)
        return self._session.open(url, method, headers, body, timeout)

    async def open_async(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Optional[Mapping[str, str]] = None,
        data: Union[Mapping[str, Any], str, bytes, None] = None,
        json: Any = None,
        timeout: Optional[Seconds] = None,
    ) -> Page:
        """As `open`, for `await`."""
        headers, body = _body(headers, data, json)
        page: Page = await self._session.open_async(url, method, headers, body, timeout)
        return page

    def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Optional[Mapping[str, str]] = None,
        data: Union[Mapping[str, Any], str, bytes, None] = None,
        json: Any = None,
        timeout: Optional[Seconds] = None,
    ) -> Response:
        """Fetches an answer as it is, such as an image. Arguments as for `open`.

        Raises:
            FetchError: There is no complete answer.
        """
        headers, body = _body(headers, data, json)
        return self._session.fetch(url, method, headers, body, timeout)

    async def fetch_async(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Optional[Mapping[str, str]] = None,
        data: Union[Mapping[str, Any], str, bytes, None] = None,
        json: Any = None,
        timeout: Optional[Seconds] = None,
    ) -> Response:
        """As `fetch`, for `await`."""
        headers, body = _body(headers, data, json)
        response: Response = await self._session.fetch_async(url, method, headers, body, timeout)
        return response

    def extract(self, url: str, dataset: Type[T]) -> Records[T]:
        """Fetches a page and extracts all records of a dataset.

        Raises:
            FetchError: The page cannot be fetched.
            ExtractionError: A required field of a record is missing.
        """
        return self.page(url).extract(dataset)

    async def extract_async(self, url: str, dataset: Type[T]) -> Records[T]:
        """As `extract`, for `await`."""
        return (await self.page_async(url)).extract(dataset)

    def adopt(self, page: Page) -> Page:
        """Makes a page from elsewhere, such as a file, heal as those do that the session fetches."""
        return self._session.adopt(page)

    def cookie(self, url: str, name: str) -> Optional[str]:
        """The value of the cookie that would be sent to an address."""
        return self._session.cookie(url, name)

    def set_cookie(self, url: str, cookie: str) -> None:
        """Sets a cookie, as a server would by `Set-Cookie`."""
        self._session.set_cookie(url, cookie)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        return None

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        return None
