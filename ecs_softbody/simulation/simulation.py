"""Simulation: the object that a game has: one esper world, its packed buffers and its processors.

It mostly puts parts together: World (entities), Pipeline (the stages and the step), Clock,
WorldQueries, WorldCuts and more, each in a file of its own; its methods are forwarded to them. Here
are the step itself, its settings, and what guards it against threads, signals and misspelt names.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self
from weakref import ref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.collision.contacts.view import Contacts
from ecs_softbody.components import Particles
from ecs_softbody.errors import FieldError
from ecs_softbody.parallel.compiling import check_kernels
from ecs_softbody.processors import SOLVERS
from ecs_softbody.processors.stage import Force, Mark
from ecs_softbody.simulation.clock import Clock
from ecs_softbody.simulation.contacts import WorldContacts
from ecs_softbody.simulation.cutting import WorldCuts
from ecs_softbody.simulation.entities import WorldEntities
from ecs_softbody.simulation.events import WorldEvents, forget_handlers
from ecs_softbody.simulation.explosions import Explosion, Explosions
from ecs_softbody.simulation.forwarding import Forwarded, forwarded
from ecs_softbody.simulation.pipeline import Pipeline
from ecs_softbody.simulation.profiler import Profiler
from ecs_softbody.simulation.queries import WorldQueries
from ecs_softbody.simulation.threads import Threads
from ecs_softbody.simulation.warmup import WarmUp
from ecs_softbody.simulation.world import Ending, World, end_dropped
from ecs_softbody.state.world_snapshots import Stages, WorldSnapshots
from ecs_softbody.storage import Component, PackedBuffers, marked_for_deletion, replace_processors
from ecs_softbody.storage.holding import entrance, inside, is_running, whole
from ecs_softbody.validation import (
    FARTHEST,
    LONGEST_FRAME,
    SETTINGS,
    check_number,
    unknown_attribute,
    wrong_call,
)

TOUCHING = """Pairs (P, 2) of entities that touch after the last frame, sorted.

A wall is the second one of its pair. Each pair is there from its event `contact_begin` to its
`contact_end`.
"""
SENSED = "Pairs (P, 2) of an entity and the sensor that it is in, after the last frame, sorted."
CLOSED = "Whether `close` was called, or another Simulation took the world."
OWN = ("solver", "profiler", "scene")
"""Public attributes of an instance; all other public names belong to the class."""
OTHER_WORDS = {
    "add": "spawn", "create": "spawn", "create_entity": "spawn", "delete": "despawn",
    "remove": "despawn", "destroy": "despawn", "kill": "despawn", "component": "get",
    "get_component": "get", "find": "entities", "bodies": "entities", "position": "center",
    "dt": "frame_dt", "update": "step", "speed": "time_scale", "add_handler": "on",
    "set_handler": "on", "connect": "on", "ray": "raycast", "explosion": "explode",
    "add_body": "spawn", "delete_entity": "despawn", "add_collision_handler": "on", "run": "step",
    "fps": "frame_dt",
}  # fmt: skip
"""Names in other libraries, with the name here."""


class Simulation:
    """Soft-body physics for the entities of one esper world.

    Creating one makes its world the current one. A second Simulation on the same world takes it
    over. A bad argument, or an entity that does not exist, raises ValueError naming it and the
    allowed values.

    Args:
        gravity: (x, y) [m/s²].
        substeps: substeps of a frame; stiff bodies need more.
        world: name of the esper world.
        solver: "saturated", or "xpbd" for ropes, stacks and stiff bodies (docs/solvers.md).
        sleeping: whether bodies that have come to rest fall asleep: they cost nothing until
            something happens to them.
        threads: how many threads may share the work of a large world; the results are the same
            (docs/threads.md).

    Attributes:
        profiler: where the time of a frame goes; off until `sim.profiler.enabled = True`.
        solver: the solver in use.
        scene: the scene that was loaded into it last, or None.
    """

    def __init__(
        self,
        *,
        gravity: ArrayLike = (0.0, -9.81),
        substeps: int = 8,
        world: str = "default",
        solver: str = "saturated",
        sleeping: bool = True,
        threads: int = 1,
    ) -> None:
        check_kernels()
        self._gravity: Floats = SETTINGS["gravity"](gravity)
        SETTINGS["substeps"](substeps)
        self._threads = Threads(threads)
        self._world = World(world)
        self._clock = Clock()
        if not isinstance(solver, str) or solver not in SOLVERS:
            allowed = " or ".join(repr(name) for name in SOLVERS)
            raise FieldError("Simulation", "solver", solver, allowed)
        self.solver = solver
        self._buffers = PackedBuffers(Particles)
        # The scene is held here: a table of scenes would hold each simulation by its scene.
        self.scene: Any = None
        # The stack frame of the call that runs a step, to tell whether one is running.
        self._frame_in_step: FrameType | None = None
        # Whether that step is in its substeps, where packing is up to the first stage.
        self._in_substeps = False
        self._ending, self._warmup = Ending(self, self._world), WarmUp(self._threads)
        self._events = WorldEvents(self._world)
        self.profiler = Profiler()
        self._recent_explosions: deque[Explosion] = deque(maxlen=16)
        new_pipeline = partial(
            Pipeline, self._buffers, self._gravity, solver, self._threads, self._clock
        )
        pipeline = new_pipeline()
        self._use(pipeline)
        self.substeps = substeps
        self.sleeping = sleeping
        for processor, order in pipeline.substep:
            self._world.add_processor(processor, priority=order)
        self._world.activate()
        this = ref(self)  # a kept snapshot must not keep the simulation alive
        stages = Stages(pipeline, new_pipeline, lambda: getattr(this(), "_replace_stages", None))
        self._snapshots = WorldSnapshots(self._world, stages, solver, self._bring_up_to_date)
        self._snapshots.follow(self.step, lambda: self._is_stepping)

    world = Forwarded[str]("_world", "Name of the esper world.", name="name", read_only=True)
    closed = Forwarded[bool]("_world", CLOSED, read_only=True)
    spawn = forwarded("_world", World.spawn)
    despawn = forwarded("_world", World.despawn)
    get = forwarded("_entities", WorldEntities.get)
    has = forwarded("_entities", WorldEntities.has)
    exists = forwarded("_entities", WorldEntities.exists)
    entities = forwarded("_entities", WorldEntities.entities)
    center = forwarded("_entities", WorldEntities.center)
    pick = forwarded("_entities", WorldEntities.pick)
    on = forwarded("_events", WorldEvents.on)
    off = forwarded("_events", WorldEvents.off)
    add_processor = forwarded("_world", World.add_processor)
    activate = forwarded("_world", World.activate)
    time = Forwarded[float]("_clock", "Simulated time [s].")
    frame = Forwarded[int]("_clock", "Frames stepped so far.")
    frame_dt = Forwarded[float]("_clock", "Length of the frames that `advance` runs [s].")
    paused = Forwarded[bool](
        "_clock", "Whether `advance` runs only the frames asked for with `request_single_step`."
    )
    time_scale = Forwarded[float]("_clock", "How fast `advance` runs: 0.25 is slow motion.")
    alpha = Forwarded[float](
        "_clock", "Where the drawn moment lies between the last two frames, 0 to 1."
    )
    request_single_step = forwarded("_clock", Clock.request_single_step)
    take_single_steps = forwarded("_clock", Clock.take_single_steps)
    threads = Forwarded[int](
        "_threads", "How many threads may share the work, at most one per core.", name="count"
    )
    contacts = Forwarded[Contacts](
        "_contacts", "The contacts of the last frame, as arrays.", read_only=True
    )
    touching = Forwarded[NDArray[np.int64]]("_contacts", TOUCHING, read_only=True)
    sensed = Forwarded[NDArray[np.int64]]("_contacts", SENSED, read_only=True)
    pass_through = forwarded("_contacts", WorldContacts.pass_through)
    raycast = forwarded("_queries", WorldQueries.raycast)
    raycast_all = forwarded("_queries", WorldQueries.raycast_all)
    point_query = forwarded("_queries", WorldQueries.point_query)
    region_query = forwarded("_queries", WorldQueries.region_query)
    nearest_particle = forwarded("_queries", WorldQueries.nearest_particle)
    cut = forwarded("_cuts", WorldCuts.cut)
    explode = forwarded("_explosions", Explosions.explode)
    explosions = Forwarded[Sequence[Explosion]](
        "_explosions", "The last explosions, at most 16.", read_only=True
    )
    snapshot = forwarded("_snapshots", WorldSnapshots.snapshot)
    restore = forwarded("_snapshots", WorldSnapshots.restore)
    state_hash = forwarded("_snapshots", WorldSnapshots.state_hash)
    component_hashes = forwarded("_snapshots", WorldSnapshots.component_hashes)
    checked_step = forwarded("_snapshots", WorldSnapshots.checked_step)
    warmup_steps = forwarded("_warmup", WarmUp.warmup_steps)
    warmup = forwarded("_warmup", WarmUp.warmup)

    @entrance
    def __enter__(self) -> Self:
        """Make this simulation's world the current one until the end of the `with` block, which
        closes nothing.

        RuntimeError after `close`, and while another thread is in a step or a `with` of any
        Simulation.
        """
        self._world.__enter__()
        return self

    @entrance
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._world.__exit__(kind, error, trace)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        """Refuse to be copied or pickled: a copy would move the original."""
        raise TypeError(
            "a Simulation cannot be copied or pickled: its entities live in the esper world "
            f"{self.world!r}, which a "
            "copy would share. Build a second one with another name, Simulation(world=...), "
            "and restore a snapshot "
            "there: second.restore(sim.snapshot().to_bytes())"
        )

    if not TYPE_CHECKING:

        def __new__(cls, *given: Any, **options: Any) -> Self:
            """Suggest the argument that was meant if there is none of this name."""
            if (
                wrong := wrong_call(cls.__name__, partial(cls.__init__, None), given, options)
            ) is not None:
                raise wrong
            return object.__new__(cls)

        def __setattr__(self, name: str, value: Any) -> None:
            """Refuse unknown attributes, so that a misspelt name raises an error."""
            if (
                name[0] != "_"
                and name not in OWN
                and not hasattr(type(self), name)
                and type(self) is Simulation
            ):
                raise self._unknown(name)
            object.__setattr__(self, name, value)

        def __getattr__(self, name: str) -> Any:
            """Name the attribute that was meant."""
            raise self._unknown(name)

        def _unknown(self, name: str) -> AttributeError:
            known = [*dir(Simulation), *OWN]
            return unknown_attribute(type(self).__name__, name, known, OTHER_WORDS)

    def _use(self, pipeline: Pipeline) -> None:
        """Answer and act through these stages from now on."""
        self._pipeline = pipeline
        self._space = pipeline.space
        self._sleep = pipeline.sleep
        self._integration = pipeline.integration
        self._contacts = WorldContacts(self._world, self._space, self._sleep.wake)
        self._queries = WorldQueries(self._world, pipeline.queries, self._bring_up_to_date)
        self._entities = WorldEntities(self._world, self._queries)
        self._cuts = WorldCuts(self._world, pipeline.cutter, self._bring_up_to_date)
        self._explosions = Explosions(pipeline, self._queries, self._recent_explosions)
        self.profiler.follow(pipeline, self._contacts)
        self._ending.undo[:] = [pipeline.leave, forget_handlers]
        self._ending.free[:] = [
            self._threads.workers.dismiss,
            self._buffers.unpack_all,
            pipeline.contact_events.forget,
        ]

    def field_marks(self) -> Iterator[tuple[Component, Sequence[Mark]]]:
        """Yield every field with the marks that show it, as its force declares them."""
        for stage, _ in self._pipeline.substep:
            if isinstance(stage, Force):
                for kind in stage.fields:
                    for _, field in sorted(self.buffers.components(kind).items()):
                        yield field, stage.marks_of(field)

    def _replace_stages(self, pipeline: Pipeline) -> None:
        """Put other stages in the place of the present ones, where a game has not removed them."""
        pairs = zip(self._pipeline.substep, pipeline.substep, strict=True)
        replace_processors({id(old): new for (old, _), (new, _) in pairs})
        self._use(pipeline)

    @property
    def buffers(self) -> PackedBuffers:
        """The packed arrays of all components, for processors that work on all bodies at once."""
        self._buffers.expose()
        return self._buffers

    @property
    def gravity(self) -> Floats:
        """Acceleration (x, y) [m/s²], live: `sim.gravity[1] = 9.81` turns it over."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity[:] = SETTINGS["gravity"](value)

    @property
    def substeps(self) -> int:
        """Substeps of a frame."""
        return self._pipeline.substeps

    @substeps.setter
    def substeps(self, value: int) -> None:
        self._pipeline.substeps = SETTINGS["substeps"](value)

    @property
    def speed_limit(self) -> float:
        """No particle moves faster than this [m/s]."""
        return self._integration.speed_limit

    @speed_limit.setter
    def speed_limit(self, value: float) -> None:
        self._integration.speed_limit = SETTINGS["speed_limit"](value)
        self._space.solver.speed_limit = self._integration.speed_limit

    @property
    def sleeping(self) -> bool:
        """Whether bodies that have come to rest fall asleep. False wakes all of them."""
        return self._sleep.enabled

    @sleeping.setter
    def sleeping(self, value: bool) -> None:
        self._sleep.enabled = SETTINGS["sleeping"](value)

    @property
    def asleep_count(self) -> int:
        """Number of sleeping bodies."""
        return self._sleep.asleep_count

    def is_asleep(self, entity: int) -> bool:
        """Return whether the body of an entity sleeps; entities without Particles never do."""
        self._world.check_entity("is_asleep", entity)
        return self._sleep.is_asleep(entity)

    def wake(self, entity: int) -> None:
        """Wake the body of an entity, and all that rest on each other with it."""
        self._world.check_entity("wake", entity)
        self._sleep.wake(entity)

    def step(self, dt: float = 1.0 / 60.0) -> None:
        """Run one frame of `dt` seconds in `substeps` substeps.

        The world of this simulation is the current one while its processors and the handlers of
        contact events run, and the caller's afterwards. An exception of a handler is raised after
        all handlers had their events.

        Raises:
            ValueError: when dt is not a number > 0 and <= 3600, `gravity` is not two finite
                numbers, a new component does not fit its entity, or an entity was deleted that
                does not exist; nothing has moved then.
            RuntimeError: after `close`, inside a step, in a processor or a handler of contact
                events, and while another thread is in a step or a `with` of any Simulation.
        """
        dt = check_number("Simulation.step", "dt", dt, above=0.0, maximum=LONGEST_FRAME)
        end_dropped()
        self._run_frame(dt)

    @whole
    def _run_frame(self, dt: float) -> None:
        """Run a frame with this world current; signals wait except in code of the game."""
        if self._is_stepping:
            raise RuntimeError(
                "Simulation.step: a step is running; processors and event handlers cannot run "
                "another"
            )
        self._check_gravity()
        try:
            # This is the call itself, not a flag, which would stay set if an interrupt came as it
            # is cleared.
            self._frame_in_step = sys._getframe()
            self._space.release_report()
            if self.profiler.enabled:
                self.profiler.run_frame(
                    partial(self._run_substeps, dt), partial(self._pipeline.end_frame, dt)
                )
            else:
                self._run_substeps(dt, self._pipeline.run_substep)
                self._pipeline.end_frame(dt)
        finally:
            self._frame_in_step = None
            # This holds after an interrupted frame, too: games may write before the next one.
            self._buffers.frame_start = True

    def _check_gravity(self) -> None:
        """Raise ValueError for a number that was written into `gravity`, and is not allowed."""
        x, y = self._gravity.tolist()
        if not (abs(x) <= FARTHEST and abs(y) <= FARTHEST):  # in every frame, so not by SETTINGS
            SETTINGS["gravity"]((x, y))

    @property
    def _is_stepping(self) -> bool:
        """Whether a step is running; an interrupted step does not count."""
        return self._frame_in_step is not None and is_running(self._frame_in_step)

    def _run_substeps(self, dt: float, run: Callable[[float], None]) -> None:
        self._in_substeps = True
        try:
            self._pipeline.run_substeps(dt, self.substeps, run)
        finally:
            self._in_substeps = False

    def advance(self, elapsed: float) -> int:
        """Run the frames due after `elapsed` seconds of real time, and return how many.

        A remainder shorter than a frame is kept; `alpha` is the fraction of the next frame that it
        covers. While paused, only frames requested with `request_single_step` run.
        """
        frames = self._clock.frames_due(
            check_number("Simulation.advance", "elapsed", elapsed, minimum=0.0)
        )
        for _ in range(frames):
            self.step(self.frame_dt)
        self._clock.show_left_over()
        return frames

    @inside
    def _bring_up_to_date(self) -> set[int]:
        """Pack changes of the world, except in substeps; return the entities that are marked for
        deletion.
        """
        if not (self._in_substeps and self._is_stepping) and not self._buffers.is_current:
            self._pack()
        return marked_for_deletion()

    @whole
    def _pack(self) -> None:
        """Pack all changes; contacts of the last frame, which count rows, are copied before."""
        self._space.hold_report()
        self._buffers.synchronise()

    def interpolated_positions(self, alpha: float | None = None) -> Floats:
        """Positions of all packed particles between the last two frames, shape (N, 2) [m], a copy.

        Bodies that were spawned since the last step are there, too.
        """
        if not self.closed:
            self._bring_up_to_date()
        rows = self._buffers[Particles].rows
        share = self.alpha if alpha is None else check_number("Simulation", "alpha", alpha)
        positions: Floats = rows["frame_position"] + share * (
            rows["position"] - rows["frame_position"]
        )
        return positions

    def close(self) -> None:
        """End the simulation: its world loses its processors and entities, and is deleted unless
        "default".
        """
        if not self.closed:
            self._ending.end("close() was called", clear=True)
