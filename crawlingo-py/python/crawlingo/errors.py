"""The exceptions: all of them are a `CrawlingoError`, and each says in attributes what its message says in words."""

from __future__ import annotations

from typing import Any, Optional, Tuple

__all__ = [
    "ConfigError",
    "CrawlingoError",
    "ExtractionError",
    "FetchError",
    "IoError",
    "ParseError",
    "SdkError",
    "SelectorError",
]


class CrawlingoError(Exception):
    """Everything that can fail.

    Attributes:
        retryable: Whether the same call may succeed later.
        causes: What other libraries said, the nearest cause first.
    """

    retryable: bool = False
    causes: Tuple[str, ...] = ()

    def __init__(self, message: str = "", **attributes: Any) -> None:
        super().__init__(message)
        for name, value in attributes.items():
            setattr(self, name, value)


class FetchError(CrawlingoError):
    """A page could not be fetched.

    Attributes:
        url: Where to.
        failure: `dns`, `connect`, `tls`, `timeout`, `status`, `protocol`, `decode`, `too_large`, `redirect`, `denied`,
            `proxy`, `blocked` or `request`.
        status: The status, where there was an answer.
        retry_after: In how many seconds to try again, where the server said it.
    """

    url: str = ""
    failure: str = "other"
    status: Optional[int] = None
    retry_after: Optional[float] = None


class ParseError(CrawlingoError):
    """Bytes could not be made into a document.

    Attributes:
        url: Of which page.
    """

    url: Optional[str] = None


class SelectorError(CrawlingoError):
    """A schema or a selector is wrong: what, where and how to mend it.

    Attributes:
        kind: `css`, `xpath`, `regex`, `path`, `text`, `unknown_key`, `structure`, `value` or `kind`.
        reason: The message alone, without place, caret and hint.
        place: Where in the schema, outermost first: `("Book", "price")`.
        expression: The expression in which the fault is.
        span: The characters of `expression` that are at fault, from and to.
        hint: How to mend it.
    """

    kind: str = "structure"
    reason: str = ""
    place: Tuple[str, ...] = ()
    expression: Optional[str] = None
    span: Optional[Tuple[int, int]] = None
    hint: Optional[str] = None


class ExtractionError(CrawlingoError):
    """A record could not be made of a page.

    Attributes:
        url: Of which page.
        dataset: The dataset.
        record: The position of the record on the page, from 0.
        field: The field, with those around it: `offer.price`.
        selector: The selectors that were tried.
    """

    url: Optional[str] = None
    dataset: str = ""
    record: int = 0
    field: str = ""
    selector: str = ""


class ConfigError(CrawlingoError):
    """An option is wrong.

    Attributes:
        key: The option.
    """

    key: str = ""


class IoError(CrawlingoError):
    """Reading or writing failed.

    Attributes:
        target: What was read or written.
    """

    target: str = ""


class SdkError(CrawlingoError):
    """Code of the caller failed: a callback, a transform. The exception that it raised is the `__cause__`."""


def fault(
    reason: str,
    *,
    place: Tuple[str, ...] = (),
    expression: Optional[str] = None,
    span: Optional[Tuple[int, int]] = None,
    hint: Optional[str] = None,
    kind: str = "structure",
) -> SelectorError:
    """A `SelectorError` whose text is laid out like those of the engine."""
    text = f"{'.'.join(place)}: {reason}" if place else reason
    if expression is not None and span is not None:
        start, end = span
        text += f"\n  | {expression}\n  | {' ' * start}{'^' * max(1, end - start)}"
    if hint:
        text += f"\n  = help: {hint}"
    return SelectorError(
        text, kind=kind, reason=reason, place=place, expression=expression, span=span, hint=hint
    )
