"""A random player, ten minutes of game time in every toy: nothing raises, all stays finite and in its world."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import Controls, Game, Session
from ecs_softbody_games.bouncing_balls import BouncingBalls
from ecs_softbody_games.bouncing_balls.challenges import CHALLENGES
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from ecs_softbody_games.labs.little_planet import LittlePlanet
from ecs_softbody_games.labs.muscles import MusclesLab
from ecs_softbody_games.labs.windy_pond import WindyPond

MINUTES, IN_A_CHALLENGE = 10, 2
TOYS: tuple[tuple[type[Game], int], ...] = (
    *((BouncingBalls, number) for number in range(len(CHALLENGES) + 1)),
    *((kind, 0) for kind in (CutAndTear, LittlePlanet, MusclesLab, WindyPond)),
)
KEYS = ("left", "right", "up", "down", "space", "plus", "minus", "d", "e", "g", "t", "r", "mouse_left", "mouse_left")
FAR = 30.0
"""Nothing is further from the middle of the world than this [m]."""


def random_frames(session: Session, frames: int, rng: np.random.Generator) -> int:
    """Play with random keys and a mouse that glides; return how many rounds ended."""
    held: set[str] = set()
    pointer, goal, ended = np.zeros(2), np.zeros(2), 0
    for frame in range(frames):
        before = set(held)
        if frame % 7 == 0:
            held ^= {KEYS[int(rng.integers(len(KEYS)))]}
        if frame % 20 == 0:
            goal = rng.uniform((-8.0, -3.0), (8.0, 7.0))
        pointer = pointer + 0.15 * (goal - pointer)
        session.frame(
            Controls(held=set(held), pressed=held - before, released=before - held, pointer=(pointer[0], pointer[1]))
        )
        if session.state != "playing":
            ended += 1
            session.restart()
        if frame % 60 == 0:
            places = session.game.sim.interpolated_positions(1.0)
            assert np.isfinite(places).all(), frame
            assert not len(places) or np.abs(places).max() < FAR, frame
        if frame % 600 == 0:
            session.picture(640, 360)
    return ended


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")
@pytest.mark.parametrize(("kind", "level"), TOYS, ids=[f"{kind.name}-{level}" for kind, level in TOYS])
def test_a_random_player_breaks_nothing(kind: type[Game], level: int) -> None:
    game = kind()
    game.level_number = level
    session = Session(game)
    session.frame(Controls(pressed={"space"}))
    minutes = IN_A_CHALLENGE if level else MINUTES
    random_frames(session, minutes * 3600, np.random.default_rng(level + 7))
    assert len(session.game.sim.entities(Particles)) > 0 or kind is BouncingBalls
    session.close()
