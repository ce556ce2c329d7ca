"""Selectors as parsel has them, over this package's engine: a spider switches by one import.

>>> from crawlingo.parsel import Selector
>>> Selector(text="<a href=/1>one</a>").css("a::attr(href)").getall()
['/1']

What differs: the HTML that `get` gives of an element is written by the rules of the HTML standard, not by lxml's;
`jmespath`, `remove` and `root` are not there.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Dict, List, Optional, Pattern, SupportsIndex, Union, overload

from . import _crawlingo
from ._crawlingo import Page
from .errors import ConfigError

__all__ = ["Selector", "SelectorList"]

_TYPES = {"html": "text/html; charset=utf-8", "xml": "application/xml; charset=utf-8"}
_KEPT = re.compile(r"&(?:lt|amp|#0*60|#0*38|#x0*3c|#x0*26);", re.IGNORECASE)


def _without_entities(text: str) -> str:
    """Entities become characters, but for `&lt;` and `&amp;`, which would make markup."""
    parts = []
    last = 0
    for kept in _KEPT.finditer(text):
        parts += [unescape(text[last : kept.start()]), kept.group()]
        last = kept.end()
    return "".join([*parts, unescape(text[last:])])


def _found(pattern: Union[str, Pattern[str]], text: str, replace_entities: bool) -> List[str]:
    compiled = re.compile(pattern, re.UNICODE) if isinstance(pattern, str) else pattern
    if "extract" in compiled.groupindex:
        match = compiled.search(text)
        strings = [match.group("extract")] if match and match.group("extract") is not None else []
    else:
        strings = []
        for one in compiled.findall(text):
            strings.extend(one if isinstance(one, tuple) else [one])
    return [_without_entities(one) for one in strings] if replace_entities else strings


class SelectorList(List["Selector"]):
    """What a selector finds."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Selector: ...

    @overload
    def __getitem__(self, at: slice) -> SelectorList: ...

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return SelectorList(found) if isinstance(at, slice) else found

    def css(self, query: str) -> SelectorList:
        """What a CSS selector finds below each; `::text` and `::attr(name)` are understood."""
        return SelectorList(found for one in self for found in one.css(query))

    def xpath(self, query: str, namespaces: Optional[Dict[str, str]] = None, **variables: Any) -> SelectorList:
        """What an XPath expression finds from each."""
        return SelectorList(found for one in self for found in one.xpath(query, namespaces, **variables))

    def re(self, regex: Union[str, Pattern[str]], replace_entities: bool = True) -> List[str]:
        """What a regular expression finds in each."""
        return [found for one in self for found in one.re(regex, replace_entities)]

    def re_first(
        self, regex: Union[str, Pattern[str]], default: Optional[str] = None, replace_entities: bool = True
    ) -> Optional[str]:
        """The first that a regular expression finds, or `default`."""
        return next(iter(self.re(regex, replace_entities)), default)

    def getall(self) -> List[str]:
        """The HTML or the value of each."""
        return [one.get() for one in self]

    extract = getall

    def get(self, default: Optional[str] = None) -> Optional[str]:
        """The HTML or the value of the first, or `default`."""
        return self[0].get() if self else default

    extract_first = get

    @property
    def attrib(self) -> Dict[str, str]:
        """The attributes of the first."""
        return self[0].attrib if self else {}


class Selector:
    """A place on a page.

    Args:
        text: The page.
        type: `html` or `xml`.
        body: The page as bytes, instead of `text`.
        encoding: The encoding of `body`.
        base_url: The page's address.

    Raises:
        ConfigError: There is no page, or no such type.
    """

    __slots__ = ("_node", "type", "_namespaces")

    def __init__(
        self,
        text: Optional[str] = None,
        type: Optional[str] = None,
        body: bytes = b"",
        encoding: str = "utf-8",
        base_url: Optional[str] = None,
        *,
        page: Optional[Page] = None,
        _node: Optional[_crawlingo.Node] = None,
    ) -> None:
        self.type = type or "html"
        self._namespaces: Dict[str, str] = {}
        if _node is not None:
            self._node = _node
            return
        if self.type not in _TYPES:
            raise ConfigError(f"option `type`: there are selectors of html and xml, not of {type!r}", key="type")
        if page is None:
            if text is None and not body:
                raise ConfigError("option `text`: give a text, a body or a page", key="text")
            content = body.decode(encoding, "replace") if text is None else text
            page = Page(content, base_url or "about:blank", content_type=_TYPES[self.type])
        self._node = page._root()

    def _made(self, nodes: List[_crawlingo.Node]) -> SelectorList:
        return SelectorList(Selector(type=self.type, _node=node) for node in nodes)

    def css(self, query: str) -> SelectorList:
        """What a CSS selector finds below it; `::text` and `::attr(name)` are understood.

        Raises:
            SelectorError: It does not parse.
        """
        return self._made(self._node.css(query))

    def xpath(self, query: str, namespaces: Optional[Dict[str, str]] = None, **variables: Any) -> SelectorList:
        """What an XPath expression finds from it. Variables are keywords.

        Raises:
            SelectorError: It does not parse.
            ConfigError: Prefixes are bound, which the engine does not do: it takes those of the document.
        """
        if namespaces:
            raise ConfigError(
                "option `namespaces`: prefixes are those of the document; write `*[local-name() = 'name']` for others",
                key="namespaces",
            )
        return self._made(self._node.xpath(query, variables or None))

    def get(self) -> str:
        """The HTML of an element, the value of anything else."""
        return self._node.get()

    extract = get

    def getall(self) -> List[str]:
        """A list of the one."""
        return [self.get()]

    def re(self, regex: Union[str, Pattern[str]], replace_entities: bool = True) -> List[str]:
        """What a regular expression of Python finds in it: its groups, or the whole match."""
        return _found(regex, self.get(), replace_entities)

    def re_first(
        self, regex: Union[str, Pattern[str]], default: Optional[str] = None, replace_entities: bool = True
    ) -> Optional[str]:
        """The first that a regular expression finds, or `default`."""
        return next(iter(self.re(regex, replace_entities)), default)

    @property
    def attrib(self) -> Dict[str, str]:
        """The attributes."""
        return self._node.attributes()

    def __bool__(self) -> bool:
        return bool(self.get())

    def __str__(self) -> str:
        return self.get()

    def __repr__(self) -> str:
        shown = self.get()
        return f"<Selector data={shown[:40] + ('...' if len(shown) > 40 else '')!r}>"
