"""The types of values that Python has none for. Those it has are used: `str`, `int`, `float`, `bool`,
`decimal.Decimal`, `datetime.date`, `datetime.time`, `datetime.datetime`."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Optional
from urllib.parse import SplitResult, urljoin, urlsplit

__all__ = ["Email", "Kind", "Phone", "Price", "Timestamp", "Url"]


@dataclass(frozen=True)
class Kind:
    """Says the kind of a value by its name, where a type alone does not: `Annotated[str, Kind("email")]`.

    Attributes:
        name: `text`, `integer`, `float`, `decimal`, `bool`, `price`, `date`, `time`, `datetime`, `timestamp`, `url`,
            `email`, `phone` or `json`.
    """

    name: str


Timestamp = Annotated[datetime.datetime, Kind("timestamp")]
"""An instant: a `datetime` with the zone UTC. A plain `datetime` has no zone."""


@dataclass(frozen=True)
class Price:
    """An amount of money.

    >>> Price(Decimal("51.77"), "GBP")
    Price(amount=Decimal('51.77'), currency='GBP', symbol=None)

    Attributes:
        amount: The exact amount.
        currency: The ISO 4217 code, where the page's sign or the field names exactly one currency. A bare `$` does not.
        symbol: The sign or code as the page has it.
    """

    amount: Decimal
    currency: Optional[str] = None
    symbol: Optional[str] = None

    def __str__(self) -> str:
        currency = self.currency or self.symbol
        return f"{self.amount} {currency}" if currency else str(self.amount)


class _Text(str):
    """A text of a certain form."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str.__repr__(self)})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            cls, core_schema.str_schema(), serialization=core_schema.to_string_ser_schema()
        )


class Url(_Text):
    """An absolute URL. It is a `str`, with its parts as attributes.

    >>> Url("https://example.org/books?page=2").host
    'example.org'
    """

    __slots__ = ()

    @property
    def parts(self) -> SplitResult:
        """The parts, as `urllib.parse.urlsplit` gives them."""
        return urlsplit(str(self))

    @property
    def scheme(self) -> str:
        """The scheme, such as `https`."""
        return self.parts.scheme

    @property
    def host(self) -> str:
        """The host, without the port."""
        return self.parts.hostname or ""

    @property
    def path(self) -> str:
        """The path."""
        return self.parts.path

    @property
    def query(self) -> str:
        """The query, without the `?`."""
        return self.parts.query

    def resolve(self, reference: str) -> Url:
        """The address that `reference` means on the page of this one."""
        return Url(urljoin(str(self), reference))


class Email(_Text):
    """An e-mail address. It is a `str`."""

    __slots__ = ()


class Phone(_Text):
    """A telephone number: E.164 (`+493012345`) where the country is known, else the digits as written. It is a `str`."""

    __slots__ = ()

    @property
    def is_e164(self) -> bool:
        """Whether the number is in E.164 form."""
        return self.startswith("+")
