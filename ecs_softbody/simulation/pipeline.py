"""Pipeline: makes the stages of one world and runs them, in the order of processors/order.py.

`run_substeps` does the start of a frame and its substeps, `end_frame` its end; Simulation.step
calls both. The stages are esper processors: processors of a game run between them, by priority.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import esper

from ecs_softbody.arrays import Floats
from ecs_softbody.collision.contact_snapshots import ContactSnapshots
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.collision.query.queries import Queries
from ecs_softbody.components import (
    AngularMuscles,
    AngularSprings,
    AreaConstraint,
    Attachment,
    Collider,
    DistanceLimits,
    Muscles,
    Particles,
    PressureBody,
    ShapeMatching,
    Springs,
    StaticCollider,
)
from ecs_softbody.fracture import Cutter
from ecs_softbody.processors import SOLVERS, ContactEvents, FrameEnd, FrameStart, Order
from ecs_softbody.processors.characters.character import CharacterProcessor
from ecs_softbody.processors.characters.drive import CharacterForceProcessor
from ecs_softbody.processors.fluids.outlines import FluidOutlines
from ecs_softbody.processors.frame.collision import CollisionProcessor
from ecs_softbody.processors.frame.contact_correction import ContactCorrectionProcessor
from ecs_softbody.processors.frame.energy import EnergyNoteProcessor, EnergyProcessor
from ecs_softbody.processors.frame.integration import IntegrationProcessor
from ecs_softbody.processors.frame.packing import PackingProcessor
from ecs_softbody.processors.joints.contact_search import ContactSearchProcessor
from ecs_softbody.processors.joints.joints import JointProcessor
from ecs_softbody.processors.materials.healing import HealingProcessor
from ecs_softbody.processors.materials.muscles import MusclesProcessor
from ecs_softbody.processors.materials.plasticity import PlasticityProcessor
from ecs_softbody.processors.materials.tearing import TearingProcessor
from ecs_softbody.processors.sleep.finite_guard import (
    FiniteGuard,
    FiniteGuardProcessor,
    ForceGuardProcessor,
    FrameGuardProcessor,
)
from ecs_softbody.processors.sleep.forced_waking import ForcedWakingProcessor
from ecs_softbody.processors.sleep.sleep import SleepProcessor
from ecs_softbody.processors.solvers.force_stages import ForceStages
from ecs_softbody.processors.stage import Frame, Stage, StageContext
from ecs_softbody.simulation.clock import Clock
from ecs_softbody.simulation.threads import Threads
from ecs_softbody.storage import Activity, PackedBuffers, forget_unknown_deletions, world_processors
from ecs_softbody.storage.holding import SHIELD
from ecs_softbody.storage.resource import Array, Number, Part, Resource, Whole
from ecs_softbody.storage.saved import Saved
from ecs_softbody.validation import SETTINGS

HOLDERS = DistanceLimits, Springs, AngularSprings, ShapeMatching, PressureBody, AreaConstraint
"""Components that hold the particles of a body together. Particles of a body with one of these do
not spin as discs do (see Proxies, in collision).
"""
Placed = list[tuple[Stage, Order]]
"""Stages with their priorities."""
Kind = TypeVar("Kind", bound=Stage)
RunSubstep = Callable[[float], None]
"""Runs all processors for a substep of some seconds."""


class Pipeline(Resource):
    """All stages of a simulation, in the order of the step, and their shared state."""

    made = ("integration",)
    bound = ("idle", "_have_rested")
    saved = (
        Whole("substeps", "Substeps of a frame.", check=SETTINGS["substeps"]),
        Part("clock", "Time.", Clock),
        Part("frame", "The frame that was simulated last.", Frame),
        Array(
            "context.gravity",
            (2,),
            "Gravity.",
            unit="m/s²",
            in_place=True,
            check=SETTINGS["gravity"],
        ),
        Number(
            "integration.speed_limit",
            "Of particles.",
            infinite=True,
            unit="m/s",
            check=SETTINGS["speed_limit"],
        ),
        Part("space.activity", "Which bodies take part.", Activity),
        Part("space", "Contacts, and the last search for them.", CollisionSpace),
        Part("context.outlines", "Resistance of fluids.", FluidOutlines),
    )

    def __init__(
        self, buffers: PackedBuffers, gravity: Floats, solver: str, threads: Threads, clock: Clock
    ) -> None:
        self._buffers = buffers
        self._threads = threads
        self.clock = clock
        self.space = CollisionSpace(
            buffers[Particles],
            buffers[Collider],
            buffers[StaticCollider],
            buffers[Attachment],
            buffers[ShapeMatching],
            (buffers[Muscles], buffers[AngularMuscles]),
            {"packed_pairs": buffers[Springs], "packed_triples": buffers[AngularSprings]},
            [buffers[kind] for kind in HOLDERS],
            gravity,
            Activity(buffers),
        )
        # The solver shares the workers of the stages: one team of threads for each simulation.
        self.space.solver.workers = threads.workers
        self.contact_snapshots = ContactSnapshots(self.space)
        self.cutter = Cutter(buffers)
        self.frame = Frame()
        self.context = StageContext(
            buffers,
            gravity,
            threads.workers,
            self.space,
            FluidOutlines(buffers),
            self.cutter,
            self.frame,
        )
        self.substeps = 1
        """How many substeps a frame has."""
        self.idle: tuple[int, ...] = ()
        """Identities of the stages that have nothing to do until something comes or goes."""
        self._have_rested = True
        """Whether resting stages have dropped their state; False after loading a file, whose joints
        may have just been removed.
        """
        # The processors of the esper world, and the idle stages, for which `_due` was made.
        self._listed: list[esper.Processor] = []
        self._without: tuple[int, ...] = ()
        self._due: list[Callable[[float], None]] = []
        """Functions of the processors in `_listed`, without the ones in `_without`."""
        self.substep = self._list_substep(solver)
        """The processors of a substep, from first to last."""
        self.sleep, self.joints = self.stage(SleepProcessor), self.stage(JointProcessor)
        self.integration, self.characters = (
            self.stage(IntegrationProcessor),
            self.stage(CharacterProcessor),
        )
        self.space.solver.speed_limit = self.integration.speed_limit
        self.contact_events = ContactEvents(self.space.tracker.pairs)
        sensors = self.space.sensors
        self.queries = Queries(sensors.bodies, sensors.walls, buffers[Particles], buffers[Collider])
        self.frame_start = self._list_frame_start()
        self.frame_end = self._list_frame_end()

    def _list_frame_start(self) -> dict[FrameStart, Callable[[], None]]:
        """Return the calls at the start of a frame, in their order."""
        return {
            FrameStart.EVENTS: self._follow_touching,
            FrameStart.DELETIONS: refuse_unknown_deletions,
            FrameStart.THREADS: self._threads.begin_frame,
        }

    def _list_substep(self, solver: str) -> Placed:
        """Make all stages of a substep, for the solver with this name, and sort them."""
        context = self.context
        chosen = SOLVERS[solver]
        forces = chosen.forces(context)
        joints = next(force for force, _ in forces if isinstance(force, JointProcessor))
        # Bodies that wake in the middle of a substep, and those beside a body that freezes, get
        # their forces a second time.
        again = ForceStages(self._buffers, self.space.activity, [force for force, _ in forces])
        sleep = SleepProcessor(context, again)
        characters = CharacterProcessor(context)
        energy = EnergyProcessor(context)
        guard = FiniteGuard(self._buffers, self.space.activity, again, self.frame)
        guards: list[Stage] = [FrameGuardProcessor(context, guard), ForceGuardProcessor(guard)]
        # Sweeps hand on forces within the stage: one that is not finite would spread before
        # FORCE_GUARD.
        if chosen.guards_forces:
            guards.append(FiniteGuardProcessor(guard))
        stages: list[Stage] = [
            PackingProcessor(context, self._find_idle),
            sleep,
            characters,
            MusclesProcessor(context),
            chosen.strength(context),
            CharacterForceProcessor(context, characters),
            ForcedWakingProcessor(context, sleep),
            *guards,
            ContactSearchProcessor(context),
            energy,
            CollisionProcessor(context, sleep, joints),
            IntegrationProcessor(context),
            ContactCorrectionProcessor(context),
            EnergyNoteProcessor(energy),
            PlasticityProcessor(context),
            TearingProcessor(context),
            HealingProcessor(context),
        ]
        # Only `Order` decides which stage comes first, not the list above.
        placed: Placed = [*forces, *((stage, stage.order) for stage in stages)]
        return sorted(placed, key=lambda stage: stage[1], reverse=True)

    def _list_frame_end(self) -> dict[FrameEnd, Callable[[float], None]]:
        """Return the calls at the end of a frame, in their order; each gets its length [s]."""
        return {
            # The clock is first, so that everything below sees the number and the time of the
            # finished frame.
            FrameEnd.CLOCK: self.clock.count_frame,
            # Joint forces precede BREAKING, which compares the mean of the frame: impulses of one
            # substep are noise, and depend on the number of substeps. They precede SLEEPING, since
            # sleeping joints keep their force.
            FrameEnd.JOINT_FORCES: self.joints.measure,
            FrameEnd.ROLLING: lambda dt: self.space.resist_rolling(),
            # The limit follows everything in the frame that changes velocities.
            FrameEnd.SPEED_LIMIT: lambda dt: self.integration.limit(),
            FrameEnd.TOUCHING: lambda dt: self.space.tracker.track(),
            FrameEnd.FOOTING: self.characters.find_footing,
            FrameEnd.SLEEPING: self.sleep.settle,
            # Events are queued before handlers of a game run, which may change anything: events are
            # facts of the finished frame.
            FrameEnd.EVENTS: lambda dt: self.contact_events.collect(),
            FrameEnd.BREAKING: lambda dt: self.joints.break_overloaded(),
            FrameEnd.CHARACTERS: lambda dt: self.characters.tell(),
            FrameEnd.HANDLERS: lambda dt: self.contact_events.deliver(),
        }

    def load(self, saved: Saved) -> None:
        """Load the stages from a file; components are there already, and the stages are new.

        Raises:
            ValueError: where a field is missing, or is not allowed.
        """
        saved.lengths["version"] = self._buffers.version
        super().load(saved)
        self.space.solver.speed_limit = self.integration.speed_limit
        self.contact_snapshots.load(saved.part("contacts"))
        of_stages = saved.part("stages")
        for name, stage in self.saved_stages().items():
            # Files of before the names have those of the classes.
            kind = type(stage).__name__
            stage.load(of_stages.part(name if of_stages.has(name) else kind))

    def saved_stages(self) -> dict[str, Stage]:
        """Return the stages of which files keep something, by the names of their resources."""
        return {stage.resource: stage for stage, _ in self.substep if stage.saved}

    @property
    def resources(self) -> list[Any]:
        """Everything that has declared what it keeps, besides the pipeline."""
        context = self.context
        stages = (stage for stage, _ in self.substep if stage.saved or stage.made or stage.bound)
        return [context.buffers, context.gravity, context.outlines, *stages]

    def leave(self) -> None:
        """Take the stages out of the current world; user-defined processors in their place stay."""
        for processor, _ in self.substep:
            if esper.get_processor(type(processor)) is processor:
                esper.remove_processor(type(processor))

    def stage(self, kind: type[Kind]) -> Kind:
        """Return the stage of a class."""
        return next(stage for stage, _ in self.substep if isinstance(stage, kind))

    def run_substeps(self, dt: float, count: int, run: RunSubstep) -> None:
        """Run the start of a frame of dt seconds and its substeps, each with `run`."""
        for begin in self.frame_start.values():
            begin()
        frame = self.frame
        buffers = self._buffers
        length = dt / count
        frame.number = self.clock.frame
        frame.time = self.clock.time
        frame.dt = length * count
        frame.substeps = count
        # This is True in the first substep alone: stages look there for values that a game wrote.
        buffers.frame_start = True
        try:
            for frame.substep in range(1, count + 1):
                run(length)
                buffers.frame_start = False
        finally:
            self._threads.end_frame()
            frame.substep = 1

    def run_substep(self, dt: float) -> None:
        """Run the processors as `esper.process` does, without idle stages."""
        esper.clear_dead_entities()
        # The list of functions is made again only when processors came or went, or stages became
        # idle: a stage without work costs a tenth of a microsecond this way.
        if self._without is not self.idle or self._listed != world_processors():
            self._listed = list(world_processors())
            self._list_due()
        # The first stage, packing, may change the later ones.
        for process in self._due:
            process(dt)

    def end_frame(self, dt: float) -> None:
        """Run the end of a frame of dt seconds."""
        for end in self.frame_end.values():
            end(dt)

    def look_again(self) -> None:
        """Update references after all arrays were replaced, as by a snapshot from a file."""
        self.space.look_again()
        self.idle = self._idle_now()
        self._have_rested = False

    def _find_idle(self) -> None:
        """Find the stages that have nothing to do; a stage whose components are gone
        forgets them.
        """
        before = self.idle if self._have_rested else ()
        idle = self._idle_now()
        self._have_rested = True
        if idle == before:
            return
        self.idle = idle
        for stage, _ in self.substep:
            if id(stage) in idle and id(stage) not in before:
                stage.rest()
        self._list_due()

    def _idle_now(self) -> tuple[int, ...]:
        return tuple(id(stage) for stage, _ in self.substep if stage.is_idle(self._buffers))

    def _list_due(self) -> None:
        # Changed in place: `run_substep` may be going through it.
        self._without = self.idle
        self._due[:] = [
            self.process_of(processor)
            for processor in self._listed
            if id(processor) not in self.idle
        ]

    def process_of(self, processor: esper.Processor) -> Callable[[float], None]:
        """Return the function that runs a processor; a user-defined one may be interrupted by a
        signal at any moment.

        Values written by a user-defined processor that runs after a guard are checked as well,
        before a stage passes them on to other bodies.
        """
        process: Callable[[float], None] = processor.process
        if isinstance(processor, Stage):
            return process
        if Order.COLLISION <= processor.priority <= Order.GUARD:
            return partial(_lift_and_look, process, self.stage(ForceGuardProcessor).process)
        return partial(_lift, process)

    def _follow_touching(self) -> None:
        # Events without a handler cost nothing.
        if self.contact_events.are_heard:
            self.space.tracker.start()


def _lift(process: Callable[[float], None], dt: float) -> None:
    SHIELD.lift(process, dt)


def _lift_and_look(
    process: Callable[[float], None], look: Callable[[float], None], dt: float
) -> None:
    _lift(process, dt)
    look(dt)


def refuse_unknown_deletions() -> None:
    """Raise ValueError when an entity was deleted that does not exist in the current world."""
    if unknown := forget_unknown_deletions():
        raise ValueError(
            f"esper.delete_entity: entity {unknown[0]} does not exist in world "
            f"{esper.current_world!r}"
        )
