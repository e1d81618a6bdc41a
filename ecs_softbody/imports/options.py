"""Options: which properties of a thing are the library's; all others are the maker's own, and are
kept for the game.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ecs_softbody import blueprints
from ecs_softbody.components import Collider, StaticCollider
from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.reading import shortened
from ecs_softbody.imports.things import LOOKS, SKINS, SOFT, STATIC, flag_of

MADE_OF: dict[str, Callable[..., Any]] = {
    "blob": blueprints.blob, "ball": blueprints.ball, "box": blueprints.box,
    "cloth": blueprints.cloth, "rope": blueprints.rope, "body": Collider.__init__,
    "polygon": Collider.__init__,
}  # fmt: skip
OF_BODIES = ("spacing", "mass", "density", "stiffness", "hold")
"""Options of a body of any outline, besides its collider's options."""
FROM_THE_SHAPE = ("self", "vertices", "closed", "outline", "center", "size", "start", "end", "skin")
"""Arguments for position and look, which properties cannot set."""
ALIKE = 0.75
"""Minimum similarity of a word to a known one for a hint."""


@functools.cache
def options_of(kind: str) -> frozenset[str]:
    """Return the option names of a class, including its look."""
    return (
        material_options() | {*LOOKS, *SKINS}
        if kind in STATIC
        else _soft_options(kind) | {*LOOKS, *SKINS}
    )


@functools.cache
def material_options() -> frozenset[str]:
    """Return the names of ground's material options, which tiles and layers may set."""
    return frozenset(inspect.signature(StaticCollider.__init__).parameters) - {*FROM_THE_SHAPE}


def _soft_options(kind: str) -> frozenset[str]:
    own = OF_BODIES if kind in ("body", "polygon") else ()
    return frozenset((*inspect.signature(MADE_OF[kind]).parameters, *own)) - {*FROM_THE_SHAPE}


def sorted_out(kind: str, properties: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split properties into options of a class and others."""
    return _split(properties, options_of(kind.lower()))


def material_of(properties: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split properties into material options of ground and others."""
    return _split(properties, material_options())


def take_solid(owner: str, others: dict[str, Any], *, default: bool = False) -> bool:
    """Pop the property `solid` from the non-option properties and return its value.

    Raises:
        ValueError: if it is neither true nor false.
    """
    solid = flag_of(others.pop("solid", default))
    if not isinstance(solid, bool):
        raise Unreadable(
            f"{owner}: solid: {shortened(solid)} is not allowed; expected true or false"
        )
    return solid


def _split(
    properties: dict[str, Any], known: frozenset[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return options and the maker's own."""
    options = {
        name: value
        for name, value in properties.items()
        if name in known and not _is_own(name, value)
    }
    return options, {name: value for name, value in properties.items() if name not in options}


def _is_own(name: str, value: Any) -> bool:
    """Return whether the type of a value shows that a property is custom, despite an option's name.

    Objects with several values are never options; a word is no collision category, and a word or a
    single number is no velocity.
    """
    if name in ("category", "mask"):
        return isinstance(value, str | dict)
    return isinstance(value, dict) or (name == "velocity" and isinstance(value, str | int | float))


def classes() -> list[str]:
    """Return the words that stand for something of the library."""
    return [*filter(None, STATIC), *SOFT]


def value_of(text: Any) -> Any:
    """Return the value of an attribute: a number, true or false, or a word."""
    known = {"true": True, "false": False}
    if str(text).lower() in known:
        return known[str(text).lower()]
    try:
        number = float(text)
    except (TypeError, ValueError):
        return text
    return (
        int(number)
        if number.is_integer() and abs(number) < 1e9 and "." not in str(text)
        else number
    )
