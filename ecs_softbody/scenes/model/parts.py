"""Parts: the building blocks of a scene's entities.

They are derived from the declarations of blueprints and components.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from ecs_softbody import blueprints, components
from ecs_softbody.blueprints.calls import counts_of
from ecs_softbody.errors import FieldTypeError
from ecs_softbody.scenes.model.column_kinds import column_kind
from ecs_softbody.scenes.model.kinds import Kind, Numbers, kind_of
from ecs_softbody.scenes.model.places import COLOUR, POINT, POINTS, SIZE
from ecs_softbody.scenes.model.tables import Table
from ecs_softbody.state.components import register_if_new
from ecs_softbody.storage import Column, Component, Value, declared_columns, declared_values


@dataclass(frozen=True, eq=False)
class Part:
    """One thing that may stand in an entity: a blueprint, a component, or a class of plain fields.

    Attributes:
        name: as files have it: `blob`, `Springs`, `Look`.
        make: makes it of its fields.
        kinds: its fields and their kinds.
        required: fields that it cannot be made without.
        makes: the classes of components that come from it.
        doc: a description in one line.
    """

    name: str
    make: Callable[..., Any]
    kinds: Mapping[str, Kind]
    required: tuple[str, ...]
    makes: tuple[type[Any], ...]
    doc: str
    is_blueprint: bool = False
    counts: tuple[str, ...] = ()
    """Fields whose product is the number of particles."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    options: frozenset[str] = frozenset()
    """Fields that are given by their names only."""

    @functools.cached_property
    def table(self) -> Table:
        """The table of its fields in a file."""
        return Table(self.name, self.kinds, self.doc)


def hints_of(
    owner: Callable[..., Any], function: Callable[..., Any] | None = None
) -> dict[str, Any]:
    """Return the type hints of a function or a class, with `Numbers` in place of numpy's long list
    of them.
    """
    asked: Any = inspect.unwrap(function or owner)
    names = {**getattr(asked, "__globals__", {}), "ArrayLike": Numbers}
    if isinstance(asked, type):
        names = {**getattr(sys.modules.get(asked.__module__), "__dict__", {}), "ArrayLike": Numbers}
    hints = typing.get_type_hints(asked, globalns=names, include_extras=True)
    if typing.get_origin(hints.get("options")) is typing.Unpack:  # the shared ones of blueprints
        (shared,) = typing.get_args(hints.pop("options"))
        for name, hint in typing.get_type_hints(shared, include_extras=True).items():
            hints[name] = Numbers if hint == ArrayLike else hint
    return hints


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    found = inspect.signature(function).parameters.values()
    return {
        one.name: one for one in found if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    }


def _required(parameters: Mapping[str, inspect.Parameter]) -> tuple[str, ...]:
    return tuple(name for name, one in parameters.items() if one.default is inspect.Parameter.empty)


def _defaults(parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    return {
        name: one.default
        for name, one in parameters.items()
        if one.default is not inspect.Parameter.empty
    }


def _options(parameters: Mapping[str, inspect.Parameter]) -> frozenset[str]:
    return frozenset(name for name, one in parameters.items() if one.kind is one.KEYWORD_ONLY)


def _summary(owner: Any) -> str:
    return (inspect.getdoc(owner) or "").partition("\n\n")[0].replace("\n", " ")


def part_of(made_by: Any) -> Part:
    """Return the part that a blueprint, a class of components, or a dataclass of a game's own is.

    Raises:
        FieldTypeError: for anything else.
    """
    is_class = isinstance(made_by, type) and (
        issubclass(made_by, Component) or dataclasses.is_dataclass(made_by)
    )
    if not is_class and not inspect.isfunction(made_by):
        hint = " as a part"
        if dataclasses.is_dataclass(made_by) or isinstance(made_by, Component):
            hint += f" (did you mean the class {type(made_by).__name__}?)"
        allowed = "a component class, a dataclass, or a blueprint"
        raise FieldTypeError("scenes", "parts", made_by, allowed, hint=hint)
    return _known_part(made_by)


@functools.cache
def _known_part(made_by: Any) -> Part:
    """Return the part of a class or a function."""
    if not isinstance(made_by, type):
        return _blueprint_part(made_by)
    return _component_part(made_by) if issubclass(made_by, Component) else _dataclass_part(made_by)


def _component_part(kind: type[Component]) -> Part:
    hints = hints_of(kind, kind.__init__)
    parameters = _parameters(functools.partial(kind.__init__, None))
    columns = {**declared_columns(kind), **declared_values(kind)}
    kinds = {}
    required = _required(parameters)
    for name in parameters:
        declared: Any = columns.get(name)
        plain = declared is not None and _is_numeric(hints.get(name, Any))
        plain = plain and not (
            declared.tail == () and isinstance(declared, Value) and hints.get(name) is Numbers
        )
        listed = name in required and isinstance(declared, Column) and declared.width > 1
        kinds[name] = (
            column_kind(declared, listed=listed) if plain else kind_of(hints.get(name, Any))
        )
    doc = _summary(kind)
    return Part(kind.__name__, kind, kinds, required, (kind,), doc, defaults=_defaults(parameters),
        options=_options(parameters),
    )  # fmt: skip


def _is_numeric(hint: Any) -> bool:
    """Return whether a hint is for numbers or None; their limits are declared by the column."""
    return all(
        one in (Numbers, float, int, bool, type(None), object, Any)
        for one in (typing.get_args(hint) or (hint,))
    )


def _dataclass_part(kind: type[Any]) -> Part:
    hints = hints_of(kind)
    known = [one for one in dataclasses.fields(kind) if one.init]
    needed = [
        one.name for one in known
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
    ]  # fmt: skip
    defaults = {one.name: one.default for one in known if one.default is not dataclasses.MISSING}
    colours = kind.__module__.startswith("ecs_softbody.") and {
        tuple[int, ...],
        tuple[int, ...] | None,
    }
    kinds = {
        one.name: COLOUR if colours and hints[one.name] in colours else kind_of(hints[one.name])
        for one in known
    }
    return Part(
        kind.__name__, kind, kinds, tuple(needed), (kind,), _summary(kind), defaults=defaults
    )


def _blueprint_part(make: Callable[..., Any]) -> Part:
    hints = hints_of(make)
    parameters = _parameters(make)
    made = tuple(dict.fromkeys(_classes(hints.get("return"))))
    columns: dict[str, Any] = {}
    for kind in reversed([one for one in made if issubclass(one, Component)]):
        columns |= {**declared_columns(kind), **declared_values(kind)}
    kinds = {}
    described = _described(make)
    for name in parameters:
        hint: Any = hints.get(name, Any)
        declared: Any = columns.get(name)
        like = (
            declared is not None
            and not declared.engine
            and _is_numeric(hint)
            and name not in ("rows", "vertices")
        )
        text = (
            {"description": described[name]}
            if name in described and not described[name].startswith("see ")
            else {}
        )
        found = _points(described.get(name, "")) if hint is Numbers else None
        if found is None:
            found = column_kind(declared, single=hint is not Numbers) if like else kind_of(hint)
        kinds[name] = dataclasses.replace(found, schema={**found.schema, **text})
    doc = _summary(make)
    return Part(
        make.__name__,
        make,
        kinds,
        _required(parameters),
        made,
        doc,
        is_blueprint=True,
        counts=tuple(counts_of(make)),
        defaults=_defaults(parameters),
        options=_options(parameters),
    )


def _described(function: Callable[..., Any]) -> dict[str, str]:
    """Return the descriptions of a blueprint's arguments, with those of the options it shares."""
    hint = typing.get_type_hints(inspect.unwrap(function), include_extras=True).get("options")
    found: dict[str, str] = {}
    for shared in typing.get_args(hint):
        names = set(shared.__annotations__)
        # A TypedDict does not know its bases before Python 3.12; they are known by their names.
        for one in vars(sys.modules[shared.__module__]).values():
            if typing.is_typeddict(one) and set(one.__annotations__) <= names:
                found |= _entries(one, "Attributes")
    return found | _entries(function, "Args")


def _entries(owner: Any, section: str) -> dict[str, str]:
    """Return the entries of a section of a docstring by name."""
    entries = (inspect.getdoc(owner) or "").partition(f"{section}:\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    for names, text in re.findall(r"^ {4}(\w[\w, ]*): (.*(?:\n {5,}.*)*)", entries, re.MULTILINE):
        found |= dict.fromkeys(names.split(", "), " ".join(text.split()))
    return found


def _points(described: str) -> Kind | None:
    """Return the kind of an argument described in its docstring as a point, points or a size."""
    if described.startswith(("(x, y)", "(vx, vy)")):
        return POINT
    if re.match(r"shape \(\w+, 2\)", described):
        return POINTS
    return SIZE if described.startswith("side, or (width, height)") else None


def _classes(hint: Any) -> list[type[Any]]:
    """Return the classes in a blueprint's return type: tuple[A, B], or a union of such tuples."""
    if isinstance(hint, type) and not typing.get_args(hint):
        return [hint] if hint not in (type(None),) else []
    return [kind for inner in typing.get_args(hint) for kind in _classes(inner)]


def is_for_users(kind: type[Component]) -> bool:
    """Return whether a component class is public: exported by the library or declared by a game."""
    if kind.__module__.startswith("ecs_softbody."):
        return getattr(components, kind.__name__, None) is kind
    return not kind.__name__.startswith("_")


def all_blueprints() -> dict[str, Any]:
    """Return the blueprints by name."""
    made = {name: getattr(blueprints, name) for name in blueprints.__all__}
    return {
        name: one
        for name, one in made.items()
        if inspect.isfunction(one) and one is not blueprints.radius_of
    }


class Parts:
    """All parts that a file may have, by name.

    Args:
        own: blueprints, components and dataclasses of a game's own.
    """

    def __init__(self, own: Iterable[Any] = ()) -> None:
        if isinstance(own, str) or not isinstance(own, Iterable):
            raise FieldTypeError("scenes", "parts", own, "a list of blueprints and classes")
        self.own = tuple(own)
        self._makers: dict[str, Any] = all_blueprints()
        self._makers |= {kind.__name__: kind for kind in Component.types if is_for_users(kind)}
        self._makers["Look"] = None
        for made_by in self.own:
            part = part_of(made_by)
            self._makers[part.name] = made_by
            if dataclasses.is_dataclass(made_by) and isinstance(made_by, type):
                # Snapshots can then be written of a world that is made of a file.
                register_if_new(made_by)

    def __contains__(self, name: str) -> bool:
        return name in self._makers

    def __iter__(self) -> Any:
        return iter(self._makers)

    def __getitem__(self, name: str) -> Part:
        made_by = self._makers[name]
        if made_by is None:
            from ecs_softbody.rendering.world.look import Look

            made_by = self._makers[name] = Look
        return part_of(made_by)

    def of_class(self, kind: type[Any]) -> Part | None:
        """Return the part of a class of components, or None where files cannot have it."""
        name = kind.__name__
        return self[name] if name in self and self[name].make is kind else None
