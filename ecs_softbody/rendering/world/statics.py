"""Statics: ground, walls and platforms of a simulation; data of each is cached while it stays the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import StaticCollider
from ecs_softbody.rendering.land.ground import (
    draw_below,
    draw_edges,
    draw_static,
    draw_top,
    is_out_of_view,
    style_of,
)
from ecs_softbody.rendering.land.ground_fill import PLANK, GroundFill, draw_fills, fill_of_ground
from ecs_softbody.rendering.land.tufts import Tufts
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.world.look import Look
from ecs_softbody.rendering.world.skin import Skin
from ecs_softbody.simulation import Simulation

PLAIN = Look()
"""Look of a collider whose entity has none."""
FRAME = 1.0 / 60.0
"""Length of a frame [s], for the places of moving walls between two frames."""
STEP = 0.4
"""Ground is redrawn when the camera has moved this far, in widths of the view; it is drawn beyond
the sides of the view.
"""
Looks = Mapping[int, Look]


class Known(NamedTuple):
    """Cached data of one static collider, valid while its dependencies are unchanged."""

    depends: tuple[object, ...]
    """All that the data depends on, as it was."""
    center: Floats | None
    """Approximate center of the bodies [m], which tells whether it is a room."""
    vertices: Floats
    """Its corners (V, 2) [m], a copy."""
    line: Floats
    """The same, closed where it is [m]."""
    style: str
    """How it is drawn, see `ground.style_of`."""
    drawn: Floats
    """The points that it is drawn through [m]."""
    bounds: tuple[float, float, float, float]
    """Left, bottom, right, top [m]."""


class Statics:
    """Draws the static colliders of a simulation."""

    def __init__(self) -> None:
        self._known: dict[int, Known] = {}
        self._tufts = Tufts()

    def draw(
        self,
        sim: Simulation,
        picture: Picture,
        looks: Looks,
        skins: Mapping[int, Skin],
        middle: Callable[[], Floats | None],
        alpha: float,
    ) -> list[Floats]:
        """Draw all of them, and return the chains that shadows may fall on [m].

        Args:
            sim: the simulation.
            picture: the target.
            looks: of all entities that have one.
            skins: the same.
            middle: returns the approximate center of the bodies [m]: it determines which colliders
                are rooms.
            alpha: how much of the last frame is over, 0 to 1.
        """
        chains = []
        lawns = {}
        fills: list[GroundFill] = []
        statics = sim.buffers.components(StaticCollider)
        for entity, known in self._all_known(sim, looks, middle, alpha).items():
            static = statics[entity]
            look = looks.get(entity, PLAIN)
            style = known.style
            radius = float(static.radius)
            if style == "none" or (look.style == "auto" and static.sensor):
                continue
            if look.shadow and len(known.line) > 1:
                chains.append(known.line)
            skin = skins.get(entity)
            fill = None
            if skin is not None:
                turned = float(static.angle)
                fill = fill_of_ground(
                    picture, skin, look, known.vertices, style, radius=radius, angle=turned
                )
            if fill is not None:
                fills.append(fill)
                draw_edges(picture, known.vertices, style, look)
            elif not is_out_of_view(picture, known.bounds, radius + PLANK, style):
                self._draw(picture, entity, known, radius, look)
                if style == "ground" and look.fill is None and len(known.drawn) > 1:
                    lawns[entity] = known.drawn
        if picture.theme.tufts is not None:
            self._tufts.draw(sim, picture, lawns, picture.theme.tufts)
        draw_fills(picture, fills)
        return chains

    def _all_known(
        self, sim: Simulation, looks: Looks, middle: Callable[[], Floats | None], alpha: float
    ) -> dict[int, Known]:
        """Return the data of each collider, in the order of the entities; most is reused from the
        last call.
        """
        table = sim.buffers[StaticCollider]
        corners = table.rows["vertices"]
        # The corners of all colliders are copied once: slices of the copy tell which colliders
        # stand still, and need no new look.
        content = corners.tobytes()
        size = corners.strides[0]
        names = ("closed", "one_way", "velocity")
        closed, one_way, velocity = (table.values[name].tolist() for name in names)
        before: dict[int, Known] = self._known
        self._known = found = {}
        for entity, static in sorted(sim.buffers.components(StaticCollider).items()):
            look = looks.get(entity, PLAIN)
            slot = static.slot
            first = static.row_start
            last = static.row_stop
            moved = any(velocity[slot])
            vertices = corners[first:last]
            if moved:
                vertices = vertices - np.array(velocity[slot]) * FRAME * (1.0 - alpha)
            places = vertices.tobytes() if moved else content[first * size : last * size]
            depends = (places, closed[slot], any(one_way[slot]), look.style)
            center = middle() if closed[slot] and look.style == "auto" else None
            known = before.get(entity)
            if known is None or known.depends != depends or known.center is not center:
                known = _look_at(depends, vertices.copy(), look, center)
            found[entity] = known
        return found

    def _draw(self, picture: Picture, entity: int, known: Known, radius: float, look: Look) -> None:
        """Draw a collider; the part that moves with the camera is only translated, unless the
        camera zooms.
        """
        view = picture.view
        name = (id(self), entity)
        drawn = known.drawn
        style = known.style
        content = (
            radius,
            known.depends[0],
            look.fill,
            look.outline,
            look.opacity,
            look.layer_offset,
        )
        still = (content, picture.point, picture.theme, style, view)
        draw = partial(draw_static, picture, drawn, radius, style, look)
        if style == "room":
            picture.meshes.again(name, still, draw, picture.texts)
            return
        key: tuple[object, ...] = (*still[:-1], view.height, view.width_px, view.height_px)
        if style == "ground":
            picture.meshes.again(
                (*name, "below"), still, partial(draw_below, picture, drawn, look), picture.texts
            )
            step = STEP * view.width
            number = round(view.center[0] / step)
            reach = 0.5 * (view.width + step)
            key = (*key, number)
            seen = (number * step - reach, number * step + reach)
            draw = partial(draw_top, picture, drawn, look, seen)
        picture.meshes.again(name, key, draw, picture.texts, view.origin, at_once=style == "ground")


def _look_at(
    depends: tuple[object, ...], vertices: Floats, look: Look, center: Floats | None
) -> Known:
    """Return the data of a collider with these corners (V, 2) [m]."""
    _, closed, one_way, _ = depends
    style = style_of(vertices, look, closed=bool(closed), one_way=bool(one_way), center=center)
    line = np.concatenate((vertices, vertices[:1])) if closed else vertices
    (left, bottom) = vertices.min(axis=0).tolist()
    (right, top) = vertices.max(axis=0).tolist()
    drawn = line if style == "line" else vertices
    return Known(depends, center, vertices, line, style, drawn, (left, bottom, right, top))
