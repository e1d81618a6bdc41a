"""The scene `muscles`: it crawls, jumps and breathes by keys alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import Controls, Session
from ecs_softbody_games.labs.muscles import MusclesLab
from tests.helpers.games import play, play_frame


@pytest.fixture
def lab() -> Iterator[MusclesLab]:
    made = MusclesLab()
    made.start()
    play(made, 61)
    yield made
    made.close()


@pytest.mark.parametrize(("key", "sign"), [("right", 1.0), ("left", -1.0)])
def test_the_worm_crawls_where_it_is_told_to_and_stops(lab: MusclesLab, key: str, sign: float) -> None:
    play(lab, 2)
    lab.get(lab.worm, Particles).position[:, 0] += 2.0
    start = lab.center_of(lab.worm)
    play(lab, 180, key, released=True)
    there = lab.center_of(lab.worm)
    assert sign * (there[0] - start[0]) > 1.2
    assert lab.get(lab.worm, Particles).position[:, 1].max() < 1.2
    play(lab, 61)
    stopped = lab.center_of(lab.worm)
    play(lab, 61)
    assert np.abs(lab.center_of(lab.worm) - stopped).max() < 0.02


def test_the_frog_crouches_and_jumps_where_it_aims(lab: MusclesLab) -> None:
    frog = lab.get(lab.frog, Particles)
    tall = np.ptp(frog.position[:, 1])
    for frame in range(40):
        play_frame(lab, Controls(held={"space"}, pressed={"space"} if frame == 0 else set()))
    assert np.ptp(frog.position[:, 1]) < 0.85 * tall
    start = lab.center_of(lab.frog)
    play_frame(lab, Controls(held={"right"}, released={"space"}))
    best = 0.0
    for _ in range(120):
        play(lab, 1)
        best = max(best, float(frog.position[:, 1].min()))
    assert best > 1.0
    assert lab.center_of(lab.frog)[0] > start[0] + 0.3


def test_the_balloon_lifts_the_chick_and_lets_it_down(lab: MusclesLab) -> None:
    low, small = lab.center_of(lab.chick)[1], lab.gas.area
    play(lab, 240, "up", released=True)
    assert lab.gas.area > 3.0 * small
    assert lab.center_of(lab.chick)[1] > low + 0.6
    size = lab.gas.area
    play(lab, 61)
    assert lab.gas.area == pytest.approx(size, rel=0.05)
    play(lab, 300, "down", released=True)
    assert lab.pump.level == 0.0
    assert lab.center_of(lab.chick)[1] < low
    play(lab, 90, "up", released=True)
    assert lab.gas.area > small


def test_whatever_is_not_driven_falls_asleep(lab: MusclesLab) -> None:
    play(lab, 901)
    with lab.sim:
        assert lab.sim.is_asleep(lab.worm)
        assert lab.sim.is_asleep(lab.frog)
    play(lab, 2, "right", released=True)
    assert not lab.sim.is_asleep(lab.worm)


def test_the_scripted_player_shows_all_three() -> None:
    session = Session(MusclesLab(), autopilot=True)
    lab = session.game
    assert isinstance(lab, MusclesLab)
    sizes = []
    for _ in range(720):
        session.frame()
        sizes.append(lab.gas.area)
    assert lab.crawled > 5.0
    assert lab.highest > 1.5
    assert max(sizes) > 2.0
    assert min(sizes) < 0.4
    for entity in (lab.worm, lab.frog, lab.balloon, lab.chick):
        assert np.isfinite(lab.center_of(entity)).all()
        assert np.abs(lab.center_of(entity)[0]) < 7.0
    session.close()
