"""Where a field's value stands: the helpers `css`, `xpath` and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, NoReturn, Optional, Tuple, TypedDict, Union

from . import _crawlingo
from .errors import SelectorError, fault

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

    Heal = Union[bool, Literal["off", "suggest", "bind"]]

TAKES = ("attr", "own_text", "html", "outer_html", "markdown")
STEPS = ("trim", "strip", "replace", "split", "join", "lower", "upper")
KIND_OPTIONS = ("currency", "region", "language", "date_order")
OPTIONS = ("default", "heal", "name", "description", "transform", *STEPS, *KIND_OPTIONS)


class FieldOptions(TypedDict, total=False):
    """What every helper takes besides its expression.

    Steps between the text that was found and its conversion are applied in the order in which they are written.
    """

    default: Any
    """What stands in where nothing is found: text, which is converted like the page's, a number or a truth value."""
    heal: Heal
    """Whether the element is looked for by what is remembered of it, when the selector no longer finds it."""
    name: str
    """The name in the output, if it is another than the attribute's."""
    description: str
    """What the field means."""
    transform: Callable[[Any], Any]
    """Called with the value. The type of its argument says what kind it takes; without one, text."""
    trim: bool
    """White space is taken off both ends."""
    strip: str
    """That text is taken off both ends."""
    replace: Tuple[str, str]
    """Every occurrence of the first becomes the second."""
    split: str
    """One text becomes several, at each separator."""
    join: str
    """Several texts become one."""
    lower: bool
    """Lower case."""
    upper: bool
    """Upper case."""
    currency: str
    """For a `Price`: the currency to assume where the page names none."""
    region: str
    """For a `Phone`: the country to assume, such as `DE`."""
    language: str
    """For a date: the language of its words, such as `de`."""
    date_order: Literal["dmy", "mdy", "ymd"]
    """For a date: the order of its numbers."""


class ElementOptions(FieldOptions, total=False):
    """What can be taken of an element instead of its visible text."""

    attr: str
    """An attribute."""
    own_text: bool
    """The element's own text, without that of its children."""
    html: bool
    """The HTML inside of it."""
    outer_html: bool
    """The HTML with the element itself."""
    markdown: bool
    """The content as Markdown."""


class TextOptions(ElementOptions, total=False):
    """How a text is looked for."""

    exact: bool
    """The whole text of the element must be equal."""
    ignore_case: bool
    """Upper and lower case are the same."""
    within: str
    """A CSS selector that narrows the search."""


class RegexOptions(FieldOptions, total=False):
    """What a regular expression runs over."""

    on: Literal["text", "html"]
    """The visible text, or the HTML source."""
    within: str
    """A CSS selector that narrows the search."""


class WithinOptions(FieldOptions, total=False):
    """Where values are looked for."""

    within: str
    """A CSS selector that narrows the search; for `json`, to the script that holds it."""


class FieldSpec:
    """What a helper gives: a chain of selectors and the options of a field. `a | b` tries `b` where `a` finds nothing."""

    __slots__ = ("selectors", "options")

    def __init__(self, selectors: List[Dict[str, Any]], options: Dict[str, Any]) -> None:
        self.selectors = selectors
        self.options = options

    def __or__(self, other: object) -> FieldSpec:
        if not isinstance(other, FieldSpec):
            return NotImplemented
        for name in other.options:
            if name in self.options and self.options[name] != other.options[name]:
                raise fault(f"both sides of `|` say `{name}`, and something else", hint="say it on one side", place=())
        return FieldSpec(self.selectors + other.selectors, {**self.options, **other.options})

    def __repr__(self) -> str:
        chain = " | ".join(_call(selector, {}) for selector in self.selectors)
        return f"<field {chain}>"

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"{self!r} describes a field and has no `{name}`; "
            "is the class decorated with `@dataset`, and is this read from an instance?"
        )


def _call(selector: Dict[str, Any], more: Dict[str, Any]) -> str:
    (kind, expression), *options = selector.items()
    words = [repr(expression), *(f"{name}={value!r}" for name, value in [*options, *more.items()])]
    return f"{kind}({', '.join(words)})"


def _field(kind: str, expression: str, allowed: Tuple[str, ...], given: Dict[str, Any]) -> FieldSpec:
    if not isinstance(expression, str):
        raise fault(f"`{kind}` takes a text, not {type(expression).__name__}", kind="value")
    for name in given:
        if name not in allowed and name not in OPTIONS:
            raise _unknown(kind, expression, name, allowed, given)
    default = given.get("default")
    if default is not None and not isinstance(default, (str, int, float, list, dict)):
        raise fault(
            f"`default` takes a text, a number or a truth value, not {type(default).__name__}",
            hint='write it as the page would: `default="5 EUR"`',
            kind="value",
        )
    selector = {kind: expression}
    selector.update((name, given[name]) for name in given if name in allowed)
    spec = FieldSpec([selector], {name: given[name] for name in given if name in OPTIONS})
    # What is wrong with the expression is said here, where it stands.
    _crawlingo.check_selector(selector)
    return spec


def _unknown(kind: str, expression: str, name: str, allowed: Tuple[str, ...], given: Dict[str, Any]) -> SelectorError:
    known = [*allowed, *OPTIONS]
    call = _call({kind: expression}, given)
    start = call.index(f"{name}=", len(kind) + len(repr(expression)))
    meant = _crawlingo.suggest(name, known)
    hint = f"did you mean `{meant}`?" if meant else f"`{kind}` knows {', '.join(known)}"
    return fault(
        f"unknown option `{name}` of `{kind}`",
        expression=call,
        span=(start, start + len(name)),
        hint=hint,
        kind="unknown_key",
    )


_TEXT = ("exact", "ignore_case", "within", *TAKES)


def css(selector: str, /, **options: Unpack[ElementOptions]) -> Any:
    """A CSS selector. `::text` and `::attr(name)` at its end are understood.

    >>> title: str = css("h3 a", attr="title")
    """
    return _field("css", selector, TAKES, dict(options))


def xpath(expression: str, /, **options: Unpack[ElementOptions]) -> Any:
    """An XPath 1.0 expression, with the extensions that lxml and parsel have.

    >>> title: str = xpath("//h3/a/@title")
    """
    return _field("xpath", expression, TAKES, dict(options))


def regex(pattern: str, /, **options: Unpack[RegexOptions]) -> Any:
    """A regular expression over the visible text: its first group, or the whole match.

    >>> stock: Optional[int] = regex(r"(\\d+) in stock")
    """
    return _field("regex", pattern, ("on", "within"), dict(options))


def text(text: str, /, **options: Unpack[TextOptions]) -> Any:
    """The deepest element that shows a text.

    >>> sold_out: Optional[str] = text("Sold out")
    """
    return _field("text", text, _TEXT, dict(options))


def after_text(label: str, /, **options: Unpack[TextOptions]) -> Any:
    """The value that follows a label.

    >>> price: Price = after_text("Price")
    """
    return _field("after_text", label, _TEXT, dict(options))


def before_text(label: str, /, **options: Unpack[TextOptions]) -> Any:
    """The value that precedes a label.

    >>> reviews: int = before_text("reviews")
    """
    return _field("before_text", label, _TEXT, dict(options))


def jsonld(path: str, /, **options: Unpack[FieldOptions]) -> Any:
    """A path into the page's JSON-LD.

    >>> price: Decimal = jsonld("Product.offers.price")
    """
    return _field("jsonld", path, (), dict(options))


def meta(property: str, /, **options: Unpack[FieldOptions]) -> Any:
    """The content of a `<meta>`, by its name or property.

    >>> title: str = meta("og:title")
    """
    return _field("meta", property, (), dict(options))


def microdata(path: str, /, **options: Unpack[WithinOptions]) -> Any:
    """A path into the page's microdata.

    >>> price: Decimal = microdata("Product.offers.price")
    """
    return _field("microdata", path, ("within",), dict(options))


def json(path: str, /, **options: Unpack[WithinOptions]) -> Any:
    """A JSONPath (RFC 9535) over a JSON response, or over the scripts that `within` names.

    >>> title: str = json("$.book.title")
    """
    return _field("json", path, ("within",), dict(options))


def selector_of(value: object, what: str) -> Union[str, Dict[str, Any]]:
    """A selector without a field, as `each` and `follow` take it: CSS, or what a helper gave without options."""
    if isinstance(value, str):
        return value
    if isinstance(value, FieldSpec) and len(value.selectors) == 1 and not value.options:
        return value.selectors[0]
    if isinstance(value, FieldSpec):
        wrong: Optional[str] = next(iter(value.options), None)
        reason = f"the option `{wrong}` has no meaning here" if wrong else "it is one selector, not a chain"
        raise fault(reason, place=(what,))
    raise fault(f"`{what}` takes a CSS selector or `css(..)`, not {type(value).__name__}", kind="value")
