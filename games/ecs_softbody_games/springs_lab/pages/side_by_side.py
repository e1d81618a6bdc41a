"""Side by side: a body three times, explicit, saturated and with XPBD."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import esper
import numpy as np

from ecs_softbody import Drag, Order, Particles, Simulation, Springs, StabilityWarning, scenes
from ecs_softbody.play import translated
from ecs_softbody.rendering import Layer, Picture
from ecs_softbody_games.springs_lab.look import BAD, INK, LANE_COLOURS
from ecs_softbody_games.springs_lab.page import Floats, Page

LANES = ("explicit", "saturated", "xpbd")
FAR = 1e20
"""What moved further than this [m] has blown up; it is stopped then, in sight."""
FRAME = 1.0 / 60.0


class ExplicitSprings(esper.Processor):
    """Springs as textbooks first have them: force = -k stretch at the start of the substep, with no
    limit.

    They lie along one axis (0 or 1), in the direction `sign`, from the first particle to the last.
    """

    def __init__(
        self, body: Particles, stiffness: float, rest_length: float, axis: int, sign: float
    ) -> None:
        self.body = body
        self.stiffness = stiffness
        self.rest_length = rest_length
        self.axis = axis
        self.sign = sign
        self.start = body.position.copy()
        self.seen: list[Floats] = []

    def process(self, dt: float) -> None:
        """Note where they are and add the forces; what has blown up is stopped."""
        self.seen.append(self.body.position[:, self.axis] - self.start[:, self.axis])
        if np.abs(self.seen[-1]).max() > FAR:
            self.stiffness = 0.0
            self.body.pinned[:], self.body.position[:], self.body.frame_position[:] = (
                True,
                self.start,
                self.start,
            )
        pull = self.stiffness * (
            np.diff(self.body.position[:, self.axis]) - self.sign * self.rest_length
        )
        self.body.force[:-1, self.axis] += pull
        self.body.force[1:, self.axis] -= pull


class SideBySide(Page):
    """Base class: a body three times; the last one is computed in a world of its own.

    The scene has the entities of LANES: without springs of its own the first, and the last, which
    is only moved.
    """

    colours = LANE_COLOURS
    coils = tuple((name, 0.2) for name in LANES)
    label = "stretch [m]"
    solvers = ("saturated",)
    grabs: ClassVar[bool] = False
    axis: ClassVar[int] = 0
    sign: ClassVar[float] = 1.0
    """Where the springs lead: along x or y, up or down."""

    @property
    def h(self) -> float:
        """Length of a substep [s]."""
        return FRAME / self["substeps"]

    def set_up(self, stiffness: float) -> None:
        """Make the other world, and the springs of all three."""
        self._quiet = ExitStack()  # to ask for too much is what these pages are about
        self._quiet.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", StabilityWarning)
        path = Path(__file__).parents[1] / "scenes" / f"{self.scene}.toml"
        self.other = Simulation(
            solver="xpbd", substeps=int(self["substeps"]), world=f"{self.sim.world} xpbd"
        )
        third = scenes.load(self.other, path)
        self.other.substeps = self.sim.substeps
        self.other.sleeping = False
        self.bodies = (
            self.body("explicit"),
            self.body("saturated"),
            self.other.get(third["saturated"], Particles),
        )
        self.springs = self.part("saturated", Springs), self.other.get(third["saturated"], Springs)
        for springs in self.springs:
            springs.stiffness = stiffness
        self.drags = [
            sim.get(loaded[name], Drag)
            for sim, loaded, name in (
                (self.sim, self.loaded, "explicit"), (self.sim, self.loaded, "saturated"),
                (self.other, third, "saturated"),
            )
            if sim.has(loaded[name], Drag)
        ]  # fmt: skip

    def add_explicit(self, stiffness: float) -> None:
        """Give the first body its springs, where it stands now."""
        self.sim.speed_limit = 1e30  # what blows up is seen to the end
        length = float(self.springs[0].rest_length[0])
        self.explicit = ExplicitSprings(self.bodies[0], stiffness, length, self.axis, self.sign)
        self.sim.add_processor(self.explicit, Order.CUSTOM_FORCE)

    def after_step(self, dt: float) -> None:
        """Step the other world, and show where its body is."""
        self.other.step(dt)
        shown = self.body("xpbd").position
        theirs = self.bodies[2].position
        shown[:] = theirs + (shown[0] - theirs[0])

    @property
    def blown_up(self) -> bool:
        """Whether the explicit springs have been stopped."""
        return self.explicit.stiffness == 0.0

    def curves(self) -> Sequence[Floats]:
        """Leave out what lies outside of the plot."""
        low, high = self.height()
        return [
            np.where((curve > low) & (curve < high), curve, np.nan) for curve in super().curves()
        ]

    def draw(self, picture: Picture, alpha: float) -> None:
        """Name the lanes, and say that one has blown up."""
        super().draw(picture, alpha)
        ends = picture.to_pixels(np.array(((0.0, 0.0), (1.0, 0.0))))
        metre = float(ends[1, 0] - ends[0, 0]) / picture.point
        # In a narrow window the lanes are near each other.
        size = min(24.0, 0.42 * metre)
        for name, body in zip(LANES, (*self.bodies[:2], self.body("xpbd")), strict=True):
            place = body.position[0] + ((0.0, 0.42) if self.axis == 0 else (-0.7, 0.25))
            text = translated(name)
            picture.text(
                text, place, size=size, colour=INK, shadow=False, space="world", layer=Layer.EFFECTS
            )
        if self.blown_up:
            ends = self.bodies[0].position  # it stands where it began
            place = (ends[:, 0].mean(), ends[:, 1].min() - 0.6)
            text = translated("blown up, stopped")
            picture.text(
                text,
                place,
                size=size,
                colour=BAD,
                align="center",
                shadow=False,
                space="world",
                layer=Layer.EFFECTS,
            )

    def close_others(self) -> None:
        """Give up the world of the third body."""
        other = vars(self).pop("other", None)
        if other is not None:
            other.close()
            self._quiet.close()
