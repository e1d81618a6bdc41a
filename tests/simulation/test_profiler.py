"""The profiler: off it changes nothing, on its parts add up to the frame."""

from __future__ import annotations

import time
from collections.abc import Iterator

import esper
import numpy as np
import pytest

from ecs_softbody import Order, Particles, Profiler, Simulation, StaticCollider, blueprints
from ecs_softbody.collision.pipeline import PHASES, run_phase
from ecs_softbody.simulation.pipeline import Pipeline
from ecs_softbody.simulation.profiler import FRAME_END
from tests.helpers.internals import collision_space, processors_of_the_world
from tests.helpers.stepping import run_frames


class Dawdle(esper.Processor):
    """A processor of a game that takes its time."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.runs = 0

    def process(self, dt: float) -> None:
        self.runs += 1
        until = time.perf_counter() + self.seconds
        while time.perf_counter() < until:
            pass


@pytest.fixture
def sim() -> Iterator[Simulation]:
    made = Simulation(world="profiled", sleeping=False)
    for number in range(3):
        made.spawn(*blueprints.blob((0.1 * number, 0.6 + 1.1 * number), 0.5))
    made.spawn(StaticCollider([(-5, 0), (5, 0)]))
    made.warmup()
    yield made
    made.close()


def state(sim: Simulation) -> np.ndarray:
    rows = sim.buffers[Particles].rows
    return np.concatenate([rows["position"], rows["velocity"]])


def tops(times: dict[str, float]) -> dict[str, float]:
    return {name: took for name, took in times.items() if ": " not in name}


def test_off_by_default_nothing_is_measured_or_wrapped(
    sim: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = []
    run_substep = Pipeline.run_substep
    monkeypatch.setattr(
        Pipeline, "run_substep", lambda self, dt: (called.append(dt), run_substep(self, dt))
    )
    monkeypatch.setattr(Profiler, "run_frame", lambda *_: pytest.fail("it ran"))
    sim.step()
    assert len(called) == sim.substeps
    assert (sim.profiler.enabled, sim.profiler.frames, sim.profiler.last, sim.profiler.mean) == (
        False,
        0,
        {},
        {},
    )
    assert sim.profiler.last_frame == sim.profiler.mean_frame == 0.0
    assert "no frame" in str(sim.profiler)
    assert collision_space(sim).run_phase is run_phase


def test_the_processors_add_up_to_the_frame(sim: Simulation) -> None:
    sim.add_processor(Dawdle(0.001))
    sim.profiler.enabled = True
    run_frames(sim, 5)
    profiler = sim.profiler
    assert profiler.frames == 5
    assert profiler.last["Dawdle"] >= sim.substeps * 1.0
    assert 0.7 * profiler.last_frame < sum(tops(profiler.last).values()) <= profiler.last_frame
    assert (
        0.7 * profiler.mean_frame
        < sum(tops(profiler.mean).values())
        <= profiler.mean_frame * 1.0001
    )
    assert all(took >= 0.0 for took in profiler.last.values())


def test_the_parts_lie_within_the_collision_stage(sim: Simulation) -> None:
    sim.profiler.enabled = True
    run_frames(sim, 20)
    spent = sim.profiler.mean
    parts = {name: took for name, took in spent.items() if ": " in name}
    assert set(parts) == {f"CollisionProcessor: {part}" for part in PHASES}
    assert sum(parts.values()) < spent["CollisionProcessor"]
    assert any(line.startswith("  contacts ") for line in str(sim.profiler).splitlines())
    names = list(spent)
    assert names.index("CollisionProcessor") + 1 == min(names.index(name) for name in parts)
    # after the frame everything is as it was
    assert collision_space(sim).run_phase is run_phase


def test_every_processor_of_the_world_appears_in_the_order_of_the_step(sim: Simulation) -> None:
    sim.add_processor(Dawdle(), Order.CUSTOM_FORCE)
    sim.profiler.enabled = True
    sim.step()
    assert list(tops(sim.profiler.last)) == [
        *(type(one).__name__ for one in processors_of_the_world()),
        FRAME_END,
    ]


def test_two_processors_of_one_name_share_an_entry(sim: Simulation) -> None:
    def process(self: esper.Processor, dt: float) -> None:
        time.sleep(0.0002)

    first, second = (type("Same", (esper.Processor,), {"process": process}) for _ in range(2))
    sim.add_processor(first())
    sim.add_processor(second())
    sim.profiler.enabled = True
    sim.step()
    assert sim.profiler.last["Same"] > 2 * sim.substeps * 0.2


def test_the_result_is_the_same_bit_for_bit() -> None:
    results = []
    for profiled in (False, True):
        sim = Simulation(world=f"profiled {profiled}")
        sim.spawn(*blueprints.blob((0, 0.8), 0.5))
        sim.spawn(*blueprints.box((0.2, 2.0), (0.8, 0.8)))
        sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
        sim.profiler.enabled = profiled
        run_frames(sim, 40)
        results.append(state(sim).copy())
        sim.close()
    np.testing.assert_array_equal(*results)


def test_an_exception_passes_through_and_its_frame_is_not_kept(sim: Simulation) -> None:
    class Fails(esper.Processor):
        def process(self, dt: float) -> None:
            raise KeyError("mine")

    sim.profiler.enabled = True
    sim.step()
    sim.add_processor(Fails())
    with pytest.raises(KeyError, match="mine"):
        sim.step()
    assert sim.profiler.frames == 1
    assert collision_space(sim).run_phase is run_phase
    esper.remove_processor(Fails)
    sim.step()
    assert sim.profiler.frames == 2


def test_it_may_be_switched_inside_a_step(sim: Simulation) -> None:
    class Switch(esper.Processor):
        def process(self, dt: float) -> None:
            sim.profiler.enabled = not sim.profiler.enabled

    sim.substeps = 3
    sim.add_processor(Switch())
    sim.step()  # off, on, off, on: from the next frame
    assert (sim.profiler.enabled, sim.profiler.frames) == (True, 0)
    sim.step()
    assert sim.profiler.enabled is False
    assert sim.profiler.last["Switch"] > 0.0
    sim.step()
    assert sim.profiler.frames == 0  # on again: afresh


def test_bodies_and_processors_may_come_and_go_inside_a_step(sim: Simulation) -> None:
    class Changes(esper.Processor):
        def process(self, dt: float) -> None:
            sim.despawn(sim.spawn(*blueprints.ball((9, 9), 0.2)))
            if esper.get_processor(Dawdle) is None:
                sim.add_processor(Dawdle(), Order.INTEGRATION)

    sim.add_processor(Changes())
    sim.profiler.enabled = True
    sim.step()
    assert sim.profiler.last["Dawdle"] >= 0.0
    esper.remove_processor(Dawdle)
    esper.remove_processor(Changes)
    sim.step()
    assert "Dawdle" not in sim.profiler.last
    assert "Dawdle" in sim.profiler.mean


def test_the_window_holds_the_last_frames(sim: Simulation) -> None:
    sim.profiler.enabled = True
    sim.profiler.window = 3
    run_frames(sim, 5)
    assert (sim.profiler.window, sim.profiler.frames) == (3, 3)


@pytest.mark.parametrize(
    ("field", "value"), [("enabled", 1), ("enabled", None), ("window", 0), ("window", 2.5)]
)
def test_what_cannot_be_is_refused(sim: Simulation, field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"Profiler.{field}: {value} is not allowed; expected"):
        setattr(sim.profiler, field, value)


def test_counts_and_the_table() -> None:
    sim = Simulation(world="counted")
    sim.spawn(*blueprints.ball((0, 0.2), 0.2))
    box = blueprints.box((3, 0.5), (1, 1))
    sim.spawn(*box)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    sim.profiler.enabled = True
    run_frames(sim, 200)
    counts = sim.profiler.counts
    particles = box[0]
    springs = box[1]
    assert counts["bodies"] == 2
    assert counts["asleep"] == sim.asleep_count == 2
    assert counts["particles"] == 1 + particles.row_count
    assert counts["springs"] == springs.row_count
    assert counts["contacts"] == len(sim.contacts) > 0
    table = str(sim.profiler).splitlines()
    assert table[0].split() == ["milliseconds", "last", "mean", "share"]
    assert table[1].startswith("PackingProcessor ")
    assert table[-2].startswith("whole frame (mean of 60)")
    assert table[-1].startswith("2 bodies, 2 asleep, ")
    sim.close()
