"""Simulation: one esper world, its packed buffers and its processors, stepped at a fixed rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

import esper
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.collision.contacts import Contacts
from ecs_softbody.components import Collider, Particles, Springs, StaticCollider
from ecs_softbody.cuts import WorldCuts
from ecs_softbody.explosions import Explosions
from ecs_softbody.profiler import Profiler
from ecs_softbody.queries import WorldQueries
from ecs_softbody.real_time import RealTime
from ecs_softbody.stages import SOLVERS, Stages
from ecs_softbody.storage import (
    PackedBuffers,
    check_count,
    check_number,
    check_point,
    forget_unknown_deletions,
    marked_for_deletion,
)
from ecs_softbody.storage.columns import Floats
from ecs_softbody.threads import Threads
from ecs_softbody.warmup import warmup_steps
from ecs_softbody.world import World, run_processors

Progress = Callable[[int, int, str], None]


class Simulation(World, WorldQueries, WorldCuts, Explosions, RealTime, Threads):
    """Soft-body physics for the entities of one esper world.

    Creating one makes its world the current one. A second Simulation on the same world takes it over.

    Args:
        gravity: (x, y) [m/s²].
        substeps: substeps of a frame; stiff bodies need more.
        world: name of the esper world.
        solver: "saturated", or "xpbd" for ropes, stacks and stiff bodies (docs/solvers.md).
        sleeping: whether bodies that have come to rest fall asleep: they cost nothing until something happens to them.
        threads: how many threads may share the work of a large world; the results are the same (docs/threads.md).

    Raises:
        ValueError: naming the argument, the value and what is allowed.
    """

    _of_world: ClassVar[dict[str, Simulation]] = {}

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
        self._gravity = check_point("Simulation", "gravity", gravity, "m/s²")
        self._substeps = check_count("Simulation", "substeps", substeps)
        Threads.__init__(self, threads)
        World.__init__(self, world)
        if solver not in SOLVERS:
            raise ValueError(f"Simulation.solver: {solver!r} is not allowed; expected 'saturated' or 'xpbd'")
        self.solver = solver
        self.time = 0.0
        """Simulated time [s]."""
        self.frame = 0
        """Frames stepped so far."""
        RealTime.__init__(self)
        self.buffers = PackedBuffers(Particles)
        self._stepping = self._in_substeps = False
        self._kept_contacts: Contacts | None = None
        self._take_over()
        stages = Stages(self.buffers, self._gravity, solver, self._workers)
        self._saturation, self._sleep, self._collision = stages.saturation, stages.sleep, stages.collision
        self._muscles = stages.muscles
        self._integration, self._space = stages.integration, stages.space
        self._joints = stages.joints
        self._contact_events, self._queries = stages.contact_events, stages.queries
        self._cutter = stages.cutter
        self._processors = stages.in_order()
        self.sleeping = sleeping
        for processor, order in self._processors:
            esper.add_processor(processor, priority=order)
        self.profiler = Profiler(self._space, self._counts)
        """Where the time of a frame goes; off until `sim.profiler.enabled = True`."""

    def _take_over(self) -> None:
        previous = Simulation._of_world.get(self.world)
        if previous is not None:
            previous._release()
        Simulation._of_world[self.world] = self
        esper.switch_world(self.world)

    @property
    def gravity(self) -> Floats:
        """Acceleration (x, y) [m/s²], live: `sim.gravity[1] = 9.81` turns it over."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._gravity[:] = check_point("Simulation", "gravity", value, "m/s²")

    @property
    def substeps(self) -> int:
        """Substeps of a frame."""
        return self._substeps

    @substeps.setter
    def substeps(self, value: int) -> None:
        self._substeps = check_count("Simulation", "substeps", value)

    @property
    def speed_limit(self) -> float:
        """No particle moves faster than this [m/s]."""
        return self._integration.speed_limit

    @speed_limit.setter
    def speed_limit(self, value: float) -> None:
        self._integration.speed_limit = check_number("Simulation", "speed_limit", value, above=0.0)
        self._space.speed_limit = self._integration.speed_limit

    @property
    def sleeping(self) -> bool:
        """Whether bodies that have come to rest fall asleep. False wakes all of them."""
        return self._sleep.enabled

    @sleeping.setter
    def sleeping(self, value: bool) -> None:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"Simulation.sleeping: {value!r} is not allowed; expected True or False")
        self._sleep.enabled = bool(value)

    @property
    def asleep_count(self) -> int:
        """Number of sleeping bodies."""
        return self._sleep.asleep_count

    def is_asleep(self, entity: int) -> bool:
        """Tell whether the body of an entity sleeps; what has no Particles never does.

        Raises:
            ValueError: when there is no such entity.
        """
        self._check_entity("is_asleep", entity)
        return self._sleep.is_asleep(entity)

    def wake(self, entity: int) -> None:
        """Wake the body of an entity, and all that rest on each other with it.

        Raises:
            ValueError: when there is no such entity.
        """
        self._check_entity("wake", entity)
        self._sleep.wake(entity)

    def step(self, dt: float = 1.0 / 60.0) -> None:
        """Run one frame of `dt` seconds in `substeps` substeps.

        The world of this simulation is the current one while its processors and the handlers of contact events run,
        and the caller's afterwards. An exception of a handler is raised after all handlers had their events.

        Raises:
            ValueError: when dt is not a finite number > 0, a new component does not fit its entity, or an entity
                was deleted that does not exist; nothing has moved then.
            RuntimeError: after `close`, and inside a step: in a processor or a handler of contact events.
        """
        dt = check_number("Simulation.step", "dt", dt, above=0.0)
        self._check_open()
        if self._stepping:
            raise RuntimeError("Simulation.step: a step is running; processors and event handlers cannot run another")
        before = esper.current_world
        esper.switch_world(self.world)
        self._stepping = True
        self._kept_contacts = None
        try:
            if self._contact_events.are_heard:
                self._space.tracker.start()
            if self.profiler.enabled:
                self.profiler.run_frame(partial(self._run_substeps, dt / self._substeps), partial(self._end_frame, dt))
            else:
                self._run_substeps(dt / self._substeps, run_processors)
                self._end_frame(dt)
        finally:
            self._stepping = False
            self.buffers.frame_start = True
            esper.switch_world(before if before in esper.list_worlds() else "default")  # a handler may have closed it

    def _run_substeps(self, dt: float, process: Callable[[float], None]) -> None:
        if unknown := forget_unknown_deletions():
            raise ValueError(f"esper.delete_entity: entity {unknown[0]} does not exist in world {self.world!r}")
        self._saturation.substeps = self._substeps
        self._muscles.frame_time = self.time
        self._collision.frame_dt = dt * self._substeps
        self.buffers.frame_start = self._in_substeps = True
        try:
            with self._shared_frame():
                for _ in range(self._substeps):
                    process(dt)
                    self.buffers.frame_start = False
        finally:
            self._in_substeps = False

    def _end_frame(self, dt: float) -> None:
        self.time += dt
        self.frame += 1
        self.alpha = 1.0
        self._joints.measure(dt)
        self._space.resist_rolling()
        self._integration.limit()
        self._space.tracker.track()
        self._sleep.settle(dt)
        self._contact_events.collect()
        self._joints.break_overloaded()
        self._contact_events.deliver()

    def _counts(self) -> dict[str, int]:
        bodies, springs = (self.buffers[kind].bound.values() for kind in (Particles, Springs))
        return {
            "bodies": len(bodies),
            "asleep": self.asleep_count,
            "particles": sum(body.row_count for body in bodies),
            "springs": sum(spring.row_count for spring in springs),
            "contacts": len(self.contacts),
        }

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last frame, as arrays."""
        return self._space.report() if self._kept_contacts is None else self._kept_contacts

    def _bring_up_to_date(self) -> set[int]:
        with self:
            if not self._in_substeps and not self.buffers.is_current:
                self._kept_contacts = self.contacts  # the report counts rows that packing may move
                self.buffers.synchronise()
            return marked_for_deletion()

    @property
    def touching(self) -> NDArray[np.int64]:
        """Pairs (P, 2) of entities that touch after the last frame, sorted; the second one is the wall if there is one.

        Each pair is there from its event `contact_begin` to its `contact_end`.
        """
        self._space.tracker.start()
        return self._space.tracker.pairs.entities(sensor=False)

    @property
    def sensed(self) -> NDArray[np.int64]:
        """Pairs (P, 2) of an entity and the sensor that it is in, after the last frame, sorted."""
        self._space.tracker.start()
        return self._space.tracker.pairs.entities(sensor=True)

    def interpolated_positions(self, alpha: float | None = None) -> Floats:
        """Positions of all packed particles between the last two frames, shape (N, 2) [m], a copy."""
        rows = self.buffers[Particles].rows
        share = self.alpha if alpha is None else alpha
        positions: Floats = rows["frame_position"] + share * (rows["position"] - rows["frame_position"])
        return positions

    def pass_through(self, entity: int, platform: int) -> None:
        """Let a body that stands on a one-way platform, or touches it, drop through; call it when the key goes down.

        The platform is open to the whole body until the two have parted. Elsewhere it does nothing.

        Raises:
            ValueError: when `entity` has no Collider or `platform` no StaticCollider with `one_way`.
        """
        with self:
            if not esper.entity_exists(entity) or not esper.has_component(entity, Collider):
                raise ValueError(
                    f"Simulation.pass_through: entity {entity!r} is not allowed; expected a Collider on it"
                )
            wall = esper.try_component(platform, StaticCollider) if esper.entity_exists(platform) else None
            if wall is None or not wall.one_way.any():
                raise ValueError(
                    f"Simulation.pass_through: platform {platform!r} is not allowed; expected an entity with a "
                    "StaticCollider that has one_way"
                )
        self._space.one_way.ask(entity, platform)

    def warmup_steps(self) -> Iterator[tuple[int, int, str]]:
        """Compile the kernels one by one; yields (done, total, name) after each."""
        yield from warmup_steps(self.threads)

    def warmup(self, progress: Progress | None = None) -> None:
        """Compile all kernels now, or load them from the cache, so that the first step does not stutter.

        Args:
            progress: called as progress(done, total, name) after each kernel.
        """
        for done, total, name in self.warmup_steps():
            if progress is not None:
                progress(done, total, name)

    def close(self) -> None:
        """End the simulation: its world loses its processors and entities, and is deleted unless "default"."""
        if self.closed:
            return
        before = esper.current_world
        self._release()
        esper.switch_world(self.world)
        esper.clear_database()
        esper.switch_world("default" if before == self.world else before)
        if self.world != "default":
            esper.delete_world(self.world)

    def _release(self) -> None:
        """Take the processors out of the world and give every component its own arrays back."""
        with self:
            for processor, _ in self._processors:
                if esper.get_processor(type(processor)) is processor:
                    esper.remove_processor(type(processor))
        self._workers.dismiss()
        self.buffers.unpack_all()
        self._contact_events.forget()
        self.closed = True
        if Simulation._of_world.get(self.world) is self:
            del Simulation._of_world[self.world]
