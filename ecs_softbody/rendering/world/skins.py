"""SkinPainter: adds the bodies with a picture (Skin) to a Picture, all with the same picture in one
kernel call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import Particles
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.mesh.curves import smooth_line
from ecs_softbody.rendering.mesh.skin_mesh import (
    Shapes,
    SkinnedBodies,
    SkinnedParticles,
    add_skins,
    joined_shapes,
)
from ecs_softbody.rendering.mesh.skin_shape import (
    SkinShape,
    disc_shape,
    net_shape,
    ring_shape,
    rope_shape,
)
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texture import Texture
from ecs_softbody.rendering.world.look import Look
from ecs_softbody.rendering.world.skin import Skin
from ecs_softbody.rendering.world.topology import Shape
from ecs_softbody.simulation import Simulation

GLOW = 0.55
"""White light at full glow, as a share."""
COARSE = 90.0
"""Bodies that are smaller [points] have fewer triangles."""
Found = list[tuple[Shape, Look, Skin]]


class Group(NamedTuple):
    """Bodies with one picture in one layer: their indices in the list of skinned bodies, and data
    that changes only with the group.
    """

    places: Integers  # (B,)
    layer: int
    texture: Texture
    repeats: bool  # Whether the picture repeats beyond its edges
    shapes: Shapes  # The different skin shapes among these bodies
    shape: Integers  # (B,) which of these a body has
    particle_first: Integers  # (B,) first packed particle
    uv_first: Integers  # (B,) first packed row of its Skin
    slots: Integers  # (B,) slot of its Skin


class SkinPainter:
    """Draws skins; keeps their triangles between pictures."""

    def __init__(self) -> None:
        # Groups of bodies, valid for `_key`; sizes (B,) of the bodies [m] when the structure
        # changed last, valid for `_sized`.
        self._key: object = None
        self._groups: list[Group] = []
        self._sized: object = None
        self._sizes = np.zeros(0)

    def draw(
        self, sim: Simulation, picture: Picture, found: Found, positions: Floats, key: object
    ) -> Floats:
        """Add the skins of these bodies, and return where they are, in their order, as `add_bodies`
        does, (B, 8).

        key: changes whenever the structure of any body does.
        """
        if not found:
            return np.zeros((0, 8))
        members = [
            (shape.entity, id(skin.picture), skin.repeats, look.layer_offset)
            for shape, look, skin in found
        ]
        if (key, len(found)) != self._sized:
            self._sized = (key, len(found))
            self._sizes = np.array(
                [
                    float(np.ptp(positions[one.first : one.last], axis=0).max())
                    for one, _, _ in found
                ]
            )
        coarse = self._sizes * picture.view.scale < COARSE * picture.point
        now = (key, members, coarse.tobytes())
        # Bodies are grouped again only after a change: a frame is one kernel call for all bodies
        # with the same picture.
        if now != self._key:
            self._key = now
            self._groups = groups_of(sim, found, coarse.tolist())
        table = sim.buffers[Skin]
        rows = sim.buffers[Particles].rows
        particles = SkinnedParticles(positions, rows["radius"], rows["angle"], table.rows["uv"])
        boxes = np.zeros((len(found), 8))
        looks = [look for _, look, _ in found]
        tints = np.ones((len(found), 5), np.float32)
        tints[:, 3] = [look.opacity for look in looks]
        tints[:, 4] = [GLOW * look.glow for look in looks]
        for group in self._groups:
            per_metre = table.values["per_metre"][group.slots]
            tint = tints[group.places]
            bodies = SkinnedBodies(
                group.shape, group.particle_first, group.uv_first, per_metre, tint
            )
            mesh = picture.mesh(group.layer, group.texture, repeats=group.repeats)
            boxes[group.places] = add_skins(mesh, group.shapes, bodies, particles, picture.view)
        for shape, look, _ in found:
            if look.outline is not None and shape.ring is not None:
                draw_outline(picture, positions[shape.ring], rows["radius"][shape.ring], look)
        return boxes


def draw_outline(picture: Picture, ring: Floats, radii: Floats, look: Look) -> None:
    """Draw a line around a body: its ring of particles (K, 2) [m], their radii (K,) [m]."""
    along = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    outwards = np.column_stack((along[:, 1], -along[:, 0]))
    outwards /= np.maximum(np.hypot(*outwards.T), 1e-12)[:, None]
    turn = 1.0 if float((ring[:, 0] * along[:, 1]).sum()) >= 0.0 else -1.0
    curve = (
        smooth_line(picture.to_pixels(ring + turn * radii[:, None] * outwards), closed=True)
        / picture.point
    )
    colour = palette.faded(look.outline or palette.TEXT, look.opacity)
    layer = Layer.BODIES + 1 + look.layer_offset
    picture.stroke(curve, 3.0, colour, closed=True, layer=layer, space="screen")


def groups_of(sim: Simulation, found: Found, coarse: list[bool]) -> list[Group]:
    """Return bodies by picture and layer, the lowest layer first."""
    members: dict[tuple[int, int, bool], list[int]] = {}
    for place, (_, look, skin) in enumerate(found):
        members.setdefault((look.layer_offset, id(skin.picture), skin.repeats), []).append(place)
    groups = []
    for (offset, _, repeats), places in sorted(members.items(), key=lambda entry: entry[0][0]):
        known: dict[int, int] = {}
        shapes: list[SkinShape] = []
        numbers = []
        bodies = [found[place] for place in places]
        for place, (shape, _, skin) in zip(places, bodies, strict=True):
            made = shape_of(sim, shape, skin, coarse=coarse[place])
            if id(made) not in known:
                known[id(made)] = len(shapes)
                shapes.append(made)
            numbers.append(known[id(made)])
        groups.append(
            Group(
                np.array(places, np.int64),
                Layer.BODIES + offset,
                bodies[0][2].picture,
                repeats,
                joined_shapes(shapes),
                np.array(numbers, np.int64),
                np.array([shape.first for shape, _, _ in bodies], np.int64),
                np.array([skin.row_start for _, _, skin in bodies], np.int64),
                np.array([skin.slot for _, _, skin in bodies], np.int64),
            )
        )
    return groups


def shape_of(sim: Simulation, shape: Shape, skin: Skin, *, coarse: bool) -> SkinShape:
    """Return the triangles of a body's skin."""
    rest: Floats = skin.uv / np.where(skin.per_metre == 0.0, 1.0, skin.per_metre)
    if not np.ptp(rest, axis=0).all() and (shape.ring is not None or shape.faces is not None):
        rest = np.array(sim.buffers.components(Particles)[shape.entity].rest_offset)
    if shape.ring is not None:
        ring = shape.ring - shape.first
        is_clockwise = signed_area(rest[ring]) < 0.0
        return ring_shape(
            rest, np.ascontiguousarray(ring[::-1] if is_clockwise else ring), coarse=coarse
        )
    if len(shape.paths) == 1 and not shape.paths[0].closed:
        return rope_shape(shape.paths[0].rows - shape.first)
    if shape.links is not None:
        made = net_shape(rest, np.ascontiguousarray(shape.links - shape.first))
        if len(made.triangles):
            return made
    return disc_shape(shape.last - shape.first)


def mean_colour(texture: Texture) -> Colour:
    """Return the mean colour of a picture."""
    red, green, blue, opacity = texture.level(len(texture.levels) - 1)[0, 0].astype(float).tolist()
    share = 255.0 / max(opacity, 1.0)
    return (
        min(255, round(red * share)),
        min(255, round(green * share)),
        min(255, round(blue * share)),
    )
