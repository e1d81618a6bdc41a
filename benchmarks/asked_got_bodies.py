"""Asked, got, of whole bodies: mending, firmness, the capstan, soft bodies at speed, rest and
towers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import count

import numpy as np

from ecs_softbody import (
    Collider,
    DistanceLimits,
    Particles,
    PressureBody,
    Simulation,
    Springs,
    StaticCollider,
    blueprints,
)
from ecs_softbody.storage import world_processors

G = 9.81
Row = tuple[str, str, float, float]
WORLDS = count()


def world(solver: str, **options: object) -> Simulation:
    """Return a simulation with a floor at height 0."""
    sim = Simulation(world=f"asked of bodies {next(WORLDS)}", solver=solver, **options)  # type: ignore[arg-type]
    sim.spawn(StaticCollider([(-9999, 0), (9999, 0)]))
    return sim


def run(sim: Simulation, seconds: float) -> None:
    """Run frames of 1/60 s."""
    for _ in range(round(60 * seconds)):
        sim.step()


def area_of(ring: np.ndarray) -> float:
    """Return the signed area of a ring."""
    x, y = ring.T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def mending(solver: str) -> Iterator[Row]:
    """Area of bodies 15 s after they were turned inside out, over the one before."""
    for size in (0.05, 1.0, 5.0):
        for name in ("blob", "box"):
            sim = world(solver)
            place = (0.0, 0.5 * size)
            parts = (
                blueprints.blob(place, 0.5 * size)
                if name == "blob"
                else blueprints.box(place, size)
            )
            sim.spawn(*parts)
            run(sim, 1.0)
            body = parts[0]
            outline = parts[-1].outline
            before = area_of(body.position[outline])
            body.position *= (-1.0, 1.0)
            run(sim, 15.0)
            yield (
                f"{name} of {size:g} m, turned inside out: area",
                "",
                1.0,
                area_of(body.position[outline]) / before,
            )
            sim.close()


def firmness(solver: str) -> Iterator[Row]:
    """Height of blobs at rest over their diameter;
    that of a blob of 1 m with 32 substeps is asked.
    """
    cases = [
        {"substeps": 32},
        {"dt": 1 / 30},
        {"dt": 1 / 144},
        {"frequency": 5.0},
        {"frequency": 500.0},
        {"radius": 0.05},
        {"radius": 10.0},
        {"particles": 12},
        {"particles": 64},
    ]
    asked = math.nan
    for case in cases:
        options = dict(case)
        dt = options.pop("dt", 1 / 60)
        radius = options.pop("radius", 0.5)
        sim = world(solver, substeps=int(options.pop("substeps", 8)), sleeping=False)
        body, *rest = blueprints.blob((0, radius), radius, **options)  # type: ignore[arg-type]
        sim.spawn(body, *rest)
        for _ in range(int(6.0 * math.sqrt(max(radius / 0.5, 0.1)) / dt)):
            sim.step(dt)
        height = float(np.ptp(body.position[:, 1]) + 2 * body.radius[0]) / (2 * radius)
        asked = height if math.isnan(asked) else asked
        named = ", ".join(
            f"{name} 1/{1 / value:.0f}" if name == "dt" else f"{name} {value:g}"
            for name, value in case.items()
        )
        yield f"blob, {named}: height at rest over its diameter", "", asked, height
        sim.close()


def capstan(solver: str) -> Iterator[Row]:
    """Ratio of loads at which a rope of discs and one with an outline slip, half round a peg; μ is
    0.3.
    """
    asked = math.exp(0.3 * math.pi)
    yield (
        "rope half round a peg, friction 0.3: ratio of loads that slips",
        "",
        asked,
        slips_at(solver, 500.0),
    )
    got = slips_at(solver, 100.0, outline=True, substeps=16)
    yield "rope with an outline half round a peg, 16 substeps: the same", "", asked, got


def slips_at(solver: str, load: float, outline: bool = False, **options: object) -> float:
    """Return the ratio of two loads, of which the lighter one is that of so many links, at which a
    rope slips.
    """
    radius = 0.35
    link = 0.1
    hanging = 6
    light = 0.01
    arc = math.pi - np.linspace(0.0, math.pi, math.ceil(math.pi * radius / link) + 1)
    down = link * np.arange(hanging, 0, -1)
    place = np.vstack([
        np.column_stack((np.full(hanging, -radius), -down)),
        radius * np.column_stack((np.cos(arc), np.sin(arc))),
        np.column_stack((np.full(hanging, radius), -down[::-1])),
    ])  # fmt: skip
    sim = Simulation(
        world=f"asked of bodies {next(WORLDS)}", solver=solver, sleeping=False, **options
    )  # type: ignore[arg-type]
    sim.spawn(StaticCollider([(0.0, 0.0)], radius=0.3, friction=1.0))
    mass = np.full(len(place), light)
    mass[[0, -1]] = load * light
    rope = Particles(place, mass=mass, radius=0.05)
    pairs = np.column_stack((np.arange(len(place) - 1), np.arange(1, len(place))))
    limited = solver == "saturated" and not outline
    joined = DistanceLimits(pairs) if limited else Springs(pairs, stiffness=2e4, damping=10.0)
    edges = np.arange(len(place)) if outline else None
    sim.spawn(rope, joined, Collider(outline=edges, closed=False, friction=0.09))
    run(sim, 1.0)
    start = rope.position[0, 1]
    ratio = 1.0
    while rope.position[0, 1] - start < 0.01 and ratio < 4.0:
        ratio += 0.01
        rope.mass[-1] = ratio * load * light
        run(sim, 0.1)
    sim.close()
    return ratio


def at_speed(solver: str) -> Iterator[Row]:
    """How many of 12 shots of one body at another pass through it."""
    makers = (
        lambda: blueprints.blob((0, 0), 0.5),
        lambda: blueprints.box((0, 0), (0.15, 1.2), rows=9, columns=2),
    )
    passed = 0
    for make in makers:
        for speed in (70.0, 200.0):
            for ahead in (2.0, 2.11, 2.27):
                sim = Simulation(
                    world=f"asked of bodies {next(WORLDS)}", solver=solver, gravity=(0, 0)
                )
                one = make()
                two = make()
                one[0].position -= (ahead, 0.01)
                one[0].velocity[:, 0] = speed
                sim.spawn(*one)
                sim.spawn(*two)
                for _ in range(math.ceil(60.0 * ahead / speed) + 2):
                    sim.step()
                passed += bool(one[0].position[:, 0].min() > two[0].position[:, 0].max())
                sim.close()
    yield "blobs and thin jellies at 70 and 200 m/s: shots of 12 that pass", "", 0.0, float(passed)


def resting(solver: str) -> Iterator[Row]:
    """Time to sleep after a drop by the own height: no more than asked."""
    for name in ("blob", "box"):
        for size in (0.1, 1.0, 10.0):
            sim = world(solver)
            place = (0.0, 1.5 * size)
            parts = (
                blueprints.blob(place, 0.5 * size)
                if name == "blob"
                else blueprints.box(place, size)
            )
            sim.spawn(*parts)
            frames = 0
            while not sim.asleep_count and frames < 3600:
                sim.step()
                frames += 1
            yield (
                f"{name} of {size:g} m, dropped by its height: asleep after, at most",
                "s",
                3 * size**0.5,
                frames / 60,
            )
            sim.close()


def towers(solver: str) -> Iterator[Row]:
    """How many boxes of a tower are still above each other after a minute."""
    for name, size, stiffness in (
        ("default boxes", 8, None),
        ("crates", 12, 1e6),
        ("crates", 20, 1e6),
    ):
        sim = world(solver)
        bodies = []
        for k in range(size):
            parts = blueprints.box((0.0, 0.5 + k), 1.0, shape_stiffness=stiffness)
            bodies.append(parts[0])
            sim.spawn(*parts)
        run(sim, 60.0)
        middle = np.array([body.position.mean(axis=0) for body in bodies])
        steps = np.flatnonzero(
            (np.diff(middle[:, 1]) < 0.9) | (np.abs(np.diff(middle[:, 0])) > 0.5)
        )
        yield (
            f"tower of {size} {name}: stand after a minute",
            "",
            size,
            float(steps[0] + 1 if len(steps) else size),
        )
        sim.close()


def energies(solver: str) -> Iterator[Row]:
    """Energy of an undamped ring of gas that bounces for a minute: the mean of its last ten
    seconds.
    """
    count = 24
    radius = 0.5
    stiffness = 2000.0
    pressure = 60.0
    around = 2.0 * np.pi * np.arange(count) / count
    length = 2.0 * radius * math.sin(math.pi / count)
    area = 0.5 * count * radius**2 * math.sin(2.0 * math.pi / count)
    rest = length - pressure * radius * math.cos(math.pi / count) / stiffness
    for substeps in (2, 4, 8):
        sim = world(solver, substeps=substeps)
        body = Particles(
            radius * np.column_stack((np.cos(around), np.sin(around))) + (0.0, 2.0),
            mass=1.0 / count,
            radius=0.03,
        )
        skin = Springs(
            np.column_stack((np.arange(count), np.roll(np.arange(count), -1))),
            stiffness=stiffness,
            rest_length=rest,
        )
        collider = Collider(
            outline=range(count), friction=0.0, restitution=1.0, rolling_resistance=0.0
        )
        sim.spawn(body, skin, PressureBody(range(count), nRT=pressure * area), collider)

        def energy(body: Particles = body) -> float:
            place = body.position
            edges = np.hypot(*(np.roll(place, -1, axis=0) - place).T)
            moving = 0.5 * float((body.mass[:, None] * body.velocity**2).sum()) + G * float(
                body.mass @ place[:, 1]
            )
            elastic = 0.5 * stiffness * float(((edges - rest) ** 2).sum())
            return moving + elastic - pressure * area * math.log(area_of(place) / area)

        first = energy()
        found = []
        for _ in range(3600):
            sim.step()
            found.append(energy())
        name = f"undamped ring with restitution 1, {substeps} substeps: energy after a minute"
        yield name, "", 1.0, float(np.mean(found[-600:])) / first
        sim.close()


def order(solver: str) -> Iterator[Row]:
    """How many stages share a number."""
    with world(solver) as sim:
        numbers = [processor.priority for processor in world_processors()]
    yield (
        "stages that share a number with another one",
        "",
        0.0,
        float(len(numbers) - len(set(numbers))),
    )
    sim.close()


def rows(solver: str) -> Iterator[Row]:
    """Return all of them, without warnings."""
    warnings.simplefilter("ignore")
    for kind in (mending, firmness, capstan, at_speed, resting, towers, energies, order):
        yield from kind(solver)
