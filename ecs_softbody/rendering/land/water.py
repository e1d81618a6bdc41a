"""Water: draws the area below a level, seen through, with light on its surface.

The surface is a row of columns, each a height y above the level, that move like a string:
y'' = c² ∂²y/∂x² - STIFFNESS y - DAMPING y', with the wave speed c. Bodies and explosions push it.
It is in the picture only, and acts on nothing.
"""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Particles, Water
from ecs_softbody.indices import arange, bincount, flatnonzero, sums_at
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.world.look import Look
from ecs_softbody.simulation import Simulation

SURFACE = Layer.EYES + 2
"""Water lies over bodies and their eyes, and below splashes."""
RIPPLES = ((0.018, 1.9, 1.3), (0.012, 3.3, -1.7))
"""Height [m], waves per metre times 2π, and 2π times their frequency of the ripples: they are in
the picture only.
"""
STEP = 0.12
"""Distance between the points of a surface [m]."""
SINK = 4.0
"""Depth in which it has its deep colour [m]."""
WAVE_SPEED = 3.2
"""Of waves that bodies make [m/s]."""
STIFFNESS = 9.0
"""Stiffness that restores the surface to its level [1/s²]."""
DAMPING = 1.1
"""Damping of the surface [1/s]."""
FOLLOWS = 0.3
"""Fraction of the speed of particles crossing the surface that it takes on in a frame."""
REACH = 0.3
"""How near the surface [m] a particle moves it."""
HIGHEST = 0.55
"""Limit of the height of waves [m]."""
DOME = 1.4
"""Limit of the height of the dome over a blast that reaches 1 m or further [m]; lower for others.
"""
HEAVE = 9.0
"""Speed [m/s] at which a blast just below the surface lifts it."""
BROAD = 0.25
"""Width of the dome, over the blast's reach at the surface."""
WIDEST = 72.0
"""Wider water has waves only in this width [m], around the part seen first."""
FRAME = 1.0 / 60.0
"""Length of a step of the surface [s]."""
MOST_FRAMES = 6
"""Maximum number of frames in one update of the surface."""
BENT = 3.4
"""Amplitude of the sideways refraction below the surface [points]."""
BENDS = 3.1
"""Waves of the refraction per metre of depth, times 2π."""


class Surface:
    """The surface of one water: a row of springs that bodies and blasts move.

    It is in the picture only.
    """

    def __init__(self, water: Water, middle: float = 0.0) -> None:
        """middle: x of the part of a very wide water that has waves [m]."""
        self._sides = (float(water.left), float(water.right))
        self.left = max(self._sides[0], min(middle, self._sides[1]) - 0.5 * WIDEST)
        self.right = min(self._sides[1], self.left + WIDEST)
        width = self.right - self.left
        self.columns = max(int(width / STEP), 2)
        self.step = width / self.columns
        self.height = np.zeros(self.columns)
        """Height of each column above the level [m]."""
        self.speed = np.zeros(self.columns)
        """How fast each rises [m/s]."""
        # Level of the water in the last frame [m], and present limit of the height of waves [m].
        self._level = float(water.level)
        self._highest = HIGHEST

    def heave(self, center: tuple[float, float], radius: float) -> None:
        """Lift the surface over a blast of a radius [m] at a center [m]; beside the dome it sinks
        by as much.
        """
        deep = abs(center[1] - self._level)
        if deep < radius:
            x = self.left + (arange(self.columns) + 0.5) * self.step
            share = ((x - center[0]) / (BROAD * math.sqrt(radius**2 - deep**2))) ** 2
            self.speed += HEAVE * (1.0 - deep / radius) * (1.0 - share) * np.exp(-0.5 * share)
            self._highest = max(self._highest, DOME * min(radius, 1.0))

    def fits(self, water: Water) -> bool:
        """Return whether it is still as wide as the water."""
        return self._sides == (float(water.left), float(water.right))

    def advance(self, water: Water, position: Floats, velocity: Floats, frames: int) -> None:
        """Advance by some frames; `position` and `velocity` (N, 2) cover all particles."""
        rise = (float(water.level) - self._level) / FRAME
        self._level = float(water.level)
        near = np.abs(position[:, 1] - self._level) < REACH
        near &= (position[:, 0] > self.left) & (position[:, 0] < self.right - 1e-9)
        if near.any() and abs(rise) < 5.0:
            at = ((position[near, 0] - self.left) / self.step).astype(np.int64)
            count = bincount(at, minlength=self.columns)[: self.columns]
            pushed = sums_at(at, velocity[near, 1] - rise, self.columns)[
                : self.columns
            ] / np.maximum(count, 1)
            self.speed += np.where(
                count > 0, FOLLOWS * (np.clip(pushed, -9.0, 9.0) - self.speed), 0.0
            )
        elif max(float(np.abs(self.height).max()), float(np.abs(self.speed).max())) < 1e-4:
            return
        self._highest = max(HIGHEST, 0.96**frames * self._highest)
        # The squared frequency of the shortest waves, 4 × pull + STIFFNESS, has to stay below 4 /
        # FRAME²: beyond it they grow.
        pull = min((WAVE_SPEED / self.step) ** 2, 0.8 / FRAME**2)
        for _ in range(min(frames, MOST_FRAMES)):
            padded = np.concatenate((self.height[:1], self.height, self.height[-1:]))
            bend = padded[2:] - 2.0 * self.height + padded[:-2]
            self.speed += FRAME * (pull * bend - STIFFNESS * self.height - DAMPING * self.speed)
            self.height = np.clip(self.height + FRAME * self.speed, -self._highest, self._highest)

    def at(self, x: Floats) -> Floats:
        """Return how high it is above the level at places [m]."""
        middles = self.left + (arange(self.columns) + 0.5) * self.step
        return np.asarray(np.interp(x, middles, self.height))


class Waters:
    """The waters of a simulation, and their surfaces."""

    def __init__(self) -> None:
        self._surfaces: dict[int, Surface] = {}
        self._frame = 0

    def draw(self, sim: Simulation, picture: Picture, looks: dict[int, Look]) -> None:
        """Add every Water of a simulation; `Look.fill`, opacity and layer_offset count."""
        waters = sim.buffers.components(Water)
        if not waters:
            return
        self._advance(sim, waters, picture.view.center[0])
        for entity, water in sorted(waters.items()):
            look = looks.get(entity)
            if look is None or look.style != "none":
                _draw_water(picture, water, look or Look(), sim.time, self._surfaces[entity])

    def _advance(self, sim: Simulation, waters: dict[int, Water], middle: float) -> None:
        """Let the surfaces go on to the present frame."""
        frames = sim.frame - self._frame
        self._frame = sim.frame
        rows = sim.buffers[Particles].rows
        position = rows["position"]
        velocity = rows["velocity"]
        fine = np.isfinite(position).all(axis=1) & np.isfinite(velocity).all(axis=1)
        if not fine.all():
            position = position[fine]
            velocity = velocity[fine]
        for entity, water in waters.items():
            surface = self._surfaces.get(entity)
            if surface is None or not surface.fits(water):
                surface = self._surfaces[entity] = Surface(water, middle)
            for blast in sim.explosions:
                if sim.frame - frames <= blast.frame < sim.frame:
                    surface.heave(blast.center, blast.radius)
            if frames > 0:
                surface.advance(water, position, velocity, frames)


def _bend(picture: Picture, water: Water, surface: Floats, time: float) -> None:
    """Move drawn vertices of bodies below the surface a little to the sides: light bends in
    water.
    """
    view = picture.view
    left = surface[0, 0]
    right = surface[-1, 0]
    level = 0.5 * picture.height_px + (float(water.level) - view.center[1]) * view.scale
    bottom = level + (float(water.bottom) - float(water.level)) * view.scale
    for mesh in picture.meshes.between(Layer.BODIES - 1, SURFACE):
        x = mesh.vertices[:, 0]
        y = mesh.vertices[:, 1]
        below = flatnonzero((y < level) & (y > bottom) & (x > left) & (x < right))
        if len(below):
            depth = (level - y[below]) / view.scale
            share = np.minimum(2.5 * depth, 1.0)
            x[below] += (
                BENT * picture.point * share * np.sin(BENDS * (depth + 0.35 * time))
            ).astype(np.float32)


def _draw_water(picture: Picture, water: Water, look: Look, time: float, moved: Surface) -> None:
    """Draw one water: two bands of colour, deeper ones darker, and lines of light at the top."""
    low_x, low_y, high_x, _ = picture.view.bounds
    left = max(water.left, low_x - 1.0)
    right = min(water.right, high_x + 1.0)
    bottom = max(water.bottom, low_y - 1.0)
    if left >= right or bottom >= water.level or water.level < low_y - 1.0:
        return
    x = np.linspace(left, right, 2 + math.ceil((right - left) / STEP))
    drift = float(water.flow[0]) * time
    y = np.full(len(x), float(water.level), np.float64)
    for height, waves, speed in RIPPLES:
        y += height * np.sin(waves * (x - drift) + speed * time)
    y += moved.at(x)
    _bend(picture, water, picture.to_pixels(np.column_stack((x, y))), time)
    count = len(x)
    deep_y = max(bottom, water.level - SINK)
    fill = look.fill or picture.theme.water
    shallow = rgba(palette.faded((*fill[:3], 92), look.opacity))
    deep = rgba(palette.faded((*palette.darker(fill, 0.55)[:3], 176), look.opacity))
    share = np.float32((water.level - deep_y) / SINK)
    below = shallow + (deep - shallow) * share
    surface = np.column_stack((x, y))
    floor = np.column_stack((x, np.full(count, deep_y, np.float64)))
    mesh = picture.mesh(SURFACE + look.layer_offset)
    mesh.add_band(picture.to_pixels(surface), picture.to_pixels(floor), shallow, below)
    if deep_y > bottom:
        corners = picture.to_pixels(
            [(left, bottom), (right, bottom), (right, deep_y), (left, deep_y)]
        )
        mesh.add_fill(corners, (0, 1, 2, 0, 2, 3), np.tile(below, (4, 1)))
    light = palette.faded((*palette.lighter(fill, 0.6)[:3], 215), look.opacity)
    picture.stroke(np.column_stack((x, y)), 3.0, light, layer=SURFACE + look.layer_offset)
    glow = palette.faded((*palette.lighter(fill, 0.4)[:3], 60), look.opacity)
    picture.stroke(np.column_stack((x, y - 0.07)), 7.0, glow, layer=SURFACE + look.layer_offset)
