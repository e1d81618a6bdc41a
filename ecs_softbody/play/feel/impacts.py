"""Impacts: automatic splashes, sounds and camera shakes for hard impacts.

An impact is a pair of entities that touches at a speed above a limit. In a pile of soft bodies that
press on each other, vertices jump at such speeds without any impact; `Loads` sifts these out.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.components import Particles
from ecs_softbody.indices import argsort, unique
from ecs_softbody.play.feel.effects import Effects
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.rendering.palette import Colour, lighter
from ecs_softbody.simulation import Contacts, Simulation

SPLASH_SPEED = 2.2
"""Minimum speed of an impact [m/s], and change of a body's velocity by it, for a splash."""
SHAKE_SPEED = 8.0
"""Change of a body's velocity [m/s] from which on the camera shakes."""
PAUSE = 14
"""Frames between two splashes of one body."""
SETTLING = 20
"""Frames at the start of a world without splashes."""
MOST_PER_FRAME = 4
"""Splashes in a frame after which no further impact is shown."""
REMEMBERED = 5
"""Number of frames that loads remember."""
CRUMBLING = 0.8
"""Minimum strength of an impact for crumbs."""


@dataclass(frozen=True, slots=True)
class Impact:
    """Two entities that met in the last frame, with their fastest contact and total impulse."""

    entity_a: int
    entity_b: int
    point: tuple[float, float]
    normal: tuple[float, float]  # from b to a
    speed: float  # at which they met [m/s]
    impulse: float  # of all their contacts [N·s]


class Pairs(NamedTuple):
    """(P,) touching pairs of entities."""

    first: Integers  # the lower entity number
    second: Integers
    fastest: Integers  # the fastest contact of each pair
    impulse: Floats  # of all its contacts [N·s]


class Loads:
    """Contact loads of pairs over the last frames: an impact pushes with more than twice its pair's
    load.

    In a pressed pile of soft bodies, a vertex strikes at 2 m/s in every second frame, between
    bodies that never separate: despite its speed it is no impact. The load is the second largest
    impulse of `REMEMBERED` frames: the largest may belong to the growing blow itself.
    """

    def __init__(self) -> None:
        self._frames: deque[dict[tuple[int, int], float]] = deque(maxlen=REMEMBERED)

    def sift(self, impacts: list[Impact], pairs: Pairs) -> list[Impact]:
        """Return the impacts of a frame that exceed their pair's load; call it once a frame, with
        all touching pairs.
        """
        hard = [impact for impact in impacts if impact.impulse > 2.0 * self._load_of(impact)]
        entities = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        self._frames.append(dict(zip(entities, pairs.impulse.tolist(), strict=True)))
        return hard

    def _load_of(self, impact: Impact) -> float:
        pair = min(impact.entity_a, impact.entity_b), max(impact.entity_a, impact.entity_b)
        return sorted((0.0, 0.0, *(frame.get(pair, 0.0) for frame in self._frames)))[-2]


def find_impacts(
    contacts: Contacts, least_speed: float, loads: Loads | None = None
) -> list[Impact]:
    """Return the pairs that met at more than `least_speed` [m/s], fastest first; resting contacts
    do not count.

    With `loads` (the same object in every frame), bodies pressed together do not count either.
    """
    if loads is None and contacts.speed.max(initial=0.0) <= least_speed:
        return []
    pairs = pairs_of(contacts)
    impacts = []
    for row, impulse in zip(pairs.fastest.tolist(), pairs.impulse.tolist(), strict=True):
        if contacts.speed[row] > least_speed:
            (x, y) = contacts.point[row].tolist()
            (nx, ny) = contacts.normal[row].tolist()
            a = int(contacts.entity_a[row])
            b = int(contacts.entity_b[row])
            speed = float(contacts.speed[row])
            impacts.append(Impact(a, b, (x, y), (nx, ny), speed, impulse))
    impacts.sort(key=lambda impact: -impact.speed)
    return impacts if loads is None else loads.sift(impacts, pairs)


def pairs_of(contacts: Contacts) -> Pairs:
    """Return the touching pairs, regardless of their order in a contact."""
    order = argsort(-contacts.speed, kind="stable")
    first = np.minimum(contacts.entity_a, contacts.entity_b)[order]
    second = np.maximum(contacts.entity_a, contacts.entity_b)[order]
    # One number for each pair sorts much faster than two.
    numbers = first * (second.max(initial=0) + 1) + second
    _, at, group = unique(numbers, return_index=True, return_inverse=True)
    impulses = np.zeros(len(at))
    np.add.at(impulses, group, contacts.impulse[order])
    return Pairs(first[at], second[at], order[at], impulses)


class Impacts:
    """Turns the contacts of each frame into effects; purely visual and audible."""

    def __init__(self) -> None:
        # Frame of the last splash of each entity; masses of bodies [kg], infinite for fixed ones,
        # valid for `_version` of the packed buffers.
        self._last: dict[int, int] = {}
        self._loads = Loads()
        self._version = -1
        self._masses: dict[int, float] = {}

    def observe(
        self,
        sim: Simulation,
        effects: Effects,
        sounds: Sounds,
        camera: Camera,
        colours: dict[int, Colour],
    ) -> None:
        """Add the effects of the last frame's impacts; `colours` are the bodies' colours."""
        if sim.frame < SETTLING:
            return
        shown = 0
        for impact in find_impacts(sim.contacts, SPLASH_SPEED, self._loads):
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
                    effects.crumbs(
                        impact.point, normal=normal, colour=colour, strength=strength - CRUMBLING
                    )
                other = impact.entity_b if entity == impact.entity_a else impact.entity_a
                if other not in self._masses:  # the ground, or a wall
                    effects.dust(impact.point, normal=normal, strength=0.8 * strength)
                pitch = float(np.clip(1.3 / mass**0.25, 0.6, 1.8))
                sounds.play(
                    "bounce", volume=min(1.0, 0.25 + 0.35 * strength), pitch=pitch, at=impact.point
                )
                if change > SHAKE_SPEED:
                    camera.shake(min(0.08 * (change - SHAKE_SPEED) + 0.2, 0.6))
                shown += 1
            if shown >= MOST_PER_FRAME:
                return

    def _find_masses(self, sim: Simulation) -> None:
        """Find the mass of each body, after a change of the structure."""
        if sim.buffers.version == self._version:
            return
        self._version = sim.buffers.version
        self._masses = {}
        for entity, body in sim.buffers.components(Particles).items():
            mass = float(body.mass[np.isfinite(body.mass)].sum())
            self._masses[entity] = (
                np.inf if (body.pinned | body.kinematic).any() or mass <= 0.0 else mass
            )
