"""Compare both solvers, scene by scene, and print the tables of docs/solvers.md: python
benchmarks/solvers.py
"""

from __future__ import annotations

import itertools
import time
import warnings
from typing import NamedTuple

import numpy as np

from ecs_softbody import (
    Particles,
    PressureBody,
    ShapeMatching,
    Simulation,
    Springs,
    StabilityWarning,
    StaticCollider,
    blueprints,
)

SOLVERS = ("saturated", "xpbd")
NUMBERS = itertools.count(1)


def simulation(solver: str, **options) -> Simulation:
    return Simulation(solver=solver, world=f"solvers {next(NUMBERS)}", **options)


def oscillator(
    solver: str, turn: float, zeta: float, dt: float = 1.0 / 480.0
) -> tuple[float, float]:
    """Return the error of the undamped frequency and the damping ratio that a mass on a spring
    shows; turn = w h.
    """
    rate = turn / dt
    sim = simulation(solver, gravity=(0, 0), substeps=1)
    body = Particles([(0, 0), (2, 0)], mass=[np.inf, 1.0])
    sim.spawn(
        body, Springs([(0, 1)], stiffness=rate**2, damping=2.0 * zeta * rate, rest_length=1.5)
    )
    position = []
    for _ in range(int(9 * 2 * np.pi / turn)):
        sim.step(dt)
        position.append(body.position[1, 0] - 1.5)
    x = np.array(position)
    up = np.flatnonzero((x[:-1] < 0) & (x[1:] >= 0))
    times = up + x[up] / (x[up] - x[up + 1])
    swings = min(len(times) - 1, 4)
    peaks = [np.abs(x[up[n] : up[n + 1]]).max() for n in range(swings)]
    decrement = np.log(peaks[0] / peaks[-1]) / max(swings - 1, 1)
    shown = decrement / np.hypot(decrement, 2 * np.pi)
    frequency = 2 * np.pi * swings / (times[swings] - times[0])
    sim.close()
    return frequency / (turn * np.sqrt(1 - zeta**2)) - 1.0, shown


class Rope(NamedTuple):
    """What a rope of 100 masses shows."""

    stretch: float
    largest: float
    speed: float
    cost: float


def rope(
    solver: str, substeps: int, *, end: float = 10.0, stiffness: float = 1e6, seconds: float = 20.0
) -> Rope:
    """Hang 100 masses of 10 g with `end` kilograms below them."""
    count = 100
    sim = simulation(solver, substeps=substeps, sleeping=False)
    mass = np.full(count + 1, 0.01)
    mass[0] = np.inf
    mass[-1] = end
    row = np.arange(count)
    body = Particles(np.column_stack([np.zeros(count + 1), -0.1 * np.arange(count + 1)]), mass=mass)
    sim.spawn(body, Springs(np.column_stack([row, row + 1]), stiffness=stiffness))
    stretches = []
    begin = time.process_time()
    for _ in range(int(60 * seconds)):
        sim.step()
        stretches.append(-body.position[-1, 1] / (0.1 * count) - 1.0)
    cost = (time.process_time() - begin) / len(stretches)
    speed = float(np.abs(body.velocity).max())
    sim.close()
    return Rope(stretches[-1], max(stretches), speed, cost)


class Tower(NamedTuple):
    """What a tower of ten boxes shows; `cost` is that of the first ten seconds with sleep switched
    off.
    """

    top: float
    lean: float
    jitter: float
    slept: float
    cost: float


def tower(solver: str, substeps: int, *, shapes: bool, seconds: float = 30.0) -> Tower:
    """Stack ten soft boxes of 1 kg, with the pull to their rest shape that `box` gives them or
    without it.
    """
    sim = simulation(solver, substeps=substeps, sleeping=False)
    sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
    bodies = []
    for level in range(10):
        parts = blueprints.box(
            (0, 0.55 + 1.05 * level),
            (1, 1),
            rows=6,
            columns=6,
            stiffness=2e4,
            damping=1.0,
            mass=1.0,
        )
        sim.spawn(*(part for part in parts if shapes or not isinstance(part, ShapeMatching)))
        bodies.append(parts[0])
    begin = time.process_time()
    for _ in range(600):
        sim.step()
    cost = (time.process_time() - begin) / 600
    speeds = []
    for frame in range(int(60 * seconds) - 600):
        sim.step()
        if frame >= 60 * (seconds - 15):
            speeds.append(max(np.abs(body.velocity).max() for body in bodies))
    middles = np.array([body.position[:, 0].mean() for body in bodies])
    top = max(body.position[:, 1].max() for body in bodies)
    lean = float(np.abs(middles - middles[0]).max())
    sim.sleeping = True
    slept = np.nan
    for frame in range(1800):
        sim.step()
        if sim.asleep_count == len(bodies):
            slept = (frame + 1) / 60
            break
    sim.close()
    return Tower(top, lean, float(np.mean(speeds)), slept, cost)


def spinning_jelly(
    solver: str, stiffness: float, spin: float = 3.0, seconds: float = 10.0
) -> tuple[float, float]:
    """Return how much of its angular momentum and of its kinetic energy a free jelly has lost."""
    sim = simulation(solver, gravity=(0, 0))
    parts = blueprints.box(
        (0, 0), (1, 1), rows=6, columns=6, stiffness=stiffness, damping=0.0, mass=1.0
    )
    body = parts[0]
    body.velocity = spin * np.column_stack([-body.position[:, 1], body.position[:, 0]])
    sim.spawn(*parts)

    def state() -> np.ndarray:
        position = body.position
        velocity = body.velocity
        turning = body.mass @ (position[:, 0] * velocity[:, 1] - position[:, 1] * velocity[:, 0])
        return np.array([turning, 0.5 * body.mass @ (velocity**2).sum(axis=1)])

    before = state()
    for _ in range(int(60 * seconds)):
        sim.step()
    lost = 1.0 - state() / before
    sim.close()
    return float(lost[0]), float(lost[1])


def ring(
    solver: str, pressure: float, substeps: int = 8, seconds: float = 10.0
) -> tuple[float, float]:
    """Return area over area at rest, and the turning [rad/s], of a free ring of 24 points filled
    with gas.

    The skin's stiffness is ten times the pressure, so the closed form is 1.673 for each.
    """
    sim = simulation(solver, gravity=(0, 0), substeps=substeps)
    row = np.arange(24)
    position = 0.5 * np.column_stack([np.cos(2 * np.pi * row / 24), np.sin(2 * np.pi * row / 24)])
    rest = 12 * 0.25 * np.sin(2 * np.pi / 24)
    body = Particles(position, mass=1 / 24)
    gas = PressureBody(row, nRT=pressure * rest)
    sim.spawn(
        body,
        Springs(np.column_stack([row, np.roll(row, -1)]), stiffness=10 * pressure, damping=1.0),
        gas,
    )
    for _ in range(int(60 * seconds)):
        sim.step()
    position = body.position
    velocity = body.velocity
    turn = (position[:, 0] * velocity[:, 1] - position[:, 1] * velocity[:, 0]).sum() / (
        position**2
    ).sum()
    sim.close()
    return float(gas.area / rest), float(turn)


def cost_of_a_substep(solver: str) -> float:
    """Return the time of a substep of 200 blobs that touch nothing [s], the best of several."""
    sim = simulation(solver, gravity=(0, 0), sleeping=False)
    for number in range(200):
        sim.spawn(*blueprints.blob((3.0 * (number % 20), 3.0 * (number // 20)), 0.5)[:3])
    best = np.inf
    for _ in range(8):
        begin = time.process_time()
        for _ in range(20):
            sim.step()
        best = min(best, (time.process_time() - begin) / 160)
    sim.close()
    return best


def main() -> None:
    """Print the tables."""
    warnings.simplefilter("ignore", StabilityWarning)
    Simulation(world="solvers").warmup()
    print("| w h | zeta asked | saturated | xpbd |\n| --- | --- | --- | --- |")
    for turn, zeta in itertools.product((0.01, 0.1, 0.3, 1.0), (0.0, 0.1)):
        cells = [oscillator(solver, turn, zeta) for solver in SOLVERS]
        print(
            f"| {turn} | {zeta} | "
            + " | ".join(f"{100 * f:+.2f} %, {z:.3f}" for f, z in cells)
            + " |"
        )
    print("\n| scene | shows | saturated, 8 | saturated, 16 | xpbd, 8 | xpbd, 16 |")
    print("| --- | --- | --- | --- | --- | --- |")
    cases = list(itertools.product(SOLVERS, (8, 16)))
    ropes = [rope(*case) for case in cases]
    rows = [
        ("rope", "stretch at rest", [f"{100 * r.stretch:.2f} %" for r in ropes]),
        ("rope", "largest stretch", [f"{100 * r.largest:.1f} %" for r in ropes]),
        ("rope", "speed at the end", [f"{r.speed:.0e} m/s" for r in ropes]),
        ("rope", "a frame costs", [f"{1e3 * r.cost:.2f} ms" for r in ropes]),
    ]
    for name, shapes in (("tower", True), ("tower, springs only", False)):
        towers = [tower(*case, shapes=shapes) for case in cases]
        rows += [
            (
                name,
                "height (10 at rest)",
                [f"{t.top:.2f} m" if t.top > 9.0 else "fell" for t in towers],
            ),
            (name, "lean", [f"{t.lean:.3f} m" if t.top > 9.0 else "" for t in towers]),
            (
                name,
                "jitter, not asleep",
                [f"{t.jitter:.0e} m/s" if t.top > 9.0 else "" for t in towers],
            ),
            (
                name,
                "asleep after",
                [f"{t.slept:.1f} s" if t.slept < np.inf else "never" for t in towers],
            ),
            (name, "a frame costs", [f"{1e3 * t.cost:.2f} ms" for t in towers]),
        ]
    for pressure in (200.0, 1000.0, 10000.0):
        rings = [ring(solver, pressure, substeps) for solver, substeps in cases]
        rows.append(
            (f"ring, {pressure:g} Pa", "A/A0 (1.673)", [f"{area:.3f}" for area, _ in rings])
        )
        rows.append(
            (f"ring, {pressure:g} Pa", "turning", [f"{abs(turn):.0e} rad/s" for _, turn in rings])
        )
    for scene, shows, cells in rows:
        print(f"| {scene} | {shows} | " + " | ".join(cells) + " |")
    print()
    for solver, stiffness in itertools.product(SOLVERS, (300.0, 1e5)):
        spin, energy = spinning_jelly(solver, stiffness)
        print(
            f"jelly of {stiffness:g} N/m, {solver}: angular momentum lost {spin:.1e}, energy "
            f"{100 * energy:.2f} %"
        )
    costs = [min(cost_of_a_substep(solver) for _ in range(2)) for solver in SOLVERS]
    print(
        f"a substep of 200 blobs: {1e6 * costs[0]:.0f} and {1e6 * costs[1]:.0f} us, ratio "
        f"{costs[1] / costs[0]:.2f}"
    )


if __name__ == "__main__":
    main()
