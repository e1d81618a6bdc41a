"""Snapshots: a restored world is the same, bit for bit, and so is what follows."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import esper
import numpy as np
import pytest

import ecs_softbody as e
from ecs_softbody import Particles, Simulation, SnapshotError, StaticCollider, blueprints
from ecs_softbody.collision.contacts.contact import ACTIVE_DISC, ACTIVE_EDGE, CONTACT
from ecs_softbody.state.saving import Arrays
from ecs_softbody.storage.saved import Saved
from tests.helpers.stepping import run_frames
from tests.snapshots.full_world import FRAME, run, spawn_everything


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("at", [0, 39, 54])
def test_what_follows_is_the_same_although_bodies_come_and_go(solver: str, at: int) -> None:
    sim = Simulation(world="snapshots", substeps=4, solver=solver)
    bodies = spawn_everything(sim)
    run(sim, bodies, range(at))
    snapshot = sim.snapshot()
    before = sim.component_hashes()
    first = run(sim, bodies, range(at, 80))
    for _ in range(2):
        sim.restore(snapshot)
        assert sim.component_hashes() == before
        assert run(sim, bodies, range(at, 80)) == first
    sim.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_file_goes_on_in_another_world_of_this_process(solver: str, tmp_path: Path) -> None:
    sim = Simulation(world="snapshots", substeps=4, solver=solver)
    bodies = spawn_everything(sim)
    run(sim, bodies, range(42))
    path = sim.snapshot().save(tmp_path / "moment.snapshot")
    before = sim.state_hash()
    first = run(sim, bodies, range(42, 75))
    other = Simulation(world="another", substeps=4, solver=solver)
    other.spawn(*blueprints.blob((0, 0), 1.0))
    other.step()
    other.restore(path)
    assert other.state_hash() == before
    assert run(other, bodies, range(42, 75)) == first
    assert sim.state_hash() == first[-1]
    sim.close()
    other.close()


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("how", [Simulation.step, Simulation.state_hash])
def test_a_world_that_has_grown_goes_back_without_another_snapshot(
    solver: str, how: Callable[..., Any]
) -> None:
    sim = Simulation(world="grown", solver=solver)
    for x in range(24):  # more rows than columns.LARGE
        sim.spawn(*blueprints.blob((x, 1), 0.4))
    sim.step()
    snapshot = sim.snapshot()
    before = sim.component_hashes()
    for x in range(24):
        sim.spawn(*blueprints.blob((x, 3), 0.4))
    how(sim)
    sim.restore(snapshot)
    assert sim.component_hashes() == before
    sim.close()


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_body_that_comes_after_going_back_finds_empty_rows(solver: str) -> None:
    sim = Simulation(world="shrunk", solver=solver)
    hashes = []
    sim.spawn(*blueprints.blob((0, 1), 0.4))
    sim.step()
    snapshot = sim.snapshot()
    for _ in range(2):
        box = sim.spawn(*blueprints.box((2, 1), 0.5))
        sim.step()
        hashes.append(sim.state_hash())
        # the tables grow
        large = sim.spawn(*blueprints.box((5, 3), 2.0, rows=16, columns=16))
        for entity in (large, box):
            sim.step()
            sim.despawn(entity)
        sim.step()
        sim.restore(snapshot)
    assert hashes[0] == hashes[1]
    sim.close()


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_points_slide_along_outlines_as_they_did(solver: str) -> None:
    sim = Simulation(world="sliding", solver=solver)
    sim.spawn(StaticCollider([(-3, 9), (-3, 0), (3, 0), (3, 9)]))
    for k in range(8):
        place = (-2 + 1.1 * (k % 4) + 0.1 * (k // 4), 0.6 + 1.2 * (k // 4))
        sim.spawn(*blueprints.blob(place, 0.5, velocity=(3 * (-1) ** k, -2)))
    for _ in range(60):
        snapshot = sim.snapshot()
        sim.step()
        expected = sim.state_hash()
        sim.restore(snapshot)
        sim.step()
        assert sim.state_hash() == expected
    sim.close()


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_angular_springs_that_want_no_angle_go_on_from_a_file(solver: str) -> None:
    sim = Simulation(world="folded", solver=solver)
    sim.spawn(
        Particles([(1, 0), (0, 0), (1, 0.5)]),
        e.AngularSprings([(0, 1, 2)], stiffness=5.0, rest_angle=0.0),
    )
    sim.step()
    other = Simulation(world="another", solver=solver)
    other.restore(sim.snapshot().to_bytes())
    sim.step()
    other.step()
    assert other.component_hashes() == sim.component_hashes()
    sim.close()
    other.close()


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_file_of_a_body_that_no_step_has_seen_is_read_where_one_has(solver: str) -> None:
    sim = Simulation(world="ropes", solver=solver)
    sim.spawn(*blueprints.rope((0, 5), (2, 5), pin_start=True))
    sim.step()
    sim.spawn(*blueprints.rope((0, 3), (2, 3), pin_start=True))
    data = sim.snapshot().to_bytes()
    sim.step()
    expected = sim.component_hashes()
    sim.restore(data)
    sim.step()
    assert sim.component_hashes() == expected
    sim.close()


@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_file_knows_nothing_of_components_that_came_after_it(solver: str) -> None:
    sims = [Simulation(world=name, solver=solver) for name in ("with gas", "without")]
    sims[0].spawn(*blueprints.box((0, 1), 1.0))
    data = sims[0].snapshot().to_bytes()
    for _ in range(3):
        sims[0].spawn(*blueprints.blob((0, 3), 0.5))
    sims[0].step()
    for each in sims:
        each.restore(data)
        each.spawn(*blueprints.blob((0, 3), 0.5))
        each.step()
    assert sims[0].component_hashes() == sims[1].component_hashes()
    for each in sims:
        each.close()


def test_a_file_goes_on_in_another_process(sim: Simulation, tmp_path: Path) -> None:
    bodies = spawn_everything(sim)
    run(sim, bodies, range(30))
    path = sim.snapshot().save(tmp_path / "moment.snapshot")
    expected = run(sim, bodies, range(100, 120))
    program = (
        "import sys; from ecs_softbody import Simulation\n"
        "sim = Simulation(world='elsewhere', substeps=4); sim.restore(sys.argv[1])\n"
        "for _ in range(20): sim.step(1 / 60); print(sim.state_hash())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == expected


@pytest.mark.parametrize("how", ["pinned", "kinematic"])
@pytest.mark.parametrize("frames", [3, 12, 27])
@pytest.mark.parametrize("make", [blueprints.box, blueprints.blob, blueprints.ball])
def test_what_was_pinned_since_goes_on_as_it_went(
    make: Callable[..., Any], frames: int, how: str
) -> None:
    """Which contacts reflect was found with the pin still in: bodies were 14 mm off in the next
    frame.
    """
    sim = Simulation(world="pinned since")
    sim.spawn(StaticCollider([(-8, 0), (8, 0)]))
    body = sim.spawn(*make((0, 0.6), 0.4, restitution=0.5, velocity=(0, -3)))
    run_frames(sim, frames)
    before = sim.snapshot()
    run_frames(sim, 1)
    then = sim.state_hash()
    getattr(sim.get(body, Particles), how)[0] = True
    run_frames(sim, 1)
    sim.restore(before)
    run_frames(sim, 1)
    assert sim.state_hash() == then
    sim.close()


def test_views_that_a_game_holds_stay_live(sim: Simulation) -> None:
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    particles = sim.get(blob, Particles)
    position = particles.position
    snapshot = sim.snapshot()
    before = particles.position.copy()
    sim.step()
    assert not np.array_equal(position, before)
    sim.restore(snapshot)
    assert np.array_equal(position, before)
    assert sim.get(blob, Particles) is particles
    assert np.shares_memory(position, particles.position)


def test_a_body_that_was_despawned_is_the_same_object_again(sim: Simulation) -> None:
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    particles = sim.get(blob, Particles)
    snapshot = sim.snapshot()
    sim.despawn(blob)
    sim.step()
    later = sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    assert not sim.exists(blob)
    sim.restore(snapshot)
    assert sim.get(blob, Particles) is particles
    assert not sim.exists(later)
    assert sim.spawn(*blueprints.ball((1, 1), 0.1)) == later


def test_sleepers_contacts_and_time_come_back(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    box = sim.spawn(*blueprints.box((0, 0.6), 1.0))
    for _ in range(240):
        sim.step()
    assert sim.is_asleep(box)
    snapshot = sim.snapshot()
    time = sim.time
    frame = sim.frame
    touching = sim.touching.copy()
    impulse = sim.contacts.impulse.copy()
    sim.explode((0.0, 0.2), radius=2.0, impulse=3.0)
    for _ in range(5):
        sim.step()
    assert not sim.is_asleep(box)
    sim.restore(snapshot)
    assert sim.is_asleep(box)
    assert (sim.time, sim.frame) == (time, frame)
    assert np.array_equal(sim.touching, touching)
    assert np.array_equal(sim.contacts.impulse, impulse)


def test_events_come_again_as_they_came(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    for k in range(3):
        sim.spawn(*blueprints.ball((k, 1 + 0.3 * k), 0.2, restitution=0.6))
    heard: list[tuple[str, int, float]] = []
    sim.on("contact_begin", lambda event: heard.append(("begin", event.entity_a, event.impulse)))
    sim.on("contact_end", lambda event: heard.append(("end", event.entity_a, event.impulse)))
    for _ in range(20):
        sim.step()
    snapshot = sim.snapshot()
    heard.clear()
    for _ in range(100):
        sim.step()
    first = list(heard)
    assert len(first) > 6
    heard.clear()
    sim.restore(snapshot)
    for _ in range(100):
        sim.step()
    assert heard == first


def test_a_file_knows_the_number_of_substeps(sim: Simulation) -> None:
    sim.substeps = 3
    data = sim.snapshot().to_bytes()
    other = Simulation(world="a copy with substeps")
    other.restore(data)
    assert other.substeps == 3
    other.close()


def test_copies_and_pickles_are_refused(sim: Simulation) -> None:
    snapshot = sim.snapshot()
    for what in (sim, snapshot):
        with pytest.raises(TypeError, match=r"snapshot|copied"):
            copy.deepcopy(what)
        with pytest.raises(TypeError, match=r"snapshot|copied"):
            pickle.dumps(what)


def test_inside_a_step_nothing_is_taken_or_restored(sim: Simulation) -> None:
    refused = []

    class Asks(esper.Processor):
        def process(self, dt: float) -> None:
            for ask in (sim.snapshot, lambda: sim.restore(snapshot), sim.state_hash):
                with pytest.raises(RuntimeError, match="a step is running"):
                    ask()
                refused.append(ask)

    snapshot = sim.snapshot()
    sim.add_processor(Asks())
    sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    assert len(refused) == 12


def test_what_is_no_snapshot_of_this_world_is_refused(sim: Simulation) -> None:
    other = Simulation(world="other snapshots")
    with pytest.raises(ValueError, match="another simulation"):
        sim.restore(other.snapshot())
    with pytest.raises(ValueError, match="expected what `snapshot` returned"):
        sim.restore(3)  # type: ignore[arg-type]
    xpbd = Simulation(world="xpbd snapshots", solver="xpbd")
    with pytest.raises(SnapshotError, match="solver='saturated'"):
        xpbd.restore(sim.snapshot().to_bytes())
    for one in (other, xpbd):
        one.close()


def test_a_step_is_checked(sim: Simulation) -> None:
    bodies = spawn_everything(sim)
    run(sim, bodies, range(20))
    for _ in range(5):
        sim.checked_step(FRAME)

    class Forgets(esper.Processor):
        """Moves something by a number that no snapshot can know."""

        __slots__ = ()

        def process(self, dt: float) -> None:
            calls.append(1)
            sim.get(bodies[0], e.Particles).force[:, 0] += 0.1 * len(calls)

    calls: list[int] = []
    sim.add_processor(Forgets())
    with pytest.raises(SnapshotError, match=r"Particles"):
        sim.checked_step(FRAME)


def test_the_hash_tells_states_apart(sim: Simulation) -> None:
    blob = sim.spawn(*blueprints.blob((0, 3), 0.5))
    sim.step()
    before = sim.state_hash()
    of_parts = sim.component_hashes()
    assert len(before) == 32
    assert sim.state_hash() == before
    sim.get(blob, Particles).velocity[0, 0] += 1e-12
    assert sim.state_hash() != before
    now = sim.component_hashes()
    assert [name for name in now if now[name] != of_parts[name]] == ["Particles"]


def test_records_of_a_file_have_the_type_that_kernels_expect() -> None:
    """Where there is no library of kernels, numba tells types that are aligned by their flag from
    others.
    """
    for kind in (CONTACT, ACTIVE_DISC, ACTIVE_EDGE):
        written = Arrays()
        text = json.loads(json.dumps({"records": written.add(np.zeros(3, kind))}))
        read = Saved("contacts", text, Arrays(written.blobs).find).array("records", kind, (3,))
        assert read.dtype == kind
        assert read.dtype.isalignedstruct == kind.isalignedstruct
