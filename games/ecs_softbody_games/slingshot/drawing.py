"""Drawing: the fork with its face, the band, the dotted path, and what is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody import Particles, Wind
from ecs_softbody.play import say
from ecs_softbody.rendering import Layer, Picture, draw_cached, palette
from ecs_softbody_games.slingshot.round import Round
from ecs_softbody_games.slingshot.sling import KINDS
from ecs_softbody_games.stars import best_stars, draw_hopping_arrow, draw_stars, draw_won_stars

Floats = NDArray[np.float64]

WOOD = (134, 84, 48)
BAND = (196, 62, 58)
ARMS = np.array(((-0.34, 0.14), (0.34, 0.14)))
"""Ends of both arms of the fork, from where the shot rests [m]."""
DOTS = 5
DOTS_HELPED = 30
SHOWN = 260
"""Frames at the start of a round in which what is new is pointed at."""
INK = (44, 54, 84)


def draw(game: Round, picture: Picture, alpha: float) -> None:
    """Draw everything that is not a body."""
    _draw_wind(game, picture)
    _draw_trail(game, picture)
    _draw_fork(game, picture, alpha)
    if game.sling.shot is not None and game.outcome is None:
        _draw_path(game, picture)
    if game.frame < SHOWN and game.used == 0 and not game.sling.pull:
        _point_at_new(game, picture)
    _draw_numbers(game, picture)


def _draw_fork(game: Round, picture: Picture, alpha: float) -> None:
    fork = game.sling.fork
    foot = np.array((fork[0], 0.0))
    joint = fork - (0.0, 0.62)
    for arm in ARMS:
        picture.stroke([joint, fork + 0.8 * arm - (0.0, 0.3), fork + arm], 0.17, WOOD, metres=True)
    picture.stroke([foot, joint], 0.27, WOOD, metres=True)
    _draw_face(game, picture, joint - (0.0, 0.22))
    ends = fork + ARMS
    if game.sling.shot is None:
        dip = 0.12 * np.exp(-0.08 * game.waited) * np.sin(0.9 * game.waited)
        picture.stroke(
            [ends[0], np.add(fork, (0.5 * dip, 0.05)), ends[1]],
            0.09,
            BAND,
            metres=True,
            layer=Layer.EYES,
        )
        return
    body = game.sim.get(game.sling.shot, Particles)
    center = (body.frame_position + alpha * (body.position - body.frame_position)).mean(axis=0)
    back = center - 0.8 * game.sling.kind.radius * game.sling.direction
    picture.stroke([ends[1], back], 0.09, palette.darker(BAND), metres=True)
    picture.stroke([ends[0], back], 0.09, BAND, metres=True, layer=Layer.EYES + 2)


def _draw_face(game: Round, picture: Picture, center: ArrayLike) -> None:
    """Two eyes that look along the aim, and a mouth that opens with the pull."""
    look = 0.035 * game.sling.direction
    for side in (-0.1, 0.1):
        eye = np.add(center, (side, 0.0))
        picture.disc(eye, 0.085, palette.EYE_WHITE)
        picture.disc(eye + look, 0.045, palette.EYE_PUPIL)
    opened = 0.02 + 0.05 * game.sling.pull
    picture.ellipse(np.add(center, (0.0, -0.19)), (0.07, opened), palette.EYE_PUPIL)


def _draw_path(game: Round, picture: Picture) -> None:
    """Dots along the way that a shot will take: a few,
    and all of them where the player is helped.
    """
    sling = game.sling
    if game.is_helped:
        pulse = 0.5 + 0.5 * np.sin(0.12 * game.frame)
        goal = sling.fork + game.pouch_of(game.used)
        picture.disc(
            goal, 0.2 + 0.07 * pulse, palette.faded(palette.GOLD, 0.75), outline=palette.TEXT
        )
        picture.stroke([sling.fork, goal], 3.0, palette.faded(palette.GOLD, 0.6))
    if sling.pull > 0.05:
        count = DOTS_HELPED if game.is_helped else DOTS
        path = sling.path(count)
        path = path[: int(np.argmax(path[:, 1] < 0.0)) or count]
        sizes = np.linspace(0.1, 0.05, count)[: len(path)]
        picture.discs(path, sizes + 0.03, palette.faded(INK, 0.55), layer=Layer.EFFECTS)
        picture.discs(path, sizes, palette.TEXT, layer=Layer.EFFECTS)


def _draw_wind(game: Round, picture: Picture) -> None:
    """Streaks of air that move as the wind does."""
    for entity in game.sim.entities(Wind):
        wind = game.sim.get(entity, Wind)
        low = np.array(wind.low)
        high = np.array(wind.high)
        place = np.random.default_rng(entity).uniform(low, high, (26, 2))
        place[:, 0] = low[0] + (place[:, 0] - low[0] + 0.5 * wind.velocity[0] * game.sim.time) % (
            high[0] - low[0]
        )
        picture.segments(place, place - 0.08 * wind.velocity, 3.0, palette.faded(palette.TEXT, 0.5))


def _draw_trail(game: Round, picture: Picture) -> None:
    """Where the last shot flew: to correct the next one."""
    if game.trail:
        # Discs are larger than pollen, the newest most of all.
        radii = np.linspace(0.035, 0.085, len(game.trail))
        picture.discs(np.array(game.trail), radii, palette.faded(palette.TEXT, 0.85))


def _point_at_new(game: Round, picture: Picture) -> None:
    """Show what is new: a hand that pulls, or an arrow that hops above it."""
    if not game.new:
        share = min((game.frame % 90) / 60.0, 1.0)
        hand = game.sling.fork + share * np.array((-1.2, -0.45))
        picture.disc(
            hand, 0.3, palette.faded(KINDS[game.shots[0]].fill, 0.45), outline=palette.TEXT
        )
        picture.arrow(game.sling.fork, hand, palette.TEXT, width=6.0, layer=Layer.EFFECTS)
        return
    place = game.place_of_new()
    if place is not None:
        draw_hopping_arrow(picture, place, game.frame)


def _draw_numbers(game: Round, picture: Picture) -> None:
    """The round and the shots that are left on the left, the stars that it is worth still on the
    right.
    """
    left = max(len(game.shots) - game.used, 0)
    title = say("slingshot.round", number=game.level_number + 1, count=len(game.levels))
    stars = game.stars if game.outcome is None else best_stars(game)
    key = title, tuple(game.shots), left, stars
    draw_cached(
        picture, "numbers", key, lambda: _draw_shots(picture, title, game.shots, left, stars)
    )
    if game.outcome == "won":
        draw_won_stars(picture, game.stars)


def _draw_shots(picture: Picture, title: str, shots: Sequence[str], left: int, stars: int) -> None:
    top = picture.height
    first = 73.0 + picture.text_width(title, 24.0)
    picture.panel((20.0, top - 70.0), (first + 40.0 * len(shots), top - 16.0), corner=27.0)
    picture.text(title, (42.0, top - 43.0), size=24.0, vertical="middle")
    for number, name in enumerate(shots):
        center = (first + 40.0 * number, top - 43.0)
        kind = KINDS[name]
        here = number >= len(shots) - left
        fill = kind.fill if here else palette.faded(palette.TEXT_DIM, 0.25)
        picture.disc(
            center,
            15.0,
            fill,
            outline=palette.darker(kind.fill) if here else None,
            space="screen",
            layer=81,
        )
    right = picture.width - 20.0
    picture.panel((right - 160.0, top - 70.0), (right, top - 16.0), corner=27.0)
    draw_stars(picture, stars, (right - 80.0, top - 43.0))
