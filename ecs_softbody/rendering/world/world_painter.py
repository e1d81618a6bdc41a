"""WorldPainter: draws everything in a simulation that has a shape, by its components
and its Look.

A body is drawn as a ring (an outline that is filled), a rope, a net, or discs, which follows from
its components (topology.py), or with a picture (Skin). Shapes are found again only when the
structure changes; places are read in every picture.
"""

from __future__ import annotations

from functools import partial

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Collider, Particles
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.land.water import Waters
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.body_mesh import Rings, add_bodies
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.tiles import draw_tiles
from ecs_softbody.rendering.world.eyes import Eyes
from ecs_softbody.rendering.world.lines import OUTLINE, draw_discs, draw_net, draw_rope, is_beside
from ecs_softbody.rendering.world.look import Look
from ecs_softbody.rendering.world.shadows import draw_shadows
from ecs_softbody.rendering.world.skin import Skin
from ecs_softbody.rendering.world.skins import SkinPainter, mean_colour
from ecs_softbody.rendering.world.statics import PLAIN, Statics
from ecs_softbody.rendering.world.tints import Tints, fill_of, outline_of
from ecs_softbody.rendering.world.topology import Shape, links_between, shapes_of
from ecs_softbody.rendering.world.touching import draw_touching
from ecs_softbody.simulation import Simulation


class WorldPainter:
    """Draws the bodies and the static colliders of simulations; caches rarely changing data between
    pictures.
    """

    def __init__(self) -> None:
        self.eyes = Eyes()
        # Shapes of all bodies, and links between bodies as (entity, packed pairs (M, 2)), valid for
        # `_key`; the Look of each entity in the last picture.
        self._key: object = None
        self._looks: dict[int, Look] = {}
        self._shapes: list[Shape] = []
        self._links: list[tuple[int, NDArray[np.int64]]] = []
        # Approximate center of the bodies [m]; bodies drawn as rings in the last picture; the
        # packed particles of all of these rings, and where each begins, valid for `_ring_key`.
        self._ring_key: object = None
        self._middle: Floats | None = None
        self._rings: list[tuple[Shape, Look]] = []
        self._ring_rows = np.zeros(0, np.int64)
        self._ring_first = np.zeros(1, np.int64)
        self._skins = SkinPainter()
        self._waters = Waters()
        self._statics = Statics()
        self._skinned: dict[int, Skin] = {}
        self._tints = Tints()

    def draw(
        self,
        sim: Simulation,
        picture: Picture,
        alpha: float = 1.0,
        *,
        shadows: bool = True,
        as_packed: bool = False,
    ) -> None:
        """Add the world of a simulation to a picture, `alpha` (0 to 1) of the way through its last
        frame.

        Args:
            sim: the simulation.
            picture: the target.
            alpha: 0 to 1.
            shadows: whether bodies have them.
            as_packed: draw the bodies of the last picture where they are packed: nothing is packed
                now.
        """
        if as_packed and self._shapes:
            rows = sim.buffers[Particles].rows
            positions: Floats = rows["frame_position"] + alpha * (
                rows["position"] - rows["frame_position"]
            )
        else:
            positions = sim.interpolated_positions(alpha)
            self._looks = {}
        with sim:
            looks: dict[int, Look] = self._looks | dict(esper.get_component(Look))
        self._looks = looks
        self._skinned = sim.buffers.components(Skin)
        self._find_shapes(sim, positions)
        draw_tiles(sim, picture)
        middle = partial(self._middle_of_bodies, positions)
        chains = self._statics.draw(sim, picture, looks, self._skinned, middle, alpha)
        boxes = self._draw_rings(sim, picture, looks, positions)
        boxes = self._draw_skins(sim, picture, looks, positions, boxes)
        self._draw_others(sim, picture, looks, positions)
        if shadows and chains and len(boxes):
            kept = np.array([look.shadow for _, look in self._rings])
            draw_shadows(picture, chains, boxes[kept])
        if shadows:
            draw_touching(picture, sim.contacts)
        self._draw_eyes(sim, picture, boxes)
        self._waters.draw(sim, picture, looks)

    @staticmethod
    def prepare(sim: Simulation) -> None:
        """Pack the bodies that have come since the last picture, for the next one."""
        sim.interpolated_positions()

    @property
    def colours(self) -> dict[int, Colour]:
        """The main colour of every body with a ring, as last drawn."""
        return {shape.entity: self._fill_of(shape.entity, look) for shape, look in self._rings}

    def _fill_of(self, entity: int, look: Look) -> Colour:
        """Return the main colour of an entity, from its Look, else from its skin."""
        skin = self._skinned.get(entity)
        return fill_of(entity, look) if skin is None or look.fill else mean_colour(skin.picture)

    def _find_shapes(self, sim: Simulation, positions: Floats) -> None:
        """Find the shapes of all bodies that can be drawn, after a change of the structure."""
        broken = broken_rows(sim, positions)
        # Shapes depend on the structure, and on bodies that are left out for broken positions.
        key = (id(sim), sim.buffers.version, broken.tobytes())
        if key != self._key:
            self._key = key
            self._shapes = shapes_of(sim.buffers)
            self._links = links_between(sim.buffers)
            if len(broken):
                self._shapes = [
                    shape for shape in self._shapes if not np.isin(shape.rows, broken).any()
                ]
                self._links = [
                    (entity, pairs[~np.isin(pairs, broken).any(axis=1)])
                    for entity, pairs in self._links
                ]
            self._ring_key = self._middle = None

    def _middle_of_bodies(self, positions: Floats) -> Floats | None:
        """Return the approximate center of the bodies when the last one came or went: it determines
        which colliders are rooms.
        """
        if self._middle is None and self._shapes:
            self._middle = np.mean(
                [positions[one.first : one.last].mean(axis=0) for one in self._shapes[:32]], axis=0
            )
        return self._middle

    def _draw_skins(
        self,
        sim: Simulation,
        picture: Picture,
        looks: dict[int, Look],
        positions: Floats,
        boxes: Floats,
    ) -> Floats:
        """Draw the bodies with a picture; bodies with a ring outline join the other rings, with
        their boxes.
        """
        if not self._skinned:
            return boxes
        found = []
        for shape in self._shapes:
            skin = self._skinned.get(shape.entity)
            if skin is not None and skin.row_stop - skin.row_start == shape.last - shape.first:
                look = looks.get(shape.entity, PLAIN)
                if look.style != "none":
                    found.append((shape, look, skin))
        own = self._skins.draw(sim, picture, found, positions, self._key)
        ringed = np.array([shape.ring is not None for shape, _, _ in found], np.bool_)
        self._rings = self._rings + [
            (shape, look) for shape, look, _ in found if shape.ring is not None
        ]
        return np.concatenate((boxes, own[ringed]))

    def _draw_rings(
        self, sim: Simulation, picture: Picture, looks: dict[int, Look], positions: Floats
    ) -> Floats:
        """Draw the bodies with a ring, lowest `layer_offset` first; return their boxes (B, 8), as
        `add_bodies` does.
        """
        rings = []
        for shape in self._shapes:
            look = looks.get(shape.entity, PLAIN)
            if (
                shape.ring is not None
                and look.style in ("auto", "body")
                and shape.entity not in self._skinned
            ):
                rings.append((shape, look))
        rings.sort(key=lambda pair: pair[1].layer_offset)
        self._rings = rings
        key = (self._key, tuple(shape.entity for shape, _ in rings))
        if key != self._ring_key:
            self._ring_key = key
            lengths = [len(shape.ring) for shape, _ in rings if shape.ring is not None]
            rows = [shape.ring for shape, _ in rings if shape.ring is not None]
            self._ring_first = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
            self._ring_rows = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        if not rings:
            return np.zeros((0, 8))
        colours = self._tints.of_rings(rings)
        packed = Rings(
            positions, sim.buffers[Particles].rows["radius"], self._ring_rows, self._ring_first
        )
        width = OUTLINE * picture.point
        light = picture.theme.light
        return add_bodies(picture.mesh(Layer.BODIES), packed, colours, picture.view, width, light)

    def _draw_others(
        self, sim: Simulation, picture: Picture, looks: dict[int, Look], positions: Floats
    ) -> None:
        """Draw ropes, cloths, discs, and links between bodies; discs that follow one another go in
        one call.
        """
        radii = sim.buffers[Particles].rows["radius"]
        colliders = sim.buffers.components(Collider)
        discs: list[tuple[Shape, Look]] = []
        for shape in self._shapes:
            look = looks.get(shape.entity, PLAIN)
            if shape.entity in self._skinned:
                continue
            if look.style == "none" or (shape.ring is not None and look.style in ("auto", "body")):
                continue
            if look.style == "discs" or (look.style == "auto" and shape.links is None):
                if look.style == "discs" or shape.entity in colliders or radii[shape.first]:
                    if discs and discs[0][1].layer_offset != look.layer_offset:
                        self._draw_discs(sim, picture, discs, positions)
                    discs.append((shape, look))
                continue
            self._draw_discs(sim, picture, discs, positions)
            if is_beside(
                picture,
                positions[shape.first : shape.last],
                float(radii[shape.first : shape.last].max()),
            ):
                continue
            fill = palette.faded(fill_of(shape.entity, look), look.opacity)
            outline = palette.faded(outline_of(shape.entity, look), look.opacity)
            layer = Layer.BODIES - 1 + look.layer_offset
            if look.style == "link" and shape.links is not None:
                a = positions[shape.links[:, 0]]
                b = positions[shape.links[:, 1]]
                picture.segments(a, b, 3.0, fill, layer=layer)
            elif shape.paths:
                for path in shape.paths:
                    radius = float(radii[path.rows].mean())
                    draw_rope(
                        picture,
                        positions[path.rows],
                        radius,
                        fill,
                        outline,
                        closed=path.closed,
                        layer=layer,
                    )
            elif shape.links is not None:
                draw_net(picture, positions, radii, shape, fill, outline, layer)
        self._draw_discs(sim, picture, discs, positions)
        for entity, pairs in self._links:
            look = looks.get(entity, PLAIN)
            if look.style in ("link", "rope"):
                colour = palette.faded(look.fill or palette.STEEL, look.opacity)
                starts = positions[pairs[:, 0]]
                ends = positions[pairs[:, 1]]
                layer = Layer.BODIES - 1
                picture.segments(starts, ends, 4.0, colour, layer=layer + look.layer_offset)

    def _draw_discs(
        self, sim: Simulation, picture: Picture, discs: list[tuple[Shape, Look]], positions: Floats
    ) -> None:
        """Draw all these discs, and empty the list."""
        if not discs:
            return
        rows, tints = self._tints.of_discs(discs, self._key)
        layer = Layer.BODIES - 1 + discs[0][1].layer_offset
        columns = sim.buffers[Particles].rows
        draw_discs(
            picture, positions[rows], columns["radius"][rows], columns["angle"][rows], tints, layer
        )
        discs.clear()

    def _draw_eyes(self, sim: Simulation, picture: Picture, boxes: Floats) -> None:
        """Draw the eyes of all ring bodies in view that have some; boxes: of the same bodies."""
        self.eyes.begin(sim.time)
        velocities = sim.buffers[Particles].rows["velocity"]
        for (shape, look), box in zip(self._rings, boxes, strict=True):
            if look.eyes and box[7]:
                own = velocities[shape.first : shape.last]
                vx, vy = (np.add.reduce(own) / len(own)).tolist()
                self.eyes.add(
                    picture, shape.entity, look, box, (vx, vy), self._fill_of(shape.entity, look)
                )
        self.eyes.finish(picture)


def broken_rows(sim: Simulation, positions: Floats) -> NDArray[np.int64]:
    """Return the packed particles that can not be drawn, since a game wrote NaN or
    infinity there.
    """
    fine = np.isfinite(positions).all(axis=1) & np.isfinite(sim.buffers[Particles].rows["radius"])
    return flatnonzero(~fine)
