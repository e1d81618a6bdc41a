"""Players: who meets a challenge by script, with mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ecs_softbody.elementary import length
from ecs_softbody.play import Controls
from ecs_softbody_games.bouncing_balls.challenges import (
    Basket,
    Challenge,
    KeepUp,
    Paint,
    Rings,
    Shelf,
    Speed,
)
from ecs_softbody_games.bouncing_balls.crowd import Body

Place = tuple[float, float]
HAND = 0.1
"""How far the hand goes in a frame [m]."""
LOOKS = 40
"""Frames at the start in which nothing is done."""


def keys(*held: str) -> Controls:
    """Return one frame of keys that go down now."""
    return Controls(held=set(held), pressed=set(held), pointer=(0.0, 4.0))


def wait(frames: int) -> Iterator[Controls]:
    """Do nothing."""
    for _ in range(frames):
        yield keys()


def carry(body: Body, *way: Place, pace: float = HAND) -> Iterator[Controls]:
    """Take a body, bring it along a way [m] and let it go."""
    place = body.place
    yield Controls(pointer=as_place(place))
    yield Controls(held={"mouse_left"}, pressed={"mouse_left"}, pointer=as_place(place))
    for goal in way:
        while (left := length(np.array(goal) - place)) > 0.0:
            place = place + (np.array(goal) - place) * min(pace / left, 1.0)
            yield Controls(held={"mouse_left"}, pointer=as_place(place))
    yield Controls(released={"mouse_left"}, pointer=as_place(place))


def as_place(place: np.ndarray) -> Place:
    """Return it as a pair."""
    return float(place[0]), float(place[1])


def fill_basket(challenge: Basket) -> Iterator[Controls]:
    """Bring one after the other."""
    while True:
        out = [body for body in challenge.crowd.bodies if body.place[0] < challenge.inside[0]]
        for body in out[:1]:
            yield from carry(body, (float(body.place[0]), 5.2), (4.1, 5.2), (4.1, 3.0), (4.1, 2.6))
        yield from wait(30)


def kick_in_time(challenge: KeepUp) -> Iterator[Controls]:
    """Kick when it falls, and is low."""
    while True:
        low = challenge.blob.place[1] < 2.6 and challenge.blob.velocity[1] < 0.0
        yield keys(*["space"] * bool(low))
        yield from wait(12 if low else 0)


def steer(challenge: Rings) -> Iterator[Controls]:
    """Turn gravity to where the next ring is, seen from where the blob will be."""
    while True:
        goal = challenge.places[min(challenge.passed, challenge.most - 1)]
        x, y = np.array(goal) - challenge.blob.place - 0.5 * challenge.blob.velocity
        across = "right" if x > 0.0 else "left"
        yield keys(across if abs(x) > abs(y) else "up" if y > 0.0 else "down")
        yield from wait(5)


def pump(challenge: Speed) -> Iterator[Controls]:
    """Turn gravity to where the ball goes, whenever it has bounced."""
    while True:
        yield keys("up" if challenge.ball.velocity[1] > 0.0 else "down")


def go_round(challenge: Paint) -> Iterator[Controls]:
    """Draw the blob along all walls."""
    left, bottom, right, top = challenge.crowd.bounds
    while True:
        yield from carry(
            challenge.blob,
            (0.0, bottom),
            (right, bottom),
            (right, top),
            (left, top),
            (left, bottom),
            (0.0, bottom),
        )
        yield from wait(20)


def sweep(challenge: Shelf) -> Iterator[Controls]:
    """Sweep the blob over the shelf, there and back."""
    y = challenge.height + 0.5
    while True:
        yield from carry(
            challenge.blob, (-4.0, y), (5.4, y), (5.4, y + 2.0), (-4.0, y + 2.0), pace=2.0 * HAND
        )
        yield from wait(40)


PLAYERS: dict[type[Challenge], Callable[..., Iterator[Controls]]] = {
    Basket: fill_basket, KeepUp: kick_in_time, Paint: go_round, Rings: steer, Shelf: sweep,
    Speed: pump,
}  # fmt: skip


def player_of(challenge: Challenge) -> Iterator[Controls]:
    """Return who plays a challenge, frame by frame."""
    yield from wait(LOOKS)
    yield from PLAYERS[type(challenge)](challenge)
