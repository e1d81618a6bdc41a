"""Pause, steps, speed, the last seconds, and what the plots show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import esper
import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, blueprints
from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.inspector.model.measures import NAMES, SPACING, Measures
from ecs_softbody.inspector.model.spawning import recipes
from tests.inspector.rooms import field, room, session_of


@pytest.fixture
def inspection(tmp_path: Path) -> Iterator[Inspection]:
    session = session_of(room(tmp_path))
    yield Inspection(session)
    session.close()


def run(inspection: Inspection, frames: int) -> None:
    for _ in range(frames):
        inspection.session.frame()
        inspection.follow(1.0)


def test_the_world_stands_steps_and_goes_on(inspection: Inspection) -> None:
    run(inspection, 3)
    inspection.time.pause(True)
    run(inspection, 3)
    assert inspection.sim.frame == 3
    inspection.time.step()
    run(inspection, 3)
    assert inspection.sim.frame == 4
    inspection.time.pause(False)
    inspection.time.set_speed(0.5)
    run(inspection, 10)
    assert inspection.sim.frame == 9
    inspection.time.set_speed(-1.0)
    assert inspection.failed
    assert inspection.time.speed == 0.5


@pytest.mark.slow
def test_the_last_seconds_come_back_bit_for_bit(inspection: Inspection) -> None:
    hashes = {}
    for _ in range(120):
        inspection.session.frame()
        inspection.follow()
        hashes[inspection.sim.frame] = inspection.sim.state_hash()
    ages = inspection.time.history.ages()
    assert ages == sorted(ages, reverse=True)
    assert len(ages) == 20
    inspection.time.rewind(5)
    frame = inspection.sim.frame
    assert frame < 60
    assert inspection.sim.state_hash() == hashes[frame]
    assert inspection.time.paused
    assert inspection.time.history.now() == 5
    assert inspection.time.history.age_of_now() == pytest.approx(ages[5])
    inspection.time.rewind(20)  # the moment from which it was gone back
    assert inspection.sim.frame == 120
    assert inspection.sim.state_hash() == hashes[120]
    inspection.time.rewind(5)
    inspection.time.rewind(15)  # later ones are still there
    assert inspection.sim.state_hash() == hashes[inspection.sim.frame]
    inspection.time.rewind(5)
    inspection.time.pause(False)
    assert len(inspection.time.history) == 6
    run(inspection, 10)
    assert inspection.sim.state_hash() == hashes[frame + 10]


def test_what_is_pending_goes_back_with_the_world(inspection: Inspection) -> None:
    def lines() -> list[str]:
        return inspection.pending.lines()

    def change(name: str, value: float) -> None:
        scene = inspection.scene
        assert scene is not None
        assert inspection.edit(scene[name], Collider, field(Collider, "friction"), value)

    run(inspection, 20)
    change("hero", 0.25)
    run(inspection, 10)
    changed = lines()
    assert len(changed) == 1
    number = inspection.time.history.now()
    change("crate", 0.75)
    made = inspection.spawn("ball", dict(recipes()["ball"].first), (0.0, 5.0))
    assert made is not None
    everything = lines()
    run(inspection, 10)
    latest = len(inspection.time.history)  # the present moment, kept when it is left
    inspection.time.rewind(0)
    assert lines() == []
    assert not inspection.names.of(inspection.sim, made)
    inspection.time.rewind(number)
    assert lines() == changed
    inspection.time.rewind(latest)
    assert lines() == everything
    assert inspection.names.of(inspection.sim, made) == "ball-1"


def test_what_is_written_is_pending_at_no_earlier_moment(inspection: Inspection) -> None:
    run(inspection, 10)
    inspection.edit(None, None, field(None, "gravity"), (0.0, -5.0))
    run(inspection, 10)
    assert inspection.write()
    inspection.time.rewind(2)
    assert inspection.pending.lines() == []


def test_an_ended_game_can_be_gone_back_in(inspection: Inspection) -> None:
    run(inspection, 30)
    inspection.game.outcome = "lost"
    run(inspection, 2)
    assert inspection.session.state == "lost"
    inspection.time.rewind(1)
    assert inspection.session.state == "playing"
    assert inspection.game.outcome is None


def test_a_new_round_has_no_past(inspection: Inspection) -> None:
    run(inspection, 30)
    inspection.session.restart()
    assert inspection.time.history.ages() == []
    run(inspection, 1)
    assert len(inspection.time.history) == 1


def test_plots_show_energy_momentum_and_the_time_of_a_frame() -> None:
    sim = Simulation(world="measures", gravity=(0.0, -10.0))
    sim.spawn(*blueprints.ball((0.0, 5.0), 0.5, mass=2.0, velocity=(3.0, 0.0)))
    gone = sim.spawn(*blueprints.ball((9.0, 5.0), 0.5, mass=2.0, velocity=(3.0, 0.0)))
    sim.spawn(Particles([(4.0, 4.0)], mass=np.inf))
    sim.interpolated_positions()
    with sim:
        esper.delete_entity(gone, immediate=True)
    sim.interpolated_positions()
    measures = Measures()
    sim.get(sim.entities()[0], Particles).velocity[:] = (3.0, 4.0)
    assert measures.of(sim) == pytest.approx((25.0, 100.0, 6.0, 8.0))
    for number in range(2 * SPACING):
        measures.note(sim, float(number))
    assert [measures.series[name][-1] for name in NAMES] == pytest.approx(
        [25.0, 100.0, 6.0, 8.0, 2 * SPACING - 1]
    )
    assert measures.series[NAMES[-1]][-2] == SPACING - 1
    sim.close()


def test_energy_is_kept_in_free_fall(inspection: Inspection) -> None:
    inspection.edit(None, None, field(None, "speed_limit"), 1e9)
    run(inspection, 2)
    first = sum(inspection.measures.of(inspection.sim)[:2])
    run(inspection, 6)
    assert sum(inspection.measures.of(inspection.sim)[:2]) == pytest.approx(first, rel=0.02)
