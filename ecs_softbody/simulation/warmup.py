"""Warm-up: compile every kernel, or load it from the cache, before a game calls it.

Where kernels come from numba, the first call of each compiles it, which would make a game stutter.
So every stage has an `example`, small entities on which all of its kernels run. The warm-up puts
all examples into a tiny world of its own, and calls one stage after another, then the work of rare
events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import esper
import numpy as np

from ecs_softbody.collision.contact_snapshots import ContactSnapshots
from ecs_softbody.collision.contacts.contact_list import ContactList
from ecs_softbody.collision.query.queries import checked_filter
from ecs_softbody.collision.solve.partition import Batches
from ecs_softbody.components import ALL, Collider, Particles
from ecs_softbody.elementary.hyperbolic import cosh, sinh
from ecs_softbody.elementary.rows import mark_met
from ecs_softbody.elementary.sums import dot, solve_spread, total
from ecs_softbody.geometry.polygon import contains, is_self_intersecting, mean_edge, signed_area
from ecs_softbody.indices import arange
from ecs_softbody.kernels.materials.inherited import Moving, balance, hand_motion
from ecs_softbody.kernels.materials.parted import Found, Parts, Room, part_springs
from ecs_softbody.kernels.materials.severed import join_severed
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.processors import SOLVERS, FrameEnd, throw_bodies
from ecs_softbody.processors.frame.collision import CollisionProcessor
from ecs_softbody.processors.stage import Stage
from ecs_softbody.simulation.clock import Clock
from ecs_softbody.simulation.pipeline import Pipeline
from ecs_softbody.simulation.threads import Threads
from ecs_softbody.simulation.world import World
from ecs_softbody.state.archives.differences import apply_differences, packed
from ecs_softbody.storage import PackedBuffers

WORLD = "ecs_softbody warm-up"
"""Name of the esper world of the warm-up, which is deleted afterwards."""
DT = 1.0 / 480.0
"""Length of a substep of the warm-up [s]: 8 in a frame of 1/60 s, the defaults of a Simulation."""

Calls = list[tuple[str, Callable[[], object]]]
"""Names of the parts that are warmed up, in words, each with the call that does it."""


def warmup_steps(threads: int = 1) -> Iterator[tuple[int, int, str]]:
    """Run all stages of all solvers once, yielding (done, total, name) after each; with threads,
    also the work that they share.

    The caller's world is the current one whenever this yields.
    """
    world = World(WORLD)
    with world:
        calls = _list_calls(threads)
    try:
        for done, (name, call) in enumerate(calls, 1):
            with world:
                call()
            yield done, len(calls), name
    finally:
        if esper.current_world != WORLD:
            esper.delete_world(WORLD)


class WarmUp:
    """Warms up a Simulation before its first step, so that it does not stutter."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    def warmup_steps(self) -> Iterator[tuple[int, int, str]]:
        """Compile the kernels one by one; yields (done, total, name) after each."""
        yield from warmup_steps(self._threads.count)

    def warmup(self, progress: Callable[[int, int, str], None] | None = None) -> None:
        """Compile all kernels now, or load them from the cache, so that the first step does not
        stutter.

        Args:
            progress: called as progress(done, total, name) after each kernel.
        """
        for done, count, name in self.warmup_steps():
            if progress is not None:
                progress(done, count, name)


def _list_calls(threads: int) -> Calls:
    """Spawn the examples of all stages and return the calls to run, in this order."""
    buffers = PackedBuffers(Particles)
    shared = Threads(threads)
    pipelines = [Pipeline(buffers, np.zeros(2), solver, shared, Clock()) for solver in SOLVERS]
    pipeline = pipelines[0]
    # The stages of one solver, and those that only other solvers have.
    stages = [stage for stage, _ in pipeline.substep]
    for other in pipelines[1:]:
        stages += [
            stage
            for stage, _ in other.substep
            if type(stage) not in {type(stage) for stage in stages}
        ]
    for stage in stages:
        stage.example(esper.create_entity)
    calls: Calls = []
    for stage in stages:
        if isinstance(stage, CollisionProcessor):
            calls += _collision(pipeline, buffers)
        calls.append((name_of(stage), partial(stage.process, DT)))
    calls.append(("pairs that touch", pipeline.space.tracker.start))
    calls += [
        (f"end of a frame: {stage.name.lower()}", partial(pipeline.frame_end[stage], DT))
        for stage in FrameEnd
    ]
    for stage in stages:
        if type(stage).rehearse is not Stage.rehearse:
            calls.append((f"{name_of(stage)}, rare events", partial(stage.rehearse, DT)))
    calls.append(("explosions", partial(_explode, buffers)))
    calls.append(("cuts", _cut))
    calls.append(("contacts in snapshots", partial(_keep_contacts, pipeline, buffers)))
    calls.append(("hyperbolic functions", lambda: (cosh(1.0), sinh(1.0))))
    calls.append(("differences of moments", _pack_differences))
    calls += _questions(pipeline)
    return [*calls, *_sharing(pipeline, stages)] if threads > 1 else calls


def name_of(stage: Stage) -> str:
    """Return the words of the class of a stage."""
    words = re.findall(r"[A-Z][a-z]*", type(stage).__name__.removesuffix("Processor"))
    return " ".join(words).lower()


def _collision(pipeline: Pipeline, buffers: PackedBuffers) -> Calls:
    """Return the parts of the collision stage, each a call of its own: its kernels take longest to
    compile, and a progress bar should move.
    """
    space = pipeline.space
    rows = buffers[Particles].rows
    found = ContactList()
    return [
        ("bounds of bodies", lambda: space.prepare(buffers.version, DT, DT)),
        ("pairs of bodies", space.find_pairs),
        ("contacts", lambda: space.find_contacts(new_frame=True)),
        ("contacts of discs", lambda: space.narrow_phase.find_discs(found.candidates)),
        ("order of contacts", lambda: Batches().put_in_order(ContactList(), Workers())),
        ("motion since then", lambda: space.find(buffers.version, DT, DT, new_frame=True)),
        # The one-way wall of the example requires a search in each frame.
        ("the next frame", space.begin_frame),
        ("pushed particles", lambda: space.mark_pushed(buffers.version, rows["jointed"].copy())),
        ("margins", lambda: space.is_settled(buffers.version, DT, new_frame=False)),
        ("motion of walls", lambda: space.walls.find_velocities(DT)),
        ("bodies that come apart", lambda: space.interpenetrations.separate(DT)),
        ("contact geometry", lambda: space.refresh(DT)),
        ("contact impulses", lambda: space.solver.solve(DT)),
        ("impacts", lambda: space.solver.warm_up(DT)),
    ]


def _keep_contacts(pipeline: Pipeline, buffers: PackedBuffers) -> None:
    """Keep and restore contacts, as a snapshot does."""
    contact_snapshots = ContactSnapshots(pipeline.space)
    contact_snapshots.restore(contact_snapshots.keep(buffers.version, None), buffers.version)


def _pack_differences() -> None:
    """Pack and apply the differences of two moments, as rewinding does."""
    before = np.zeros(70, np.uint64)
    now = np.arange(70, dtype=np.uint64) << np.uint64(20)
    apply_differences(np.frombuffer(packed(before, now), np.uint8), before)


def _explode(buffers: PackedBuffers) -> None:
    """Run an explosion that hardly moves anything."""
    everybody = np.ones(buffers[Collider].values.count, np.bool_)
    everywhere = np.ones(buffers[Particles].rows.count, np.bool_)
    throw_bodies(buffers, (0.5, 0.5), 1.0, 0.0, 1e-9, 1.0, everybody, everywhere)


def _cut() -> None:
    """Run the areas, edges and sums of a cut, and join a crossing spring to one of its points."""
    ring = np.eye(3, 2)
    side = np.array((True, False, True), np.bool_)
    contains(ring, np.zeros((1, 2)))
    is_self_intersecting(np.eye(4, 2))
    signed_area(ring)
    mean_edge(ring)
    dot(np.ones(3), ring)
    dot(np.ones(3), ring[:, 0].copy())
    solve_spread(np.ones(3), ring, ring[0])
    total(ring[0])
    moving = Moving(np.ones(3), ring, np.zeros((3, 2)))
    balance(moving.mass, ring, 1.0, 0.3, np.empty((3, 2)), np.empty((2, 3)), np.empty(3))
    hand_motion(moving, moving, np.empty((2, 3)))
    row = np.zeros(1, np.int64)
    pair = np.array([(0, 1)], np.int64)
    reach = np.ones(2)
    join_severed(
        pair, row, side, ~side, row + 2, pair, ring, ring, reach, np.empty((1, 3), np.int64)
    )
    mark_met(ring, np.array((0, 1, 3), np.int64), 0.1, side.copy())
    parts = Parts(
        arange(2),
        side[:2],
        np.array((0, 2), np.int64),
        arange(2),
        np.array((0, 2), np.int64),
        pair,
        arange(2),
    )
    room = Room(
        np.zeros(3, np.int64), side.copy(), ~side, arange(3), row.copy(), np.empty((1, 3), np.int64)
    )
    found = Found(
        np.empty((5, 3), np.int64),
        np.empty((5, 2), np.int64),
        np.ones(5),
        side[[0] * 5],
        row[[[0] * 3]],
    )
    part_springs(
        pair, side[1:2], np.ones(1), np.ones(1), arange(3), parts, ring, ring, reach, room, found
    )


def _questions(pipeline: Pipeline) -> Calls:
    """Return a call for each kind of query."""
    queries = pipeline.queries
    everything = checked_filter("warm-up", ALL, (), sensors=True)
    return [
        ("rays", lambda: queries.cast((-1.0, 0.5), (2.0, 0.5), 0.0, everything, nearest_only=True)),
        ("points", lambda: queries.near((0.5, 0.5), 0.0, everything)),
        ("regions", lambda: queries.in_region((0.0, 0.0), (1.0, 1.0), everything)),
        ("nearest particle", lambda: queries.nearest_particle((0.5, 0.5), 1.0, everything)),
    ]


def _sharing(pipeline: Pipeline, stages: list[Stage]) -> Calls:
    """Return the calls that a large world shares among threads."""
    space = pipeline.space
    workers = pipeline.context.workers
    found = ContactList()

    def share() -> None:
        workers.are_used = True
        for stage in stages:
            stage.process(DT)

    return [
        ("stages, shared", share),
        (
            "contacts of discs, shared",
            lambda: space.narrow_phase.share_discs(workers, found.candidates),
        ),
        ("end of sharing", workers.dismiss),
    ]
