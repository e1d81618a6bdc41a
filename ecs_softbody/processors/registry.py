"""The registers of forces and solvers. A new one is a line here; see docs/write_a_processor.md."""

from __future__ import annotations

from dataclasses import dataclass

from ecs_softbody.processors.fluids.buoyancy import BuoyancyProcessor
from ecs_softbody.processors.fluids.resistance import ResistanceProcessor
from ecs_softbody.processors.fluids.wind import WindProcessor
from ecs_softbody.processors.forces.angular_springs import AngularSpringForceProcessor
from ecs_softbody.processors.forces.area_constraint import AreaConstraintProcessor
from ecs_softbody.processors.forces.drag import DragProcessor
from ecs_softbody.processors.forces.gravity import GravityProcessor
from ecs_softbody.processors.forces.magnet import MagnetProcessor
from ecs_softbody.processors.forces.point_gravity import PointGravityProcessor
from ecs_softbody.processors.forces.pressure import PressureForceProcessor
from ecs_softbody.processors.forces.shape_matching import ShapeMatchingProcessor
from ecs_softbody.processors.forces.springs import SpringForceProcessor
from ecs_softbody.processors.joints.joints import JointProcessor
from ecs_softbody.processors.materials.mending import MendingProcessor
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.solvers.saturation import SaturationProcessor
from ecs_softbody.processors.solvers.strength import StrengthProcessor
from ecs_softbody.processors.solvers.xpbd import XpbdProcessor
from ecs_softbody.processors.stage import Force, Stage, StageContext

FORCES: tuple[type[Force], ...] = (
    GravityProcessor,
    PointGravityProcessor,
    MagnetProcessor,
    MendingProcessor,
    DragProcessor,
    WindProcessor,
    BuoyancyProcessor,
    ResistanceProcessor,
    JointProcessor,
)
"""The forces that every solver has."""


@dataclass(frozen=True)
class Solver:
    """How the forces inside soft bodies are found."""

    strength: type[Stage]
    """Finds out, at Order.SATURATION, how much of the stiffness a substep can carry."""
    elastic: tuple[type[Force], ...]
    """The forces of springs, angular springs, gas, areas and rest shapes."""
    guards_forces: bool = False
    """Whether a force that is not finite has to be found before the elastic forces, which would
    pass it on.
    """

    @property
    def kinds(self) -> tuple[type[Force], ...]:
        """The classes of all forces with this solver."""
        return (*FORCES, *self.elastic)

    def forces(self, context: StageContext) -> list[tuple[Force, Order]]:
        """Make the stages of all forces, from the first of a substep to the last."""
        kinds = sorted(self.kinds, key=lambda kind: kind.order, reverse=True)
        return [(kind(context), kind.order) for kind in kinds]


SOLVERS = {
    "saturated": Solver(
        SaturationProcessor,
        (
            SpringForceProcessor,
            AngularSpringForceProcessor,
            PressureForceProcessor,
            AreaConstraintProcessor,
            ShapeMatchingProcessor,
        ),
    ),
    "xpbd": Solver(StrengthProcessor, (XpbdProcessor,), guards_forces=True),
}
"""The solvers for `Simulation(solver=...)` (docs/solvers.md)."""
