"""From a field's annotation to the kind and the number of its values, as the derive macro does it for Rust's types."""

from __future__ import annotations

import collections.abc
import datetime
import decimal
import enum
import types
import typing
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _crawlingo
from .errors import SelectorError, fault
from .types import Email, Kind, Phone, Price, Url

KINDS: Dict[Any, str] = {
    str: "text",
    int: "integer",
    float: "float",
    bool: "bool",
    decimal.Decimal: "decimal",
    datetime.date: "date",
    datetime.time: "time",
    datetime.datetime: "datetime",
    Price: "price",
    Url: "url",
    Email: "email",
    Phone: "phone",
    Any: "json",
    object: "json",
    dict: "json",
}
"""The kinds of plain types."""

NAMES = (
    "text",
    "integer",
    "float",
    "decimal",
    "bool",
    "price",
    "date",
    "time",
    "datetime",
    "timestamp",
    "url",
    "email",
    "phone",
    "json",
)

# pydantic validates these itself; here they say the kind.
PYDANTIC: Dict[str, str] = {
    "HttpUrl": "url",
    "AnyUrl": "url",
    "AnyHttpUrl": "url",
    "EmailStr": "email",
    "AwareDatetime": "timestamp",
    "NaiveDatetime": "datetime",
}

HINT = (
    "use str, int, float, bool, Decimal, date, time, datetime, Timestamp, Price, Url, Email, Phone, Any (for JSON), "
    "Literal, an Enum, a class with @dataset, or Optional and list of these; for your own conversion, `transform=`"
)

_CONTAINERS: Dict[Any, Optional[Callable[[Any], Any]]] = {
    list: None,
    collections.abc.Sequence: None,
    collections.abc.Iterable: None,
    collections.abc.Collection: None,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
}

_UNIONS: Tuple[Any, ...] = tuple(filter(None, (typing.Union, getattr(types, "UnionType", None))))


@dataclass(frozen=True)
class Shape:
    """The kind and the number of a field's values, and what is done with them at the edge."""

    kind: str
    cardinality: str = "one"
    schema: Optional[Dict[str, Any]] = None
    """Of a nested dataset."""
    ref: Optional[str] = None
    """The name of the dataset around it, that it is again."""
    nested: Optional[type] = None
    """The class of a nested record."""
    edge: Optional[Callable[[Any], Any]] = None
    each: bool = True
    container: Optional[Callable[[Any], Any]] = None

    @property
    def many(self) -> bool:
        return self.cardinality == "many"


def _name(annotation: Any) -> str:
    return getattr(annotation, "__qualname__", None) or str(annotation).replace("typing.", "")


def _refuse(annotation: Any, place: Tuple[str, ...]) -> SelectorError:
    name = _name(annotation)
    known = {_name(kind): kind for kind in KINDS if kind is not object}
    meant = _crawlingo.suggest(name, list(known))
    hint = f"did you mean `{meant}`? Or {HINT}" if meant and meant != name else HINT
    return fault(
        f"no value of a page becomes a `{name}`",
        place=place,
        expression=f"{place[-1]}: {name}",
        span=(len(place[-1]) + 2, len(place[-1]) + 2 + len(name)),
        hint=hint,
        kind="kind",
    )


def annotated(annotation: Any) -> Tuple[Any, Tuple[Any, ...]]:
    """An annotation without `Annotated`, and what that says."""
    said: Tuple[Any, ...] = ()
    while True:
        if hasattr(annotation, "__metadata__"):
            said = (*said, *annotation.__metadata__)
            annotation = annotation.__origin__
        elif hasattr(annotation, "__supertype__"):  # NewType
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":  # type Name = ...
            annotation = annotation.__value__
        else:
            return annotation, said


def shape_of(annotation: Any, place: Tuple[str, ...], own: type, name: str) -> Shape:
    """The shape of an annotation. `own` is the class being made, whose dataset is called `name`.

    Raises:
        SelectorError: No value of a page becomes that.
    """
    annotation, said = annotated(annotation)
    kind = next((one for one in said if isinstance(one, Kind)), None)
    origin = typing.get_origin(annotation)
    if origin in _UNIONS:
        inner = [one for one in typing.get_args(annotation) if one is not type(None)]
        if len(inner) != 1:
            raise fault(
                f"a field has one type, and this is one of {len(inner)}",
                place=place,
                hint="use `Any` for JSON, or `transform=` with a function that decides",
                kind="kind",
            )
        shape = shape_of(inner[0], place, own, name)
        shape = shape if shape.many else replace(shape, cardinality="optional")
        return _of_kind(shape, kind, place)
    if annotation in _CONTAINERS or origin in _CONTAINERS:
        return _of_kind(_container(annotation, origin, place, own, name), kind, place)
    return _of_kind(_single(annotation, origin, kind, place, own, name), kind, place)


def _of_kind(shape: Shape, kind: Optional[Kind], place: Tuple[str, ...]) -> Shape:
    if kind is None:
        return shape
    if kind.name not in NAMES:
        meant = _crawlingo.suggest(kind.name, list(NAMES))
        hint = f"did you mean `{meant}`?" if meant else f"it is one of: {', '.join(NAMES)}"
        raise fault(f"there is no kind `{kind.name}`", place=place, hint=hint, kind="kind")
    return replace(shape, kind=kind.name)


def _container(annotation: Any, origin: Any, place: Tuple[str, ...], own: type, name: str) -> Shape:
    args = [one for one in typing.get_args(annotation) if one is not Ellipsis]
    if len(args) != 1 or (origin is tuple and Ellipsis not in typing.get_args(annotation)):
        raise fault(
            f"`{_name(annotation)}` does not say what it is a list of",
            place=place,
            hint="write `list[str]`, or `tuple[str, ...]`",
            kind="kind",
        )
    inner = shape_of(args[0], place, own, name)
    if inner.many:
        raise fault("a list of lists has no meaning on a page", place=place, hint="nest a dataset", kind="kind")
    return replace(inner, cardinality="many", container=_CONTAINERS[origin or annotation])


def _single(
    annotation: Any, origin: Any, kind: Optional[Kind], place: Tuple[str, ...], own: type, name: str
) -> Shape:
    if origin is typing.Literal:
        return _literal(typing.get_args(annotation), place)
    if origin is dict or origin is collections.abc.Mapping:
        return Shape("json")
    try:
        plain = KINDS.get(annotation)
    except TypeError:  # not hashable
        plain = None
    if plain is not None:
        return Shape(plain)
    if annotation is own:
        return Shape("ref", ref=name, nested=own)
    if isinstance(annotation, type):
        dataset = annotation.__dict__.get("__crawlingo__")
        if dataset is not None:
            return Shape("dataset", schema=dataset.schema(), nested=annotation)
        if issubclass(annotation, enum.Enum):
            return _enum(annotation)
        module = annotation.__module__.split(".")[0]
        if module in ("pydantic", "pydantic_core") and annotation.__name__ in PYDANTIC:
            return Shape(PYDANTIC[annotation.__name__])
        if kind is not None:
            # The kind is said; the class takes its value.
            return Shape(kind.name, edge=annotation)
    raise _refuse(annotation, place)


def _literal(values: Tuple[Any, ...], place: Tuple[str, ...]) -> Shape:
    if all(isinstance(value, str) for value in values):
        kind = "text"
    elif all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        kind = "integer"
    else:
        raise fault("the values of a `Literal` are all texts or all numbers here", place=place, kind="kind")

    def check(value: Any) -> Any:
        if value not in values:
            raise ValueError(f"{value!r} is none of {', '.join(map(repr, values))}")
        return value

    return Shape(kind, edge=check)


def _enum(which: Any) -> Shape:
    members: List[Any] = list(which)
    numbers = all(isinstance(one.value, int) and not isinstance(one.value, bool) for one in members)
    by_value = {one.value: one for one in members}
    by_name = {one.name: one for one in members}

    def member(value: Any) -> Any:
        found = by_value.get(value, by_name.get(value))
        if found is None:
            raise ValueError(f"{value!r} is no {which.__name__}; it has {', '.join(map(repr, by_value))}")
        return found

    return Shape("integer" if numbers else "text", edge=member)


def with_transform(
    shape: Shape, transform: Callable[[Any], Any], place: Tuple[str, ...], own: type, name: str
) -> Shape:
    """The shape that a transform's argument asks for; the field's own says whether it may be missing."""
    asked: Optional[Shape] = None
    try:
        hints = typing.get_type_hints(transform, include_extras=True)
    except (TypeError, NameError):
        # A builtin, such as `len`, has none, and a name that is not there says nothing.
        hints = {}
    hints.pop("return", None)
    first = next(iter(hints.values()), None)
    if first is not None and first is not Any:
        asked = shape_of(first, place, own, name)
    asked = asked or Shape("text")
    whole = asked.many
    cardinality = "many" if whole or shape.many else shape.cardinality
    return replace(asked, cardinality=cardinality, edge=_after(asked, transform), each=not whole, container=shape.container)


def _after(asked: Shape, transform: Callable[[Any], Any]) -> Callable[[Any], Any]:
    before = asked.edge
    if before is None:
        return transform
    return lambda value: transform(before(value))
