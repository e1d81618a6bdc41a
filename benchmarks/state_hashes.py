"""State hashes: what scenes and games end in, bit for bit, with both solvers and with one thread
and two.

    python benchmarks/state_hashes.py --out before.txt            # in the tree as it was
    python benchmarks/state_hashes.py --against before.txt  # after moving or renaming: all the same
    python benchmarks/state_hashes.py --ways                  # equal for both levels, and for numba

Six scenes of the benchmarks, a world with everything, and every game as it plays itself. `--tree
FOLDER` runs the package of another checkout. For `--ways` both levels have to be built (`python -m
ecs_softbody.building`); numba compiles for minutes at first.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scenes import FRAME, Scene, balls, blobs, spring_grid, tower, wide_stack

GAMES = (
    "bouncing-balls", "cut-and-tear", "jelly-car", "jelly-platformer", "little-planet", "muscles",
    "rope-bridge", "slingshot", "springs-lab", "windy-pond",
)  # fmt: skip

Frames = Iterator[Any]
"""Yields the simulation after each frame."""


class Shared:
    """In place of the choice of threads: every frame is run by all of them."""

    def begin(self) -> bool:
        return True

    def end(self) -> None:
        pass

    def forget(self) -> None:
        pass


def share(sim: Any, threads: int) -> None:
    """Run every frame of a simulation with so many threads."""
    sim.threads = threads
    if threads > 1:
        if hasattr(sim, "_threads"):
            sim._threads.choice = Shared()
        else:  # a checkout from before 0.2
            sim._thread_choice = Shared()


def run_scene(
    make: Callable[..., Scene],
    size: tuple[int, ...],
    frames: int,
    substeps: int,
    solver: str,
    threads: int,
) -> Frames:
    """Run a scene of the benchmarks, which is made with the functions of the checkout."""
    from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider

    scene = make(*size)
    sim = Simulation(world=scene.name, substeps=substeps, solver=solver, sleeping=False)
    share(sim, threads)
    for body in range(scene.body_count):
        rows = np.flatnonzero(scene.body == body)
        pairs = scene.pairs[np.isin(scene.pairs[:, 0], rows)] - rows[0]
        parts: list[Any] = [
            Particles(
                scene.position[rows],
                mass=scene.mass[rows],
                radius=scene.radius[rows],
                pinned=scene.pinned[rows],
            )
        ]
        if len(pairs):
            parts.append(Springs(pairs, stiffness=scene.stiffness, damping=scene.damping))
        if scene.room_width:
            parts.append(Collider(friction=scene.friction, restitution=scene.restitution))
        sim.spawn(*parts)
    if scene.room_width:
        sim.spawn(StaticCollider(scene.wall(), friction=scene.friction))
    for _ in range(frames):
        sim.step(FRAME)
        yield sim
    sim.close()


@contextmanager
def patched(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Have another attribute for a while; in pages there is no `unittest.mock`."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def run_game(name: str, frames: int, solver: str, threads: int) -> Frames:
    """Let a game play itself, on worlds with this solver."""
    from ecs_softbody import Simulation
    from ecs_softbody.play import Game
    from included import included_games

    made = Simulation.__init__
    opened = Game.open_scene
    asked = {"solver": solver}
    with (
        tempfile.TemporaryDirectory() as folder,
        # what was saved here stays as it is
        patched(os, "environ", {**os.environ, "ECS_SOFTBODY_DATA": folder}),
        patched(Simulation, "__init__", lambda *args, **given: made(*args, **{**given, **asked})),
        patched(Game, "open_scene", lambda *args, **given: opened(*args, **{**given, **asked})),
    ):
        game = included_games()[name].load()()
        game.begin()
        for _ in range(frames):
            share(game.sim, threads)
            game.advance(game.autopilot())
            yield game.sim
        game.close()


def spawn_everything(sim: Any) -> tuple[list[int], list[int]]:
    """Spawn bodies, joints, muscles, materials that change, fields and walls; return the blobs and
    the boxes.
    """
    import ecs_softbody as e
    from ecs_softbody import blueprints

    spawn = sim.spawn
    spawn(
        e.StaticCollider(
            [(-6, 12), (-6, 0), (-1, 0), (0, -0.4), (1, 0), (14, 0.5), (14, 12)], friction=0.4
        )
    )
    spawn(e.StaticCollider([(-5, 2), (-2, 2)], one_way=(0, 1)))
    spawn(e.StaticCollider([(4, 1.5)], radius=0.6, angular_velocity=2.0, restitution=0.5))
    spawn(e.StaticCollider([(6, 1), (8, 1)], velocity=(0.1, 0.0), surface_velocity=0.5))
    spawn(e.StaticCollider([(-4, 1)], radius=0.7, sensor=True))
    blobs = [
        spawn(*blueprints.blob((-4 + 1.1 * k, 3 + 0.4 * k), 0.45, restitution=0.2 * (k % 3)))
        for k in range(8)
    ]
    boxes = [
        spawn(*blueprints.box((-3 + 1.3 * k, 6), 0.8, shape_stiffness=1e4 * (k % 2)))
        for k in range(6)
    ]
    spawn(*blueprints.rope((-5, 9), (2, 9), segments=20, pin_start=True))
    spawn(*blueprints.rod((3, 8), (7, 8)))
    spawn(*blueprints.cloth((8, 5), (1.5, 1.5)))
    spawn(*blueprints.polygon([(9, 8), (10, 8), (9.5, 9)], spacing=0.2))
    for k in range(20):
        spawn(*blueprints.ball((-4 + 0.8 * k, 10.5), 0.2, restitution=0.5))
    spawn(
        e.Attachment((boxes[0], boxes[1])), e.Motor((boxes[2], blobs[2]), speed=2.0, max_torque=5.0)
    )
    spawn(e.MouseJoint(boxes[3], target=(2.0, 7.0)))
    links = e.Particles([(10 + 0.3 * k, 9) for k in range(8)], pinned=[True] + [False] * 7)
    spawn(links, e.DistanceLimits([(k, k + 1) for k in range(7)]))
    clay, *others = blueprints.box((11, 4), 1.0)
    spawn(clay, *others, e.Plasticity(yield_strain=0.05, yield_angle=0.1), e.Tearing(strain=0.8))
    ring, *others = blueprints.blob((12, 7), 0.5)
    spawn(
        ring, *others, e.Inflation(amplitude=0.3, frequency=1.0), e.Drag(linear=0.1, quadratic=0.2)
    )
    worm, *others = blueprints.box((7, 4), 0.9)
    spawn(worm, *others, e.Muscles(np.arange(4), amplitude=0.3, frequency=2.0))
    spawn(e.Wind((3.0, 0.0)), e.Water(0.6), e.PointGravity((4.0, 5.0), strength=2.0))
    return blobs, boxes


def run_everything(frames: int, solver: str, threads: int) -> Frames:
    """Run one world with every component: joints, muscles, materials that change, fields; cuts,
    explosions.
    """
    import ecs_softbody as e

    sim = e.Simulation(world="everything", substeps=4, solver=solver)
    share(sim, threads)
    blobs, boxes = spawn_everything(sim)
    for frame in range(frames):
        if frame == frames // 3:
            sim.cut((-6.0, 1.0), (14.0, 1.4), entity=[*blobs[:4], *boxes[:3]])
        if frame == frames // 2:
            sim.explode((2.0, 1.0), radius=3.0, impulse=3.0)
            sim.despawn(blobs[-1])
        sim.step(FRAME)
        yield sim
    sim.close()


SCENES: dict[str, Callable[[str, int], Frames]] = {
    "S1": partial(run_scene, spring_grid, (), 20, 8),
    "S2_10": partial(run_scene, blobs, (10,), 120, 8),
    "S2_100": partial(run_scene, blobs, (100,), 120, 8),
    "S3_1000": partial(run_scene, balls, (1000,), 200, 2),
    "S4": partial(run_scene, tower, (), 90, 8),
    "S4_wide": partial(run_scene, wide_stack, (), 90, 8),
    "everything": partial(run_everything, 240),
    **{name: partial(run_game, name, 300) for name in GAMES},
}
LEVELS = ("x86-64-v2", "x86-64-v3") if platform.machine().lower() in ("x86_64", "amd64") else ("",)
WAYS = {f"library {level}": {"ECS_SOFTBODY_CPU": level} for level in LEVELS} | {
    "numba": {"ECS_SOFTBODY_KERNELS": "numba"}
}
"""Where the machine code comes from: what the environment says."""


def digest_of(frames: Frames) -> str:
    """Return a digest of positions, velocities and impulses, every tenth frame."""
    from ecs_softbody import Particles

    digest = hashlib.sha256()
    for number, sim in enumerate(frames):
        if number % 10 == 9:
            rows = sim.buffers[Particles].rows
            for values in (rows["position"], rows["velocity"], sim.contacts.impulse):
                digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()[:16]


def hashes_by_way(names: list[str]) -> dict[str, dict[str, str]]:
    """Return the hashes of scenes by where the machine code comes from, then by case."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for way, surroundings in WAYS.items():
            out = Path(folder) / "hashes.txt"
            command = [sys.executable, __file__, *names, "--out", str(out)]
            subprocess.run(
                command, env={**os.environ, **surroundings}, stdout=subprocess.DEVNULL, check=True
            )
            found[way] = read(out)
    return found


def read(file: Path) -> dict[str, str]:
    """Return the hashes of a file, by case."""
    return dict(line.rsplit(" ", 1) for line in file.read_text().splitlines())


def main() -> None:
    """Print a line a case, and exit with 1 when one differs from those of a file, or of another
    way.
    """
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument(
        "scenes", nargs="*", default=list(SCENES), help=f"some of {', '.join(SCENES)}"
    )
    options.add_argument("--tree", type=Path, default=Path(__file__).parents[1], help="a checkout")
    options.add_argument("--out", type=Path, help="a file to write")
    options.add_argument("--against", type=Path, help="a file that an earlier run wrote")
    options.add_argument(
        "--ways", action="store_true", help="compare both levels of the library, and numba"
    )
    given = options.parse_args()
    if given.ways:
        ways = hashes_by_way(given.scenes)
        differing = 0
        for case, hashed in ways["numba"].items():
            others = {way: hashes[case] for way, hashes in ways.items() if hashes[case] != hashed}
            differing += bool(others)
            print(case, hashed, f"by numba, but {others}" if others else f"in all {len(ways)} ways")
        sys.exit(differing > 0)
    sys.path[:0] = [str(given.tree), str(given.tree / "games")]
    import ecs_softbody

    assert Path(ecs_softbody.__file__).is_relative_to(given.tree.resolve()), ecs_softbody.__file__
    expected = read(given.against) if given.against else {}
    lines = []
    wrong = 0
    for name in given.scenes:
        for solver in ("saturated", "xpbd"):
            for threads in (1, 2):
                key = f"{name} {solver} {threads}"
                lines.append(f"{key} {digest_of(SCENES[name](solver, threads))}")
                is_wrong = key in expected and not lines[-1].endswith(expected[key])
                wrong += is_wrong
                print(lines[-1], "DIFFERS" if is_wrong else "", flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
