"""Options: which properties of a shape the library has a use for, by what the shape becomes."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from ecs_softbody.components import Collider, StaticCollider
from ecs_softbody.imports.shapes import body_of
from ecs_softbody.imports.things import BLUEPRINTS, LOOKS, SKINS, STATIC

GIVEN = frozenset({"vertices", "closed", "start", "end", "center", "size", "owner", "mesh", "outline", "skin"})
"""What the shape itself says."""


@functools.cache
def options_of(kind: str) -> frozenset[str]:
    """Return the names of the options of what a shape of a kind becomes, such as `ground` or `blob`."""
    if kind in STATIC:
        makers: tuple[Any, ...] = (StaticCollider,)
    elif kind in BLUEPRINTS:
        makers = (BLUEPRINTS[kind],)
    else:
        makers = (body_of, Collider)
    names = {name for make in makers for name in inspect.signature(make).parameters} - GIVEN
    return frozenset(names - {"collider"}) | {"spacing", *LOOKS, *SKINS} - ({"spacing"} if len(makers) == 1 else set())


def value_of(text: Any) -> Any:
    """Return what an attribute says: a number, true or false, or a word."""
    known = {"true": True, "false": False}
    if str(text).lower() in known:
        return known[str(text).lower()]
    try:
        number = float(text)
    except (TypeError, ValueError):
        return text
    return int(number) if number.is_integer() and abs(number) < 1e9 and "." not in str(text) else number
