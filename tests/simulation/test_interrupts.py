"""Ctrl-C at any instant leaves a world that goes on, and esper in the world that it was in."""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import esper
import numpy as np
import pytest

import ecs_softbody
from ecs_softbody import Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.parallel import workers
from ecs_softbody.state import Snapshot
from tests.helpers.internals import share_every_frame

ENGINE = (str(Path(ecs_softbody.__file__).parent), str(Path(esper.__file__).parent))
ELSEWHERE = "elsewhere"
PATIENCE = 5.0
"""How long an alarm of a few milliseconds may take on a busy machine [s]."""

Act = Callable[[Simulation, list[int], Snapshot], object]


class Wind(esper.Processor):
    """A processor of a maker's own."""

    def process(self, dt: float) -> None:
        for _, body in esper.get_component(Particles):
            body.force[:, 0] += 0.1


def told(*event: object) -> None:
    """Hear an event."""


def made(name: str) -> tuple[Simulation, list[int]]:
    """Return a world that has begun, with what a handler and a processor of the maker's see."""
    sim = Simulation(world=name, substeps=2)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    bodies = [sim.spawn(*blueprints.blob((0, 0.5 + 1.1 * k), 0.5, particles=8)) for k in range(3)]
    sim.spawn(Springs([(0, 0)], stiffness=10.0, between=(bodies[0], bodies[1])))
    for event in ("link_removed", "body_cut", "contact_begin"):
        sim.on(event, told)
    sim.add_processor(Wind())
    sim.step()
    return sim, bodies


def replace(sim: Simulation, bodies: list[int], before: Snapshot) -> None:
    sim.despawn(bodies[0])
    sim.spawn(*blueprints.blob((2, 3), 0.5, particles=8))
    sim.step()


def enter(sim: Simulation, bodies: list[int], before: Snapshot) -> None:
    with sim:
        sim.spawn(*blueprints.ball((3, 3), 0.3))
    with sim:
        pass


ACTS: dict[str, Act] = {
    "step": lambda sim, bodies, before: sim.step(),
    "despawn and spawn": replace,
    "cut": lambda sim, bodies, before: sim.cut((-2, 1.6), (2, 1.6)),
    "restore": lambda sim, bodies, before: sim.restore(before),
    "with": enter,
    "ask": lambda sim, bodies, before: (
        sim.center(bodies[0]),
        sim.entities(Particles),
        sim.snapshot(),
    ),
    "close": lambda sim, bodies, before: sim.close(),
}


class Interruption:
    """Sends SIGINT before one line of the engine or of esper, counted from 1."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.lines = 0
        self.came = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        self.trace(frame, event, argument)
        return self.trace

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event in ("call", "line") and not frame.f_code.co_filename.endswith("holding.py"):
            self.lines += 1
            if self.lines == self.at:
                self.came = True
                signal.raise_signal(signal.SIGINT)
        return self.trace


def goes_on(sim: Simulation, before: Snapshot) -> None:
    """Assert that a world can do all that it could."""
    assert esper.current_world == ELSEWHERE
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if sim.closed:
        return
    sim.step()
    sim.spawn(*blueprints.blob((2, 3), 0.5, particles=8))
    sim.step()
    sim.despawn(sim.entities(Particles)[-1])
    sim.step()
    sim.restore(before)
    sim.step()
    assert np.isfinite(sim.buffers[Particles].rows["position"]).all()
    sim.close()


def interrupted(name: str, at: int) -> Interruption:
    """Do something that is interrupted at a line, and assert that the world goes on."""
    sim, bodies = made(f"{name} {at}")
    before = sim.snapshot()
    interruption = Interruption(at)
    esper.switch_world(ELSEWHERE)
    caught = False
    traced = sys.gettrace()
    sys.settrace(interruption)
    try:
        ACTS[name](sim, bodies, before)
    except KeyboardInterrupt:
        caught = True
    finally:
        sys.settrace(traced)
    assert caught == interruption.came, "an interrupt that came is told"
    goes_on(sim, before)
    return interruption


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Let Ctrl-C be as in a program, whatever runs the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def alone() -> Iterator[None]:
    """Let the garbage collector call nobody and see nothing of other tests: Python drops what is
    raised there.

    Hypothesis times every collection in a callback, in which 42 of 60 alarms were lost once the
    heap of the other tests made collections long.
    """
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.callbacks[:] = callbacks


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTS)
def test_a_world_goes_on_wherever_it_was_interrupted(name: str) -> None:
    lines = interrupted(name, 0).lines
    for at in range(1, lines + 1, max(1, lines // 60)):
        interrupted(name, at)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms here")
@pytest.mark.usefixtures("alone")
def test_a_world_goes_on_after_hundreds_of_alarms(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "processor_count", lambda: 2)

    def ring(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    sim, bodies = made("alarms")
    sim.threads = threads
    if threads > 1:
        share_every_frame(sim)
    start = sim.snapshot()
    random = np.random.default_rng(3)
    caught = 0
    lost = 0
    esper.switch_world(ELSEWHERE)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        while caught < 300:
            try:
                rings_by = time.monotonic() + PATIENCE
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 4e-3))
                while time.monotonic() < rings_by:
                    sim.step()
                    replace(sim, bodies, start)
                    sim.has(bodies[2], Particles)
                    sim.restore(start)
                lost += 1  # Python drops what is raised while an object dies
                assert lost < 3, "interrupts do nothing"
            except KeyboardInterrupt:
                caught += 1
                assert esper.current_world == ELSEWHERE
                sim.restore(start)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    goes_on(sim, start)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarms here")
@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", ["again", "one of many"])
def test_no_alarm_is_lost_while_simulations_are_dropped(name: str) -> None:
    """They are found while Python does something else, and end with the next one."""
    rung = 0

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal rung
        rung += 1
        raise KeyboardInterrupt

    random = np.random.default_rng(4)
    caught = 0
    count = 0
    esper.switch_world(ELSEWHERE)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        while rung < 60:
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 2e-2))
                was = rung
                while rung == was:
                    count += 1
                    sim = Simulation(world=name if name == "again" else f"{name} {count}")
                    sim.spawn(*blueprints.ball((0, 1), 0.3))
                    del sim
                    gc.collect()
            except KeyboardInterrupt:
                caught += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert caught == rung
    gc.collect()
    Simulation(world="the last one").close()
    assert not [world for world in esper.list_worlds() if world.startswith(name)]


class Breaks(esper.Processor):
    """Is interrupted in a maker's own code, as in a loop that never ends."""

    def __init__(self) -> None:
        self.after = False

    def process(self, dt: float) -> None:
        signal.raise_signal(signal.SIGINT)
        self.after = True


def test_an_interrupt_comes_at_once_in_code_of_the_makers() -> None:
    sim = Simulation(world="own code")
    breaks = Breaks()
    sim.add_processor(breaks)
    esper.switch_world(ELSEWHERE)
    with pytest.raises(KeyboardInterrupt):
        sim.step()
    assert not breaks.after
    assert esper.current_world == ELSEWHERE
    sim.on("contact_begin", lambda event: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt), sim:
        signal.raise_signal(signal.SIGINT)
    assert esper.current_world == ELSEWHERE


def test_a_second_interrupt_does_not_wait_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step may take minutes, where kernels are compiled: who interrupts it twice gets out, and is
    told of it.
    """
    sim = Simulation(world="impatient")
    sim.spawn(*blueprints.ball((0, 3), 0.5))
    now = time.monotonic()
    later = iter([0.0, 1.0, 3.0])
    monkeypatch.setattr(time, "monotonic", lambda: now + next(later))

    def press_often(*given: object) -> None:
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)

    # esper itself calls it: the engine does not know it for a maker's
    esper.set_handler("body_frozen", press_often)
    [(_, body)] = esper.get_component(Particles)
    body.position[:] = np.nan
    with pytest.raises(KeyboardInterrupt), pytest.warns(ecs_softbody.FrozenBodyWarning):
        sim.step()
    with pytest.raises(RuntimeError, match="a second interrupt tore it out"):
        sim.step()


def test_a_handler_that_a_program_sets_meanwhile_stays() -> None:
    sim = Simulation(world="own handler")

    def own(number: int, frame: FrameType | None) -> None:
        """Be called for Ctrl-C."""

    with sim:
        sim.step()
        signal.signal(signal.SIGINT, own)
    assert signal.getsignal(signal.SIGINT) is own
