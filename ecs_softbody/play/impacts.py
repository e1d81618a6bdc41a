"""Impacts: hard contacts splash, sound and shake by themselves."""

from __future__ import annotations

import numpy as np

from ecs_softbody.components import Particles
from ecs_softbody.play.effects import Effects
from ecs_softbody.play.sound.sounds import Sounds
from ecs_softbody.rendering.camera import Camera
from ecs_softbody.rendering.palette import Colour, lighter
from ecs_softbody.simulation import Simulation

SPLASH_SPEED = 2.2
"""Change of a body's velocity in one frame [m/s] from which it splashes."""
SHAKE_SPEED = 8.0
PAUSE = 14
"""Frames between two splashes of one body."""
SETTLING = 20
"""Frames at the start of a world in which nothing splashes."""
MOST_PER_FRAME = 4


class Impacts:
    """Looks at the contacts of each frame; purely visual and audible."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}
        self._key: object = None
        self._masses: dict[int, float] = {}

    def observe(
        self, sim: Simulation, effects: Effects, sounds: Sounds, camera: Camera, colours: dict[int, Colour]
    ) -> None:
        """Add the effects of the last frame's contacts; `colours` holds the bodies' own."""
        contacts = sim.contacts
        if sim.frame < SETTLING or not len(contacts) or contacts.impulse.max() <= 0.0:
            return
        self._find_masses(sim)
        hits = []
        for entities, sign in ((contacts.entity_a, 1.0), (contacts.entity_b, -1.0)):
            owners, group = np.unique(entities, return_inverse=True)
            impulses = np.bincount(group, contacts.impulse)
            for index, entity in enumerate(owners.tolist()):
                change = impulses[index] / self._masses.get(entity, np.inf)
                if change > SPLASH_SPEED and sim.frame - self._last.get(entity, -PAUSE) >= PAUSE:
                    hits.append((change, entity, group == index, sign))
        for change, entity, rows, sign in sorted(hits, key=lambda hit: -hit[0])[:MOST_PER_FRAME]:
            self._last[entity] = sim.frame
            weights = contacts.impulse[rows] + 1e-12
            point = np.average(contacts.point[rows], axis=0, weights=weights)
            normal = sign * np.average(contacts.normal[rows], axis=0, weights=weights)
            strength = min(change / 6.0, 2.0)
            effects.splash(
                point, normal=normal, colour=lighter(colours.get(entity, (220, 224, 240)), 0.3), strength=strength
            )
            mass = self._masses[entity]
            sounds.play(
                "bounce",
                volume=min(1.0, 0.25 + 0.35 * strength),
                pitch=float(np.clip(1.3 / mass**0.25, 0.6, 1.8)),
                at=point,
            )
            if change > SHAKE_SPEED:
                camera.shake(min(0.08 * (change - SHAKE_SPEED) + 0.2, 0.6))

    def _find_masses(self, sim: Simulation) -> None:
        key = (id(sim), sim.buffers.version)
        if key == self._key:
            return
        if self._key is None or self._key[0] != id(sim):  # type: ignore[index]
            self._last.clear()
        self._key = key
        self._masses = {}
        for entity, body in sim.buffers.components(Particles).items():
            mass = float(body.mass[np.isfinite(body.mass)].sum())
            self._masses[entity] = np.inf if (body.pinned | body.kinematic).any() or mass <= 0.0 else mass
