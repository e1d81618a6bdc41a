"""Every entry does bit for bit what numba makes of the same source: those of the library, of
WebAssembly, of aarch64.

This found, for one, a build in which `max` had become `min`, which no law of physics would show at
once.
"""

import inspect
import os
from collections import Counter
from typing import Any

import numpy as np
import pytest

from ecs_softbody import (
    Character,
    Collider,
    DistanceLimits,
    Particles,
    PointGravity,
    Simulation,
    StaticCollider,
    blueprints,
)
from ecs_softbody.building.build import build
from ecs_softbody.parallel import compiling
from ecs_softbody.parallel.compiling import Kernel
from ecs_softbody.parallel.library import Library
from ecs_softbody.parallel.thread_team import ALONE
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.warmup import warmup_pictures
from ecs_softbody.simulation.warmup import warmup_steps
from tests.helpers import emulated
from tests.simulation.everything import add_everything

WasmLibrary = pytest.importorskip(
    "tests.helpers.wasm", reason="needs the dependency group dev"
).WasmLibrary

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        compiling.ASKED != "numba", reason="compares with numba: set ECS_SOFTBODY_KERNELS=numba"
    ),
]
FIRST, EVERY = 4, 60
"""The first calls of each entry are compared, and then one in so many."""


class Comparison:
    """Runs entries of libraries beside those of numba, on copies of what they are called with."""

    def __init__(self, libraries: list[Any]) -> None:
        self._libraries = libraries
        self._rng = np.random.default_rng(5)
        self.calls: Counter[str] = Counter()
        self.differing: list[str] = []

    def compare(self, kernel: Kernel, arguments: tuple[Any, ...]) -> None:
        """Compare one call, as it is and with numbers that are a little different."""
        name = f"{kernel.function.__module__}:{kernel.function.__qualname__}"
        if name not in compiling.ENTRIES:
            return
        self.calls[name] += 1
        if self.calls[name] > FIRST and self.calls[name] % EVERY:
            return
        given = list(arguments)
        names = list(inspect.signature(kernel.function).parameters)
        if "job" in names:
            given[names.index("job")] = ALONE
        for change in (0.0, 1e-3):
            seed = self._rng.integers(1 << 30)
            expected = copied(given, seed, change)
            result = kernel.compiled(*expected)
            for library in self._libraries:
                arguments = copied(given, seed, change)
                found = library.find(name)(*arguments)
                if not are_equal(arguments, expected) or not are_equal(found, result):
                    self.differing.append(
                        f"{name} in {type(library).__name__} ({self.calls[name]}, {change})"
                    )


def copied(value: Any, seed: int, change: float) -> Any:
    """Return a deep copy in which arrays of floats are changed by so large a share, in the same way
    for one seed.
    """
    rng = np.random.default_rng(seed)
    seen = dict[int, np.ndarray]()

    def copy(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            if id(part) not in seen:
                seen[id(part)] = part.copy()
                if part.dtype == np.float64 and change:
                    seen[id(part)] *= 1.0 + change * rng.uniform(-1.0, 1.0, part.shape)
            return seen[id(part)]
        if isinstance(part, tuple):
            parts = [copy(member) for member in part]
            return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
        return part

    return [copy(part) for part in value]


def are_equal(one: Any, other: Any) -> bool:
    """Return whether values, or groups of them, have the same bits;
    any NaN is equal to any other.
    """
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(are_equal, one, other))
    if isinstance(one, np.ndarray) and one.dtype.names:
        return all(are_equal(one[name], other[name]) for name in one.dtype.names)
    return np.array_equal(
        np.asarray(one), np.asarray(other), equal_nan=np.asarray(one).dtype.kind == "f"
    )


def run_what_seldom_happens() -> None:
    """Let a stack fall asleep and wake it, press a body through a wall, and leave contacts
    unsearched for frames.
    """
    sim = Simulation(world="compared sleepers")
    sim.spawn(StaticCollider([(-5, 0), (5, 0), (5, 4)], friction=0.7))
    bodies = [sim.spawn(*blueprints.box((0, 0.5 + 1.01 * k), 1.0)) for k in range(2)]
    for _ in range(600):
        sim.step()
        if all(map(sim.is_asleep, bodies)):
            break
    assert all(map(sim.is_asleep, bodies))
    sim.spawn(*blueprints.ball((0.2, 4.0), 0.3, velocity=(0.0, -8.0)))
    victim = sim.spawn(*blueprints.box((-3, 0.5), 1.0))
    sim.step()
    sim.buffers[Particles].bound[victim].position[::2, 1] -= 0.9
    for _ in range(90):
        sim.step()
        sim.restore(sim.snapshot())
    draw_image(Picture(16, 16))
    sim.close()
    run_a_character()
    run_a_cradle()


def run_a_cradle() -> None:
    """Let a ball on a string strike another one, and a dumbbell fall on the floor."""
    sim = Simulation(world="compared cradle")
    sim.spawn(StaticCollider([(-5, -3), (5, -3)]))
    for hook, at in ((0.0, (-0.6, -0.8)), (0.2, (0.2, -1.0))):
        ball = sim.spawn(*blueprints.ball(at, 0.1, restitution=1.0))
        sim.spawn(
            DistanceLimits(
                [(0, 0)],
                maximum=1.0,
                between=(sim.spawn(Particles([(hook, 0)], pinned=True)), ball),
            )
        )
    rod = DistanceLimits([(0, 1)], minimum=0.5, maximum=0.5)
    sim.spawn(
        Particles([(2, -2.8), (2.4, -2.5)], radius=0.1, velocity=(0, -3)),
        rod,
        Collider(restitution=0.5),
    )
    for _ in range(40):
        sim.step()
    sim.close()


def run_a_character() -> None:
    """Let a hero run and jump on a planet."""
    sim = Simulation(world="compared characters", gravity=(0.0, 0.0))
    sim.spawn(StaticCollider([(0.0, 0.0)], radius=3.0), PointGravity((0.0, 0.0), strength=90.0))
    hero = Character.cube()
    sim.spawn(*blueprints.box((0.0, 3.6), 1.0), hero)
    hero.move = 1.0
    for frame in range(60):
        hero.jump = frame > 40
        sim.step()
    sim.close()


def test_every_entry_does_what_numba_makes_of_it(monkeypatch, tmp_path):
    build("wasm", tmp_path / "wasm")
    libraries: list[Any] = [Library(), WasmLibrary(tmp_path / "wasm")]
    assert emulated.is_installed() or not os.environ.get("CI"), (
        "CI needs qemu-user and libc6-arm64-cross"
    )
    if emulated.is_installed():
        build("linux-aarch64", tmp_path / "aarch64")
        libraries.append(emulated.EmulatedLibrary(tmp_path / "aarch64"))
    comparison = Comparison(libraries)
    call = Kernel.__call__

    def compare_and_call(kernel: Kernel, *arguments: Any) -> Any:
        comparison.compare(kernel, arguments)
        return call(kernel, *arguments)

    monkeypatch.setattr(Kernel, "__call__", compare_and_call)
    for _ in warmup_steps(threads=2):
        pass
    for _, draw in warmup_pictures(rasterizer=True):
        draw()
    for solver in ("saturated", "xpbd"):
        sim = Simulation(world=f"compared {solver}", solver=solver)
        add_everything(sim)
        for _ in range(40):
            sim.step()
        sim.explode((0, 0), radius=3.0, impulse=1.0, blocked=True)
        sim.close()
    run_what_seldom_happens()
    assert comparison.differing == []
    assert set(compiling.ENTRIES) - set(comparison.calls) == set()
