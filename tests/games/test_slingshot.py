"""The slingshot: every round is won as its file says, by clumsy players too, and can be lost."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles, StabilityWarning
from ecs_softbody.play import Controls, Session
from ecs_softbody_games.slingshot import Slingshot
from ecs_softbody_games.slingshot.round import FAILURES, ROUNDS
from ecs_softbody_games.slingshot.sling import FARTHEST, KINDS
from tests.helpers.games import play
from tests.helpers.starts import STARTS, WHOLE

LONGEST = 3600


def begun(number: int = 0) -> Slingshot:
    game = Slingshot()
    game.level_number = number
    game.begin()
    return game


@pytest.fixture
def game() -> Iterator[Slingshot]:
    made = begun()
    yield made
    made.close()


def play_to_the_end(game: Slingshot) -> None:
    for _ in range(LONGEST):
        if game.outcome is not None:
            return
        game.advance(game.autopilot())
    raise AssertionError("the round does not end")


def waste(game: Slingshot) -> None:
    """Let every shot go straight into the ground."""
    for _ in range(LONGEST):
        if game.outcome is not None:
            return
        game.sling.angle = -0.5
        game.sling.pull = 0.4
        game.advance(Controls(pressed={"shoot"} if game.sling.shot is not None else set()))


@pytest.mark.slow
def test_the_first_round_is_won_with_one_shot_and_its_stars_are_kept(game: Slingshot) -> None:
    play_to_the_end(game)
    assert (game.outcome, game.used, game.stars) == ("won", 1, 3)
    assert game.saves["stars 1"] == 3
    assert game.saves["shots 1"] == 1
    assert game.outcome_text() == "1 shot"


def test_stars_fall_with_the_shots(game: Slingshot) -> None:
    assert game.stars == 3
    worth = []
    for used in (1, 2, 3):
        game.used = used
        worth.append(game.stars)
    assert worth == [3, 2, 1]


def test_the_shot_goes_where_the_dots_say(game: Slingshot) -> None:
    game.sling.angle = 0.9
    game.sling.pull = 1.0
    play(game, 30)
    game.advance(Controls())
    path = game.sling.path(10, 1.0 / 60.0)
    shot = game.sling.shot
    assert shot is not None
    game.advance(Controls(pressed={"shoot"}))
    play(game, 9)
    assert game.sim.get(shot, Particles).center == pytest.approx(path[-1], abs=0.05)


@pytest.mark.slow
def test_keys_aim_pull_and_shoot(game: Slingshot) -> None:
    angle = game.sling.angle
    play(game, 20, "up")
    assert game.sling.angle > angle + 0.2
    play(game, 200, "left")
    assert game.sling.pull == FARTHEST
    play(game, 30, "right")
    assert 0.5 < game.sling.pull < FARTHEST
    play(game, 1, "space")
    assert game.used == 1


def test_a_shot_that_is_hardly_pulled_stays_and_the_mouse_can_pull_from_anywhere(
    game: Slingshot,
) -> None:
    game.advance(Controls(held={"mouse_left"}, pressed={"mouse_left"}, pointer=(0.0, 5.0)))
    game.advance(Controls(held={"mouse_left"}, pointer=(-0.1, 5.0)))
    game.advance(Controls(released={"mouse_left"}, pointer=(-0.1, 5.0)))
    assert (game.used, game.sling.pull) == (0, 0.0)
    game.advance(Controls(held={"mouse_left"}, pressed={"mouse_left"}, pointer=(0.0, 5.0)))
    game.advance(Controls(held={"mouse_left"}, pointer=(-9.0, 5.0)))
    assert game.sling.pull == FARTHEST
    assert game.sling.angle == pytest.approx(0.0)
    game.advance(Controls(released={"mouse_left"}, pointer=(-9.0, 5.0)))
    assert game.used == 1


@pytest.mark.slow
def test_it_can_be_lost_and_after_two_failures_it_helps(game: Slingshot) -> None:
    session = Session(game)
    dots = []
    for failure in range(FAILURES):
        assert not game.is_helped, failure
        game.begin()
        waste(game)
        assert game.outcome == "lost"
    for helped in (True, False):
        game.failures[0] = FAILURES if helped else 0
        game.begin()
        game.sling.pull = 1.0
        dots.append(len(session.picture(640, 360).triangles()[0]))
    assert dots[0] > dots[1]
    session.close()


def test_the_cluster_splits_once_and_flies_on_as_it_did() -> None:
    game = begun(ROUNDS.index("cluster"))
    game.sling.angle = 0.8
    game.sling.pull = 1.3
    play(game, 20)
    play(game, 1, "space")
    play(game, 20)
    velocity = game.sim.get(game.flying[0], Particles).velocity.mean(axis=0)
    play(game, 1, "space")
    assert len(game.flying) == 3
    parts = np.array([game.sim.get(part, Particles).velocity.mean(axis=0) for part in game.flying])
    assert parts.mean(axis=0) == pytest.approx(velocity, abs=0.5)
    play(game, 1, "space")
    assert len(game.flying) == 3
    game.close()


@pytest.mark.slow
def test_all_shots_of_all_rounds_are_known_and_something_is_new_in_each() -> None:
    for number in range(len(ROUNDS)):
        game = begun(number)
        assert set(game.shots) <= set(KINDS)
        assert game.targets
        assert (game.place_of_new() is not None) if game.new else number == 0
        play(game, 120)
        assert len(game.targets) == len(game.strength), "a tower falls by itself"
        game.close()


@pytest.mark.slow
@pytest.mark.parametrize("key", ["space", "left", "right", "up", "down", "mouse_left"])
def test_no_round_is_won_by_holding_one_key(key: str) -> None:
    game = begun()
    for frame in range(400):
        game.advance(Controls(held={key}, pressed={key} if frame % 30 == 0 else set()))
    assert (game.outcome, game.used) == (None, 0)
    game.close()


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("number", range(len(ROUNDS)), ids=ROUNDS)
def test_every_round_is_won_from_shifted_starts_and_lost_by_one_who_wastes(number: int) -> None:
    outcomes = []
    for seed in range(STARTS):
        game = begun(number)
        rng = np.random.default_rng(seed)
        for target in game.targets:
            game.sim.get(target, Particles).position += rng.uniform(-2e-3, 2e-3, 2)
        solution = game.solution
        game.solution = [
            [angle + rng.normal(0.0, 0.4), pull + rng.normal(0.0, 0.008), *rest]
            for angle, pull, *rest in solution
        ]
        for _ in range(int(rng.integers(0, 60))):  # late
            game.advance(Controls())
        with warnings.catch_warnings():
            warnings.simplefilter("error", StabilityWarning)
            play_to_the_end(game)
        outcomes.append(game.outcome)
        game.close()
    assert outcomes.count("won") >= STARTS - WHOLE, outcomes
    game = begun(number)
    waste(game)
    assert game.outcome == "lost"
    game.close()
