"""A random player in every game: nothing raises, all stays finite and in its world.

One minute of game time each, shared by all levels; ten minutes where `ECS_SOFTBODY_WHOLE` is 1.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import Controls, Session
from included import included_games
from tests.helpers.starts import WHOLE

MINUTES = 10 if WHOLE else 1
KEYS = (
    "left", "right", "up", "down", "space", "plus", "minus", "a", "c", "d", "e", "g", "i", "n", "q",
    "r", "s", "t", "x", "z", "mouse_left", "mouse_left",
)  # fmt: skip
CLOSED = ("bouncing-balls", "cut-and-tear", "little-planet", "muscles", "windy-pond")
"""Games whose world has an end on all sides."""
FAR = 30.0
"""Nothing in these is further from the middle than this [m]."""


def random_frames(session: Session, frames: int, rng: np.random.Generator, far: float) -> None:
    """Play with random keys and a mouse that glides over what is seen."""
    held: set[str] = set()
    pointer = np.zeros(2)
    goal = np.zeros(2)
    for frame in range(frames):
        before = set(held)
        if frame % 7 == 0:
            held ^= {KEYS[int(rng.integers(len(KEYS)))]}
        if frame % 20 == 0:
            left, bottom, right, top = session.game.camera.visible
            goal = rng.uniform((left, bottom), (right, top))
        pointer = pointer + 0.15 * (goal - pointer)
        session.frame(
            Controls(
                held=set(held),
                pressed=held - before,
                released=before - held,
                pointer=(pointer[0], pointer[1]),
            )
        )
        if session.state != "playing":
            session.restart()
        if frame % 60 == 0:
            places = session.game.sim.interpolated_positions(1.0)
            assert np.isfinite(places).all(), frame
            assert not len(places) or np.abs(places).max() < far, frame
        if frame % 600 == 0:
            session.picture(640, 360)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", list(included_games()))
def test_a_random_player_breaks_nothing_and_the_terminal_stays_empty(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    session = Session(included_games()[name].load())
    session.frame(Controls(pressed={"space"}))
    levels = max(len(session.game.levels), 1)
    for level in range(levels):
        session.game.level_number = level
        session.restart()
        far = FAR if name in CLOSED else np.inf
        random_frames(session, MINUTES * 3600 // levels, np.random.default_rng(level + 7), far)
    assert len(session.game.sim.entities(Particles)) > 0 or name == "bouncing-balls"
    session.close()
    assert capfd.readouterr() == ("", "")
