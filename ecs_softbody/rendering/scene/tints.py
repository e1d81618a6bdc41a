"""Tints: the colours of bodies by their Looks, stacked for one call, and found again only where a Look has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Integers
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.mesh.body_mesh import RingColours
from ecs_softbody.rendering.palette import Colour, rgba
from ecs_softbody.rendering.scene.lines import disc_tints
from ecs_softbody.rendering.scene.look import Look
from ecs_softbody.rendering.scene.topology import Shape

GLOWS = 32.0
"""Steps of a glow."""
MOST = 2048
"""Colours that are kept."""
Bodies = Sequence[tuple[Shape, Look]]
Tint = tuple[NDArray[np.float32], ...]


def fill_of(entity: int, look: Look) -> Colour:
    """Return the main colour of an entity."""
    return look.fill or palette.body_colour(entity)


def outline_of(entity: int, look: Look) -> Colour:
    """Return the colour of an entity's outline."""
    return look.outline or palette.darker(fill_of(entity, look), 0.52)


class Tints:
    """Finds the colours of many bodies at once; keeps the last ones of each group of bodies."""

    def __init__(self) -> None:
        self._single: dict[Hashable, Tint] = {}
        self._groups: dict[Hashable, tuple[Any, Any]] = {}

    def of_rings(self, rings: Bodies) -> RingColours:
        """Return the colours of bodies with rings."""

        def stacked() -> RingColours:
            tints = [self._found(key, _ring_tint) for key in keys]
            return RingColours(*(np.array([tint[part] for tint in tints]) for part in range(4)))

        keys = keys_of(rings)
        colours: RingColours = self._last("rings", keys, stacked)
        return colours

    def of_discs(self, discs: Bodies, structure: object) -> tuple[Integers, NDArray[np.float32]]:
        """Return the packed rows of discs, and their colours (N, 4, 4); `structure` changes when the rows do."""

        def stacked() -> tuple[Integers, NDArray[np.float32]]:
            rows = np.concatenate([shape.rows for shape, _ in discs])
            tints = np.array([self._found((*key, "disc"), _disc_tint)[0] for key in keys])
            counts = [shape.last - shape.first for shape, _ in discs]
            return rows, np.repeat(tints, counts, axis=0)

        keys = keys_of(discs)
        first = discs[0][0].entity
        entities = [shape.entity for shape, _ in discs]
        found: tuple[Integers, NDArray[np.float32]] = self._last(first, (structure, entities, keys), stacked)
        return found

    def _last(self, name: Hashable, key: Any, make: Callable[[], Any]) -> Any:
        """Return what was made last under a name where the key is the same, else make it."""
        kept = self._groups.get(name)
        if kept is None or kept[0] != key:
            if len(self._groups) > MOST:
                self._groups.clear()
            kept = self._groups[name] = (key, make())
        return kept[1]

    def _found(self, key: tuple[Any, ...], make: Callable[..., Tint]) -> Tint:
        found = self._single.get(key)
        if found is None:
            if len(self._single) > MOST:
                self._single.clear()
            found = self._single[key] = make(*key[:4])
        return found


def keys_of(bodies: Bodies) -> list[tuple[Any, ...]]:
    """Return all that the colours of each body depend on: fill, outline, opacity, glow."""
    return [
        (fill_of(shape.entity, look), look.outline, look.opacity, round(GLOWS * look.glow) / GLOWS)
        for shape, look in bodies
    ]


def _ring_tint(fill: Colour, outline: Colour | None, opacity: float, glow: float) -> Tint:
    lit = palette.lighter(fill, 0.55 * glow)
    edge = outline or palette.darker(fill, 0.52)
    shades = palette.lighter(lit, 0.10), palette.darker(lit, 0.16), palette.lighter(lit, 0.62), edge
    return tuple(rgba(palette.faded(colour, opacity)) for colour in shades)


def _disc_tint(fill: Colour, outline: Colour | None, opacity: float, glow: float) -> Tint:
    lit = palette.faded(palette.lighter(fill, 0.55 * glow), opacity)
    return (disc_tints(lit, palette.faded(outline or palette.darker(fill, 0.52), opacity)),)
