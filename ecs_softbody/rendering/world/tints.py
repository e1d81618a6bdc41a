"""Tints: the colours of bodies by their Looks, found for all of them at once, and only where a Look
has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.indices import repeat
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.mesh.body_mesh import RingColours
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.world.lines import SPOT, disc_tints
from ecs_softbody.rendering.world.look import Look
from ecs_softbody.rendering.world.topology import Shape

GLOWS = 32.0
"""Steps of a glow."""
MOST = 2048
"""Groups of bodies whose colours are kept."""
Bodies = Sequence[tuple[Shape, Look]]


def fill_of(entity: int, look: Look) -> Colour:
    """Return the main colour of an entity."""
    return look.fill or palette.body_colour(entity)


def outline_of(entity: int, look: Look) -> Colour:
    """Return the colour of an entity's outline."""
    return look.outline or palette.darker(fill_of(entity, look), 0.52)


class Tints:
    """Finds the colours of many bodies at once; keeps the last ones of each group of bodies."""

    def __init__(self) -> None:
        self._groups: dict[Hashable, tuple[Any, Any]] = {}

    def of_rings(self, rings: Bodies) -> RingColours:
        """Return the colours of bodies with rings."""
        keys = keys_of(rings)
        colours: RingColours = self._last("rings", keys, lambda: _ring_tints(_lit(keys)))
        return colours

    def of_discs(self, discs: Bodies, structure: object) -> tuple[Integers, NDArray[np.float32]]:
        """Return the packed rows of discs, and their colours (N, 5, 4); `structure` changes when
        the rows do.
        """

        def stacked() -> tuple[Integers, NDArray[np.float32]]:
            rows = np.concatenate([shape.rows for shape, _ in discs])
            counts = [shape.last - shape.first for shape, _ in discs]
            tints = _disc_tints(_lit(keys))
            # Held bodies do not turn, and have no spot.
            tints[[shape.links is not None for shape, _ in discs], SPOT, 3] = 0.0
            return rows, repeat(tints, counts, axis=0)

        keys = keys_of(discs)
        first = discs[0][0].entity
        entities = [shape.entity for shape, _ in discs]
        found: tuple[Integers, NDArray[np.float32]] = self._last(
            first, (structure, entities, keys), stacked
        )
        return found

    def _last(self, name: Hashable, key: Any, make: Callable[[], Any]) -> Any:
        """Return the last result under a name if its key is the same, else make it."""
        kept = self._groups.get(name)
        # Tints are stacked again only when a Look or the bodies have changed.
        if kept is None or kept[0] != key:
            if len(self._groups) > MOST:
                self._groups.clear()
            kept = self._groups[name] = (key, make())
        return kept[1]


def keys_of(bodies: Bodies) -> list[tuple[Any, ...]]:
    """Return all that the colours of each body depend on: fill, outline, opacity, glow."""
    return [
        # Glow changes in steps: a body that fades slowly keeps its colours for some frames.
        (fill_of(shape.entity, look), look.outline, look.opacity, round(GLOWS * look.glow) / GLOWS)
        for shape, look in bodies
    ]


class Lit(NamedTuple):
    """Colours of B bodies in the light of their glow: parts 0 to 255, shapes (B, 4), and opacities
    (B,).
    """

    fills: Floats
    edges: Floats  # Colours of the outlines
    opacity: Floats


def _lit(keys: list[tuple[Any, ...]]) -> Lit:
    """Return the colours of bodies by the values that determine them."""
    fills, outlines, opacity, glow = zip(*keys, strict=True)
    table = palette.table_of(fills)
    edges = palette.all_darker(table, 0.52)
    own = [row for row, outline in enumerate(outlines) if outline]
    if own:
        edges[own] = palette.table_of([outlines[row] for row in own])
    return Lit(
        palette.all_lighter(table, 0.55 * np.array(glow)[:, None]),
        edges,
        np.array(opacity, np.float64),
    )


def _ring_tints(lit: Lit) -> RingColours:
    """Return the colours of bodies with rings."""
    light = palette.all_lighter(lit.fills, 0.10)
    dark = palette.all_darker(lit.fills, 0.16)
    shades = (light, dark, palette.all_lighter(lit.fills, 0.62), lit.edges)
    return RingColours(
        *(palette.shares_of(palette.all_faded(shade, lit.opacity)) for shade in shades)
    )


def _disc_tints(lit: Lit) -> NDArray[np.float32]:
    """Return the colours of discs (B, 5, 4)."""
    return disc_tints(
        palette.all_faded(lit.fills, lit.opacity), palette.all_faded(lit.edges, lit.opacity)
    )
