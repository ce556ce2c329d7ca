"""`@dataset`: a class becomes a schema, and records become its instances."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _crawlingo, _fields
from ._fields import KIND_OPTIONS, STEPS, FieldSpec, selector_of
from ._shapes import Shape, annotated, shape_of, with_transform
from .errors import ConfigError, fault

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    from ._fields import Heal
else:

    def dataclass_transform(**_):
        return lambda decorated: decorated


T = TypeVar("T")
_MISSING: Any = dataclasses.MISSING


@typing.overload
@dataclass_transform(
    kw_only_default=True,
    field_specifiers=(
        _fields.css,
        _fields.xpath,
        _fields.regex,
        _fields.text,
        _fields.after_text,
        _fields.before_text,
        _fields.jsonld,
        _fields.meta,
        _fields.microdata,
        _fields.json,
    ),
)
def dataset(cls: Type[T], /) -> Type[T]: ...


@typing.overload
@dataclass_transform(
    kw_only_default=True,
    field_specifiers=(
        _fields.css,
        _fields.xpath,
        _fields.regex,
        _fields.text,
        _fields.after_text,
        _fields.before_text,
        _fields.jsonld,
        _fields.meta,
        _fields.microdata,
        _fields.json,
    ),
)
def dataset(
    *,
    each: Any = None,
    name: Optional[str] = None,
    key: Union[str, Sequence[str], None] = None,
    heal: Optional[Heal] = None,
    version: int = 1,
) -> Callable[[Type[T]], Type[T]]: ...


def dataset(
    cls: Optional[Type[T]] = None,
    /,
    *,
    each: Any = None,
    name: Optional[str] = None,
    key: Union[str, Sequence[str], None] = None,
    heal: Optional[Heal] = None,
    version: int = 1,
) -> Union[Type[T], Callable[[Type[T]], Type[T]]]:
    """Makes a class a dataset: what to extract from a page. Everything is checked here, when the class is defined.

    Works on plain classes, dataclasses, attrs and pydantic models; put it on top of their decorators. A plain class
    gets an `__init__` that takes its fields as keywords, `__repr__` and `__eq__`.

    >>> @dataset(each="article.product")
    ... class Book:
    ...     title: str = css("h3 a", attr="title")
    ...     price: Price = css(".price")

    Args:
        each: What finds the records: CSS, or `css(..)`, `xpath(..)` and so on; without it, the page is one record.
        name: The dataset's name, if it is another than the class's.
        key: The fields that identify a record.
        heal: How fields heal that do not say it themselves: `True`, `"suggest"` or `"bind"`.
        version: Raised by a change that makes what is remembered for healing worthless.

    Raises:
        SelectorError: A selector does not parse, an option does not exist, or a type is none that a value of a page
            becomes; with the place, a caret and what was probably meant.
    """
    frame = sys._getframe(1)
    names = dict(frame.f_locals)

    def decorate(cls: Type[T]) -> Type[T]:
        options = {"each": each, "key": key, "heal": heal, "version": version}
        made: Type[T] = _Maker(cls, name or cls.__name__, names).make(options)
        return made

    return decorate if cls is None else decorate(cls)


class _Maker:
    """The making of one dataset."""

    def __init__(self, cls: Type[Any], name: str, names: Dict[str, Any]) -> None:
        if not isinstance(cls, type):
            raise ConfigError(f"option `dataset`: it decorates a class, not {cls!r}", key="dataset")
        self.cls = cls
        self.name = name
        self.flavor = _flavor(cls)
        own = {cls.__name__: cls}
        try:
            self.hints = typing.get_type_hints(cls, localns={**names, **own}, include_extras=True)
        except NameError as error:
            raise fault(
                f"an annotation names what is not there: {error}",
                place=(name,),
                hint="define or import it above the class",
            ) from error
        self.specs: Dict[str, FieldSpec] = {}

    def make(self, options: Dict[str, Any]) -> Any:
        self.collect()
        fields: Dict[str, Any] = {}
        slots: List[Tuple[Any, ...]] = []
        for attr, spec in self.specs.items():
            output = spec.options.get("name", attr)
            if output in fields:
                raise fault(f"two fields are called `{output}`", place=(self.name,))
            fields[output], shape = self.field(attr, spec)
            slots.append((attr, shape.nested, shape.edge, shape.each, shape.container))
        schema: Dict[str, Any] = {"name": self.name, "fields": fields}
        if options["each"] is not None:
            schema["each"] = selector_of(options["each"], "each")
        if options["key"] is not None:
            schema["key"] = options["key"] if isinstance(options["key"], str) else list(options["key"])
        if options["heal"] is not None:
            schema["heal"] = options["heal"]
        if options["version"] != 1:
            schema["version"] = options["version"]
        doc = self.cls.__dict__.get("__doc__")
        if doc and not doc.startswith(f"{self.cls.__name__}("):
            schema["description"] = inspect.cleandoc(doc)
        own_init = self.has_own_init()
        call = self.flavor not in ("plain", "dataclass") or own_init or not self.is_bare()
        made = _crawlingo.DatasetType(schema, self.cls, slots, call)
        defaults = {
            attr: made.default(at)
            for at, (attr, spec) in enumerate(self.specs.items())
            if spec.options.get("default") is not None
        }
        self.settle(defaults, own_init)
        self.cls.__crawlingo__ = made
        self.cls.__crawlingo_specs__ = self.specs
        return self.cls

    def collect(self) -> None:
        """Finds the helper of each field, in the class and in those that it inherits from."""
        defaults = _defaults(self.cls, self.flavor)
        inherited: Dict[str, FieldSpec] = {}
        for base in reversed(self.cls.__mro__[1:]):
            inherited.update(base.__dict__.get("__crawlingo_specs__", {}))
        for attr, annotation in self.hints.items():
            plain, said = annotated(annotation)
            if typing.get_origin(annotation) is typing.ClassVar:
                continue
            default = defaults.get(attr, _MISSING)
            spec = default if isinstance(default, FieldSpec) else None
            spec = spec or next((one for one in said if isinstance(one, FieldSpec)), None)
            if spec is None and default is _MISSING:
                spec = inherited.get(attr)
            if spec is not None:
                self.specs[attr] = spec
            elif default is _MISSING and attr in self.own_annotations():
                # A dataset without a selector stands on the same element; all else needs one.
                shape = shape_of(annotation, (self.name, attr), self.cls, self.name)
                if shape.kind != "dataset":
                    raise fault(
                        "the field has no selector",
                        place=(self.name, attr),
                        hint=f'add one, such as `{attr}: {getattr(plain, "__name__", plain)} = css("h1")`',
                    )
                self.specs[attr] = FieldSpec([], {})
        if not self.specs:
            raise fault("the dataset has no fields", place=(self.name,), hint='add one: `title: str = css("h1")`')
        stray = [attr for attr, value in vars(self.cls).items() if isinstance(value, FieldSpec)]
        stray = [attr for attr in stray if attr not in self.hints]
        if stray:
            raise fault(
                "the field has no type",
                place=(self.name, stray[0]),
                hint=f"write `{stray[0]}: str = ...`; the type says what the text becomes",
            )

    def own_annotations(self) -> Sequence[str]:
        return [attr for base in self.cls.__mro__ if base.__module__ != "pydantic.main" for attr in own_annotations(base)]

    def field(self, attr: str, spec: FieldSpec) -> Tuple[Dict[str, Any], Shape]:
        """The field, with the keys of the schema files."""
        place = (self.name, attr)
        options = dict(spec.options)
        if options.get("transform") is not None:
            # The annotation says only whether there may be none or many.
            shape = _cardinality(self.hints[attr])
            shape = with_transform(shape, options["transform"], place, self.cls, self.name)
        else:
            shape = shape_of(self.hints[attr], place, self.cls, self.name)
        field: Dict[str, Any] = {}
        # The steps are applied in this order.
        steps = [{step: _step(step, value)} for step, value in options.items() if step in STEPS and value is not False]
        if len(spec.selectors) == 1:
            field.update(spec.selectors[0])
        elif spec.selectors:
            field["selectors"] = spec.selectors
        if steps:
            field["transforms"] = steps
        field["kind"] = shape.kind
        if shape.schema is not None:
            field["dataset"] = shape.schema
        if shape.ref is not None:
            field["ref"] = shape.ref
        field.update((option, options[option]) for option in KIND_OPTIONS if options.get(option) is not None)
        field["cardinality"] = shape.cardinality
        for option in ("default", "heal", "description"):
            if options.get(option) is not None:
                field[option] = options[option]
        if options.get("transform") is not None:
            field["host_transform"] = True
        return field, shape

    def has_own_init(self) -> bool:
        """Whether code of the caller runs when an instance is made."""
        init = self.cls.__init__
        if hasattr(self.cls, "__post_init__"):
            return True
        if self.flavor == "plain":
            return not (init is object.__init__ or hasattr(init, "__crawlingo_made__"))
        code = getattr(init, "__code__", None)
        return code is None or not code.co_filename.startswith("<")

    def is_bare(self) -> bool:
        """Whether an instance is no more than its dictionary, and the fields all that it has."""
        plain = all(attr in self.specs for attr in self.hints if attr in _init_fields(self.cls, self.flavor, self.hints))
        frozen = getattr(getattr(self.cls, "__dataclass_params__", None), "frozen", False)
        own: Any = self.cls.__setattr__
        return plain and self.cls.__dictoffset__ != 0 and (frozen or own is object.__setattr__)

    def settle(self, defaults: Dict[str, Any], own_init: bool) -> None:
        """Takes the helpers out of where the class has defaults."""
        if self.flavor == "pydantic":
            _settle_pydantic(self.cls, self.specs, defaults)
            return
        for attr in self.specs:
            if isinstance(vars(self.cls).get(attr), FieldSpec):
                delattr(self.cls, attr)
        if self.flavor == "plain":
            for attr, value in defaults.items():
                setattr(self.cls, attr, dataclasses.field(default_factory=_giving(value)))
            if not own_init:
                _make_init(self.cls, list(defaults))
        else:
            _settle_init(self.cls, self.specs, defaults)


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


def own_annotations(cls: type) -> Dict[str, Any]:
    """The annotations of a class itself, unevaluated where they may be."""
    if sys.version_info >= (3, 14):  # pragma: no cover
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return dict(cls.__dict__.get("__annotations__", {}))


def _flavor(cls: type) -> str:
    if "__pydantic_fields__" in cls.__dict__ or (hasattr(cls, "model_fields") and hasattr(cls, "model_rebuild")):
        return "pydantic"
    if "__attrs_attrs__" in cls.__dict__:
        return "attrs"
    if "__dataclass_fields__" in cls.__dict__:
        return "dataclass"
    return "plain"


def _defaults(cls: Any, flavor: str) -> Dict[str, Any]:
    if flavor == "pydantic":
        fields = cls.__pydantic_fields__
        from pydantic_core import PydanticUndefined

        return {
            attr: next((one for one in info.metadata if isinstance(one, FieldSpec)), info.default)
            for attr, info in fields.items()
            if info.default is not PydanticUndefined or info.metadata or info.default_factory
        }
    if flavor == "attrs":
        import attr as attrs

        return {one.name: one.default for one in cls.__attrs_attrs__ if one.default is not attrs.NOTHING}
    if flavor == "dataclass":
        found = {}
        for name, field in cls.__dataclass_fields__.items():
            if field.default is not _MISSING:
                found[name] = field.default
            elif field.default_factory is not _MISSING:
                found[name] = field.default_factory
        return found
    return {attr: cls.__dict__[attr] for attr in own_annotations(cls) if attr in cls.__dict__}


def _init_fields(cls: Any, flavor: str, hints: Dict[str, Any]) -> Sequence[str]:
    if flavor == "dataclass":
        return [name for name, field in cls.__dataclass_fields__.items()]
    return [attr for attr, annotation in hints.items() if typing.get_origin(annotation) is not typing.ClassVar]


def _cardinality(annotation: Any) -> Shape:
    from ._shapes import _CONTAINERS, _UNIONS

    annotation, _ = annotated(annotation)
    origin = typing.get_origin(annotation)
    if origin in _UNIONS and type(None) in typing.get_args(annotation):
        inner = [one for one in typing.get_args(annotation) if one is not type(None)]
        shape = _cardinality(inner[0]) if len(inner) == 1 else Shape("text")
        return shape if shape.many else Shape("text", "optional")
    if annotation in (list, tuple, set, frozenset) or origin in _CONTAINERS:
        return Shape("text", "many", container=_CONTAINERS[origin or annotation])
    return Shape("text")


def _step(step: str, value: Any) -> Any:
    return list(value) if step == "replace" and isinstance(value, (tuple, list)) else value


def _make_init(cls: Any, with_default: Sequence[str]) -> None:
    """What a dataclass has, with the fields as keywords."""
    if sys.version_info >= (3, 10):
        dataclasses.dataclass(kw_only=True)(cls)
    else:  # pragma: no cover
        # Those with a default come last, for there are no keyword-only fields.
        own = own_annotations(cls)
        cls.__annotations__ = dict(sorted(own.items(), key=lambda item: item[0] in with_default))
        dataclasses.dataclass(cls)
    setattr(cls.__init__, "__crawlingo_made__", True)


def _settle_init(cls: Any, specs: Dict[str, FieldSpec], defaults: Dict[str, Any]) -> None:
    """In the `__init__` that dataclasses or attrs made, fields without a default are required."""
    init = cls.__init__
    kwdefaults = getattr(init, "__kwdefaults__", None) or {}
    init.__kwdefaults__ = {
        name: defaults.get(name, value)
        for name, value in kwdefaults.items()
        if not isinstance(value, FieldSpec) or name in defaults
    } or None
    values = getattr(init, "__defaults__", None) or ()
    code = init.__code__
    names = code.co_varnames[: code.co_argcount][code.co_argcount - len(values) :] if values else ()
    kept: List[Any] = []
    for name, value in zip(names, values):
        if isinstance(value, FieldSpec) and name not in defaults:
            if kept:
                raise fault(
                    "a field without a default follows one with a default",
                    place=(cls.__name__, name),
                    hint="put it above, or use `kw_only=True`",
                )
            continue
        kept.append(defaults.get(name, value))
    init.__defaults__ = tuple(kept) or None
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        if isinstance(field.default, FieldSpec):
            field.default = defaults.get(name, _MISSING)
    for one in getattr(cls, "__attrs_attrs__", ()):
        if isinstance(one.default, FieldSpec):
            import attr as attrs

            object.__setattr__(one, "default", defaults.get(one.name, attrs.NOTHING))


def _settle_pydantic(cls: Any, specs: Dict[str, FieldSpec], defaults: Dict[str, Any]) -> None:
    from pydantic_core import PydanticUndefined

    for attr in specs:
        info = cls.__pydantic_fields__[attr]
        alias = info.validation_alias or info.alias
        config = cls.model_config
        if alias is not None and alias != attr and not (
            config.get("populate_by_name") or config.get("validate_by_name")
        ):
            raise fault(
                f"pydantic takes the field as `{alias}` only",
                place=(cls.__name__, attr),
                hint="set `populate_by_name=True` in `model_config`, or rename it in the output by `name=`",
            )
        if isinstance(info.default, FieldSpec) or attr in defaults:
            info.default = defaults.get(attr, PydanticUndefined)
            getattr(info, "_attributes_set", {}).pop("default", None)
        info.metadata = [one for one in info.metadata if not isinstance(one, FieldSpec)]
    cls.model_rebuild(force=True)


def asdict(record: Any) -> Dict[str, Any]:
    """The fields of a record, nested ones included, with their values as they are.

    Raises:
        ConfigError: It is no instance of a dataset.
    """
    specs = getattr(type(record), "__crawlingo_specs__", None)
    if specs is None:
        name = type(record).__name__
        raise ConfigError(f"option `record`: a `{name}` is no record; its class has no `@dataset`", key="record")
    return {attr: _plain(getattr(record, attr)) for attr in specs}


def _plain(value: Any) -> Any:
    if hasattr(type(value), "__crawlingo_specs__"):
        return asdict(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_plain(one) for one in value)
    return value
