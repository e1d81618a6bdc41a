"""Random worlds of everything that can be extreme, from one place for seeds and for hypothesis.

A world is built by asking a chooser for numbers: `Seeded` has them from a seed, `Drawn` from
hypothesis, which then shrinks a failure to fewer bodies, fewer particles and rounder numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from ecs_softbody import (
    AngularSprings,
    AreaConstraint,
    Collider,
    Drag,
    Particles,
    PressureBody,
    ShapeMatching,
    Simulation,
    Springs,
    StaticCollider,
)
from tests.helpers.measures import momenta as momenta_of

NUMBERS = itertools.count(1)
MOST_BODIES = 3
Choice = TypeVar("Choice")


class Seeded:
    """Choices from a seed."""

    def __init__(self, seed: int, most_particles: int = 24) -> None:
        self.rng = np.random.default_rng(seed)
        self.most_particles = most_particles

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def number(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)


class Drawn:
    """Choices that hypothesis makes and shrinks: towards few, low and round."""

    def __init__(
        self, draw: Callable[[st.SearchStrategy[Any]], Any], most_particles: int = 8
    ) -> None:
        self.draw = draw
        self.most_particles = most_particles

    def whole(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def number(self, low: float, high: float) -> float:
        return low + (high - low) * self.draw(st.integers(0, 64)) / 64

    def chance(self, probability: float) -> bool:
        return self.draw(st.booleans())


class World:
    """A simulation with random bodies; `closed` ones have no gravity, walls, pins or drag, and
    nothing touches.
    """

    def __init__(
        self, choose: Seeded | Drawn, *, closed: bool = False, solver: str = "saturated"
    ) -> None:
        self.choose = choose
        self.closed = closed
        self.dt = self.power(1e-3, 0.1)
        gravity = (0.0, 0.0 if closed else -9.81)
        substeps = self.pick((1, 2, 8))
        self.sim = Simulation(
            gravity=gravity, substeps=substeps, world=f"random {next(NUMBERS)}", solver=solver
        )
        self.bodies = [self.body()]
        while len(self.bodies) < MOST_BODIES and choose.chance(0.6):
            self.bodies.append(self.body())
        self.entities = [self.sim.spawn(*parts) for parts in self.bodies]
        if len(self.bodies) > 1 and choose.chance(0.5):
            self.link()
        if closed:
            self.sim.speed_limit = 1e12  # what it takes away is momentum, too
        else:
            self.walls()

    def pick(self, options: Sequence[Choice]) -> Choice:
        return options[self.choose.whole(0, len(options) - 1)]

    def power(self, low: float, high: float) -> float:
        return 10.0 ** self.choose.number(np.log10(low), np.log10(high))

    def rows(self, count: int, least: int, most: int) -> list[int]:
        """Some of the rows, in any order, each once."""
        left = list(range(count))
        found = []
        for _ in range(self.choose.whole(min(least, count), min(most, count))):
            found.append(left.pop(self.choose.whole(0, len(left) - 1)))
        return found

    def particles(self) -> Particles:
        """Points anywhere, some of them coincident or pinned, with masses of any ratio."""
        choose = self.choose
        count = choose.whole(3, choose.most_particles)
        size = self.power(0.1, 3.0)
        ratio = self.power(1.0, 1e6)
        speed = self.pick((0.0, 1.0, 30.0))
        scale = self.power(1e-3, 1e3)
        height = choose.number(0.0, 3.0)
        place = np.array(
            [
                (choose.number(-size, size), choose.number(-size, size) + height)
                for _ in range(count)
            ]
        )
        for _ in range(choose.whole(0, 3)):
            place[choose.whole(0, count - 1)] = place[choose.whole(0, count - 1)]
        pins = self.pick((0.0, 0.0, 0.1, 0.5))
        return Particles(
            place,
            velocity=[
                (choose.number(-speed, speed), choose.number(-speed, speed)) for _ in range(count)
            ],
            mass=[scale * self.power(1.0, ratio) for _ in range(count)],
            radius=choose.number(0.0, 0.1),
            pinned=[not self.closed and pins > 0.0 and choose.chance(pins) for _ in range(count)],
        )

    def stiffness(self, count: int) -> list[float]:
        """The same for all, or any for each."""
        if self.choose.chance(0.5):
            return [self.power(1.0, 1e12) for _ in range(count)]
        return [self.power(1.0, 1e12)] * count

    def damping(self) -> float:
        return self.power(1e-3, 1e12) if self.choose.chance(0.5) else 0.0

    def body(self) -> list[Any]:
        choose = self.choose
        particles = self.particles()
        count = particles.row_count
        outline = self.rows(count, 3, count) if choose.chance(0.3) else list(range(count))
        parts: list[Any] = [particles]
        pairs = [
            (choose.whole(0, count - 1), choose.whole(0, count - 1))
            for _ in range(choose.whole(1, 4 * count))
        ]
        if choose.chance(0.5):
            pairs += list(zip(outline, outline[1:] + outline[:1], strict=True))
        if choose.chance(0.9):
            rest = self.pick((None, 0.0, 1.0, 5.0))
            parts.append(
                Springs(
                    pairs,
                    stiffness=self.stiffness(len(pairs)),
                    damping=self.damping(),
                    rest_length=rest,
                )
            )
        if choose.chance(0.4):
            ambient = self.power(1e-2, 1e8) if choose.chance(0.5) else 0.0
            parts.append(PressureBody(outline, nRT=self.power(1e-2, 1e8), ambient_pressure=ambient))
        if choose.chance(0.4):
            rest = self.power(1e-3, 1e3) if choose.chance(0.5) else None
            parts.append(
                AreaConstraint(
                    outline, stiffness=self.power(1.0, 1e12), damping=self.damping(), rest_area=rest
                )
            )
        if choose.chance(0.4):
            triples = [self.rows(count, 3, 3) for _ in range(choose.whole(1, 12))]
            rest = choose.number(-np.pi, np.pi) if choose.chance(0.5) else None
            stiffness = self.power(1.0, 1e12)
            parts.append(
                AngularSprings(
                    triples, stiffness=stiffness, damping=self.damping(), rest_angle=rest
                )
            )
        if choose.chance(0.4):
            groups = (
                [self.rows(count, 2, count) for _ in range(choose.whole(1, 6))]
                if choose.chance(0.6)
                else None
            )
            stiffness = self.stiffness(len(groups)) if groups else self.power(1.0, 1e12)
            parts.append(ShapeMatching(stiffness=stiffness, damping=self.damping(), groups=groups))
        if not self.closed:
            parts += self.surroundings(outline)
        return parts

    def surroundings(self, outline: list[int]) -> list[Any]:
        choose = self.choose
        parts = []
        if choose.chance(0.3):
            parts.append(Drag(linear=self.power(1e-3, 1e6), quadratic=self.power(1e-3, 1e6)))
        if choose.chance(0.7):
            parts.append(
                Collider(
                    outline=outline if choose.chance(0.5) else None,
                    closed=choose.chance(0.8),
                    friction=choose.number(0.0, 2.0),
                    restitution=choose.number(0.0, 1.0),
                    self_collision=choose.chance(0.5),
                )
            )
        return parts

    def link(self) -> None:
        counts = [parts[0].row_count for parts in self.bodies[:2]]
        pairs = [
            [self.choose.whole(0, n - 1) for n in counts] for _ in range(self.choose.whole(1, 4))
        ]
        stiffness = self.stiffness(len(pairs))
        rest = self.pick((None, 0.1))
        between = (self.entities[0], self.entities[1])
        with self.sim:
            link = Springs(
                pairs,
                stiffness=stiffness,
                damping=self.damping(),
                rest_length=rest,
                between=between,
            )
        self.sim.spawn(link)

    def walls(self) -> None:
        restitution = self.choose.number(0.0, 1.0)
        if self.choose.chance(0.7):
            self.sim.spawn(StaticCollider([(-50, 0), (50, 0)], restitution=restitution))
        if self.choose.chance(0.3):
            room = [(-4.0, -1.0), (4.0, -1.0), (4.0, 7.0), (-4.0, 7.0)]
            self.sim.spawn(StaticCollider(room, closed=True, restitution=restitution))
        if self.choose.chance(0.3):
            self.sim.spawn(
                StaticCollider(
                    [(-1, 1), (1, 1)], one_way=(0, 1), velocity=(self.choose.number(-1, 1), 0)
                )
            )

    def run(self, substeps: int) -> float:
        """Step on; return the greatest speed seen [m/s],
        NaN or infinite when something was lost.
        """
        fastest = 0.0
        for _ in range(-(-substeps // self.sim.substeps)):
            self.sim.step(self.dt)
            rows = self.sim.buffers[Particles].rows
            speed = float(np.hypot(rows["velocity"][:, 0], rows["velocity"][:, 1]).max())
            if not (speed < np.inf and np.isfinite(rows["position"]).all()):
                return np.nan
            fastest = max(fastest, speed)
        return fastest


def momenta(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Return momentum (x, y) and angular momentum about the origin; and how much of each a substep
    passes around.
    """
    total = momenta_of(*(body for body, *_ in world.bodies))
    scale = np.zeros(3)
    for body, *_ in world.bodies:
        far = np.hypot(*body.position.T)
        around = body.mass * (np.hypot(*body.velocity.T) + far * world.sim.substeps / world.dt)
        scale += np.array([around.sum(), around.sum(), around @ far])
    return total, scale


@st.composite
def worlds(draw: Callable[[st.SearchStrategy[Any]], Any], *, closed: bool = False) -> World:
    """A strategy of worlds."""
    return World(Drawn(draw), closed=closed)
