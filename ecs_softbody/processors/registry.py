"""FORCES and SOLVERS: all force stages that the pipeline of a simulation makes, and the solvers.

Each Force of a module in fluids, forces, joints or materials registers by being defined there;
docs/write_a_processor.md has an example. A solver is the choice of stages for the elastic forces
(springs, angular springs, gas, areas and rest shapes): `saturated`, explicit with limited
stiffness, or `xpbd`, implicit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from ecs_softbody.processors import fluids, forces, joints, materials
from ecs_softbody.processors.forces.angular_springs import AngularSpringForceProcessor
from ecs_softbody.processors.forces.area_constraint import AreaConstraintProcessor
from ecs_softbody.processors.forces.pressure import PressureForceProcessor
from ecs_softbody.processors.forces.shape_matching import ShapeMatchingProcessor
from ecs_softbody.processors.forces.springs import SpringForceProcessor
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.solvers.saturation import SaturationProcessor
from ecs_softbody.processors.solvers.strength import StrengthProcessor
from ecs_softbody.processors.solvers.xpbd import XpbdProcessor
from ecs_softbody.processors.stage import Force, Stage, StageContext


def forces_in(*folders: ModuleType) -> Iterator[type[Force]]:
    """Yield each Force that is defined in a file of these packages."""
    for folder in folders:
        for file in iter_modules(folder.__path__):
            module = import_module(f"{folder.__name__}.{file.name}")
            for kind in vars(module).values():
                if (
                    isinstance(kind, type)
                    and issubclass(kind, Force)
                    and kind.__module__ == module.__name__
                ):
                    yield kind


@dataclass(frozen=True)
class Solver:
    """How the forces inside soft bodies are computed."""

    strength: type[Stage]
    """The stage at Order.SATURATION: it computes how much of the stiffness a substep can carry."""
    elastic: tuple[type[Force], ...]
    """The forces of springs, angular springs, gas, areas and rest shapes."""
    guards_forces: bool = False
    """Whether NaN or infinite forces must be caught before the elastic forces, which would spread
    them through the body.
    """

    @property
    def kinds(self) -> tuple[type[Force], ...]:
        """The classes of all forces with this solver."""
        return (*FORCES, *self.elastic)

    def forces(self, context: StageContext) -> list[tuple[Force, Order]]:
        """Make the stages of all forces, from the first of a substep to the last."""
        # A higher Order runs earlier.
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
FORCES = tuple(
    kind
    for kind in forces_in(fluids, forces, joints, materials)
    if not any(kind in solver.elastic for solver in SOLVERS.values())
)
"""The forces that every solver has: all but the elastic ones."""
