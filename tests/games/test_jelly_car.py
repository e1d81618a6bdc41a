"""The jelly car, driven by keys: up the slope, stopped on it, over the see-saw, to the flag."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles, StabilityWarning
from ecs_softbody.play import Session
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.jelly_car.track import FLAG, SLOPE_DEGREES, SLOPE_FOOT, board_of, ground_of
from tests.helpers.games import play


@pytest.fixture
def game() -> Iterator[JellyCar]:
    made = JellyCar()
    made.start()
    play(made, 60)
    yield made
    made.close()


def drive_onto_the_slope(game: JellyCar) -> None:
    for _ in range(600):
        play(game, 1, "right")
        if game.car.position[0] > SLOPE_FOOT + 1.5:
            return
    raise AssertionError("the car did not come up the slope")


def test_the_slope_is_as_steep_as_its_sign_says(game: JellyCar) -> None:
    points = ground_of(game.track)
    foot = int(np.flatnonzero(np.isclose(points[:, 0], SLOPE_FOOT))[0])
    along = points[foot + 1] - points[foot]
    assert math.degrees(math.atan2(along[1], along[0])) == pytest.approx(SLOPE_DEGREES) == 20.0


def test_the_car_stands_level_and_calm_at_the_start(game: JellyCar) -> None:
    play(game, 120)
    assert abs(game.car.angle) < math.radians(4.0)
    assert np.abs(game.car.velocity).max() < 0.05
    for wheel in game.car.wheels:
        hub = wheel.particles.position.mean(axis=0)
        assert 0.25 < hub[1] < 0.45


def test_it_drives_up_the_slope_stops_on_it_and_stays(game: JellyCar) -> None:
    drive_onto_the_slope(game)
    play(game, 1, "down")
    play(game, 120)
    there = game.car.position
    assert there[0] > SLOPE_FOOT + 1.5
    assert math.degrees(game.car.angle) == pytest.approx(20.0, abs=12.0)
    play(game, 300)
    assert game.car.position == pytest.approx(there, abs=0.02)
    assert abs(game.car.torque) > 3.0  # the brake holds the car's weight
    play(game, 120, "right")
    assert game.car.position[0] > there[0] + 1.0


def test_without_a_brake_it_rolls_down_again(game: JellyCar) -> None:
    drive_onto_the_slope(game)
    play(game, 120, "down")
    play(game, 1, "left")
    play(game, 200)
    assert game.car.position[0] < SLOPE_FOOT


def test_it_drives_backwards_too(game: JellyCar) -> None:
    start = game.car.position[0]
    play(game, 60, "left")
    assert game.car.position[0] < start - 1.0


def test_the_hop_lifts_all_of_it(game: JellyCar) -> None:
    play(game, 30)
    low = [float(wheel.particles.position[:, 1].min()) for wheel in game.car.wheels]
    play(game, 1, "space")
    highest = np.zeros(2)
    for _ in range(40):
        play(game, 1)
        highest = np.maximum(highest, [wheel.particles.position[:, 1].min() for wheel in game.car.wheels])
    assert (highest - low > 0.12).all()
    play(game, 120)
    assert np.abs(game.car.velocity).max() < 0.1


def test_the_wheels_stay_round_their_hubs_in_a_crash(game: JellyCar) -> None:
    for wheel in game.car.wheels:
        wheel.particles.velocity += (-15.0, 10.0)
    game.car.body.velocity += (-20.0, 10.0)
    for _ in range(180):
        play(game, 1, "left")
        for wheel in game.car.wheels:
            hub = wheel.particles.position.mean(axis=0)
            assert np.hypot(*(hub - wheel.particles.position[0])) < 0.1  # soft spokes: a quarter of the radius
            assert np.hypot(*(hub - game.car.position)) < 2.5


def test_the_scripted_player_wins_within_twelve_seconds_and_nothing_is_asked_that_cannot_be_carried() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        session = Session(JellyCar(), autopilot=True)
        game = session.game
        assert isinstance(game, JellyCar)
        angles, torques = [], []
        for _ in range(720):
            session.frame()
            board = board_of(game.track)
            angles.append(np.degrees(np.arctan2(*(board[-1] - board[0])[::-1])))
            torques.append(game.car.torque)
            if game.outcome:
                break
    assert game.outcome == "won"
    assert game.car.position[0] > FLAG
    assert max(angles) > 8.0
    assert min(angles) < -8.0
    assert max(torques) > 5.0
    assert game.stopped_for > 40
    session.close()


@pytest.mark.slow
def test_the_scripted_player_wins_in_time_from_19_of_20_starts_a_millimetre_apart() -> None:
    """Nothing hangs on one lucky way through the crates: the car (even rounds) or the crates (odd ones) are shifted."""
    times = []
    for seed in range(20):
        session, rng = Session(JellyCar(), autopilot=True), np.random.default_rng(seed)
        game = session.game
        assert isinstance(game, JellyCar)
        car = [[game.car.body, *(wheel.particles for wheel in game.car.wheels)]]
        for shifted in car if seed % 2 == 0 else [[game.get(crate, Particles)] for crate in game.track.crates]:
            shift = rng.uniform((-1e-3, 0.0), 1e-3)
            for particles in shifted:
                particles.position += shift
        while game.outcome is None and game.time < 15.0:
            session.frame()
        times.append(game.time if game.outcome == "won" else math.inf)
        session.close()
    assert sum(time <= 12.0 for time in times) >= 19, sorted(times)


def test_starting_again_is_the_same_start(game: JellyCar) -> None:
    play(game, 60, "right")
    first = game.car.position
    game.start()
    play(game, 60)
    play(game, 60, "right")
    assert np.array_equal(game.car.position, first)
