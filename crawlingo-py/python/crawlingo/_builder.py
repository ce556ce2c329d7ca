"""`Dataset`: a schema put together at run time, for those who do not have it as a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from ._dataset import dataset
from ._extract import extract
from ._records import Records
from .errors import ConfigError

if TYPE_CHECKING:
    from ._session import Session


class Dataset:
    """Describes what is wanted of a page, field by field.

    >>> books = (
    ...     Dataset("https://example.org/books", each="article")
    ...     .field("title", css("h3 a", attr="title"))
    ...     .field("price", css(".price"), Price)
    ...     .extract()
    ... )

    Args:
        url: The page.
        each: What finds the records; without it, the page is one.
        name: The dataset's name.
        session: The session that fetches; one of its own unless given.
    """

    def __init__(
        self, url: Optional[str] = None, *, each: Any = None, name: str = "Dataset", session: Optional[Session] = None
    ) -> None:
        self._url = url
        self._each = each
        self._name = name
        self._session = session
        self._fields: Dict[str, Any] = {}
        self._types: Dict[str, Any] = {}

    def field(self, name: str, selector: Any, type: Any = str) -> Dataset:
        """Adds a field: where it stands, and what it becomes.

        Raises:
            ConfigError: There is a field of that name already.
        """
        if name in self._fields or not name.isidentifier():
            reason = "there is one already" if name in self._fields else "a field's name is one that an attribute can have"
            raise ConfigError(f"option `field`: {name!r}: {reason}", key="field")
        self._fields[name] = selector
        self._types[name] = type
        return self

    def build(self) -> Any:
        """The class that it describes.

        Raises:
            SelectorError: A selector or a type is wrong.
        """
        made = type(self._name, (), {**self._fields, "__annotations__": dict(self._types), "__module__": __name__})
        return dataset(each=self._each)(made)

    def extract(self, html: Optional[str] = None) -> Records[Any]:
        """Fetches the page, or takes the HTML that is given, and extracts the records.

        Raises:
            SelectorError: The description is wrong; nothing is fetched then.
            FetchError: The page cannot be fetched.
            ExtractionError: A required field of a record is missing.
        """
        made = self.build()
        if html is not None:
            return extract(html, made, url=self._url)
        found: Records[Any] = self._fetcher().extract(self._address(), made)
        return found

    async def extract_async(self) -> Records[Any]:
        """As `extract`, for `await`."""
        made = self.build()
        found: Records[Any] = await self._fetcher().extract_async(self._address(), made)
        return found

    def _address(self) -> str:
        if self._url is None:
            raise ConfigError('option `url`: say which page: `Dataset("https://..")`, or give its HTML', key="url")
        return self._url

    def _fetcher(self) -> Session:
        from ._session import Session

        return self._session or Session()
