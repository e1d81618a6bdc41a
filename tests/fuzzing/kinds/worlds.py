"""Snapshots: restored in the world that they are of, or in another one; then that world is stepped
and drawn.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import esper
import numpy as np

from benchmarks.state_hashes import spawn_everything
from ecs_softbody import (
    AngularSprings,
    Collider,
    Particles,
    PointGravity,
    Simulation,
    SnapshotError,
    StaticCollider,
    blueprints,
    register_component,
)
from ecs_softbody.rendering import Look, Picture, Skin, View, WorldPainter
from tests.fuzzing.changes import packed
from tests.fuzzing.kinds.kind import FRAME, Kind, Sample
from tests.simulation.everything import add_everything

SEEN = View((2.0, 4.0), 14.0, 320, 180)
VERTICES = [(-6, 9), (-6, 0), (6, 0), (6, 9)]


class Health:
    """A component of a game's own."""

    def __init__(self, points: int = 3) -> None:
        self.points = points
        self.hurt = [1.5, 2.5]
        self.where = np.arange(4.0)
        self.words = {"a": (1, "b")}


class Wounds(esper.Processor):
    """A processor of a game's own."""

    def __init__(self) -> None:
        self.count = 0
        self.last = {"frame": 0}
        self.chance = random.Random(3)

    def process(self, *_: Any) -> None:
        self.count += 1
        self.last["frame"] = self.count
        for _, health in esper.get_component(Health):
            health.points -= 1


register_component(Health)


def small(solver: str, name: str = "small") -> Simulation:
    sim = Simulation(world=f"{name} {solver}", substeps=2, solver=solver)
    sim.spawn(StaticCollider(VERTICES, friction=0.5), Look(style="ground"))
    sim.spawn(*blueprints.blob((0, 1), 0.5), Look(eyes=2))
    sim.spawn(*blueprints.ball((0.3, 2.2), 0.3))
    return sim


def full(solver: str) -> Simulation:
    sim = Simulation(world=f"full {solver}", substeps=2, solver=solver)
    blobs, boxes = spawn_everything(sim)
    with sim:
        esper.add_component(blobs[0], Look(eyes=2))
        esper.add_component(boxes[0], Skin(np.full((4, 4, 4), 200, np.uint8)))
    return sim


def joints(solver: str) -> Simulation:
    sim = Simulation(world=f"joints {solver}", substeps=2, solver=solver)
    add_everything(sim)
    return sim


def own(solver: str) -> Simulation:
    sim = small(solver, "own")
    sim.spawn(
        Particles([(3, 1), (4, 1), (4, 2)]),
        AngularSprings([(0, 1, 2)], stiffness=2.0),
        Collider(),
        PointGravity(strength=1.0),
        Health(),
    )
    sim.add_processor(Wounds())
    return sim


WORLDS: dict[str, Callable[[], Simulation]] = {
    f"{make.__name__} {solver}": lambda make=make, solver=solver: make(solver)  # type: ignore[misc]
    for make in (small, full, joints, own)
    for solver in ("saturated", "xpbd")
}


OTHERS = {"small": "full", "full": "small", "joints": "full", "own": "own"}
"""Another world that takes a snapshot of the one: none takes that of a game's own processor."""


class Snapshots(Kind):
    """Snapshots in files."""

    name = "snapshots"
    refusals = (SnapshotError,)
    batch = 10
    words: ClassVar[list[str]] = [
        "nodes", "tables", "entities", "roots", "blobs", "solver", "next", "frame", "deleted",
        "contacts", "processors", "path", "_write", "frame_start", "__class__", "__dict__",
        "position", "velocity", "mass", "rows", "values",
    ]  # fmt: skip

    def samples(self) -> list[Sample]:
        found = []
        for name, make in WORLDS.items():
            sim = make()
            for _ in range(5):
                sim.step(FRAME)
            found.append(Sample("a.snapshot", {"a.snapshot": sim.snapshot().to_bytes()}, name))
            sim.close()
        return found

    def prepare(self) -> None:
        """Make the worlds that files are restored in."""
        self.worlds = {name: make() for name, make in WORLDS.items()}
        self.marks = {}
        for name, sim in self.worlds.items():
            sim.step(FRAME)
            self.marks[name] = sim.snapshot(), sim.state_hash(), sim.entities()
        self.painter = WorldPainter()

    def structured(self, name: str, data: bytes, dice: Any) -> tuple[bytes, list[str]]:
        return packed.changed("snapshot", data, dice, self.words)

    def take(self, sample: Sample, path: Path) -> Simulation:
        """Restore it in its own world, every third in another one with the same solver."""
        self.chosen = sample.about
        if zlib.crc32(path.read_bytes()) % 3 == 0:
            name, solver = sample.about.split()
            self.chosen = f"{OTHERS[name]} {solver}"
        sim = self.worlds[self.chosen]
        sim.restore(path)
        return sim

    def go_on(self, taken: Simulation) -> None:
        for _ in range(30 if taken.world.startswith("small") else 10):
            taken.step(FRAME)
        picture = Picture(320, 180, SEEN)
        WorldPainter().draw(taken, picture)
        taken.snapshot().to_bytes()
        taken.restore(self.marks[self.chosen][0])

    def after(self) -> None:
        sim = self.worlds[self.chosen]
        (_, hashed, entities) = self.marks[self.chosen]
        assert sim.entities() == entities, "the world has other entities"
        assert sim.state_hash() == hashed, "the world is another one"
