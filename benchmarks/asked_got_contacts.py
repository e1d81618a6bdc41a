"""Asked, got, of contacts: rolling, Coulomb's law, energy, cradles, a gas and seams."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count, pairwise

import numpy as np

from asked_got_bodies import G, Row, run
from ecs_softbody import Collider, DistanceLimits, Particles, Simulation, StaticCollider, blueprints

WORLDS = count()
FRICTION = 0.3
ANGLE_OF_FRICTION = math.degrees(math.atan(FRICTION))


def world(solver: str, *, degrees: float = 0.0, **options: object) -> Simulation:
    """Return a simulation whose gravity is that on a slope."""
    angle = math.radians(degrees)
    gravity = (G * math.sin(angle), -G * math.cos(angle))
    return Simulation(
        world=f"asked of contacts {next(WORLDS)}", solver=solver, gravity=gravity, **options
    )  # type: ignore[arg-type]


def balls_that_roll(solver: str) -> Iterator[Row]:
    """A ball rolls down a slope, and rolls on after a slide."""
    sim = world(solver, degrees=15)
    sim.spawn(StaticCollider([(-9, 0), (99, 0)], friction=1.0))
    parts = blueprints.ball((0, 0.2), 0.2, friction=1.0)
    sim.spawn(*parts)
    run(sim, 2.0)
    wanted = 2 / 3 * G * math.sin(math.radians(15))
    yield (
        "ball on a slope of 15 degrees: acceleration",
        "m/s²",
        wanted,
        float(parts[0].velocity[0, 0]) / 2.0,
    )
    sim.close()
    sim = world(solver)
    sim.spawn(StaticCollider([(-9, 0), (99, 0)], friction=0.5))
    parts = blueprints.ball((0, 0.2), 0.2, friction=0.5, velocity=(3.0, 0.0))
    sim.spawn(*parts)
    run(sim, 2.0)
    yield (
        "ball that slid at 3 m/s: speed at which it rolls on",
        "m/s",
        2.0,
        float(parts[0].velocity[0, 0]),
    )
    sim.close()


def sliders() -> dict[str, Callable[[], tuple[object, ...]]]:
    """Return what slides, 0.4 m wide, on the height 0."""
    return {
        "crate": lambda: blueprints.box(
            (0, 0.2), 0.4, rows=2, columns=2, shape_stiffness=1e6, friction=FRICTION
        ),
        "box": lambda: blueprints.box((0, 0.2), 0.4, friction=FRICTION),
        "rope": lambda: blueprints.rope(
            (-0.2, 0.02), (0.2, 0.02), thickness=0.04, friction=FRICTION, air=0.0
        ),
        "dumbbell": lambda: (
            Particles([(-0.2, 0.1), (0.2, 0.1)], radius=0.1),
            DistanceLimits([(0, 1)], minimum=0.4, maximum=0.4),
            Collider(friction=FRICTION),
        ),
    }


def grounds() -> dict[str, Callable[[Simulation], object]]:
    """Return what they slide on."""

    def seams(sim: Simulation) -> None:
        for left, right in pairwise(np.arange(-2.0, 30.0, 0.5)):
            sim.spawn(StaticCollider([(left, 0), (right, 0)], friction=FRICTION))

    def pinned(sim: Simulation) -> None:
        place = np.array([(-2, -1), (30, -1), (30, 0), (-2, 0)], float)
        body = Particles(place, pinned=True, radius=1e-6)
        sim.spawn(body, Collider(outline=range(4), friction=FRICTION))

    def riding(sim: Simulation) -> None:
        place = np.array([(-2, -1), (30, -1), (30, 0), (-2, 0)], float)
        body = Particles(place, kinematic=True, radius=1e-6, velocity=(2.0, 0.0))
        sim.spawn(body, Collider(outline=range(4), friction=FRICTION))

    return {
        "a wall": lambda sim: sim.spawn(StaticCollider([(-2, 0), (30, 0)], friction=FRICTION)),
        "a floor of short walls": seams,
        "a pinned body": pinned,
        "a body that moves at 2 m/s": riding,
    }


def slide(solver: str, slider: str, ground: str, degrees: float) -> float:
    """Return what a slider gains in a second on a slope, or with less than the angle of friction
    how fast it goes.
    """
    sim = world(solver, degrees=degrees)
    grounds()[ground](sim)
    parts = sliders()[slider]()
    body = parts[0]
    assert isinstance(body, Particles)
    moves = 2.0 if "moves" in ground else 0.0
    body.velocity[:, 0] += moves
    sim.spawn(*parts)
    run(sim, 0.5)
    before = float(body.velocity[:, 0].mean()) if degrees > ANGLE_OF_FRICTION else moves
    run(sim, 1.0)
    gained = float(body.velocity[:, 0].mean()) - before
    sim.close()
    return gained


def coulomb(solver: str) -> Iterator[Row]:
    """Everything slides down a slope of 30 degrees as Coulomb says, and holds on one of 15."""
    wanted = G * (math.sin(math.radians(30)) - FRICTION * math.cos(math.radians(30)))
    for slider in sliders():
        gained = [slide(solver, slider, ground, 30.0) for ground in grounds()]
        worst = max(gained, key=lambda one: abs(one - wanted))
        yield (
            f"{slider} on 30 degrees with μ = 0.3, the worst of four grounds: acceleration",
            "m/s²",
            wanted,
            worst,
        )
        worst = max(abs(slide(solver, slider, ground, 15.0)) for ground in grounds())
        yield (
            f"{slider} on 15 degrees with μ = 0.3, the worst of four grounds: speed",
            "m/s",
            0.0,
            worst,
        )


def bouncers() -> dict[str, Callable[[], tuple[object, ...]]]:
    """Return bodies that bounce with restitution 1, at a height of 2 m."""
    made_of = {"restitution": 1.0, "friction": 0.0}
    triangle = [(-0.3, 1.8), (0.3, 1.8), (0.0, 2.3)]
    sides = [math.dist(triangle[i], triangle[(i + 1) % 3]) for i in range(3)]
    around = 2 * np.pi * np.arange(6) / 6
    hexagon = 0.3 * np.column_stack([np.cos(around), np.sin(around)]) + (0.0, 2.0)
    return {
        "ball": lambda: blueprints.ball((0, 2), 0.2, **made_of),
        "box": lambda: blueprints.box((0, 2), 0.5, angle=0.3, **made_of),
        "crate": lambda: blueprints.box(
            (0, 2), 0.5, rows=2, columns=2, shape_stiffness=1e6, angle=0.3, **made_of
        ),
        "plate": lambda: blueprints.box((0, 2), (1.0, 0.1), angle=0.3, **made_of),
        "triangle": lambda: blueprints.polygon(triangle, **made_of),
        "hexagon": lambda: blueprints.polygon(hexagon, **made_of),
        "blob": lambda: blueprints.blob((0, 2), 0.3, **made_of),
        "wheel": lambda: blueprints.wheel((0, 2), 0.3, **made_of),
        "dumbbell": lambda: (
            Particles([(-0.2, 1.9), (0.2, 2.1)], radius=0.1),
            DistanceLimits([(0, 1)], minimum=math.hypot(0.4, 0.2), maximum=math.hypot(0.4, 0.2)),
            Collider(**made_of),
        ),
        "triangle of rods": lambda: (
            Particles(triangle, radius=0.1),
            DistanceLimits([(0, 1), (1, 2), (2, 0)], minimum=sides, maximum=sides),
            Collider(**made_of),
        ),
    }


def energies(solver: str) -> Iterator[Row]:
    """How much of their energy bodies with restitution 1 have after ten seconds, and at most."""
    for name, make in bouncers().items():
        sim = world(solver, sleeping=False)
        sim.spawn(StaticCollider([(-99, 0), (99, 0)], friction=0.0, restitution=1.0))
        parts = make()
        body = parts[0]
        assert isinstance(body, Particles)
        sim.spawn(*parts)
        found = []
        for _ in range(600):
            sim.step()
            mass = 1.0 / body.inverse_mass
            velocity = body.velocity
            found.append(float(mass @ (0.5 * (velocity**2).sum(axis=1) + G * body.position[:, 1])))
        ratios = np.array(found) / found[0]
        yield (
            f"{name} with restitution 1: energy of its motion in 10 s, at most",
            "",
            1.0,
            float(ratios.max()),
        )
        yield (
            f"{name} with restitution 1: the same in the last second",
            "",
            1.0,
            float(ratios[-60:].mean()),
        )
        sim.close()


def cradles(solver: str) -> Iterator[Row]:
    """How high the last of five balls on strings rises, over the height of the first."""
    for gap in (0.0, 0.002):
        sim = world(solver, sleeping=False)
        bodies = []
        for i in range(5):
            x = i * (0.2 + gap)
            angle = math.radians(40) if i == 0 else 0.0
            hook = sim.spawn(Particles([(x, 0)], pinned=True))
            parts = blueprints.ball(
                (x - math.sin(angle), -math.cos(angle)), 0.1, restitution=1.0, friction=0.0
            )
            sim.spawn(DistanceLimits([(0, 0)], maximum=1.0, between=(hook, sim.spawn(*parts))))
            bodies.append(parts[0])
        top = 0.0
        for _ in range(66):
            sim.step()
            top = max(top, 1.0 + float(bodies[-1].position[0, 1]))
        name = (
            f"cradle on strings with gaps of {1000 * gap:g} mm: height of the last ball over "
            "that of the first"
        )
        yield name, "", 1.0, top / (1.0 - math.cos(math.radians(40)))
        sim.close()


def gases(solver: str) -> Iterator[Row]:
    """Energy of 60 discs in a smooth room after 20 s."""
    sim = Simulation(world=f"gas {next(WORLDS)}", solver=solver, gravity=(0, 0))
    rng = np.random.default_rng(1)
    room = [(-2, -2), (2, -2), (2, 2), (-2, 2)]
    sim.spawn(StaticCollider(room, closed=True, friction=0.0, restitution=1.0))
    place = np.array([(0.4 * i - 1.6, 0.4 * j - 1.4) for i in range(9) for j in range(7)])[:60]
    discs = Particles(
        place, mass=np.exp(rng.uniform(-2, 2, 60)), radius=0.08, velocity=rng.normal(0, 2, (60, 2))
    )
    sim.spawn(discs, Collider(friction=0.0, restitution=1.0))
    sim.step()
    mass = 1.0 / discs.inverse_mass
    before = float(mass @ (discs.velocity**2).sum(axis=1))
    run(sim, 20.0)
    after = float(mass @ (discs.velocity**2).sum(axis=1))
    yield "gas of 60 discs with restitution 1: energy after 20 s", "", 1.0, after / before
    sim.close()


def seams(solver: str) -> Iterator[Row]:
    """Speed after 2 s over a floor of walls of 0.5 m, over that on one wall."""
    for name, make in {
        "ball": lambda: blueprints.ball((0, 0.2), 0.2, friction=0.1, velocity=(8.0, 0.0)),
        "box": lambda: blueprints.box((0, 0.2), 0.4, friction=0.1, velocity=(8.0, 0.0)),
        "blob": lambda: blueprints.blob((0, 0.2), 0.2, friction=0.1, velocity=(8.0, 0.0)),
    }.items():
        speeds = []
        for length in (60.0, 0.5):
            sim = world(solver)
            for left in np.arange(-2.0, 28.0, length):
                sim.spawn(StaticCollider([(left, 0), (left + length, 0)], friction=0.1))
            parts = make()
            sim.spawn(*parts)
            run(sim, 2.0)
            speeds.append(float(parts[0].velocity[:, 0].mean()))  # type: ignore[attr-defined]
            sim.close()
        yield (
            f"{name} over a floor of walls of 0.5 m: speed over that on one wall",
            "",
            1.0,
            speeds[1] / speeds[0],
        )


def contact_rows(solver: str) -> Iterator[Row]:
    """All rows."""
    for kind in (balls_that_roll, coulomb, energies, cradles, gases, seams):
        yield from kind(solver)
