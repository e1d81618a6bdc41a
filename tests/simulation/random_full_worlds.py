"""Random worlds of everything at once: joints, muscles, materials that change, fields, and what a
game does to them.

The bodies are those of random_worlds.py or of the blueprints. While it runs bodies are cut, blown
up, deleted, made and replaced, and values are written.
"""

from __future__ import annotations

from typing import Any

import esper
import numpy as np

from ecs_softbody import (
    AngularMuscles,
    AngularSprings,
    Attachment,
    Collider,
    DistanceLimits,
    Inflation,
    Motor,
    MouseJoint,
    Muscles,
    Particles,
    Plasticity,
    PointGravity,
    PressureBody,
    Springs,
    Tearing,
    Water,
    Wind,
    blueprints,
)
from tests.simulation.random_worlds import Seeded, World

MOST_ENTITIES = 24


class FullWorld(World):
    """A random world with every component there is."""

    choose: Seeded

    def __init__(
        self, seed: int, *, solver: str = "saturated", verbs: bool = True, tame: bool = False
    ) -> None:
        """Make the world of a seed; a tame one has bodies of the blueprints only, and holds no
        great energies.
        """
        self.tame = tame
        super().__init__(Seeded(seed, most_particles=16), solver=solver)
        self.verbs = verbs
        self.fields()
        for _ in range(self.choose.whole(0, 3)):
            self.joint()

    def entries(self, kind: type[Any]) -> list[tuple[int, Any]]:
        """Every entity with such a component, in the order of their numbers."""
        with self.sim:
            return sorted(esper.get_component(kind), key=lambda entry: entry[0])

    def living(self) -> list[int]:
        return [entity for entity, _ in self.entries(Particles)]

    def body(self) -> list[Any]:
        parts = self.shape() if self.tame or self.choose.chance(0.5) else super().body()
        return parts + self.extras(parts)

    def shape(self) -> list[Any]:
        """A body of the blueprints, somewhere."""
        choose = self.choose
        size = self.choose.number(0.3, 1.5)
        x = choose.number(-2.0, 2.0)
        y = choose.number(0.5, 4.0)
        frequency = self.power(1.0, 100.0)
        made = (
            lambda: blueprints.blob(
                (x, y), 0.5 * size, particles=choose.whole(5, 20), frequency=frequency
            ),
            lambda: blueprints.box((x, y), size, frequency=frequency),
            lambda: blueprints.ball((x, y), 0.3 * size),
            lambda: blueprints.rope(
                (x, y), (x + size, y), segments=choose.whole(2, 12), frequency=20.0
            ),
        )
        return list(self.pick(made)())

    def extras(self, parts: list[Any]) -> list[Any]:
        choose = self.choose
        made = []
        found = {type(part): part for part in parts}
        found[Particles].gravity_scale = self.pick((1.0, 1.0, 0.0, -1.0, choose.number(-3.0, 3.0)))
        for kind, muscles, height in (
            (Springs, Muscles, 0.8),
            (AngularSprings, AngularMuscles, 2.0),
        ):
            if kind in found and choose.chance(0.4):
                rows = self.rows(found[kind].row_count, 1, 8)
                made.append(
                    muscles(
                        rows,
                        amplitude=choose.number(0.0, height),
                        frequency=self.power(0.1, 30.0),
                        phase=choose.number(-3.0, 3.0),
                        target=choose.number(0.0, 2.0),
                        rate=self.pick((0.0, 1.0, np.inf)),
                    )
                )
        if PressureBody in found and choose.chance(0.4):
            made.append(
                Inflation(
                    target=choose.number(0.0, 4.0),
                    rate=self.pick((1.0, np.inf)),
                    amplitude=0.3,
                    frequency=1.0,
                )
            )
        if choose.chance(0.3):
            made.append(
                Plasticity(
                    yield_strain=choose.number(0.0, 0.5),
                    rate=choose.number(0.0, 1.0),
                    limit=self.pick((0.5, np.inf)),
                    creep_time=self.pick((0.0, 0.1)),
                    yield_angle=self.pick((0.3, np.inf)),
                )
            )
        if Springs in found and choose.chance(0.3):
            made.append(Tearing(strain=self.pick((0.3, 1.0, np.inf)), force=self.power(1.0, 1e5)))
        return made

    def fields(self) -> None:
        choose = self.choose
        spawn = self.sim.spawn
        if choose.chance(0.4):
            region = ((-3.0, -1.0), (3.0, 2.0)) if choose.chance(0.3) else None
            spawn(Wind(self.velocity(30.0), density=self.power(0.1, 100.0), region=region))
        if choose.chance(0.4):
            spawn(
                Water(
                    choose.number(-1.0, 3.0), density=self.power(10.0, 1e4), flow=self.velocity(5.0)
                )
            )
        for _ in range(choose.whole(0, 2)):
            pull = PointGravity(
                self.velocity(3.0),
                strength=choose.number(-50.0, 50.0),
                exponent=self.pick((0.0, 1.0, 2.0)),
                least_distance=choose.number(0.0, 1.0),
            )
            on = [entity for entity in self.living() if choose.chance(0.2)]
            with self.sim:
                if on:
                    esper.add_component(on[0], pull)
                else:
                    esper.create_entity(pull)

    def velocity(self, most: float) -> tuple[float, float]:
        return self.choose.number(-most, most), self.choose.number(-most, most)

    def joint(self) -> None:
        """Join two bodies, or hold one."""
        choose = self.choose
        living = self.living()
        if not living:
            return
        a = self.pick(living)
        b = self.pick(living)
        with self.sim:
            counts = [esper.component_for_entity(entity, Particles).row_count for entity in (a, b)]
            force = self.power(1.0, 1e6) if choose.chance(0.4) else np.inf
            rows = [self.rows(count, 1, 3) for count in counts]
            what = choose.whole(0, 5)
            if what == 0 and a != b:
                esper.create_entity(Attachment((a, b), rows=tuple(rows), break_force=force))
            elif what == 1:
                esper.create_entity(Attachment((a, None), rows=(rows[0],), break_force=force))
            elif what == 2 and a != b:
                esper.create_entity(
                    Attachment((a, b), rows=tuple(rows)),
                    Motor((a, b), speed=choose.number(-50, 50), max_torque=force),
                )
            elif what == 3:
                esper.create_entity(
                    MouseJoint(
                        a,
                        target=self.velocity(4.0),
                        frequency=self.power(0.5, 100.0),
                        max_force=force,
                    )
                )
            elif what == 4 and a != b:
                pairs = [
                    [choose.whole(0, count - 1) for count in counts]
                    for _ in range(choose.whole(1, 3))
                ]
                limit = self.power(1e-2, 10.0)
                esper.create_entity(
                    DistanceLimits(pairs, maximum=limit, between=(a, b), break_force=force)
                )
            elif what == 5 and not esper.has_component(a, DistanceLimits):
                pairs = [(row, row + 1) for row in range(counts[0] - 1)]
                if pairs:
                    esper.add_component(a, DistanceLimits(pairs, break_force=force))

    def act(self) -> None:
        """Do one thing that a game might do."""
        choose = self.choose
        sim = self.sim
        living = self.living()
        what = choose.whole(0, 9)
        if what == 0:
            sim.cut(self.velocity(6.0), self.velocity(6.0))
        elif what == 1:
            sim.explode(
                self.velocity(3.0),
                radius=self.power(0.1, 10.0),
                speed=self.power(0.1, 10.0 if self.tame else 100.0),
            )
        elif what == 2 and not self.tame:
            sim.explode(
                self.velocity(3.0),
                radius=2.0,
                impulse=self.power(1e-3, 1e3),
                blocked=choose.chance(0.5),
            )
        elif what == 3 and len(living) > 1:
            sim.despawn(self.pick(living))
        elif what in (4, 5) and len(living) < MOST_ENTITIES:
            sim.spawn(*(self.body() if what == 4 else self.shape()))
        elif what == 6:
            self.joint()
        elif what == 7:
            self.replace()
        else:
            self.write()

    def replace(self) -> None:
        kind = self.pick((Springs, Collider, Plasticity))
        entries = self.entries(kind)
        if entries:
            entity, old = self.pick(entries)
            with self.sim:
                if kind is Springs and esper.has_component(entity, Muscles):
                    esper.remove_component(entity, Muscles)
                esper.add_component(entity, old.copied())

    def write(self) -> None:
        """Write a value of some component."""
        choose = self.choose
        values = {
            Springs: {"stiffness": self.power(1.0, 1e12), "damping": self.damping()},
            Particles: {"gravity_scale": choose.number(-2.0, 2.0), "mass": self.power(1e-3, 1e3)},
            Muscles: {"target": choose.number(0.0, 3.0), "frequency": self.power(0.1, 10.0)},
            AngularMuscles: {"target": choose.number(-3.0, 3.0)},
            Inflation: {"target": choose.number(0.0, 3.0)},
            Motor: {"speed": choose.number(-50.0, 50.0)},
            MouseJoint: {"target": self.velocity(5.0)},
            DistanceLimits: {"maximum": self.power(1e-2, 10.0)},
            Wind: {"velocity": self.velocity(30.0)},
            Water: {"level": choose.number(-2.0, 4.0)},
            PointGravity: {"strength": choose.number(-50.0, 50.0)},
            Plasticity: {"yield_strain": choose.number(0.0, 1.0)},
            Tearing: {"strain": choose.number(0.1, 1.0)},
        }
        kind = self.pick(list(values))
        entries = self.entries(kind)
        if entries:
            _, component = self.pick(entries)
            field = self.pick(list(values[kind]))
            setattr(component, field, values[kind][field])

    def run(self, substeps: int) -> float:
        """Step on, and act between frames; return the greatest speed seen, NaN when something was
        lost.
        """
        fastest = 0.0
        for _ in range(-(-substeps // self.sim.substeps)):
            if self.verbs and self.choose.chance(0.1):
                self.act()
            speed = super().run(1)
            if not speed < np.inf:
                return np.nan
            fastest = max(fastest, speed)
        return fastest
