"""Drawing: joints, rails, posts, winch and weights, the crane, what is left, and the place where
the bridge broke.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody import Particles
from ecs_softbody.indices import arange
from ecs_softbody.play import say
from ecs_softbody.rendering import Layer, Picture, draw_cached, palette
from ecs_softbody_games.rope_bridge.bridge import Bridge
from ecs_softbody_games.stars import best_stars, draw_hopping_arrow, draw_stars, draw_won_stars

RAIL = np.array((0.0, 0.55))
"""From a joint to the rope above it [m]."""
ALONG = np.linspace(0.0, 1.0, 7)[:, None]
SAG = np.column_stack((np.zeros(7), 0.12 * np.sin(np.pi * ALONG[:, 0])))
"""A rope from 0 to 1 along its way, and how far it sags [m]."""
Places = dict[int, np.ndarray]
"""Where each joint that holds is drawn [m]."""
NARROW = 860.0
"""In a narrower window [points] the stars stand below the goal."""
START, WINCH = -5.9, np.array((6.9, 5.2))
"""Where weights start to roll, and the winch that draws them [m]."""
RADIUS_OF_A_KILOGRAM = 0.13
"""A weight of four kilograms is twice as wide [m]."""
BANK = 3.8
"""Height of both banks [m]."""
SPOKES = 0.5 * np.pi * arange(4)
WOOD = palette.SAND
STEEL = (70, 84, 92)


def draw(game: Bridge, picture: Picture, alpha: float) -> None:
    """Draw everything that is not a body."""
    places = game.places_of(game.joints, alpha)
    _draw_joints(game, picture, places)
    _draw_rails(game, picture, places)
    posts = tuple((float(x), float(y)) for x, y in game.posts)
    draw_cached(picture, "posts", posts, lambda: _draw_posts(picture, posts), space="world")
    _draw_winch(game, picture, alpha)
    _draw_crane(game, picture, places)
    if game.broke_place is not None:
        _mark(game, picture, game.broke_place)
    _draw_result(game, picture)


def _draw_posts(picture: Picture, posts: Sequence[tuple[float, float]]) -> None:
    """Draw the posts of the bridge, and that of the winch."""
    for post in posts:
        picture.stroke([(post[0], 3.8), post], 0.16, palette.darker(WOOD, 0.45), metres=True)
        picture.disc(post, 0.12, palette.darker(WOOD, 0.6))
    picture.stroke(
        [(float(WINCH[0]), BANK), (float(WINCH[0]), float(WINCH[1]))], 0.16, STEEL, metres=True
    )
    picture.disc(WINCH, 0.2, palette.darker(STEEL, 0.7))


def _draw_joints(game: Bridge, picture: Picture, places: Places) -> None:
    """Draw a ring at each joint; rotten ones are red, and breathe."""
    if not places:
        return
    at = np.array([*places.values()])
    rotten = np.array([joint in game.rotten for joint in places])
    radii = np.where(rotten, 0.12 + 0.03 * np.sin(0.12 * game.sim.frame), 0.075)
    picture.discs(at, radii, palette.GROUND, layer=Layer.EYES)
    fills = np.where(rotten[:, None], palette.rgba(palette.BAD), palette.rgba(palette.STEEL))
    picture.discs(at, radii - 3.0 * picture.point / picture.view.scale, fills, layer=Layer.EYES)


def _draw_rails(game: Bridge, picture: Picture, places: Places) -> None:
    """Draw what people would hold on to: a rope above every plank that hangs at both ends."""
    rope = palette.darker(WOOD, 0.35)
    if places:
        feet = np.array([*places.values()])
        picture.segments(feet, feet + RAIL, 3.0, rope, layer=Layer.DECOR)
    for left, right in itertools.pairwise((game.joints[0], *game.joints[2:], game.joints[1])):
        if left in places and right in places:
            hand = places[left] + RAIL
            picture.stroke(
                hand + ALONG * (places[right] + RAIL - hand) - SAG, 4.0, rope, layer=Layer.DECOR
            )


def _draw_winch(game: Bridge, picture: Picture, alpha: float) -> None:
    """Draw the winch with its rope, and the weights: that roll, that wait and that have arrived."""
    for weight in game.weights:
        body = game.get(weight, Particles)
        place = game.seen_at(body, alpha)[0]
        mass = float(body.mass[0])
        if not game.broken:
            picture.stroke([place, WINCH], 3.0, STEEL, layer=Layer.DECOR)
        _draw_weight(picture, place, mass)
    # The last weight to arrive pushes the others on.
    waiting = tuple(game.weights_left)
    arrived = tuple(game.arrived[::-1])
    rows = (waiting, START - 0.2, -1.0), (arrived, _edge_of_arrived(game, alpha), 1.0)
    draw_cached(picture, "weights", rows, lambda: _draw_resting(picture, rows), space="world")


def _edge_of_arrived(game: Bridge, alpha: float) -> float:
    """Return where the row of arrived weights begins [m]: where the last one has stopped, or the
    next one pushes.
    """
    edge = game.stopped - radius_of(game.arrived[-1]) if game.arrived else 0.0
    for weight in game.weights[:1]:
        body = game.get(weight, Particles)
        edge = max(edge, float(game.seen_at(body, alpha)[0, 0]) + radius_of(float(body.mass[0])))
    return edge


def radius_of(mass: float) -> float:
    """Return the radius of a weight [m]."""
    return RADIUS_OF_A_KILOGRAM * math.sqrt(mass)


def _draw_resting(picture: Picture, rows: Sequence[tuple[Sequence[float], float, float]]) -> None:
    """Draw weights beside each other, from an edge outwards."""
    for masses, edge, way in rows:
        x = edge
        for mass in masses:
            radius = radius_of(mass)
            _draw_weight(picture, np.array((x + way * radius, BANK + radius)), mass)
            x += 2.1 * way * radius


def _draw_weight(picture: Picture, place: np.ndarray, mass: float) -> None:
    """Draw a weight with its kilograms, turned as far as it has rolled."""
    radius = radius_of(mass)
    picture.disc(place, radius, palette.darker(STEEL, 0.7), layer=Layer.EYES)
    picture.disc(place, 0.86 * radius, palette.lighter(STEEL, 0.12), layer=Layer.EYES)
    turned = SPOKES - float(place[0]) / radius
    rivets = place + 0.72 * radius * np.column_stack((np.cos(turned), np.sin(turned)))
    picture.discs(rivets, np.full(4, 0.1 * radius), palette.darker(STEEL, 0.6), layer=Layer.EYES)
    size = 0.62 * radius * picture.view.scale / picture.point
    picture.text(
        f"{mass:.0f}",
        (float(place[0]), float(place[1])),
        size=size,
        align="center",
        vertical="middle",
        space="world",
        shadow=False,
        layer=Layer.EFFECTS,
    )


def _draw_crane(game: Bridge, picture: Picture, places: Places) -> None:
    """Draw the crane, and below it what a rope or a plank would hold."""
    top = (game.aim, 5.0)
    picture.stroke([(game.aim, 9.0), (game.aim, 5.35)], 3.0, STEEL, layer=Layer.DECOR)
    hook = [
        (game.aim - 0.3, top[1] + 0.35),
        (game.aim + 0.3, top[1] + 0.35),
        (game.aim, top[1] + 0.55),
    ]
    picture.polygon(hook, STEEL, layer=Layer.DECOR)
    if game.outcome is not None or game.broken:
        return
    if game.is_helped and game.hint is not None:
        _draw_hint(game, picture, *game.hint)
    if not (game.ropes or game.mends):
        return
    held = [joint for joint in game.joints[2:] if joint in places]
    if held:
        joint = min(held, key=lambda joint: abs(float(places[joint][0]) - game.aim))
        picture.disc(places[joint], 0.2, palette.faded(palette.GOLD, 0.4), layer=Layer.EYES - 1)
        if game.ropes:
            picture.stroke(
                [places[joint], game.post_for(joint)], 2.0, palette.faded(palette.GOLD, 0.45)
            )


def _draw_hint(game: Bridge, picture: Picture, what: str, x: float) -> None:
    """Draw where the next rope or plank would go, or where the weight ahead is when the next one
    may follow.
    """
    words = say(f"bridge.{what}")
    if what == "send":
        words, x = (words, START) if game.ahead >= x else (say("bridge.wait"), x)
    place = (x, 3.1 if abs(x) > 4.4 else 4.65)  # the corners of the screen are taken
    draw_hopping_arrow(picture, (x, 2.9) if x != START else (x + 0.8, BANK), game.sim.frame)
    picture.text(words, place, size=24, align="center", space="world", layer=Layer.EFFECTS)


def _mark(game: Bridge, picture: Picture, place: ArrayLike) -> None:
    """Mark where the bridge broke first: a cross in a ring, and the load that did it."""
    x, y = np.asarray(place)
    colour = palette.BAD
    turns = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
    ring = np.column_stack((x + 0.42 * np.cos(turns), y + 0.42 * np.sin(turns)))
    picture.stroke(ring, 4.0, colour, closed=True, layer=Layer.EFFECTS)
    for side in (-1.0, 1.0):
        ends = [(x - 0.2, y - 0.2 * side), (x + 0.2, y + 0.2 * side)]
        picture.stroke(ends, 6.0, colour, layer=Layer.EFFECTS)
    broke = say("bridge.broke_at", load=game.broke_at)
    # The force rises above the mark, so the text stands below it.
    below_x, below_y = (picture.to_pixels((x, y - 0.42)) / picture.point).tolist()
    half = 0.5 * picture.text_width(broke, 28.0) + 16.0
    low = (below_x - half, below_y - 54.0)
    high = (below_x + half, below_y - 12.0)
    picture.panel(low, high, corner=12.0, layer=Layer.EFFECTS)
    picture.text(broke, (below_x, below_y - 42.0), size=28, align="center", layer=Layer.EFFECTS)


def _draw_result(game: Bridge, picture: Picture) -> None:
    """The goal as a bar that fills, the budget, and the stars."""
    goal = say("bridge.goal", number=game.level_number + 1, goal=game.goal)
    budget = say(
        "bridge.budget", weights=len(game.weights_left), ropes=game.ropes, planks=game.mends
    )
    best = None if game.outcome == "won" else best_stars(game)
    share = min(game.across / game.goal, 1.0)
    key = goal, budget, best, share
    draw_cached(picture, "goal", key, lambda: _draw_goal(picture, goal, budget, best, share))
    if best is None:
        draw_won_stars(picture, game.stars)


def _draw_goal(picture: Picture, goal: str, budget: str, best: int | None, share: float) -> None:
    top = picture.height
    picture.panel((20.0, top - 124.0), (352.0, top - 16.0))
    picture.text(goal, (40.0, top - 44.0), size=26.0, vertical="middle")
    narrow = picture.width <= NARROW
    end = 332.0 if best is None or not narrow else 200.0
    picture.panel(
        (40.0, top - 80.0), (end, top - 64.0), picture.theme.key_cap, corner=8.0, layer=Layer.HUD
    )
    if share > 0.0:
        fill = palette.GOOD if share >= 1.0 else palette.GOLD
        picture.panel(
            (40.0, top - 80.0),
            (40.0 + (end - 40.0) * max(share, 0.06), top - 64.0),
            fill,
            corner=8.0,
            layer=Layer.HUD + 1,
        )
    picture.text(budget, (40.0, top - 104.0), size=20.0, colour=palette.TEXT_DIM, vertical="middle")
    if best is not None and narrow:
        draw_stars(picture, best, (270.0, top - 73.0), 15.0)
    elif best is not None:
        picture.panel((364.0, top - 70.0), (524.0, top - 16.0), corner=27.0)
        draw_stars(picture, best, (444.0, top - 43.0))
