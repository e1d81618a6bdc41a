"""Games of several levels as a player meets them: real events in a real window, from the start screen to the end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import Controls, Game, Session
from ecs_softbody_games.bouncing_balls import BouncingBalls
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from ecs_softbody_games.labs.little_planet import LittlePlanet
from ecs_softbody_games.labs.muscles import MusclesLab
from ecs_softbody_games.labs.windy_pond import WindyPond
from ecs_softbody_games.rope_bridge import RopeBridge
from ecs_softbody_games.slingshot import Slingshot
from tests.helpers.window_player import Player

pytestmark = pytest.mark.window
LONGEST = 5400
GAMES: tuple[type[Game], ...] = (Slingshot, RopeBridge, JellyCar, JellyPlatformer)
TOYS: tuple[type[Game], ...] = (CutAndTear, LittlePlanet, MusclesLab, WindyPond)
KEYS = ("left", "right", "up", "down", "space", "a", "d", "s", "w", "r", "n", "mouse_left")


@pytest.fixture
def player() -> Iterator[Player]:
    made = Player((640, 360), every=6)
    yield made
    made.window.close()


def win(player: Player, session: Session) -> None:
    """Play a level as its scripted player does, once more where it was lost."""
    for _ in range(LONGEST):
        if session.state == "won":
            return
        if session.state == "lost":
            player.follow(session, Controls())
            player.wait(60)
            player.press("SPACE")
        player.follow(session, session.game.autopilot())
    raise AssertionError(f"level {session.game.level_number + 1} is not won: {session.state}")


@pytest.mark.parametrize("kind", GAMES, ids=lambda kind: kind.name)
def test_the_first_level_is_won_and_the_next_one_follows(player: Player, kind: type[Game]) -> None:
    session = Session(kind())
    player.start(session)
    player.press("SPACE")
    win(player, session)
    player.follow(session, Controls())
    player.wait(60)
    player.press("SPACE")
    assert (session.state, session.game.level_number) == ("playing", 1)
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", TOYS, ids=lambda kind: kind.name)
def test_the_goal_of_a_toy_is_reached(player: Player, kind: type[Game]) -> None:
    session = Session(kind())
    player.start(session)
    player.press("SPACE")
    win(player, session)
    assert session.game.saves["stars"] == 3
    session.close()


@pytest.mark.slow
def test_the_first_challenges_of_the_balls_are_met(player: Player) -> None:
    session = Session(BouncingBalls())
    player.start(session)
    player.press("SPACE", "C")
    for number in (1, 2, 3):
        assert session.game.level_number == number
        win(player, session)
        player.follow(session, Controls(pointer=(0.0, 4.0)))
        player.wait(60)
        player.press("SPACE")
    assert session.game.saves["challenges"] == 3
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", GAMES, ids=lambda kind: kind.name)
def test_every_level_is_won_in_turn(player: Player, kind: type[Game]) -> None:
    session = Session(kind())
    player.start(session)
    player.press("SPACE")
    for number in range(len(kind.levels)):
        assert session.game.level_number == number
        win(player, session)
        player.follow(session, Controls())
        player.wait(60)
        player.press("SPACE")
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", GAMES, ids=lambda kind: kind.name)
def test_a_random_player_breaks_nothing(player: Player, kind: type[Game]) -> None:
    session, rng = Session(kind()), np.random.default_rng(1)
    player.start(session)
    player.press("SPACE")
    held: set[str] = set()
    pointer = (0.0, 0.0)
    for frame in range(3600):
        if frame % 7 == 0:
            held ^= {KEYS[int(rng.integers(len(KEYS)))]}
            pointer = (float(rng.uniform(-9.0, 9.0)), float(rng.uniform(0.0, 7.0)))
        player.follow(session, Controls(held=set(held), pointer=pointer))
        if frame % 120 == 0:
            assert np.isfinite(session.game.sim.buffers[Particles].rows["position"]).all()
    session.close()
