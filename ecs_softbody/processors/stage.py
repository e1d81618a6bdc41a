"""Stage: the base of every processor of the package; StageContext: the shared state of all stages
of a world.

A stage does one kind of work in each substep: it hands packed arrays to kernels. A Force is a stage
that adds to Particles.force. The pipeline of a simulation (simulation/pipeline.py) makes one stage
of each class and adds it to the esper world with its priority; a stage whose components no entity
has is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.components import Collider
from ecs_softbody.fracture import Cutter
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.processors.fluids.outlines import FluidOutlines
from ecs_softbody.processors.order import Order
from ecs_softbody.storage import Component, PackedBuffers, declared_values
from ecs_softbody.storage.resource import Number, Resource, Whole
from ecs_softbody.validation import LONGEST_FRAME, MOST_SUBSTEPS

Spawn = Callable[..., int]
"""Creates an entity of some components and returns its number."""
Box = tuple[float, float, float, float]
"""Low x, low y, high x, high y [m]."""
ALL = ("*",)
"""Value of `reads` or `writes` of a stage that goes through all tables."""
OF_CONTACTS = (
    "AngularMuscles",
    "AngularSprings",
    "AreaConstraint",
    "Attachment",
    "Collider",
    "CollisionSpace",
    "DistanceLimits",
    "Muscles",
    "Particles",
    "PressureBody",
    "ShapeMatching",
    "Springs",
    "StaticCollider",
)
"""Tables that a search for contacts reads."""
NO_PAIRS = np.zeros((0, 2), np.int64)
"""No pairs of bodies."""
NO_BODIES = np.zeros(0, np.int64)
"""No bodies."""


# Marks: what the debug overlay draws of a field (a component that acts on a region).


class Outline(NamedTuple):
    """A mark of a field: the edge of its region."""

    box: Box  # [m]


class Circle(NamedTuple):
    """A mark of a field: how far it reaches from a point, (x, y) and a length [m]."""

    center: Floats
    radius: float


class Spot(NamedTuple):
    """A mark of a field: a point (x, y) [m] that attracts or, in another colour, repels."""

    center: Floats
    repels: bool = False


class Flow(NamedTuple):
    """A mark of a field: arrows in a box, given the velocity [m/s] at points, (N, 2) of (N, 2)."""

    box: Box
    velocity: Callable[[Floats], Floats]


Mark = Outline | Circle | Spot | Flow
"""How the debug overlay shows a field."""


@dataclass
class Frame(Resource):
    """The number, times and substeps of the frame that is being stepped, for all stages."""

    number: int = 0
    """Frames stepped before it."""
    time: float = 0.0
    """Simulated time at the start of the frame [s]."""
    dt: float = 1.0 / 60.0
    """Length of the frame [s]."""
    substeps: int = 1
    """Number of substeps of the frame."""
    substep: int = 1
    """Number of the substep that runs, from 1 on."""

    saved = (
        Number("time", "Simulated time at the start of the frame.", unit="s"),
        Number("dt", "Length of the frame.", least=0.0, most=LONGEST_FRAME, unit="s"),
        Whole("substeps", "Substeps of a frame.", least=1, most=MOST_SUBSTEPS),
    )


@dataclass(frozen=True)
class StageContext:
    """Shared state of the stages of one world; every stage is made from it."""

    buffers: PackedBuffers
    """The packed arrays of all components."""
    gravity: Floats
    """(x, y) [m/s²], the array that the Simulation shows."""
    workers: Workers
    """The threads that stages may share their work among."""
    space: CollisionSpace
    """The contacts, and which bodies are asleep or frozen (`space.activity`)."""
    outlines: FluidOutlines
    """The outlines of bodies, and the resistance of fluids, summed up at their particles."""
    cutter: Cutter
    """Cuts and tears bodies into fragments."""
    frame: Frame
    """The times of the frame."""


class Stage(Resource, esper.Processor):
    """One stage of a substep, made from a StageContext."""

    order: ClassVar[Order]
    """When it runs in a substep."""
    resource: ClassVar[str] = ""
    """Name in files of the state that it declares in `saved` (storage/resource.py)."""
    components: ClassVar[tuple[type[Component], ...]] = ()
    """The stage is skipped while no entity has any of these; with none listed it always runs."""
    reads: ClassVar[tuple[str, ...]] = ()
    """Tables, by the names of their components, and shared resources that `process` takes values
    of, besides the tables of `components`.
    """
    writes: ClassVar[tuple[str, ...]] = ()
    """Columns, such as "Particles.force" or "Collider.impact_*", and shared resources that the
    stage changes. A test runs all stages and compares.
    """

    def __init__(self, context: StageContext) -> None:
        raise NotImplementedError

    def process(self, dt: float) -> None:
        """Run the stage for a substep of dt seconds."""
        raise NotImplementedError

    def is_idle(self, buffers: PackedBuffers) -> bool:
        """Return whether no entity has any of `components`."""
        return bool(self.components) and not any(buffers[kind].bound for kind in self.components)

    def rest(self) -> None:
        """Forget the state of earlier substeps. Called in place of `process` while no entity has
        any of `components`.
        """

    def rehearse(self, dt: float) -> None:
        """Run the kernels that only rare events need, so that a warm-up compiles them."""

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """Create small entities on which `process` runs all of its kernels, for the warm-up and
        for tests.
        """


def have_outlines(buffers: PackedBuffers) -> bool:
    """Return whether any body has an outline; also True while the rows of a removed one are kept
    for the next.
    """
    return buffers[Collider].rows.count > 0


class Force(Stage):
    """A stage that adds to Particles.force.

    It runs again for bodies that wake in the middle of a substep. A slot is the number of a body in
    the packed table of Particles.
    """

    fields: ClassVar[tuple[type[Component], ...]] = ()
    """Components that act on a region: the bodies that sleep there wake when one comes, goes or is
    written to.
    """

    def region_of(self, field: Component) -> Box:
        """Return where a field acts."""
        raise NotImplementedError

    def marks_of(self, field: Component) -> Sequence[Mark]:
        """Return how the debug overlay shows a field: by the edge of its region, if there is no
        better way.
        """
        return (Outline(self.region_of(field)),)

    def watched_values(self, field: Component, entity: int) -> list[str]:
        """Return the values of a field that a game writes."""
        return [name for name, value in declared_values(type(field)).items() if not value.engine]

    def joined_bodies(self) -> NDArray[np.int64]:
        """Return the pairs (P, 2) of bodies, by slot, that fall asleep and wake together because of
        this force.
        """
        return NO_PAIRS

    def stirred_bodies(self, asleep: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sleeping bodies, by slot, that this force of an awake body acts on."""
        return NO_BODIES
