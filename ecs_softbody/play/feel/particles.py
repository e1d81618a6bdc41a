"""Particles of effects: drops, crumbs, dust, confetti, sparks, bubbles, trails; a fixed pool in
arrays.

They have nothing to do with the particles of bodies. They fall, are braked by air, and end on walls
and water (surfaces.py); drops leave stains on walls that stand still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.indices import arange, flatnonzero, repeat
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, rgba

if TYPE_CHECKING:
    from ecs_softbody.play.feel.surfaces import Surfaces
    from ecs_softbody.rendering.picture import Picture

KindName = Literal["drop", "crumb", "dust", "confetti", "spark", "bubble", "trail"]
MOST = 384
"""Number of particles in the pool."""
FALL = 14.0
"""Acceleration of falling drops under at least the Earth's gravity [m/s²]."""
EARTH = 9.81
"""Gravity on Earth [m/s²]: in weaker gravity drops fall slower than FALL in proportion."""
LEAVING = 0.04
"""Time [s] in which a new spark ignores surfaces, to leave its source."""
MOST_STAINS, STAINED, STAIN_OPACITY = 48, 3.0, 0.45
"""Maximum number of stains, their duration [s], and their initial opacity."""
WET_BRAKE, WET_PULL = 7.0, 0.12
"""Drag of particles sinking in water [1/s], and the remaining fraction of their fall."""
CORNERS = np.array(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))


class Kind(NamedTuple):
    """Motion and look of one kind of particle."""

    # fall relative to a drop; below 0 it rises
    pull: float
    # deceleration by air [1/s]
    brake: float
    # minimum and maximum lifetime [s]
    life: tuple[float, float]
    # minimum and maximum initial radius [m]
    size: tuple[float, float]
    # final radius, relative to the initial one
    grown: float
    # visible time after landing [s]; below 0 nothing stops it
    rests: float
    # whether it continues below the surface of water
    sinks: bool
    shape: Literal["disc", "puff", "flake", "streak"]


KINDS: dict[KindName, Kind] = {
    "drop": Kind(1.0, 1.2, (0.3, 0.65), (0.025, 0.07), 0.35, 0.15, False, "disc"),
    "crumb": Kind(1.1, 0.6, (0.5, 0.9), (0.03, 0.085), 0.5, 0.7, True, "flake"),
    "dust": Kind(-0.03, 4.5, (0.3, 0.6), (0.06, 0.13), 2.6, -1.0, False, "puff"),
    "confetti": Kind(0.16, 2.6, (1.6, 2.6), (0.05, 0.085), 0.9, 0.9, True, "flake"),
    "spark": Kind(0.5, 2.0, (0.15, 0.4), (0.015, 0.03), 0.3, 0.02, True, "streak"),
    "bubble": Kind(-0.12, 2.5, (0.5, 1.2), (0.02, 0.06), 1.2, -1.0, True, "disc"),
    "trail": Kind(0.0, 3.0, (0.22, 0.3), (0.1, 0.1), 0.3, -1.0, False, "puff"),
}
"""All kinds of particles, by name; a number of a kind is its place here."""
NAMES = tuple(KINDS)
NUMBERS = {name: number for number, name in enumerate(NAMES)}
# Properties of each kind as arrays, by its number.
PULL, BRAKE, GROWN, RESTS, SINKS = (
    np.array([getattr(kind, field) for kind in KINDS.values()])
    for field in ("pull", "brake", "grown", "rests", "sinks")
)
DISC, PUFF, FLAKE, STREAK = range(4)
SHAPES = np.array(
    [("disc", "puff", "flake", "streak").index(kind.shape) for kind in KINDS.values()]
)
PLAIN_DRAWN = ((DISC, 0.0), (PUFF, 1.0))
"""Shapes drawn round, each with its softness."""


class Particles:
    """A pool of particles; new ones replace the oldest."""

    def __init__(self) -> None:
        # (MOST,) each: places [m], velocities [m/s], initial radii [m]; ages and lifetimes [s], at
        # first past; rate [rad/s] and angle [rad] of a flake's turning; colours, numbers of kinds,
        # and whether a particle rests on something.
        self.position = np.zeros((MOST, 2))
        self.velocity = np.zeros((MOST, 2))
        self.radius = np.zeros(MOST)
        self.age = np.full(MOST, 9.0)
        self.life = np.full(MOST, 0.5)
        self.spin = np.zeros(MOST)
        self.phase = np.zeros(MOST)
        self.colour = np.zeros((MOST, 4), np.float32)
        self.kind = np.zeros(MOST, np.int64)
        self.landed = np.zeros(MOST, np.bool_)
        # Stains: their middle [m], half their length along the wall [m], colour and age [s].
        self.stain_place = np.zeros((MOST_STAINS, 2))
        self.stain_along = np.zeros((MOST_STAINS, 2))
        self.stain_colour = np.zeros((MOST_STAINS, 4), np.float32)
        self.stain_age = np.full(MOST_STAINS, 9.0)
        # Rows that the next particle, and the next stain, take.
        self._next = self._next_stain = 0

    @property
    def alive(self) -> NDArray[np.int64]:
        """Rows of the visible particles."""
        return flatnonzero(self.age < self.life)

    def clear(self) -> None:
        """Remove all particles."""
        self.age[:] = self.stain_age[:] = 9.0

    def add(
        self,
        kind: KindName,
        place: ArrayLike,
        velocity: ArrayLike,
        colour: Colour | NDArray[np.float32],
        random: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Add particles of a kind with velocities (N, 2) [m/s], at one place or at N [m]; return
        their rows.
        """
        velocities = np.asarray(velocity, np.float64).reshape(-1, 2)
        count = min(len(velocities), MOST)
        what = KINDS[kind]
        rows = (self._next + arange(count)) % MOST
        self._next = int((self._next + count) % MOST)
        self.position[rows], self.velocity[rows] = np.asarray(place, np.float64), velocities[:count]
        self.radius[rows] = random.uniform(*what.size, count)
        self.life[rows] = random.uniform(*what.life, count)
        self.age[rows] = 0.0
        self.spin[rows], self.phase[rows] = (
            random.uniform(-11.0, 11.0, count),
            random.uniform(0.0, 6.3, count),
        )
        self.kind[rows] = NUMBERS[kind]
        self.landed[rows] = False
        self.colour[rows] = colour if isinstance(colour, np.ndarray) else rgba(colour)
        return rows

    def advance(self, dt: float, gravity: Floats, surfaces: Surfaces | None) -> None:
        """Advance by one frame [s]: particles fall along gravity [m/s²], sink slowly, and end on
        surfaces.
        """
        self.age += dt
        self.stain_age += dt
        flying = self.alive
        flying = flying[~self.landed[flying]]
        if not len(flying):
            return
        kind = self.kind[flying]
        place = self.position[flying]
        wet = np.zeros(len(flying), np.bool_) if surfaces is None else surfaces.are_wet(place)
        fall = FALL * dt / max(float(np.hypot(*gravity)), EARTH) * gravity
        share = PULL[kind] * np.where(wet & (PULL[kind] > 0.0), WET_PULL, 1.0)
        self.velocity[flying] += share[:, None] * fall
        self.velocity[flying] *= np.maximum(1.0 - dt * np.where(wet, WET_BRAKE, BRAKE[kind]), 0.0)[
            :, None
        ]
        self.phase[flying] += self.spin[flying] * dt
        self.position[flying] = place + self.velocity[flying] * dt
        if surfaces is not None:
            bubbles = kind == NUMBERS["bubble"]
            self.life[flying[bubbles & ~wet]] = 0.0
            stopped = (self.age[flying] > LEAVING) | (kind != NUMBERS["spark"])
            self._land(flying[stopped & (RESTS[kind] >= 0.0)], dt, surfaces)

    def _land(self, free: NDArray[np.int64], dt: float, surfaces: Surfaces) -> None:
        """Stop particles that hit a wall or the water surface; drops leave stains on static
        walls.
        """
        if not len(free):
            return
        way = self.velocity[free] * dt
        kind = self.kind[free]
        start = self.position[free] - way
        share, along = surfaces.hits(start, self.position[free], SINKS[kind])
        met = np.isfinite(share)
        landed = free[met]
        self.position[landed] = start[met] + share[met, None] * way[met]
        self.velocity[landed] = 0.0
        self.landed[landed] = True
        self.life[landed] = np.minimum(self.life[landed], self.age[landed] + RESTS[kind[met]])
        staining = np.isfinite(along[met, 0]) & (kind[met] == NUMBERS["drop"]) & (landed % 2 == 0)
        for row, edge in zip(landed[staining].tolist(), along[met][staining], strict=True):
            self.add_stain(
                self.position[row], edge, 1.6 * float(self.radius[row]), self.colour[row]
            )

    def add_stain(
        self,
        place: ArrayLike,
        along: ArrayLike,
        radius: float,
        colour: Colour | NDArray[np.float32],
    ) -> None:
        """Leave a stain at a point [m] on a surface with a direction."""
        row = self._next_stain
        self._next_stain = (self._next_stain + 1) % MOST_STAINS
        self.stain_along[row] = np.asarray(along, np.float64) * radius
        self.stain_place[row] = place
        self.stain_colour[row] = colour if isinstance(colour, np.ndarray) else rgba(colour)
        self.stain_age[row] = 0.0

    def draw(self, picture: Picture, alpha: float, layer: int = Layer.EFFECTS) -> None:
        """Draw the visible particles, `alpha` (0 to 1) of the way through the frame."""
        self._draw_stains(picture)
        alive = self.alive
        if not len(alive):
            return
        left = 1.0 - self.age[alive] / self.life[alive]
        kind = self.kind[alive]
        shape = SHAPES[kind]
        place = self.position[alive] - (1.0 - alpha) / 60.0 * self.velocity[alive]
        radius = self.radius[alive] * (GROWN[kind] + (1.0 - GROWN[kind]) * left)
        colours = self.colour[alive]
        colours[:, 3] *= np.minimum(1.0, 2.0 * left)
        for round_one, softness in PLAIN_DRAWN:
            if len(rows := flatnonzero(shape == round_one)):
                pixels = picture.length_to_pixels(1.0) * radius[rows, None]
                at = picture.to_pixels(place[rows])
                picture.mesh(layer).add_ellipses(at, pixels, colours[rows], softness)
        if len(rows := flatnonzero(shape == STREAK)):
            tail = place[rows] - 0.02 * self.velocity[alive[rows]]
            picture.segments(tail, place[rows], 2.5, colours[rows], layer=layer)
        if len(rows := flatnonzero(shape == FLAKE)):
            triangles = self._flakes(picture, alive[rows], place[rows], radius[rows], colours[rows])
            picture.mesh(layer).add_fill(*triangles)

    def _flakes(
        self,
        picture: Picture,
        rows: NDArray[np.int64],
        place: Floats,
        radius: Floats,
        colours: NDArray[np.float32],
    ) -> tuple[Floats, NDArray[np.int64], NDArray[np.float32]]:
        """Return small rotating squares, for `add_fill`; confetti also flips over, and shows a
        darker side.
        """
        phase = self.phase[rows]
        paper = self.kind[rows] == NUMBERS["confetti"]
        flip = np.where(paper, np.cos(1.7 * phase), 1.0)
        colours[:, :3] *= np.where(flip < 0.0, 0.72, 1.0).astype(np.float32)[:, None]
        half = np.stack(
            (radius, radius * np.where(paper, np.maximum(np.abs(flip), 0.15), 0.8)), axis=1
        )
        local = CORNERS * half[:, None]
        cos = np.cos(phase)[:, None]
        sin = np.sin(phase)[:, None]
        turned = np.stack(
            (cos * local[..., 0] - sin * local[..., 1], sin * local[..., 0] + cos * local[..., 1]),
            -1,
        )
        points = picture.to_pixels((place[:, None] + turned).reshape(-1, 2))
        first = 4 * arange(len(rows))[:, None]
        triangles = (first + np.array((0, 1, 2, 0, 2, 3), np.int64)).ravel()
        return points, triangles, repeat(colours, 4, axis=0)

    def _draw_stains(self, picture: Picture) -> None:
        seen = flatnonzero(self.stain_age < STAINED)
        if len(seen):
            colours = self.stain_colour[seen]
            colours[:, 3] *= STAIN_OPACITY * (1.0 - self.stain_age[seen] / STAINED)
            place = self.stain_place[seen]
            along = self.stain_along[seen]
            picture.segments(place - along, place + along, 5.0, colours, layer=Layer.SHADOWS + 1)
