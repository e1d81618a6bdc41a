"""Impacts: what a hard hit looks and sounds like; the hardest ones only, and not too many of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ecs_softbody import Contacts
from ecs_softbody.rendering import Effects, Sounds, palette
from ecs_softbody_games.bouncing_balls.crowd import Body, Crowd

SOFTEST = 1.8
"""Change of speed [m/s] that makes the softest sound."""
HARDEST = 14.0
"""Change of speed [m/s] that makes the loudest sound."""
SPLASHING = 6.0
QUIET_FRAMES = 4
"""Frames between two sounds."""
GLOW_KEPT = 0.86
"""Share of the glow of a hit that is left after a frame."""


@dataclass(slots=True)
class Hit:
    """One impact: who (None: a wall), where [m], and the change of speed that it made [m/s]."""

    first: Body | None
    second: Body | None
    point: tuple[float, float]
    normal: tuple[float, float]
    strength: float


@dataclass(slots=True)
class Impacts:
    """Finds the hits of each frame and shows the hard ones."""

    quiet: int = 0
    pairs: int = 0
    """Pairs that touched in the last frame."""
    before: dict[tuple[int, int], float] = field(default_factory=dict)

    def update(self, crowd: Crowd, contacts: Contacts, effects: Effects, sounds: Sounds) -> None:
        """Show what the contacts of this frame have hit."""
        self.quiet = max(self.quiet - 1, 0)
        for body in crowd.bodies:
            body.look.glow = body.look.glow * GLOW_KEPT if body.look.glow > 0.02 else 0.0
        hits = self.find(crowd, contacts)
        for hit in hits:
            share = min(hit.strength / HARDEST, 1.0)
            for body in (hit.first, hit.second):
                if body is not None:
                    body.look.glow = max(body.look.glow, 0.6 * share)
        for hit in hits[:2]:
            if hit.strength > SPLASHING:
                colour = palette.lighter((hit.first or hit.second).look.fill or palette.TEXT, 0.3)  # type: ignore[union-attr]
                effects.splash(hit.point, normal=hit.normal, colour=colour, strength=0.09 * hit.strength, count=6)
        if hits and self.quiet == 0:
            self._sound(hits[0], sounds)

    def find(self, crowd: Crowd, contacts: Contacts) -> list[Hit]:
        """Return the new hits, the hardest first: the impulse that a pair exchanges more than one frame ago."""
        touching = np.flatnonzero(contacts.impulse > 0.0)
        pairs = np.stack((contacts.entity_a[touching], contacts.entity_b[touching]), axis=1)
        pairs, where, group = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True, return_inverse=True)
        self.pairs = len(pairs)
        impulses = np.bincount(group.ravel(), contacts.impulse[touching], len(pairs)) if len(pairs) else np.zeros(0)
        bodies = {body.entity: body for body in crowd.bodies}
        before, self.before = self.before, {}
        hits = []
        for (a, b), impulse, row in zip(pairs.tolist(), impulses.tolist(), touching[where].tolist(), strict=True):
            self.before[a, b] = impulse
            first, second = bodies.get(a), bodies.get(b)
            lightest = min((body.mass for body in (first, second) if body is not None), default=np.inf)
            strength = (impulse - before.get((a, b), 0.0)) / lightest
            if strength > SOFTEST:
                (x, y), (nx, ny) = contacts.point[row].tolist(), contacts.normal[row].tolist()
                hits.append(Hit(first, second, (x, y), (nx, ny), strength))
        return sorted(hits, key=lambda hit: -hit.strength)

    def _sound(self, hit: Hit, sounds: Sounds) -> None:
        """Play the hit: louder when harder, deeper when heavier, softer when a blob is in it."""
        present = [body for body in (hit.first, hit.second) if body is not None]
        heaviest = max(body.mass for body in present)
        share = min(hit.strength / HARDEST, 1.0)
        soft = any(body.soft for body in present)
        sounds.play("squish" if soft else "bounce", volume=0.12 + 0.6 * share**1.5, pitch=1.35 / heaviest**0.3)
        self.quiet = QUIET_FRAMES
