"""The register of user-defined components: only registered classes can be in snapshot files.

A file names classes, and must not be able to name any class of a process. So it can only name
classes that the game has registered, with functions that turn an object into plain values and back,
or none, where its attributes are plain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ecs_softbody.errors import FieldTypeError
from ecs_softbody.storage import Component

Own = TypeVar("Own", bound=type[Any])


@dataclass(frozen=True)
class Registered:
    """How components of one class are written and made again."""

    kind: type[Any]
    name: str  # Module and qualified name of the class
    save: Callable[[Any], Any] | None  # Returns the state of a component, of plain values
    load: Callable[[Any], Any] | None  # Makes a component of that


_by_kind: dict[type[Any], Registered] = {}
_by_name: dict[str, Registered] = {}


def register_component(
    kind: Own, *, save: Callable[[Any], Any] | None = None, load: Callable[[Any], Any] | None = None
) -> Own:
    """Register a user-defined component for snapshots in files, copies and replays; also as a
    decorator of the class.

    Its attributes are kept: numbers, texts, arrays, and lists, tuples, sets and dicts of these. For
    any other attributes, give `save` and `load`.

    Args:
        kind: the class.
        save: returns the state of a component, made of such values.
        load: makes a component from the result of `save`.

    Raises:
        TypeError: if `kind` is no class or is a component of this package, or if only one of the
            two functions is given.
        ValueError: when another class is registered by the same name.
    """
    if not isinstance(kind, type) or issubclass(kind, Component):
        raise FieldTypeError(
            "register_component", "kind", kind, "the class of a component of yours"
        )
    if (save is None) != (load is None) or not all(
        one is None or callable(one) for one in (save, load)
    ):
        raise TypeError(
            "register_component: save and load are functions that belong together; expected "
            "both or none"
        )
    name = f"{kind.__module__}.{kind.__qualname__}"
    known = _by_name.get(name)
    if known is not None and known.kind is not kind and known.kind.__module__ != "__main__":
        known = None  # the module was reloaded
    if known is not None and known.kind is not kind:
        raise ValueError(
            f"register_component.kind: there is a class {name} already; expected another name"
        )
    _by_kind[kind] = _by_name[name] = Registered(kind, name, save, load)
    return kind


def register_if_new(kind: type[Any]) -> None:
    """Register a class as it is, unless it is one of this package, or it, or one of its name, is
    registered.
    """
    if (
        not issubclass(kind, Component)
        and kind not in _by_kind
        and f"{kind.__module__}.{kind.__qualname__}" not in _by_name
    ):
        register_component(kind)


def registered(kind: type[Any]) -> Registered | None:
    """Return the registration of a class, None if it is not registered."""
    return _by_kind.get(kind)


def registered_as(name: str) -> Registered | None:
    """Return the class that is registered by a name."""
    return _by_name.get(name)
