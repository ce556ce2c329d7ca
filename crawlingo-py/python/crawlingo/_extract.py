"""Extraction without the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Type, TypeVar, Union

from . import _crawlingo

if TYPE_CHECKING:
    from typing_extensions import Literal

    from ._records import Records

T = TypeVar("T")


def extract(
    html: Union[str, bytes],
    dataset: Type[T],
    *,
    url: Optional[str] = None,
    content_type: Optional[str] = None,
    errors: Literal["raise", "collect"] = "raise",
) -> Records[T]:
    """All records of a dataset in a page that is there already. Other threads run while it works.

    >>> books = extract("<h1>Ulysses</h1>", Book)

    Args:
        html: The page. Of bytes, the encoding is found; JSON and XML are known by `content_type`.
        dataset: A class with `@dataset`.
        url: Where the page is from: relative addresses are relative to it.
        content_type: The content type that the page came with, such as `text/html; charset=shift_jis`.
        errors: `"raise"` raises the first error; `"collect"` leaves out the records that could not be made, and says why
            in `Records.errors`.

    Raises:
        ExtractionError: A required field of a record is missing, or its type refuses the value.
        ParseError: The bytes are no document, or pass a bound.
        ConfigError: The class is no dataset.
    """
    result: Records[T] = _crawlingo.extract(html, dataset, url, content_type, errors != "collect")
    return result
