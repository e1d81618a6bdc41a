"""Debug overlay: the physics as a textbook would draw it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles, Springs, StaticCollider
from ecs_softbody.elementary.rows import distinct
from ecs_softbody.indices import flatnonzero
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.overlay.field_overlay import draw_fields
from ecs_softbody.rendering.overlay.joint_overlay import draw_joints
from ecs_softbody.rendering.overlay.profile_panel import draw_profile
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import translated
from ecs_softbody.simulation import Simulation

FULL_STRAIN = 0.25
"""Strain at which a spring has its full colour."""
ARROW_TIME = 0.12
"""A velocity arrow ends where the particle would be after this time [s]."""
NORMAL_LENGTH = 0.35
"""Length of the normals at contacts [m]."""
ASLEEP = 0.3
"""Opacity of the parts of a sleeping body."""


@dataclass
class DebugOverlay:
    """The parts of the physics to show."""

    springs: bool = True
    joints: bool = True
    particles: bool = True
    velocities: bool = True
    contacts: bool = True
    bounds: bool = False
    fields: bool = True
    numbers: bool = True
    profile: bool = True

    def draw(
        self, sim: Simulation, picture: Picture, alpha: float, timings: dict[str, float]
    ) -> None:
        """Add the overlay; `timings` are named numbers to show, such as {"frames per
        second": 60}.
        """
        positions = sim.interpolated_positions(alpha)
        rows = sim.buffers[Particles].rows
        bodies = list(sim.buffers.components(Particles).values())
        used = np.zeros(len(positions), bool)
        opacity = np.ones(len(positions), np.float32)
        for entity, body in sim.buffers.components(Particles).items():
            used[body.row_start : body.row_stop] = True
            # Despawned entities keep their rows until the next step.
            if sim.exists(entity) and sim.is_asleep(entity):
                opacity[body.row_start : body.row_stop] = ASLEEP
        used &= np.isfinite(positions).all(axis=1)
        if self.springs:
            _draw_springs(sim, picture, positions, opacity)
        if self.particles:
            spot = 3.0 * picture.point / picture.view.scale
            picture.discs(
                positions[used], spot, faded(rgba(palette.TEXT), opacity[used]), layer=Layer.DEBUG
            )
        if self.joints:
            draw_joints(sim, picture, positions)
        if self.velocities:
            tips = positions[used] + ARROW_TIME * np.nan_to_num(
                rows["velocity"][used], posinf=0.0, neginf=0.0
            )
            picture.segments(positions[used], tips, 1.5, palette.VELOCITY, layer=Layer.DEBUG)
            spot = 2.0 * picture.point / picture.view.scale
            picture.discs(tips, spot, palette.VELOCITY, layer=Layer.DEBUG)
        if self.contacts:
            _draw_contacts(sim, picture)
        if self.bounds:
            finite = [body for body in bodies if used[body.row_start : body.row_stop].all()]
            _draw_bounds(picture, [positions[body.row_start : body.row_stop] for body in finite])
        if self.fields:
            draw_fields(sim, picture)
        if self.numbers:
            draw_numbers(picture, {**timings, **sim.profiler.counts})
        if self.profile and sim.profiler.frames:
            draw_profile(picture, sim.profiler.mean, sim.profiler.mean_frame)


def _draw_springs(
    sim: Simulation, picture: Picture, positions: Floats, opacity: NDArray[np.float32]
) -> None:
    rows = sim.buffers[Springs].rows
    pairs = rows["packed_pairs"].astype(np.int64)
    alive = (pairs[:, 0] != pairs[:, 1]) & np.isfinite(positions[pairs]).all(axis=(1, 2))
    pairs = pairs[alive]
    rest = rows["rest_length"][alive]
    if not len(pairs):
        return
    starts = positions[pairs[:, 0]]
    ends = positions[pairs[:, 1]]
    length = np.hypot(*(ends - starts).T)
    strain = np.clip((length - rest) / np.maximum(rest, 0.05) / FULL_STRAIN, -1.0, 1.0)
    colours = faded(strain_colours(strain), opacity[pairs[:, 0]])
    picture.segments(starts, ends, 2.0, colours, layer=Layer.DEBUG)


def _draw_contacts(sim: Simulation, picture: Picture) -> None:
    """Draw points and normals of contacts.

    The point of a corner of a thick wall is its vertex: it is drawn on the wall's surface.
    """
    contacts = sim.contacts
    touching = contacts.separation < 0.02 if len(contacts) else np.zeros(0, bool)
    points = contacts.point[touching].copy()
    normals = contacts.normal[touching]
    walls = contacts.entity_b[touching]
    for entity in distinct(walls).tolist():
        wall = sim.buffers.components(StaticCollider).get(entity)
        if wall is not None and wall.radius > 0.0:
            own = flatnonzero(walls == entity)
            apart = np.hypot(*(points[own, None] - wall.vertices).transpose(2, 0, 1)).min(axis=1)
            inside = own[apart < 0.5 * wall.radius]
            points[inside] += float(wall.radius) * normals[inside]
    picture.segments(
        points, points + NORMAL_LENGTH * normals, 2.5, palette.CONTACT, layer=Layer.DEBUG
    )
    picture.discs(
        points, 4.0 * picture.point / picture.view.scale, palette.CONTACT, layer=Layer.DEBUG
    )


def faded(colours: NDArray[np.float32], opacity: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rgba shares (N, 4) of one colour or N colours, each with an opacity of its own."""
    shares = np.tile(colours, (len(opacity), 1)) if colours.ndim == 1 else colours.copy()
    shares[:, 3] *= opacity
    return shares


def strain_colours(strain: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return rgba shares (N, 4) for strains from -1 (compressed, blue) over 0 (grey) to 1
    (stretched, red).
    """
    share = np.abs(strain)[:, None].astype(np.float32)
    goal = np.where(strain[:, None] < 0.0, rgba(palette.COMPRESSED), rgba(palette.STRETCHED))
    return np.asarray(rgba(palette.RELAXED) * (1.0 - share) + goal * share, np.float32)


def _draw_bounds(picture: Picture, bodies: list[NDArray[np.float64]]) -> None:
    for points in bodies:
        (left, bottom) = points.min(axis=0)
        (right, top) = points.max(axis=0)
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
        picture.stroke(corners, 1.0, palette.TEXT_DIM, closed=True, layer=Layer.DEBUG)


def draw_numbers(picture: Picture, numbers: dict[str, float]) -> None:
    """Add a panel of named numbers at the left."""
    top = picture.height - 92.0
    line = 24.0
    picture.panel((14, top - line * len(numbers) - 18), (254, top), layer=Layer.DEBUG + 1)
    for index, (name, value) in enumerate(numbers.items()):
        y = top - 30 - line * index
        text = f"{value:.1f}" if isinstance(value, float) else f"{value}"
        picture.text(
            translated(name), (28, y), size=18, colour=palette.TEXT_DIM, layer=Layer.DEBUG + 2
        )
        picture.text(text, (240, y), size=18, align="right", layer=Layer.DEBUG + 2)
