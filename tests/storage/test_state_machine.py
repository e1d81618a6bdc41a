"""Random sequences of spawns, deletions, replacements and steps: packed rows equal a plain-Python
mirror.
"""

import itertools

import esper
import hypothesis.strategies as st
import numpy as np
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from ecs_softbody import Particles, Simulation, Springs

WORLDS = itertools.count()
DT = 0.25


class World(RuleBasedStateMachine):
    """Bodies without forces: each particle moves on with its velocity, and everyone keeps its own
    rows.
    """

    bodies = Bundle("bodies")

    def __init__(self):
        super().__init__()
        self.sim = Simulation(gravity=(0, 0), substeps=1, world=f"machine {next(WORLDS)}")
        self.mirror = {}
        self.springs = {}
        self.components = {}
        self.number = 0.0

    def fresh(self, count):
        """Particles with positions and velocities that nobody else has, and their mirror."""
        self.number += 1.0
        place = np.column_stack([np.full(count, self.number), np.arange(count, dtype=float)])
        speed = np.column_stack([np.arange(count, dtype=float), np.full(count, self.number)])
        return Particles(place, velocity=speed), [place, speed]

    @rule(target=bodies, count=st.integers(1, 40), springs=st.integers(0, 6))
    def spawn(self, count, springs):
        body, mirror = self.fresh(count)
        parts = [body]
        if springs:
            parts.append(
                Springs([(k % count, (k + 1) % count) for k in range(springs)], stiffness=0.0)
            )
        entity = self.sim.spawn(*parts)
        self.mirror[entity] = mirror
        self.components[entity] = body
        if springs:
            self.springs[entity] = parts[1]
        return entity

    @rule(entity=consumes(bodies), immediate=st.booleans())
    def despawn(self, entity, immediate):
        with self.sim:
            if immediate:
                esper.delete_entity(entity, immediate=True)
            else:
                self.sim.despawn(entity)
        body = self.components.pop(entity)
        (place, speed) = self.mirror.pop(entity)
        assert np.array_equal(body.position, place)
        assert np.array_equal(body.velocity, speed)
        self.springs.pop(entity, None)

    @rule(entity=bodies, count=st.integers(1, 40))
    def replace_particles(self, entity, count):
        if entity in self.springs:
            count = max(count, 7, int(self.springs[entity].pairs.max()) + 1)
        body, self.mirror[entity] = self.fresh(count)
        self.components[entity] = body
        with self.sim:
            esper.add_component(entity, body)

    @rule(entity=bodies)
    def replace_or_remove_springs(self, entity):
        with self.sim:
            if entity in self.springs and self.number % 2:
                esper.remove_component(entity, Springs)
                del self.springs[entity]
            else:
                last = self.components[entity].row_count - 1
                self.springs[entity] = Springs([(last, 0)], stiffness=0.0)
                esper.add_component(entity, self.springs[entity])

    @rule(entity=bodies)
    def write(self, entity):
        self.number += 1.0
        self.components[entity].position[:] = self.number
        self.mirror[entity][0][:] = self.number

    @rule(entity=bodies)
    def rebind(self, entity):
        self.number += 1.0
        self.components[entity].velocity = (self.number, 0.5)
        self.mirror[entity][1][:] = (self.number, 0.5)

    @rule(frames=st.integers(1, 3))
    def step(self, frames):
        for _ in range(frames):
            self.sim.step(DT)
            for place, speed in self.mirror.values():
                place[:] = place + DT * speed
        self.check_packed()

    def check_packed(self):
        """After a step every row belongs to one body, and every packed row number points where it
        should.
        """
        particles = self.sim.buffers[Particles]
        springs = self.sim.buffers[Springs]
        assert set(particles.bound) == set(self.mirror)
        assert set(springs.bound) == set(self.springs)
        owner = np.zeros(particles.rows.count, int)
        for entity, body in self.components.items():
            assert particles.bound[entity] is body
            assert np.shares_memory(body.position, particles.rows["position"])
            owner[body.row_start : body.row_stop] += 1
        assert owner.max(initial=0) <= 1
        place = particles.rows["position"]
        assert np.isfinite(place).all()
        for entity, part in self.springs.items():
            ends = springs.rows["packed_pairs"][part.row_start : part.row_stop]
            assert np.array_equal(place[ends], self.mirror[entity][0][part.pairs])

    @invariant()
    def attributes_equal_the_mirror(self):
        for entity, (place, speed) in self.mirror.items():
            assert np.allclose(self.components[entity].position, place, rtol=1e-12)
            assert np.allclose(self.components[entity].velocity, speed, rtol=1e-12)

    def teardown(self):
        self.sim.close()


TestWorld = World.TestCase
TestWorld.settings = settings(stateful_step_count=30)
