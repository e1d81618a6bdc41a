"""Impacts: hard impacts splash, sound and shake by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ecs_softbody.components import Particles
from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.rendering.palette import Colour, lighter
from ecs_softbody.simulation import Contacts, Simulation

SPLASH_SPEED = 2.2
"""Speed of an impact [m/s], and change of a body's velocity by it, from which the body splashes."""
SHAKE_SPEED = 8.0
PAUSE = 14
"""Frames between two splashes of one body."""
SETTLING = 20
"""Frames at the start of a world in which nothing splashes."""
MOST_PER_FRAME = 4
CRUMBLING = 0.8
"""Strength of an impact from which crumbs fly."""


@dataclass(frozen=True, slots=True)
class Impact:
    """Two entities that met in the last frame: where they were fastest, and how hard they hit."""

    entity_a: int
    entity_b: int
    point: tuple[float, float]
    normal: tuple[float, float]  # from b to a
    speed: float  # at which they met [m/s]
    impulse: float  # of all their contacts [N·s]


def find_impacts(contacts: Contacts, least_speed: float) -> list[Impact]:
    """Return the pairs that met at more than `least_speed` [m/s], the fastest first; what rests does not count."""
    if not len(contacts) or contacts.speed.max() <= least_speed:
        return []
    order = np.argsort(-contacts.speed, kind="stable")
    first, second = contacts.entity_a[order], contacts.entity_b[order]
    pairs = first * (second.max() + 1) + second  # as one number, which is sorted much faster than two
    _, fastest, group = np.unique(pairs, return_index=True, return_inverse=True)
    impulses = np.bincount(group, contacts.impulse[order])
    impacts = []
    for row, impulse in zip(order[fastest].tolist(), impulses.tolist(), strict=True):
        if contacts.speed[row] > least_speed:
            (x, y), (nx, ny) = contacts.point[row].tolist(), contacts.normal[row].tolist()
            a, b, speed = int(contacts.entity_a[row]), int(contacts.entity_b[row]), float(contacts.speed[row])
            impacts.append(Impact(a, b, (x, y), (nx, ny), speed, impulse))
    return sorted(impacts, key=lambda impact: -impact.speed)


class Impacts:
    """Looks at the contacts of each frame; purely visual and audible."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}
        self._version = -1
        self._masses: dict[int, float] = {}

    def observe(
        self, sim: Simulation, effects: Effects, sounds: Sounds, camera: Camera, colours: dict[int, Colour]
    ) -> None:
        """Add the effects of the last frame's impacts; `colours` holds the bodies' own."""
        if sim.frame < SETTLING:
            return
        shown = 0
        for impact in find_impacts(sim.contacts, SPLASH_SPEED):
            self._find_masses(sim)
            for entity, sign in ((impact.entity_a, 1.0), (impact.entity_b, -1.0)):
                mass = self._masses.get(entity, np.inf)
                change = min(impact.impulse / mass, impact.speed)
                if change <= SPLASH_SPEED or sim.frame - self._last.get(entity, -PAUSE) < PAUSE:
                    continue
                self._last[entity] = sim.frame
                strength = min(change / 6.0, 2.0)
                colour = lighter(colours.get(entity, (220, 224, 240)), 0.3)
                normal = (sign * impact.normal[0], sign * impact.normal[1])
                effects.splash(impact.point, normal=normal, colour=colour, strength=strength)
                if strength > CRUMBLING:
                    effects.crumbs(impact.point, normal=normal, colour=colour, strength=strength - CRUMBLING)
                other = impact.entity_b if entity == impact.entity_a else impact.entity_a
                if other not in self._masses:  # the ground, or a wall
                    effects.dust(impact.point, normal=normal, strength=0.8 * strength)
                pitch = float(np.clip(1.3 / mass**0.25, 0.6, 1.8))
                sounds.play("bounce", volume=min(1.0, 0.25 + 0.35 * strength), pitch=pitch, at=impact.point)
                if change > SHAKE_SPEED:
                    camera.shake(min(0.08 * (change - SHAKE_SPEED) + 0.2, 0.6))
                shown += 1
            if shown >= MOST_PER_FRAME:
                return

    def _find_masses(self, sim: Simulation) -> None:
        if sim.buffers.version == self._version:
            return
        self._version = sim.buffers.version
        self._masses = {}
        for entity, body in sim.buffers.components(Particles).items():
            mass = float(body.mass[np.isfinite(body.mass)].sum())
            self._masses[entity] = np.inf if (body.pinned | body.kinematic).any() or mass <= 0.0 else mass
