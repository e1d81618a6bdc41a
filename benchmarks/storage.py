"""What storage costs: spawning, deleting and changing bodies, and reading everything at once, with
pymunk beside it.

python benchmarks/storage.py
"""

from __future__ import annotations

import functools
import math
import operator
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import esper
import numpy as np

from ecs_softbody import Drag, Particles, Simulation, StaticCollider, blueprints

ROUNDS = 60
QUICK_ROUNDS = 3
PYMUNK_CROWD = 50
PARTICLES = 10_000
Place = tuple[float, float]
BLOB = "a blob of 24 particles and 60 springs"
BALL = "a ball"
PITCH = 1.5
OURS = "ecs_softbody"
PYMUNK = "pymunk"


@dataclass
class Cost:
    """What one thing takes in one engine."""

    what: str
    engine: str
    milliseconds: float
    """CPU time, median."""


def time_of(run: Callable[[], object]) -> float:
    """Return the CPU time of a call [ms]."""
    start = time.process_time()
    run()
    return 1e3 * (time.process_time() - start)


def median_of(run: Callable[[], object], rounds: int) -> float:
    """Return the median CPU time of a call [ms]; the first call does not count."""
    run()
    return float(np.median([time_of(run) for _ in range(rounds)]))


def crowd(count: int) -> tuple[Simulation, list[int]]:
    """Return a simulation of blobs that do not touch, without gravity, after its first step."""
    sim = Simulation(gravity=(0.0, 0.0), world=f"crowd {count}", sleeping=False)
    columns = math.ceil(math.sqrt(count))
    entities = [
        sim.spawn(*blueprints.blob(((number % columns) * PITCH, (number // columns) * PITCH), 0.5))
        for number in range(count)
    ]
    sim.step()
    return sim, entities


def cut_costs(count: int, rounds: int) -> tuple[float, float]:
    """Return the time of a frame in which one line cuts so many blobs [ms], and of one in which the
    halves are made.

    The halves are blobs of the size of a half, by their blueprint. Medians.
    """
    spent: list[tuple[float, float]] = []
    for number in range(rounds + 1):
        with Simulation(gravity=(0.0, 0.0), world=f"cuts {number}", sleeping=False) as sim:
            for place in range(count):
                sim.spawn(*blueprints.blob((place * PITCH, 0.0), 0.5))
            sim.step()
            spent.append(
                (
                    time_of(functools.partial(_cut, sim)),
                    time_of(functools.partial(_make_halves, sim, count)),
                )
            )
            sim.close()
    cut, made = np.median(spent[1:], axis=0).tolist()
    return cut, made


def _cut(sim: Simulation) -> None:
    sim.cut((-PITCH, 0.0), (1e3, 0.0))
    sim.step()


def _make_halves(sim: Simulation, count: int) -> None:
    for place in range(2 * count):
        sim.spawn(*blueprints.blob((place * PITCH, 50.0), 0.35))
    sim.step()


def structure_costs(count: int, rounds: int) -> tuple[float, float, float, float]:
    """Return the time of a frame of blobs [ms], and what spawning, deleting and changing one in it
    adds.
    """
    sim, entities = crowd(count)

    def spawn() -> None:
        entities.append(sim.spawn(*blueprints.blob((-10.0, 0.0), 0.5)))
        sim.step()

    def delete() -> None:
        sim.despawn(entities.pop())
        sim.step()

    def change() -> None:
        with sim:
            if esper.has_component(entities[0], Drag):
                esper.remove_component(entities[0], Drag)
            else:
                esper.add_component(entities[0], Drag(linear=0.1))
        sim.step()

    calls = (sim.step, spawn, delete, change)
    for call in calls:
        call()
    spent = np.array([[time_of(call) for call in calls] for _ in range(rounds)])
    frame, spawning, deleting, changing = np.median(spent, axis=0)
    sim.close()
    return float(frame), float(spawning - frame), float(deleting - frame), float(changing - frame)


def crowd_costs(count: int, rounds: int) -> list[Cost]:
    """Return what it takes to build, to spawn and to delete one body [ms], of `count` that come and
    go at once.
    """
    kinds: tuple[tuple[str, Callable[[Place], tuple[object, ...]]], ...] = (
        (BLOB, lambda place: blueprints.blob(place, 0.5)),
        (BALL, lambda place: blueprints.ball(place, 0.5)),
    )  # fmt: skip
    found = []
    for name, build in kinds:
        spent = (
            np.median([_come_and_go(build, count) for _ in range(max(rounds // 10, 2))], axis=0)
            / count
        )
        for what, milliseconds in zip(
            ("building it", "spawning it", "deleting it"), spent, strict=True
        ):
            found.append(Cost(f"{name}, one of {count}: {what}", OURS, float(milliseconds)))
    return found


def _come_and_go(
    build: Callable[[Place], tuple[object, ...]], count: int
) -> tuple[float, float, float]:
    sim = Simulation(gravity=(0.0, 0.0), world="come and go", sleeping=False)
    built: list[tuple[object, ...]] = []
    entities: list[int] = []

    def spawn() -> None:
        entities.extend(sim.spawn(*components) for components in built)
        built.clear()
        with sim:
            sim.buffers.synchronise()

    def delete() -> None:
        with sim:
            for entity in entities:
                esper.delete_entity(entity, immediate=True)
            sim.buffers.synchronise()

    building = time_of(lambda: built.extend(build((2.0 * number, 0.0)) for number in range(count)))
    spent = building, time_of(spawn), time_of(delete)
    sim.close()
    return spent


def place_of(number: int) -> tuple[float, float]:
    """Return where a ball of the heap starts: columns in a room,
    so that they rest on each other.
    """
    return 0.5 * (number % 100), 0.2 + 0.399 * (number // 100)


def reading_costs(count: int, rounds: int) -> list[Cost]:
    """Return what it takes to read positions,
    velocities and contacts of `count` balls in a heap.
    """
    sim = Simulation(world="reading", sleeping=False)
    for number in range(count):
        sim.spawn(*blueprints.ball(place_of(number), 0.2))
    sim.spawn(StaticCollider([(-1.0, 99.0), (-1.0, 0.0), (51.0, 0.0), (51.0, 99.0)]))
    for _ in range(20):
        sim.step()
    contacts = len(sim.contacts)
    with sim:

        def one_by_one() -> np.ndarray:
            return np.concatenate([body.position for _, body in esper.get_component(Particles)])

        found = [
            Cost(
                f"all positions of {count} bodies, component by component",
                OURS,
                median_of(one_by_one, rounds),
            ),
            Cost(
                f"all positions of {count} bodies, in bulk",
                OURS,
                median_of(sim.interpolated_positions, rounds),
            ),
            Cost(
                f"all {contacts} contacts: bodies, points, normals, impulses",
                OURS,
                median_of(lambda: sim.contacts, rounds),
            ),
        ]
    sim.close()
    return found


def pymunk_heap(count: int) -> Any:
    """Return the same heap in pymunk."""
    import pymunk

    space = pymunk.Space()
    space.gravity = (0.0, -9.81)
    for number in range(count):
        body = pymunk.Body(1.0, 0.02)
        body.position = place_of(number)
        space.add(body, pymunk.Circle(body, 0.2))
    for ends in (((-1, 99), (-1, 0)), ((-1, 0), (51, 0)), ((51, 0), (51, 99))):
        space.add(pymunk.Segment(space.static_body, *ends, 0.0))
    for _ in range(20):
        space.step(1.0 / 60.0)
    return space


def pymunk_costs(count: int, rounds: int) -> list[Cost]:
    """Return what the same takes in pymunk: attribute by attribute,
    and with its batch interface.
    """
    from pymunk import batch

    space = pymunk_heap(count)
    bodies = space.bodies
    memory = batch.Buffer()
    arbiters = batch.Buffer()
    fields = batch.BodyFields.POSITION
    names = ("BODY_A_ID", "BODY_B_ID", "NORMAL", "TOTAL_IMPULSE", "POINT_A_1", "DISTANCE_1")
    wanted = functools.reduce(operator.or_, (batch.ArbiterFields[name] for name in names))

    def in_bulk() -> np.ndarray:
        memory.clear()
        batch.get_space_bodies(space, fields, memory)
        return np.frombuffer(memory.float_buf()).reshape(-1, 2)

    def contacts() -> np.ndarray:
        arbiters.clear()
        batch.get_space_arbiters(space, wanted, arbiters)
        return np.frombuffer(arbiters.float_buf())

    contacts()
    touching = len(arbiters.int_buf()) // 16  # two numbers of bodies each

    def loop() -> np.ndarray:
        return np.array([body.position for body in bodies])

    return [
        Cost((f"all positions of {count} bodies, attribute by "
            "attribute"), PYMUNK, median_of(loop, rounds)),
        Cost(f"all positions of {count} bodies, pymunk.batch", PYMUNK, median_of(in_bulk, rounds)),
        Cost(f"all {touching} touching pairs, pymunk.batch", PYMUNK, median_of(contacts, rounds)),
        *pymunk_crowd_costs(space, rounds),
    ]  # fmt: skip


def pymunk_crowd_costs(space: Any, rounds: int) -> list[Cost]:
    """Return what it takes to build, to add and to remove a blob and a ball [ms]."""
    import pymunk

    def blob() -> list[Any]:
        bodies = [pymunk.Body(1.0, 1.0) for _ in range(24)]
        discs = [pymunk.Circle(body, 0.065) for body in bodies]
        springs = [
            pymunk.DampedSpring(
                bodies[k % 24], bodies[(k + 1 + k // 24) % 24], (0, 0), (0, 0), 0.1, 1.0, 0.1
            )
            for k in range(60)
        ]
        return [*springs, *discs, *bodies]

    def ball() -> list[Any]:
        body = pymunk.Body(1.0, 1.0)
        return [pymunk.Circle(body, 0.5), body]

    def once(build: Callable[[], list[Any]]) -> tuple[float, float, float]:
        added: list[list[Any]] = []
        building = time_of(lambda: added.extend(build() for _ in range(PYMUNK_CROWD)))
        adding = time_of(lambda: [space.add(*reversed(parts)) for parts in added])
        return building, adding, time_of(lambda: [space.remove(*parts) for parts in added])

    found = []
    for name, build in ((BLOB, blob), (BALL, ball)):
        spent = np.median([once(build) for _ in range(max(rounds // 10, 2))], axis=0) / PYMUNK_CROWD
        for what, milliseconds in zip(
            ("building it", "adding it", "removing it"), spent, strict=True
        ):
            found.append(Cost(f"{name}: {what}", PYMUNK, float(milliseconds)))
    return found


def costs(*, quick: bool = False, pymunk: bool = True) -> list[Cost]:
    """Measure everything; a quick run takes a tenth of the bodies and few rounds."""
    count, rounds = (PARTICLES // 10, QUICK_ROUNDS) if quick else (PARTICLES, ROUNDS)
    blobs = count // 10
    frame, spawning, deleting, changing = structure_costs(blobs, rounds)
    found = [
        Cost(f"a frame of {blobs} blobs that touch nothing", OURS, frame),
        Cost("... spawning one more blob in it adds", OURS, spawning),
        Cost("... deleting one adds", OURS, deleting),
        Cost("... adding or removing a component of one adds", OURS, changing),
        *crowd_costs(blobs, rounds),
        *reading_costs(count, rounds),
    ]
    return found + (pymunk_costs(count, rounds) if pymunk else [])


if __name__ == "__main__":
    for cost in costs():
        print(f"{cost.engine:14} {cost.milliseconds:8.3f} ms  {cost.what}")
