"""Water: what lies below a level, seen through, with light on its surface."""

from __future__ import annotations

import math

import numpy as np

from ecs_softbody.components import Water
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.scene.look import Look
from ecs_softbody.simulation import Simulation

SURFACE = Layer.EYES + 2
"""Water lies over bodies and their eyes, and below splashes."""
RIPPLES = ((0.018, 1.9, 1.3), (0.012, 3.3, -1.7))
"""Height [m], waves per metre times 2π, and 2π times their frequency of the ripples: they are in the picture only."""
STEP = 0.12
SINK = 4.0
"""Depth in which it has its deep colour [m]."""


def draw_waters(sim: Simulation, picture: Picture, looks: dict[int, Look]) -> None:
    """Add every Water of a simulation; `Look.fill`, opacity and layer_offset count."""
    for entity, water in sorted(sim.buffers.components(Water).items()):
        look = looks.get(entity)
        if look is None or look.style != "none":
            _draw_water(picture, water, look or Look(), sim.time)


def _draw_water(picture: Picture, water: Water, look: Look, time: float) -> None:
    low_x, low_y, high_x, _ = picture.view.bounds
    left, right = max(water.left, low_x - 1.0), min(water.right, high_x + 1.0)
    bottom = max(water.bottom, low_y - 1.0)
    if left >= right or bottom >= water.level or water.level < low_y - 1.0:
        return
    x = np.linspace(left, right, 2 + math.ceil((right - left) / STEP))
    drift = float(water.flow[0]) * time
    y = np.full(len(x), float(water.level))
    for height, waves, speed in RIPPLES:
        y += height * np.sin(waves * (x - drift) + speed * time)
    count, deep_y = len(x), max(bottom, water.level - SINK)
    fill = look.fill or picture.theme.water
    shallow = rgba(palette.faded((*fill[:3], 92), look.opacity))
    deep = rgba(palette.faded((*palette.darker(fill, 0.55)[:3], 176), look.opacity))
    share = np.float32((water.level - deep_y) / SINK)
    below = shallow + (deep - shallow) * share
    surface, floor = np.column_stack((x, y)), np.column_stack((x, np.full(count, deep_y)))
    mesh = picture.mesh(SURFACE + look.layer_offset)
    mesh.add_band(picture.to_pixels(surface), picture.to_pixels(floor), shallow, below)
    if deep_y > bottom:
        corners = picture.to_pixels([(left, bottom), (right, bottom), (right, deep_y), (left, deep_y)])
        mesh.add_fill(corners, (0, 1, 2, 0, 2, 3), np.tile(below, (4, 1)))
    light = palette.faded((*palette.lighter(fill, 0.6)[:3], 215), look.opacity)
    picture.stroke(np.column_stack((x, y)), 3.0, light, layer=SURFACE + look.layer_offset)
    glow = palette.faded((*palette.lighter(fill, 0.4)[:3], 60), look.opacity)
    picture.stroke(np.column_stack((x, y - 0.07)), 7.0, glow, layer=SURFACE + look.layer_offset)
