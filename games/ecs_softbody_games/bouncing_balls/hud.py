"""HUD: the panel with the numbers, the graph of the energy,
and the labels of the collision table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ecs_softbody.blueprints import radius_of
from ecs_softbody.indices import arange, flatnonzero, repeat
from ecs_softbody.play import FRAME, say, translated
from ecs_softbody.rendering import Layer, Picture, draw_cached, palette
from ecs_softbody_games.bouncing_balls.crowd import DENSITY, Crowd, mass_colour
from ecs_softbody_games.bouncing_balls.meters import HISTORY, Meters, Reading
from ecs_softbody_games.bouncing_balls.settings import (
    DIRECTIONS,
    EARTH,
    FLUIDS,
    RESTITUTIONS,
    Settings,
)
from ecs_softbody_games.bouncing_balls.table import Lane

PANEL_WIDTH = 276.0
MARGIN = 22.0
KEY_BAR = 64.0
PAD = 18.0
"""Sizes on the screen [points]; the key bar at the bottom is the session's."""
STRONG_FLOW = 3.0
"""Mean speed [m/s] at which the arrow of the momentum is as long as it gets."""
TRAIL_FROM = 3.0
"""Speed [m/s] at which a tail begins to show."""
TRAIL_TIME = 0.09
"""Length of a tail [s of the speed above that]."""
LONGEST_TRAIL = 1.6
LONGEST_PANEL, LEGEND = 640.0, 90.0
"""Height of the whole panel, and of the masses at its end [points]; on a low screen its lower lines
are left out.
"""
SHORTEST_PANEL = 240.0
"""Height of a panel with counts and switches only [points]: it ends above several rows of keys."""
LEGEND_MASSES = (0.2, 0.5, 1.0, 2.0, 3.0)


def view_of_room(
    room: tuple[float, float, float, float], width: float, height: float
) -> tuple[float, tuple[float, float]]:
    """Return the height [m] and centre of a view that shows the room left of the panel and above
    the keys.

    In a tall window the room is below the panel. Width and height are those of the screen [points].
    """
    left, bottom, right, top = room
    ceiling = height - LONGEST_PANEL - 2.0 * MARGIN
    below = min((width - 2.0 * MARGIN) / (right - left), (ceiling - 2.0 * KEY_BAR) / (top - bottom))
    wide = width - PANEL_WIDTH - 3.0 * MARGIN
    high = height - KEY_BAR - 2.0 * MARGIN
    scale = min(wide / (right - left), high / (top - bottom))
    if below > scale:
        return height / below, (0.5 * (left + right), top + (0.5 * height - ceiling) / below)
    right_share = PANEL_WIDTH + MARGIN
    x = 0.5 * (left + right) + 0.5 * right_share / scale
    y = 0.5 * (bottom + top) - 0.5 * KEY_BAR / scale
    return height / scale, (x, y)


def draw_panel(picture: Picture, crowd: Crowd, settings: Settings, meters: Meters) -> None:
    """Draw the panel at the right; what shows the same numbers as before is not drawn anew."""
    left = picture.width - PANEL_WIDTH - MARGIN
    right = picture.width - MARGIN
    top = picture.height - MARGIN
    bottom = max(KEY_BAR + MARGIN, top - LONGEST_PANEL)
    if top - 420 <= bottom:  # no room for more than the switches
        bottom = max(bottom, top - SHORTEST_PANEL)
    x = left + PAD
    edge = right - PAD
    reading = meters.shown
    balls = sum(not body.soft for body in crowd.bodies)
    kinds = f"{_counted(balls, 'ball')}, {_counted(len(crowd) - balls, 'blob')}"

    def draw_count() -> None:
        picture.panel((left, bottom), (right, top))
        width = picture.text(str(len(crowd)), (x, top - 52), size=46)
        width += picture.text(
            translated("bodies"), (x + width + 10, top - 52), size=22, colour=palette.TEXT_DIM
        )
        for key, right_end in (("-", edge), ("+", edge - 32.0)):
            _draw_cap(picture, key, right_end - 26.0, top - 50.0)
        picture.text(kinds, (x, top - 82), size=19, colour=palette.TEXT_DIM)

    draw_cached(picture, "count", (len(crowd), kinds), draw_count)
    gravity = settings.direction
    drag = settings.fluid_level
    bounce = settings.restitution_level
    switched = gravity, drag, bounce, translated("gravity")
    draw_cached(
        picture,
        "switches",
        switched,
        lambda: draw_switches(picture, x, edge, top - 118, settings, keys=True),
    )
    if top - 420 > bottom:
        _draw_energy(picture, x, edge, top - 262, meters)
    if top - 540 > bottom:
        mass = sum(body.mass for body in crowd.bodies)
        key = reading, mass, translated("momentum")
        draw_cached(
            picture, "motion", key, lambda: _draw_motion(picture, x, edge, top, mass, reading)
        )
    if top - 540 - LEGEND > bottom - 20:
        scale = picture.view.scale
        draw_cached(
            picture, "legend", (scale, bottom), lambda: _draw_legend(picture, x, edge, bottom + 18)
        )


def _draw_motion(
    picture: Picture, x: float, edge: float, top: float, mass: float, reading: Reading
) -> None:
    """Draw how much of a mass [kg] moves, and how fast."""
    momentum = float(np.hypot(*reading.momentum))
    _row(picture, x, edge - 34, top - 462, "momentum", f"{momentum:.0f} N s")
    share = 1.0 / max(mass * STRONG_FLOW, 1e-9)
    flow = (share * reading.momentum[0], share * reading.momentum[1])
    _draw_compass(picture, edge - 12, top - 455, flow, palette.VELOCITY)
    _row(picture, x, edge, top - 491, "fastest", f"{reading.fastest:.1f} m/s")
    _row(picture, x, edge, top - 520, "contacts", str(reading.contacts))


def _counted(count: int, name: str) -> str:
    return say(f"balls.{name}" if count == 1 else f"balls.{name}s", count=count)


def _row(picture: Picture, x: float, edge: float, y: float, name: str, value: str) -> None:
    picture.text(translated(name), (x, y), size=19, colour=palette.TEXT_DIM)
    picture.text(value, (edge, y), size=21, align="right")


def draw_switches(
    picture: Picture, x: float, edge: float, y: float, settings: Settings, *, keys: bool = False
) -> None:
    """Draw gravity, drag, bounce, each with its levels, and the keys that switch them where they
    do.
    """
    _draw_label(picture, "gravity", "G" if keys else "", x, y)
    off = settings.direction == "off"
    picture.text(
        translated("off") if off else f"{EARTH:.1f} m/s",
        (edge - (34 if off else 44), y),
        size=21,
        align="right",
    )
    if not off:
        picture.text("2", (edge - 34, y + 8), size=13, align="right")
    _draw_compass(picture, edge - 12, y + 7, DIRECTIONS[settings.direction], palette.TEXT_ACCENT)
    _draw_label(picture, "drag", "D" if keys else "", x, y - 40)
    picture.text(translated(settings.fluid.name), (edge, y - 40), size=21, align="right")
    _draw_pips(picture, x, edge, y - 54, len(FLUIDS) - 1, settings.fluid_level)
    _draw_label(picture, "bounce", "E" if keys else "", x, y - 92)
    picture.text(f"{settings.restitution:.1f}", (edge, y - 92), size=21, align="right")
    _draw_pips(picture, x, edge, y - 106, len(RESTITUTIONS) - 1, settings.restitution_level)


def _draw_label(picture: Picture, name: str, key: str, x: float, y: float) -> None:
    """Draw what a row is about, and the key that changes it."""
    if key:
        _draw_cap(picture, key, x, y)
    picture.text(translated(name), (x + 36.0 if key else x, y), size=19, colour=palette.TEXT_DIM)


def _draw_cap(picture: Picture, key: str, x: float, y: float) -> None:
    """Draw the cap of a key with one letter, on a line of text."""
    picture.panel((x, y - 6.0), (x + 26.0, y + 19.0), picture.theme.key_cap, corner=6.0)
    at = (x + 13.0, y + 6.5)
    picture.text(
        key, at, size=16, align="center", vertical="middle", shadow=False, layer=Layer.HUD + 1
    )


def _draw_compass(
    picture: Picture, x: float, y: float, direction: tuple[float, float], colour: palette.Colour
) -> None:
    """Draw a disc with an arrow in it; a direction of length 1 fills the disc."""
    picture.disc((x, y), 14, picture.theme.key_cap, layer=Layer.HUD, space="screen")
    length = float(np.hypot(*direction))
    if length > 0.05:
        center = np.array((x, y))
        along = 10.0 * np.array(direction) / max(length, 1.0)
        picture.arrow(
            center - along, center + along, colour, width=3.0, layer=Layer.HUD + 1, space="screen"
        )


def _draw_pips(picture: Picture, x: float, edge: float, y: float, count: int, lit: int) -> None:
    step = (edge - x + 6.0) / count
    for index in range(count):
        start = x + step * index
        colour = palette.TEXT_ACCENT if index < lit else picture.theme.key_cap
        picture.panel((start, y - 5), (start + step - 6.0, y), colour, corner=2.5)


def _draw_energy(picture: Picture, x: float, edge: float, y: float, meters: Meters) -> None:
    """Draw the energies of the last seconds, kinetic below and potential on top of it, with their
    numbers.
    """
    reading = meters.shown
    height = 84.0
    floor = y - 18.0 - height
    key = reading.kinetic, reading.potential, translated("energy")
    draw_cached(
        picture,
        "energy",
        key,
        lambda: _draw_joules(picture, (x, edge, floor, floor + height), y, reading),
    )
    kinetic = np.array(meters.kinetic)
    both = np.array(meters.kinetic) + np.array(meters.potential)
    if len(kinetic) > 2:
        scale = (height - 8.0) / max(float(both.max()), 1.0)
        across = edge - 4.0 - (edge - x - 8.0) * arange(len(kinetic))[::-1] / (HISTORY - 1)
        base = np.full(len(kinetic), floor + 4.0)
        _band(picture, across, base + scale * kinetic, base + scale * both, palette.BLUE)
        _band(picture, across, base, base + scale * kinetic, palette.CORAL)


def _draw_joules(
    picture: Picture, box: tuple[float, float, float, float], y: float, reading: Reading
) -> None:
    """Draw the energies as numbers, and the paper of their graph in a box: left, right,
    floor, top.
    """
    x, edge, floor, top = box
    picture.text(translated("energy"), (x, y), size=19, colour=palette.TEXT_DIM)
    picture.text(f"{reading.total:.0f} J", (edge, y), size=21, align="right")
    picture.panel((x, floor), (edge, top), palette.TEXT_SHADOW, corner=6.0)
    legend = (
        ("moving", palette.CORAL, reading.kinetic),
        ("height", palette.BLUE, reading.potential),
    )
    for index, (name, colour, value) in enumerate(legend):
        line = floor - 24.0 - 24.0 * index
        picture.disc((x + 6, line + 6), 6, colour, layer=Layer.HUD, space="screen")
        picture.text(translated(name), (x + 20, line), size=18, colour=palette.TEXT_DIM)
        picture.text(f"{value:.0f} J", (edge, line), size=18, align="right")


def _band(
    picture: Picture, across: np.ndarray, low: np.ndarray, high: np.ndarray, colour: palette.Colour
) -> None:
    """Fill between two curves, as one strip of triangles."""
    upper, lower = (
        picture.to_pixels(np.stack((across, line), axis=1), "screen") for line in (high, low)
    )
    tint = palette.rgba(colour)
    picture.mesh(Layer.HUD + 1).add_band(upper, lower, tint, tint)


def _draw_legend(picture: Picture, x: float, edge: float, y: float) -> None:
    """Draw one ball for each of some masses, as large as in the room."""
    step = (edge - x) / len(LEGEND_MASSES)
    for index, mass in enumerate(LEGEND_MASSES):
        middle = x + step * (index + 0.5)
        radius = 0.5 * picture.length_to_pixels(radius_of(mass, DENSITY)) / picture.point
        fill = mass_colour(mass)
        edge_fill = palette.darker(mass_colour(mass))
        picture.disc(
            (middle, y + 34),
            radius,
            fill,
            outline=edge_fill,
            outline_width=2,
            layer=Layer.HUD,
            space="screen",
        )
        unit = " kg" if index == len(LEGEND_MASSES) - 1 else ""
        picture.text(
            f"{mass:g}{unit}", (middle, y), size=17, align="center", colour=palette.TEXT_DIM
        )


def draw_table(picture: Picture, crowd: Crowd, lanes: Sequence[Lane]) -> None:
    """Write the mass on every ball of the collision table, and an arrow for its velocity."""
    for lane in lanes:
        picture.text(
            translated(lane.label),
            (crowd.bounds[0] + 0.3, lane.height + 0.75),
            size=20,
            colour=palette.TEXT_DIM,
            space="world",
            layer=Layer.DECOR,
        )
    for body in crowd.bodies:
        position = body.place
        velocity = body.velocity
        picture.text(
            f"{body.mass:.1f}",
            position,
            size=18,
            align="center",
            vertical="middle",
            space="world",
            layer=Layer.EFFECTS,
        )
        if float(np.hypot(*velocity)) > 0.1:
            above = position + np.array((0.0, body.radius + 0.16))
            picture.arrow(
                above, above + 0.22 * velocity, palette.VELOCITY, width=3.0, layer=Layer.EFFECTS
            )


def draw_hint(picture: Picture, crowd: Crowd, text: str) -> None:
    """Write one line in the middle of an empty room."""
    left, bottom, right, top = crowd.bounds
    middle = (0.5 * (left + right), 0.5 * (bottom + top))
    picture.text(translated(text), middle, size=30, align="center", space="world")


def draw_trails(picture: Picture, crowd: Crowd, alpha: float) -> None:
    """Draw a fading tail behind every fast body."""
    velocity = crowd.velocities()
    rows = flatnonzero(np.hypot(velocity[:, 0], velocity[:, 1]) > TRAIL_FROM)
    if not len(rows):
        return
    fast = [crowd.bodies[row] for row in rows.tolist()]
    velocity = velocity[rows]
    radius = np.array([body.radius for body in fast])[:, None]
    position = crowd.places()[rows] - (1.0 - alpha) * FRAME * velocity
    speed = np.linalg.norm(velocity, axis=1, keepdims=True)
    along = velocity / speed
    across = 0.9 * radius * np.stack((-along[:, 1], along[:, 0]), axis=1)
    tail = position - along * (
        radius + np.minimum(TRAIL_TIME * (speed - TRAIL_FROM), LONGEST_TRAIL)
    )
    tail = np.clip(tail, crowd.bounds[:2], crowd.bounds[2:])
    corners = np.stack((position + across, position - across, tail), axis=1).reshape(-1, 2)
    shades = np.array(
        [palette.rgba(palette.faded(body.look.fill or palette.TEXT, 0.4)) for body in fast]
    )
    shades = repeat(shades, 3, axis=0)
    shades[2::3, 3] = 0.0
    picture.mesh(Layer.DECOR).add_fill(
        picture.to_pixels(corners),
        np.arange(len(corners), dtype=np.int32),
        shades.astype(np.float32),
    )
