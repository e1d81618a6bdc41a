"""The hero of the jelly platformer: how it runs and jumps."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import FRAME
from ecs_softbody_games.jelly_platformer.game import PAD_SPEED
from ecs_softbody_games.jelly_platformer.hero import (
    BUFFER_TIME,
    COYOTE_TIME,
    GRAVITY,
    JUMP_HEIGHT,
    RADIUS,
    RUN_SPEED,
)
from ecs_softbody_games.jelly_platformer.levels.level import Bridge, Jelly
from tests.helpers.platformer import Make, flat_level, frame, heights, run, run_off_the_edge


@pytest.mark.slow
def test_the_hero_runs_at_its_speed_and_stops_again(make: Make) -> None:
    game = make()
    run(game, 90, "right")
    assert 0.85 * RUN_SPEED < game.hero.velocity[0] < 1.1 * RUN_SPEED
    run(game, 50)
    assert abs(game.hero.velocity[0]) < 0.3


@pytest.mark.slow
def test_a_key_held_longer_jumps_higher(make: Make) -> None:
    short = make()
    long = make()
    ground = short.hero.position[1]
    frame(short, "space", pressed=True)
    low = heights(short, 60).max() - ground
    frame(long, "space", pressed=True)
    high = heights(long, 60, "space").max() - ground
    assert 0.6 < low < 0.65 * high
    assert 0.95 < high / JUMP_HEIGHT < 1.05


@pytest.mark.slow
def test_rising_takes_longer_than_falling(make: Make) -> None:
    game = make()
    frame(game, "space", pressed=True)
    path = heights(game, 90, "space")
    top = int(path.argmax())
    down = int(np.argmax((np.arange(90) > top) & (path < path[0])))
    assert down - top < top


def test_a_jump_stretches_the_hero_and_a_landing_flattens_it_without_a_hop(make: Make) -> None:
    game = make()
    middle = game.hero.position[1]
    tall = [np.ptp(game.hero.particles.position[:, 1])]
    speeds = []
    frame(game, "space", pressed=True)
    for _ in range(90):
        tall.append(np.ptp(game.hero.particles.position[:, 1]))
        speeds.append(game.hero.landed)
        frame(game, "space")
        if max(speeds) > 3.0:
            assert game.hero.position[1] < middle + 0.15
    shape = np.array(tall[1:]) / tall[0]
    landing = int(np.argmax(speeds))
    assert shape[:10].max() > 1.15
    assert 0.55 < shape[landing:].min() < 0.75
    assert (shape[landing:] < 0.9).sum() >= 8


@pytest.mark.slow
@pytest.mark.parametrize("held", [2, 40])
def test_after_a_landing_the_hero_swings_two_or_three_times(make: Make, held: int) -> None:
    game = make(settle=60)
    tall = []
    landed = []
    rest = np.ptp(game.hero.particles.position[:, 1])
    frame(game, "space", pressed=True)
    for number in range(140):
        frame(game, *(["space"] if number < held else []))
        tall.append(np.ptp(game.hero.particles.position[:, 1]) / rest)
        landed.append(game.hero.landed)
    after = np.array(tall[int(np.argmax(landed)) :])
    after = after[int(after.argmin()) :]
    assert 1.04 < after.max() < 1.10  # overshoot
    turns = after[1:-1][(np.diff(after)[:-1] * np.diff(after)[1:]) < 0.0]
    # each swing smaller than the one before, then it stands
    assert 2 <= (np.abs(turns - 1.0) > 0.01).sum() <= 4
    assert np.abs(after[60:] - 1.0).max() < 0.01


@pytest.mark.brief(4)
@pytest.mark.parametrize(
    ("wait", "jumps"), [(COYOTE_TIME - 0.03, True), (COYOTE_TIME + 0.05, False)]
)
def test_a_jump_counts_until_shortly_after_the_edge(make: Make, wait: float, jumps: bool) -> None:
    game = make()
    run_off_the_edge(game)
    run(game, round((wait - FRAME) / FRAME), "right")
    frame(game, "right", "space", pressed=True)
    assert game.hero.jumped is jumps
    assert bool(game.hero.velocity[1] > 0.0) is jumps


@pytest.mark.brief(2)
@pytest.mark.parametrize(
    ("early", "jumps"), [(BUFFER_TIME - 0.05, True), (BUFFER_TIME + 0.08, False)]
)
def test_a_jump_counts_from_shortly_before_the_ground(
    make: Make, early: float, jumps: bool
) -> None:
    game = make(settle=0)
    game.hero.appear((0.0, 3.0))
    falls = make(settle=0)
    falls.hero.appear((0.0, 3.0))
    landing = next(number for number in range(200) if (frame(falls), falls.hero.grounded)[1])
    run(game, landing - round(early / FRAME))
    frame(game, "space", pressed=True)
    run(game, round(early / FRAME) + 3)
    assert ("hop" in game.sounds.played) is jumps


@pytest.mark.slow
def test_a_hero_who_fell_asleep_obeys_in_the_same_frame(make: Make) -> None:
    runner = make(settle=200)
    jumper = make(settle=200)
    assert runner.sim.is_asleep(runner.hero.entity)
    assert runner.hero.grounded
    frame(runner, "right")
    assert runner.hero.velocity[0] > 0.3
    frame(jumper, "space", pressed=True)
    assert jumper.hero.velocity[1] > 0.9 * (2.0 * GRAVITY * JUMP_HEIGHT) ** 0.5


@pytest.mark.slow
def test_a_bridge_and_a_pad_that_fell_asleep_still_carry_and_throw(make: Make) -> None:
    banks = (
        ((-30.0, 12.0), (-6.0, 12.0), (-6.0, 0.0), (0.0, 0.0), (0.0, -9.0)),
        ((9.0, -9.0), (9.0, 0.0), (30.0, 0.0)),
    )
    level = flat_level(
        terrain=banks, start=(-3.0, 0.6), bridges=(Bridge((0.0, -0.1), (9.0, -0.1)),),
        jellies=(Jelly("pad", (14.0, 0.0), (2.2, 0.7)),),
    )  # fmt: skip
    game = make(level, settle=0)
    game.hero.freeze()
    for _ in range(2000):
        frame(game)
        if game.sim.asleep_count == 2:
            break
    assert game.sim.asleep_count == 2
    game.hero.appear(level.start)
    lowest = heights(game, 150, "right").min()
    assert game.hero.position[0] > 9.5
    assert -1.2 < lowest < -0.2
    game.hero.appear((14.0, 3.0))
    assert heights(game, 120).max() > 0.6 * PAD_SPEED**2 / 44.0 + 1.2
    assert game.falls == 0


@pytest.mark.slow
def test_no_second_jump_in_the_air(make: Make) -> None:
    game = make()
    frame(game, "space", pressed=True)
    run(game, 20, "space")
    frame(game, "space", pressed=True)
    assert game.sounds.played.count("hop") == 1


def test_pressing_into_a_wall_does_not_hold_the_hero_up(make: Make) -> None:
    pressing = make(settle=0)
    free = make(settle=0)
    pressing.hero.appear((-6.0 + RADIUS, 8.0))
    free.hero.appear((10.0, 8.0))
    run(pressing, 30, "left")
    run(free, 30)
    fallen = 8.0 - pressing.hero.position[1]
    unhindered = 8.0 - free.hero.position[1]
    assert fallen > 0.85 * unhindered
    run(pressing, 150, "left")
    assert pressing.hero.position[1] < 0.7
    assert np.hypot(*pressing.hero.velocity) < 0.5
