"""Two solvers: the same rope, tower and jelly in two worlds, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

import numpy as np

from ecs_softbody import Collider, Particles, Simulation, Springs, StabilityWarning, StaticCollider, blueprints
from ecs_softbody.play import Controls, translated
from ecs_softbody.rendering import Layer, Look, Picture, palette, themes
from ecs_softbody_games.labs.lab import WORLD_NUMBERS, Act, Lab

LOAD = 5.0
"""Mass at the end of a rope whose own masses weigh 20 g each [kg]."""
LOAD_RADIUS = 0.24
STIFFNESS = (1e3, 1e4, 1e5, 1e6)
SUBSTEPS = (1, 2, 4, 8, 16, 32)
"""What the keys go through; stiffness in N/m."""
APART = np.array([6.9, 0.0])
"""From a body of the left half to the same one of the right half, as it is shown [m]."""
BOXES = 5
SPIN, THROW, PUSH = 7.0, 4.5, 0.45
"""What the space bar gives: to the jelly [rad/s, m/s] and to the upper boxes [m/s]."""
SOLVERS = ("saturated", "xpbd")

Parts = tuple[Any, ...]


class TwoSolvers(Lab):
    """The left half is the scene's world; the right one is a world of its own, shown by bodies that copy its places."""

    name: ClassVar[str] = "two-solvers"
    theme = themes.BLUEPRINT
    group: ClassVar[str] = "lab"
    title: ClassVar[str] = "Two solvers"
    tagline: ClassVar[str] = "One rope, one tower, one jelly, computed in two ways"
    keys: ClassVar[list[tuple[str, str]]] = [
        ("↑ ↓", "stiffness"),
        ("← →", "substeps"),
        ("do", "push and spin"),
        ("mouse", "pull on the left"),
    ]
    view: ClassVar[tuple[float, float, float, float]] = (-7.0, -0.7, 7.0, 7.2)
    ground: ClassVar[Sequence[tuple[float, float]]] = ()
    script: ClassVar[Sequence[Act]] = (
        Act(100, 102, "space"),
        Act(240, 242, "left"),
        Act(300, 302, "left"),
        Act(400, 402, "right"),
        Act(440, 442, "right"),
        Act(480, 482, "up"),
        Act(520, 522, "space"),
        Act(620, 622, "down"),
        Act(650, 652, "down"),
    )

    def build(self) -> None:
        """Make the same bodies in both worlds, and what shows the right ones."""
        self._quiet = ExitStack()
        self._quiet.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore", StabilityWarning)  # to ask for too much is what this scene is about
        self.other = Simulation(solver="xpbd", world=f"{self.name}-{next(WORLD_NUMBERS)}")
        self.worlds = (self.sim, self.other)
        self.bodies = [self._make_half(sim) for sim in self.worlds]
        colours = (palette.AMBER, *[palette.TEAL] * BOXES, palette.CORAL)
        self.copies = []
        for parts, theirs, colour in zip(*self.bodies, colours, strict=True):
            look = Look(fill=colour, eyes=2 if colour == palette.CORAL else 0)
            self.add(*parts, look)
            self.other.spawn(*theirs)
            self.copies.append(self._show(theirs, look))
        self._make_rooms()
        self.stiffness, self.steps = 2, 3
        self._apply()

    def _make_half(self, sim: Simulation) -> list[Parts]:
        with sim:
            rope = blueprints.rope((-6.2, 6.4), (-6.2, 2.8), segments=36, mass=0.72, stiffness=1e5, pin_start=True)
            rope[0].mass[-1], rope[0].radius[-1] = LOAD, LOAD_RADIUS
            boxes = [blueprints.box((-4.2, 0.42 + 0.82 * n), 0.8, mass=1.0, stiffness=1e4) for n in range(BOXES)]
            jelly = blueprints.box((-1.9, 0.7), (1.3, 0.8), rows=5, columns=7, mass=1.0, stiffness=1e4)
        return [rope, *boxes, jelly]

    def _show(self, theirs: Parts, look: Look) -> Particles:
        """Add a body that nothing moves and that touches nothing, with the picture of a body of the other world."""
        body, springs, collider = (part_of(theirs, kind) for kind in (Particles, Springs, Collider))
        copy = Particles(body.position + APART, radius=body.radius, kinematic=True)
        outline = collider.outline if collider.row_count else None
        self.add(
            copy, Springs(springs.pairs, stiffness=0.0), Look(fill=look.fill, eyes=look.eyes),
            Collider(outline=outline, closed=bool(collider.closed), mask=0),
        )  # fmt: skip
        return copy

    def _make_rooms(self) -> None:
        floor, wall = [(-9.0, 0.0), (9.0, 0.0)], [(-0.05, 0.0), (-0.05, 9.0)]
        edge = [(-6.95, 0.0), (-6.95, 9.0)]
        for sim in self.worlds:
            for position in (floor, wall, edge):
                look = Look(style="ground") if position is floor else Look(style="line", fill=palette.STEEL)
                sim.spawn(StaticCollider(position, friction=0.9), look)

    def _apply(self) -> None:
        for sim, bodies in zip(self.worlds, self.bodies, strict=True):
            sim.substeps = SUBSTEPS[self.steps]
            for number, parts in enumerate(bodies):
                part_of(parts, Springs).stiffness = STIFFNESS[self.stiffness] * (1.0 if number == 0 else 0.1)

    def play(self, controls: Controls, dt: float) -> None:
        """Keys change both worlds alike."""
        before = (self.stiffness, self.steps)
        more = int(controls.was_pressed("up", "w")) - int(controls.was_pressed("down", "s"))
        finer = int(controls.was_pressed("right", "d")) - int(controls.was_pressed("left", "a"))
        self.stiffness = min(max(self.stiffness + more, 0), len(STIFFNESS) - 1)
        self.steps = min(max(self.steps + finer, 0), len(SUBSTEPS) - 1)
        if before != (self.stiffness, self.steps):
            self._apply()
        if controls.was_pressed("do"):
            for bodies in self.bodies:
                self._kick(bodies)

    def _kick(self, bodies: list[Parts]) -> None:
        jelly = bodies[-1][0]
        arm = jelly.position - jelly.position.mean(axis=0)
        jelly.velocity += SPIN * np.column_stack([-arm[:, 1], arm[:, 0]]) + (0.0, THROW)
        bodies[0][0].velocity[-1, 0] += 1.5
        for level, box in enumerate(bodies[1:-1]):
            box[0].velocity[:, 0] += PUSH * level / BOXES

    def after_step(self, dt: float) -> None:
        """Step the other world, and show where its bodies are."""
        self.other.step(dt)
        for copy, theirs in zip(self.copies, self.bodies[1], strict=True):
            copy.position = theirs[0].position + APART
        super().after_step(dt)

    def stretch(self, half: int) -> float:
        """Return by how much a rope is longer than at rest, as a share."""
        body, springs = self.bodies[half][0][:2]
        return float(np.hypot(*np.diff(body.position, axis=0).T).sum() / springs.rest_length.sum()) - 1.0

    def lean(self, half: int) -> float:
        """Return how far the boxes of a tower are from one vertical line [m]."""
        return float(np.ptp([parts[0].position[:, 0].mean() for parts in self.bodies[half][1:-1]]))

    def angular_velocity(self, half: int) -> float:
        """Return how fast a jelly turns [rad/s]."""
        return float(self.bodies[half][-1][0].pose().angular_velocity)

    def energy(self, half: int) -> float:
        """Return the kinetic energy of all bodies [J]."""
        total = 0.0
        for parts in self.bodies[half]:
            free = parts[0].free
            total += 0.5 * float(parts[0].mass[free] @ (parts[0].velocity[free] ** 2).sum(axis=1))
        return total

    def draw(self, picture: Picture, alpha: float) -> None:
        """Name the halves, with the numbers of each below its name and what the keys have set."""
        super().draw(picture, alpha)
        for half, solver in enumerate(SOLVERS):
            body = (self.bodies[0][0][0], self.copies[0])[half]
            end = body.position[-1] - (1.0 - alpha) * body.velocity[-1] / 60.0
            edge = palette.darker(palette.STEEL)
            picture.disc(end, LOAD_RADIUS, palette.STEEL, outline=edge, layer=Layer.BODIES)
            self._draw_numbers(picture, half, solver)

    def _draw_numbers(self, picture: Picture, half: int, solver: str) -> None:
        left = float(picture.to_pixels((-4.1 + APART[0] * half, 0.0))[0]) / picture.point
        left = max(min(left, 0.5 * (half + 1) * picture.width - 322.0), 0.0)  # in narrow windows side by side
        top = picture.height - 22.0
        picture.panel((left, top - 210.0), (left + 320.0, top))
        picture.text(solver, (left + 18.0, top - 34.0), size=28.0, colour=palette.TEXT_ACCENT)
        stiffness = f"{STIFFNESS[self.stiffness]:,.0f} N/m".replace(",", " ")
        rows = (
            ("stiffness", stiffness),
            ("substeps", str(SUBSTEPS[self.steps])),
            ("rope stretches", f"{round(100.0 * self.stretch(half), 2) + 0.0:.2f} %"),
            ("tower leans", f"{100.0 * self.lean(half):.1f} cm"),
            ("jelly spins", f"{abs(self.angular_velocity(half)):.1f} rad/s"),
            ("kinetic energy", f"{self.energy(half):.1f} J"),
        )
        for index, (label, value) in enumerate(rows):
            y = top - 64.0 - 26.0 * index
            picture.text(translated(label), (left + 18.0, y), size=20.0, colour=palette.TEXT_DIM)
            colour = palette.TEXT_ACCENT if index < 2 else palette.TEXT
            picture.text(value, (left + 302.0, y), size=21.0, colour=colour, align="right")

    def close(self) -> None:
        """Give up both worlds."""
        super().close()
        other = getattr(self, "other", None)
        if other is not None:
            other.close()
            self._quiet.close()


def part_of(parts: Parts, kind: type) -> Any:
    """Return the component of this class."""
    return next(part for part in parts if isinstance(part, kind))
