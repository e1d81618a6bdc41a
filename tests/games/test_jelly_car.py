"""The jelly car, driven by keys: it hops, leans, brakes and bends; every track is won so, and none
by one key.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import StabilityWarning
from ecs_softbody.play import Controls, Session
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.jelly_car.car import HANG, TRACK
from ecs_softbody_games.jelly_car.driver import Driver
from ecs_softbody_games.jelly_car.ride import FAILURES, TRACKS
from tests.helpers.games import play
from tests.helpers.starts import STARTS

LONGEST = 1300
HILL = TRACKS.index("seesaw")
DO_WITHOUT = {
    "kerbs": ["hop", "all"], "jetty": ["brake", "all"], "jumps": ["lean", "all"],
    "seesaw": ["brake", "all"], "tour": ["hop", "lean", "brake"],
}  # fmt: skip
KEYS = {
    "hop": {"space"},
    "lean": {"a", "d"},
    "brake": {"down"},
    "all": {"space", "a", "d", "down", "left"},
}
ENDS = {
    "jetty": "Down there is no road",
    "jumps": "On the roof",
    "lean": "On the roof",
    "brake": "Down there is no road",
}
STUCK = 480
"""After so many frames a driver who never hops stands at the first kerb."""
SLOPE_FOOT = 8.0
SLOPE_DEGREES = 20.0


def begun(number: int = 0) -> JellyCar:
    made = JellyCar()
    made.level_number = number
    made.begin()
    return made


def drive_to_the_end(game: JellyCar) -> None:
    """Drive as the scripted driver does."""
    for _ in range(LONGEST):
        if game.outcome is not None:
            return
        game.advance(game.autopilot())


@pytest.fixture
def game() -> Iterator[JellyCar]:
    made = begun(HILL)
    play(made, 60)
    yield made
    made.close()


def drive_onto_the_slope(game: JellyCar) -> None:
    for _ in range(600):
        play(game, 1, "right")
        if game.car.position[0] > SLOPE_FOOT + 1.5:
            return
    raise AssertionError("the car did not come up the slope")


def test_the_slope_of_the_hill_is_twenty_degrees(game: JellyCar) -> None:
    points = game.track.chain
    foot = int(np.flatnonzero(np.isclose(points[:, 0], SLOPE_FOOT))[0])
    along = points[foot + 1] - points[foot]
    assert math.degrees(math.atan2(along[1], along[0])) == pytest.approx(SLOPE_DEGREES, abs=0.1)


@pytest.mark.slow
def test_the_car_stands_level_and_calm_at_the_start(game: JellyCar) -> None:
    play(game, 120)
    assert abs(game.car.angle) < math.radians(4.0)
    assert np.abs(game.car.velocity).max() < 0.05
    for wheel in game.car.wheels:
        hub = wheel.particles.position.mean(axis=0)
        assert 0.25 < hub[1] < 0.45


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_hop_lifts_all_of_it(game: JellyCar) -> None:
    play(game, 30)
    low = [float(wheel.particles.position[:, 1].min()) for wheel in game.car.wheels]
    play(game, 1, "space")
    highest = np.zeros(2)
    for _ in range(40):
        play(game, 1)
        highest = np.maximum(
            highest, [wheel.particles.position[:, 1].min() for wheel in game.car.wheels]
        )
    assert (highest - low > 0.12).all()
    play(game, 120)
    assert np.abs(game.car.velocity).max() < 0.1


@pytest.mark.slow
def test_the_wheels_stay_round_their_hubs_in_a_crash(game: JellyCar) -> None:
    for wheel in game.car.wheels:
        wheel.particles.velocity += (-15.0, 10.0)
    game.car.body.velocity += (-20.0, 10.0)
    for _ in range(180):
        play(game, 1, "left")
        for wheel in game.car.wheels:
            hub = wheel.particles.position.mean(axis=0)
            # soft spokes: a quarter of the radius
            assert np.hypot(*(hub - wheel.particles.position[0])) < 0.1
            assert np.hypot(*(hub - game.car.position)) < 2.5


@pytest.mark.slow
def test_the_hill_is_won_over_the_see_saw_with_brakes_and_all_asked_can_be_carried() -> None:
    game = begun(HILL)
    angles = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        while game.outcome is None and game.time < 25.0:
            game.advance(game.autopilot())
            first, last = game.track.board_ends()
            angles.append(np.degrees(np.arctan2(*(last - first)[::-1])))
    assert game.outcome == "won"
    assert game.parked
    assert game.car.position[0] > game.track.flag
    assert max(angles) > 8.0
    assert min(angles) < -8.0
    game.close()


@pytest.mark.slow
@pytest.mark.parametrize("number", [TRACKS.index("kerbs"), TRACKS.index("tour")])
def test_a_kerb_does_not_push_a_wheel_to_where_it_stays(number: int) -> None:
    game = begun(number)
    away = []
    for _ in range(420):
        game.advance(game.autopilot())
        cos = math.cos(game.car.angle)
        sin = math.sin(game.car.angle)
        for wheel, side in zip(game.car.wheels, (-TRACK, TRACK), strict=True):
            x, y = wheel.particles.position[0] - game.car.position
            away.append(math.hypot(cos * x + sin * y - side, cos * y - sin * x + HANG))
    game.close()
    assert max(away) > 0.1
    assert np.mean(np.array(away) > 0.35) < 0.1, "legs are long only in a hop"


@pytest.mark.slow
def test_the_chassis_bends_by_about_a_tenth_and_is_whole_again() -> None:
    game = begun()
    play(game, 100)
    rest = length_of(game)
    lengths = []
    for _ in range(400):
        game.advance(game.autopilot())
        lengths.append(length_of(game) / rest)
    assert 0.8 < min(lengths) < 0.97
    assert 1.03 < max(lengths) < 1.2
    game.close()


def length_of(game: JellyCar) -> float:
    along = np.array((np.cos(game.car.angle), np.sin(game.car.angle)))
    return float(np.ptp(game.car.body.position @ along))


@pytest.mark.slow
def test_a_car_on_its_roof_is_lost_and_after_two_failures_signs_help() -> None:
    game = begun()
    session = Session(game)
    triangles = []
    for failure in range(FAILURES + 1):
        game.camera.height = 60.0
        triangles.append(len(session.picture(640, 360).triangles()[0]))
        assert game.is_helped == (failure == FAILURES)
        for body in (game.car.body, *(wheel.particles for wheel in game.car.wheels)):
            # turned by half a turn
            body.position[:] = 2.0 * game.car.position + (0.0, 0.6) - body.position
        play(game, 120)
        assert (game.outcome, game.outcome_text()) == ("lost", "On the roof")
        game.begin()
    assert triangles[2] > triangles[1] == triangles[0]
    session.close()


def test_below_the_road_it_is_lost() -> None:
    game = begun()
    for body in (game.car.body, *(wheel.particles for wheel in game.car.wheels)):
        body.position -= (0.0, 3.0)
    play(game, 1)
    assert (game.outcome, game.outcome_text()) == ("lost", "Down there is no road")
    game.close()


def test_medals_fall_with_time(game: JellyCar) -> None:
    gold, silver, bronze = game.track.medals
    assert [game.track.medal_of(time) for time in (gold, silver, bronze, bronze + 0.1)] == [
        "gold",
        "silver",
        "bronze",
        "",
    ]


@pytest.mark.slow
def test_time_medal_and_ghost_are_kept_and_a_slower_run_does_not_replace_them(
    tmp_path: Path,
) -> None:
    session = Session(JellyCar())
    game = session.game
    assert isinstance(game, JellyCar)
    game.saves.open(tmp_path)
    game.begin()
    play(game, 40, "right")
    game.win()
    best = game.time
    assert game.saves["medal 1"] == 3
    game.begin()
    ghost = game.run.ghost
    assert ghost is not None
    assert ghost.result == pytest.approx(best)
    play(game, 30, "right")
    with_ghost = len(session.picture(640, 360).triangles()[0])
    game.run.ghost = None
    assert with_ghost > len(session.picture(640, 360).triangles()[0])
    game.run.ghost = ghost
    play(game, 40, "right")
    game.win()
    assert game.saves["time 1"] == pytest.approx(best)
    game.begin()
    assert game.run.time == pytest.approx(best)
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("track", "missing"), [(track, key) for track, keys in DO_WITHOUT.items() for key in keys]
)
def test_a_driver_who_does_without_what_a_track_needs_loses_there(track: str, missing: str) -> None:
    """Without all of it the key that drives is held, and no other: no track is won so."""
    game = begun(TRACKS.index(track))
    end = ENDS.get(track if missing == "all" else missing)
    for _ in range(LONGEST if end else STUCK):
        if game.outcome is None:
            keys = game.autopilot()
            game.advance(
                Controls(held=keys.held - KEYS[missing], pressed=keys.pressed - KEYS[missing])
            )
    if end:
        assert (game.outcome, game.outcome_text()) == ("lost", end)
    else:
        assert game.outcome is None
        assert game.track.hops[0] - 3.0 < game.car.position[0] < game.track.hops[0] + 2.3, (
            "it stands at the first kerb"
        )
    game.close()


@pytest.mark.slow
def test_the_first_track_is_won_with_a_medal() -> None:
    game = begun()
    drive_to_the_end(game)
    assert game.outcome == "won"
    assert game.track.medal_of(game.time) in ("gold", "silver")
    game.close()


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("number", range(len(TRACKS)), ids=TRACKS)
def test_every_track_is_won_from_shifted_starts(number: int) -> None:
    """Late, and with hops that are early or late: a driver who turns over begins again, as a player
    does.
    """
    for seed in range(STARTS):
        rng = np.random.default_rng(seed)
        game = begun(number)
        for _ in range(4):
            play(game, int(rng.integers(0, 60)))
            game.driver = Driver(game.car, game.track)
            game.driver.hops = [hop + rng.uniform(-0.15, 0.15) for hop in game.driver.hops]
            drive_to_the_end(game)
            if game.outcome == "won":
                break
            game.begin()
        assert game.outcome == "won", (seed, game.failures)
        game.close()


@pytest.mark.slow
def test_starting_again_is_the_same_start(game: JellyCar) -> None:
    play(game, 60, "right")
    first = game.car.position
    game.start()
    play(game, 60)
    play(game, 60, "right")
    assert np.array_equal(game.car.position, first)
