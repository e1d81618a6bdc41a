"""Asked, got: what the laws promise, beside what the library does, as a table for docs/physics.md.

python benchmarks/asked_got.py
It needs the extra `bench`, for pymunk.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np

from asked_got_bodies import rows
from asked_got_contacts import contact_rows
from asked_got_pymunk import results
from ecs_softbody import (
    Collider,
    DistanceLimits,
    Drag,
    Motor,
    Particles,
    ShapeMatching,
    Simulation,
    StaticCollider,
    blueprints,
)

G = 9.81
Row = tuple[str, str, float, float]
WORLDS = count()


def world(**options: object) -> Simulation:
    """Return a simulation with a floor at height 0, on which nothing falls asleep."""
    sim = Simulation(world=f"asked {next(WORLDS)}", sleeping=False, **options)  # type: ignore[arg-type]
    sim.spawn(StaticCollider([(-99, 0), (999, 0)], friction=1.0))
    return sim


def run(sim: Simulation, frames: int, each: Callable[[], float] = lambda: 0.0) -> list[float]:
    """Run frames of 1/60 s; return what `each` returns after every one."""
    found = []
    for _ in range(frames):
        sim.step()
        found.append(each())
    return found


def bounces(solver: str) -> Iterator[Row]:
    """How high the centres of bodies come back from 3 m."""
    kinds: dict[str, Callable[[float], tuple[object, ...]]] = {
        "ball": lambda e: blueprints.ball((0, 0), 0.1, restitution=e),
        "default box": lambda e: blueprints.box((0, 0), 1.0, restitution=e),
        "crate": lambda e: blueprints.box((0, 0), 1.0, shape_stiffness=1e6, restitution=e),
        "crate of four particles": lambda e: blueprints.box(
            (0, 0), 1.0, rows=2, columns=2, shape_stiffness=1e6, restitution=e
        ),
    }
    for name, make in kinds.items():
        for restitution in (0.0, 0.5, 0.8):
            sim = world(solver=solver)
            parts = make(restitution)
            body = parts[0]
            assert isinstance(body, Particles)
            radius = float(body.radius[0])
            body.position[:, 1] += 3.0 + radius - body.position[:, 1].min()
            below = float(body.position[:, 1].mean()) - 3.0
            sim.spawn(*parts)
            heights = run(
                sim, 150, lambda body=body, below=below: float(body.position[:, 1].mean()) - below
            )  # type: ignore[misc]
            lowest = int(np.argmin(heights[:60]))
            yield (
                f"{name}, restitution {restitution}: height after a fall of 3 m",
                "m",
                3 * restitution**2,
                max(heights[lowest:]),
            )
            sim.close()


def rolling(solver: str) -> Iterator[Row]:
    """How far what turns goes in a second."""
    for particles, radius, turning in (
        (8, 0.4, 5.0),
        (16, 0.4, 5.0),
        (32, 0.4, 5.0),
        (8, 0.6, 3.0),
        (8, 0.15, 4.0),
    ):
        sim = world(solver=solver)
        body, *rest = blueprints.wheel((0, radius), radius, mass=2, particles=particles)
        sim.spawn(Motor((None, sim.spawn(body, *rest)), speed=-turning, max_torque=50.0))
        run(sim, 150)
        start = float(body.position[:, 0].mean())
        run(sim, 300)
        way = (float(body.position[:, 0].mean()) - start) / 5
        yield (
            f"wheel of {particles} particles and {radius} m, turned by a motor: speed",
            "m/s",
            turning * radius,
            way,
        )
        sim.close()
    angle = math.radians(15)
    for share in (0.5, 0.9, 0.998):
        sim = world(solver=solver, gravity=(G * math.sin(angle), -G * math.cos(angle)))
        around = 2 * np.pi * np.arange(48) / 48
        ring = 0.5 * share * np.column_stack([np.cos(around), np.sin(around)]) + np.array(
            (0.0, 0.5)
        )
        body = Particles(ring, mass=1 / 48, radius=0.5 * (1 - share))
        collider = Collider(outline=range(48), friction=1.0, rolling_resistance=0.0)
        sim.spawn(body, ShapeMatching(stiffness=1e6, damping=10.0), collider)
        speeds = run(sim, 120, lambda body=body: float(body.velocity[:, 0].mean()))  # type: ignore[misc]
        want = G * math.sin(angle) / (1 + share**2)
        yield (
            f"hoop of r/R {share} on a slope of 15 degrees: acceleration",
            "m/s²",
            want,
            speeds[-1] - speeds[59],
        )
        sim.close()


def impacts(solver: str) -> Iterator[Row]:
    """Speed of the centre of a dumbbell after an impact at 3 m/s."""
    for restitution, length, substeps in (
        (0.0, 1.0, 8),
        (0.5, 1.0, 8),
        (1.0, 1.0, 8),
        (0.0, 0.3, 8),
        (0.0, 0.3, 4),
    ):
        sim = world(solver=solver, gravity=(0, 0), substeps=1)
        along = length * np.array([math.cos(math.radians(50)), math.sin(math.radians(50))])
        low = 0.5 + 0.05 * length
        radius = 0.05 * length
        body = Particles(
            [(0.0, low), (along[0], low + along[1])], mass=1.0, radius=radius, velocity=(0.0, -3.0)
        )
        rod = DistanceLimits([(0, 1)], minimum=[length], maximum=[length])
        sim.spawn(body, Collider(restitution=restitution, friction=0.0), rod)
        while body.velocity[:, 1].max() < -2.99:
            sim.step(1 / 60 / substeps)
        for _ in range(3):
            sim.step(1 / 60 / substeps)
        want = (1 + restitution) * 3.0 / (1 / 2 + (along[0] / length) ** 2 / 2) / 2 - 3.0
        name = (
            f"dumbbell of {length} m, {substeps} substeps, restitution {restitution}: speed "
            "after an impact at 3 m/s"
        )
        yield name, "m/s", want, float(body.velocity[:, 1].mean())
        sim.close()


def loads(solver: str) -> Iterator[Row]:
    """What 1 kg with drag presses on the ground with."""
    for coefficient in (0.0, 10.0, 5000.0):
        sim = world(solver=solver)
        sim.spawn(
            Particles([(0.0, 0.1)], mass=1.0, radius=0.1), Collider(), Drag(linear=coefficient)
        )
        run(sim, 120)
        yield (
            f"1 kg with drag of {coefficient:g} N·s/m: load",
            "N",
            G,
            60 * float(sim.contacts.impulse.sum()),
        )
        sim.close()


def standing(solver: str) -> Iterator[Row]:
    """Height of the default blob at rest, against that with 32 substeps."""
    heights = {}
    for substeps in (32, 2, 4, 8):
        sim = world(solver=solver, substeps=substeps)
        body, *rest = blueprints.blob((0, 0.5), 0.5)
        sim.spawn(body, *rest)
        run(sim, 300)
        heights[substeps] = float(body.position[:, 1].max() + body.radius[0])
        if substeps != 32:
            yield (
                f"blob of 1 m at {substeps} substeps: height at rest",
                "m",
                heights[32],
                heights[substeps],
            )
        sim.close()


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    of_pymunk = {case: f"{result:z.3f}" for case, result in results()}
    print("| case | asked | `saturated` | `xpbd` | pymunk |\n| --- | --- | --- | --- | --- |")
    for kind in (contact_rows, bounces, rolling, impacts, loads, standing, rows):
        for (case, unit, asked, one), (_, _, _, other) in zip(
            kind("saturated"), kind("xpbd"), strict=True
        ):
            print(
                f"| {case} | {asked:z.3f} {unit} | {one:z.3f} | {other:z.3f} | "
                f"{of_pymunk.pop(case, '')} |"
            )
    assert not of_pymunk, f"no case has this name: {', '.join(of_pymunk)}"


if __name__ == "__main__":
    main()
