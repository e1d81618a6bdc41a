"""MouseDrag: drags soft bodies with the mouse, by mouse joints whose targets follow it.

A mouse joint is a damped spring from a particle to a target. Several particles around the grabbed
one are held, each by a softer joint.
"""

from __future__ import annotations

import itertools
import math

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.components import MouseJoint, Particles
from ecs_softbody.elementary.rows import length, lengths
from ecs_softbody.indices import argsort, reduceat
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.simulation import Simulation

FREQUENCY = 4.0
"""Frequency of a held body's swing around the mouse [Hz]."""
DAMPING_RATIO = 0.7
"""Damping ratio of that swing: it goes a little too far, and settles."""
REACH = 0.9
"""Maximum distance of the mouse from a particle, or from the inside of a body [m]."""
FASTEST = 30.0
"""Maximum speed of the target [m/s]."""
MOST_ROWS = 10
"""Limit of the particles that are held at once."""


class MouseDrag:
    """Holds at most one body. Call `grab`, `move` once per frame, and `release`."""

    def __init__(self) -> None:
        self.entity: int | None = None
        """The body that is held, None for none."""
        # The grabbed particle of the body, the entities of the joints, and their world.
        self._row = 0
        self._joints: list[int] = []
        self._sim: Simulation | None = None

    @property
    def holding(self) -> bool:
        """Whether a body is held."""
        return self.entity is not None

    def grab(self, sim: Simulation, pointer: tuple[float, float]) -> bool:
        """Grab the body nearest to a point [m], if one is within reach."""
        self.release()
        found = nearest_particle(sim, pointer)
        if found is None:
            return False
        self._sim = sim
        (self.entity, self._row) = found
        with sim:
            body = esper.component_for_entity(self.entity, Particles)
            rows = held_rows(body, self._row)
            share = 1.0 / math.sqrt(len(rows))
            self._joints = [
                sim.spawn(
                    MouseJoint(
                        self.entity, rows=int(row), target=body.position[row],
                        frequency=share * FREQUENCY, damping_ratio=share * DAMPING_RATIO,
                    )
                )
                for row in rows
            ]  # fmt: skip
        self.move(pointer, 0.0)
        return True

    def move(self, pointer: tuple[float, float], dt: float = 1 / 60) -> None:
        """Move the target towards the mouse for one frame; drop a body that is gone."""
        if self._sim is None:
            return
        with self._sim:
            joints = self._held(self._sim)
            if len(joints) < len(self._joints):
                self.release()
                return
            step = np.asarray(pointer, np.float64) - joints[0].target
            step *= min(1.0, FASTEST * dt / max(length(step), 1e-9))
            for joint in joints:
                joint.target = joint.target + step

    def follow(self, sim: Simulation, controls: Controls) -> None:
        """Grab, move or release, following the mouse in one frame."""
        if controls.was_pressed("mouse_left"):
            self.grab(sim, controls.pointer)
        elif self.holding and not controls.is_held("mouse_left"):
            self.release()
        else:
            self.move(controls.pointer, 1 / 60)

    def _held(self, sim: Simulation) -> list[MouseJoint]:
        """Return the joints that still exist; must run in the simulation's world."""
        if sim.closed:
            return []
        found = (
            esper.try_component(joint, MouseJoint)
            for joint in self._joints
            if esper.entity_exists(joint)
        )
        return [joint for joint in found if joint is not None]

    def release(self) -> None:
        """Let go; the body keeps its velocity."""
        sim = self._sim
        joints = self._joints
        self.entity = self._sim = None
        self._joints = []
        if sim is None or sim.closed:
            return
        with sim:
            for joint in joints:
                if esper.entity_exists(joint):
                    esper.delete_entity(joint)

    def draw(self, picture: Picture, pointer: tuple[float, float]) -> None:
        """Draw the band between the mouse and the body."""
        if self.entity is None or self._sim is None or self._sim.closed:
            return
        with self._sim:
            if not esper.entity_exists(self.entity):
                return
            position = esper.component_for_entity(self.entity, Particles).position[self._row]
        points = np.stack((position, np.asarray(pointer, np.float64)))
        picture.stroke(points, 3.0, palette.faded(palette.GOLD, 0.85), layer=Layer.EFFECTS)
        spot = 6.0 * picture.point / picture.view.scale
        picture.discs(points, spot, palette.GOLD, layer=Layer.EFFECTS)


def held_rows(body: Particles, row: int) -> NDArray[np.int64]:
    """Return the rows the joint pulls at: the grabbed particle and its free neighbours.

    A single particle would have to carry the whole body; several hold it gently.
    """
    free = body.free
    distance = np.where(free, lengths(body.position - body.position[row]), np.inf)
    count = min(math.ceil(int(free.sum()) / 3), MOST_ROWS)
    return argsort(distance, kind="stable")[:count]


def nearest_particle(sim: Simulation, pointer: tuple[float, float]) -> tuple[int, int] | None:
    """Return (entity, row) of the free particle nearest to a point [m], None if all are too far."""
    best: tuple[float, int, int] | None = None
    with sim:
        bodies = esper.get_component(Particles)
        for entity, body in itertools.compress(
            bodies, may_be_near([body for _, body in bodies], pointer)
        ):
            free = body.free
            if not free.any():
                continue
            distance = lengths(body.position - pointer) - body.radius
            middle = length(body.position.mean(axis=0) - pointer)
            radius = max(REACH, float(lengths(body.position - body.position.mean(axis=0)).max()))
            row = int(np.where(free, distance, np.inf).argmin())
            if float(distance[row]) < REACH or middle < radius:
                candidate = (float(distance[row]), entity, row)
                best = candidate if best is None else min(best, candidate)
    return None if best is None else (best[1], best[2])


def may_be_near(bodies: list[Particles], pointer: tuple[float, float]) -> list[bool]:
    """Return the bodies that may be within reach of a point [m], tested by bounding box only."""
    if not bodies:
        return []
    first = np.cumsum([0, *(body.row_count for body in bodies[:-1])], dtype=np.int64)
    position = np.concatenate([body.position for body in bodies])
    radius = np.concatenate([body.radius for body in bodies])[:, None]
    low = reduceat(np.minimum, position - radius, first)
    high = reduceat(np.maximum, position + radius, first)
    reach = REACH + (high - low).sum(axis=1, keepdims=True)
    near: list[bool] = ((low - reach <= pointer) & (high + reach >= pointer)).all(axis=1).tolist()
    return near
