"""Drawing: wheels, signs, the flag, the ghost and the medals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody import Collider
from ecs_softbody.play import say
from ecs_softbody.rendering import Layer, Picture, draw_cached, palette
from ecs_softbody_games.jelly_car.car import HANG, RADIUS, TRACK
from ecs_softbody_games.jelly_car.ride import Ride
from ecs_softbody_games.jelly_car.track import MEDALS, PARKING, Sign
from ecs_softbody_games.stars import above_won

Floats = NDArray[np.float64]

METALS: dict[str, palette.Colour] = {
    "gold": palette.GOLD,
    "silver": (196, 204, 216),
    "bronze": (205, 128, 66),
}
ARROWS = {"hop": "↑", "brake": "P", "lean_left": "←", "lean_right": "→"}
ACTIONS = {
    "hop": ("hop", 0),
    "brake": ("brake", 0),
    "lean_left": ("lean", 0),
    "lean_right": ("lean", 1),
}
"""Action that a sign is about, and which of its keys."""
SIGN_REACH, FLAG_REACH = 3.0, 1.0 + PARKING
"""How far a sign, and the flag with its parking place, reach to the sides [m]."""
NARROW = 960.0
"""Width of a picture below which the times of the medals have no room."""


def draw(game: Ride, picture: Picture, alpha: float) -> None:
    """Draw everything that is not a body."""
    _draw_ghost(game, picture)
    left, _, right, _ = picture.view.bounds
    for sign in game.track.signs:
        if (game.is_helped or not sign.helps) and left - SIGN_REACH < sign.x < right + SIGN_REACH:
            _draw_sign(game, picture, sign)
    if left - FLAG_REACH < game.track.flag < right + SIGN_REACH:
        _draw_flag(game, picture)
    _draw_wheels(game, picture, alpha)
    here = tuple(game.time <= most for most in game.track.medals)
    title = say("car.track", number=game.level_number + 1, count=len(game.levels))
    key = title, game.track.medals, here, game.outcome, game.track.medal_of(game.time)
    draw_cached(picture, "medals", key, lambda: _draw_medals(game, picture, title))


def _draw_wheels(game: Ride, picture: Picture, alpha: float) -> None:
    """Draw a dark tyre with a rim and spokes that show how it turns."""
    for wheel in game.car.wheels:
        feet = game.seen_at(game.car.body, alpha)[wheel.rows]
        hub = (position := game.seen_at(wheel.particles, alpha))[0]
        ring = position[1:]
        picture.segments(
            np.tile(hub, (len(feet), 1)), feet, 6.0, palette.STEEL, layer=Layer.EYES - 2
        )
        away = ring - hub
        tyre = hub + away * (1.0 + wheel.particles.radius[:1] / np.hypot(*away.T)[:, None])
        picture.polygon(
            tyre,
            palette.GROUND_DEEP,
            outline=palette.STEEL,
            outline_width=4.0,
            layer=Layer.EYES - 1,
        )
        picture.polygon(hub + 0.62 * away, palette.STEEL, layer=Layer.EYES)
        spokes = hub + 0.55 * away[:: len(ring) // 5]
        picture.segments(
            np.tile(hub, (len(spokes), 1)), spokes, 4.0, palette.GROUND, layer=Layer.EYES
        )
        picture.disc(hub, 0.22 * RADIUS, palette.GOLD, layer=Layer.EYES + 1)


def _draw_ghost(game: Ride, picture: Picture) -> None:
    """Draw where the car of the best run was at this time: its chassis,
    and wheels where they hang.
    """
    ghost = game.run.ghost
    shape = None if ghost is None else ghost.at(game.ghost_frame)
    rest = game.car.rest_position
    if shape is None or game.time == 0.0 or len(shape) != len(rest):
        # A file of another version may have another car.
        return
    outline = shape[game.sim.get(game.car.chassis, Collider).outline]
    middle = shape.mean(axis=0)
    away = shape - shape.mean(axis=0)
    angle = np.arctan2(
        (rest[:, 0] * away[:, 1] - rest[:, 1] * away[:, 0]).sum(), (rest * away).sum()
    )
    cos = np.cos(angle)
    sin = np.sin(angle)
    for side in (-TRACK, TRACK):
        hub = np.add(middle, (side * cos + HANG * sin, side * sin - HANG * cos))
        picture.disc(hub, RADIUS, palette.faded(palette.TEXT, 0.3), layer=Layer.DECOR)
    picture.polygon(outline, palette.faded(palette.TEXT, 0.3), layer=Layer.DECOR)
    picture.stroke(outline, 2.0, palette.faded(palette.TEXT, 0.55), closed=True, layer=Layer.DECOR)


def _draw_sign(game: Ride, picture: Picture, sign: Sign) -> None:
    """Draw a board on a post with the key that is to be pressed there."""
    foot = np.array((sign.x, game.track.height(sign.x)))
    board = np.add(foot, (0.0, 2.3))
    fill = palette.TEXT_ACCENT if sign.helps else palette.TEXT
    picture.stroke([foot, board], 5.0, palette.STEEL, layer=Layer.DECOR)
    action, side = ACTIONS[sign.hint]
    keys = game.key_text(action).split()
    key = keys[min(side, len(keys) - 1)]
    # A metre has this number of points: in a small window letters are large in the world.
    metre = picture.length_to_pixels(1.0) / picture.point
    half = 0.5 * max(picture.text_width(key, 30.0) / metre + 0.35, 0.9), max(0.42, 24.0 / metre)
    low = np.subtract(board, half)
    high = np.add(board, half)
    corners = np.array((low, (high[0], low[1]), high, (low[0], high[1])))
    picture.polygon(
        corners, palette.GROUND_DEEP, outline=fill, outline_width=3.0, layer=Layer.DECOR
    )
    picture.text(
        key,
        board,
        size=30,
        align="center",
        vertical="middle",
        colour=fill,
        space="world",
        layer=Layer.DECOR,
    )
    _draw_hint(picture, sign.hint, np.add(board, (0.0, 0.53 + half[1])), fill, game.time)


def _draw_hint(
    picture: Picture, hint: str, place: ArrayLike, colour: palette.Colour, time: float
) -> None:
    """Draw what the key does: an arrow that hops, one that turns, or a hand that stops."""
    x, y = np.asarray(place)
    if hint == "hop":
        rise = 0.2 * abs(np.sin(5.0 * time))
        picture.arrow(
            (x, y - 0.3 + rise), (x, y + 0.4 + rise), colour, width=6.0, layer=Layer.DECOR
        )
    elif hint == "brake":
        picture.disc((x, y), 0.36, palette.BAD, outline=palette.TEXT, layer=Layer.DECOR)
        picture.stroke([(x - 0.2, y), (x + 0.2, y)], 8.0, palette.TEXT, layer=Layer.DECOR)
    else:
        turn = np.linspace(0.15, 0.85, 9) * np.pi
        way = 1.0 if hint == "lean_left" else -1.0
        arc = np.column_stack((x + 0.45 * way * np.cos(turn), y - 0.2 + 0.45 * np.sin(turn)))
        picture.stroke(arc[:-1], 6.0, colour, layer=Layer.DECOR)
        picture.arrow(arc[-3], arc[-1] + (arc[-1] - arc[-2]), colour, width=6.0, layer=Layer.DECOR)


def _draw_flag(game: Ride, picture: Picture) -> None:
    """Draw the flag; where the car has to stop, a chequered place behind it."""
    x = game.track.flag
    foot = np.array((x, game.track.height(x)))
    picture.stroke([foot, np.add(foot, (0.0, 3.0))], 5.0, palette.STEEL, layer=Layer.DECOR)
    wave = 0.12 * np.sin(6.0 * game.time)
    flag = np.add(foot, [(0.0, 3.0), (1.1, 2.65 + wave), (0.0, 2.2)])
    picture.polygon(flag, palette.GOLD, layer=Layer.DECOR)
    if not game.track.stops:
        return
    width = PARKING / 8.0
    for number in range(8):
        low = np.add(foot, (number * width, -0.3))
        fill = palette.TEXT if number % 2 else palette.GROUND_DEEP
        corners = np.add(low, ((0.0, 0.0), (width, 0.0), (width, 0.3), (0.0, 0.3)))
        picture.polygon(corners, fill, layer=Layer.GROUND + 2)
    picture.stroke(
        [np.add(foot, (PARKING, 0.0)), np.add(foot, (PARKING, 2.0))],
        5.0,
        palette.BAD,
        layer=Layer.DECOR,
    )


def _draw_medals(game: Ride, picture: Picture, title: str) -> None:
    """Draw the track's number and the three medals with their times;
    those out of reach are faint.
    """
    top = picture.height
    is_narrow = picture.width < NARROW
    first = 62.0 + picture.text_width(title, 24.0)
    apart = 38.0 if is_narrow else 118.0
    picture.panel((20.0, top - 70.0), (first + apart * len(MEDALS) + 6.0, top - 16.0), corner=27.0)
    picture.text(title, (42.0, top - 43.0), size=24.0, vertical="middle")
    for number, (medal, most) in enumerate(zip(MEDALS, game.track.medals, strict=True)):
        x = first + apart * number
        here = game.time <= most
        fill = METALS[medal] if here else palette.faded(palette.TEXT_DIM, 0.3)
        picture.disc(
            (x + 16.0, top - 43.0),
            15.0,
            fill,
            outline=palette.darker(fill, 0.4) if here else None,
            space="screen",
            layer=Layer.HUD + 1,
        )
        if not is_narrow:
            colour = palette.TEXT if here else palette.TEXT_DIM
            picture.text(
                f"{most:.0f} s", (x + 40.0, top - 43.0), size=22.0, vertical="middle", colour=colour
            )
    medal = game.track.medal_of(game.time)
    if game.outcome == "won" and medal:
        middle, unit = above_won(picture)
        ribbon = unit * np.array([(-26.0, 90.0), (26.0, 90.0), (12.0, 20.0), (-12.0, 20.0)])
        picture.polygon(
            np.add(middle, ribbon), palette.CORAL, layer=Layer.SCREEN + 1, space="screen"
        )
        edge = palette.darker(METALS[medal], 0.4)
        width = 4.0 * unit
        picture.disc(
            middle, 44.0 * unit, METALS[medal], outline=edge, outline_width=width, space="screen",
            layer=Layer.SCREEN + 2,
        )  # fmt: skip
