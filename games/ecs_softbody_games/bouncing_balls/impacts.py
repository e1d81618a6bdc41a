"""Impacts: what a hard hit looks and sounds like; the hardest ones only, and not too many of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ecs_softbody import Contacts
from ecs_softbody.play import Effects, Sounds
from ecs_softbody.rendering import palette
from ecs_softbody_games.bouncing_balls.crowd import Body, Crowd

SOFTEST = 1.8
"""Change of speed [m/s] that makes the softest sound."""
HARDEST = 14.0
"""Change of speed [m/s] that makes the loudest sound."""
RINGING = 6.0
"""Change of speed [m/s] that draws a ring around the point."""
QUIET_FRAMES = 4
"""Frames between two sounds."""
GLOW_KEPT = 0.86
"""Share of the glow of a hit that is left after a frame."""


@dataclass(slots=True)
class Hit:
    """One impact: who (walls do not count), where [m], and the change of speed that it made [m/s]."""

    bodies: list[Body]
    point: tuple[float, float]
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
            for body in hit.bodies:
                body.look.glow = max(body.look.glow, 0.6 * share)
        if hits and self.quiet == 0:
            self._tell(hits[0], effects, sounds)

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
            hit = [bodies[entity] for entity in (a, b) if entity in bodies]
            lightest = min((body.mass for body in hit), default=np.inf)
            strength = (impulse - before.get((a, b), 0.0)) / lightest
            if strength > SOFTEST:
                x, y = contacts.point[row].tolist()
                hits.append(Hit(hit, (x, y), strength))
        return sorted(hits, key=lambda hit: -hit.strength)

    def _tell(self, hit: Hit, effects: Effects, sounds: Sounds) -> None:
        """Play a hit: louder when harder, deeper when heavier, softer when a blob is in it; ring a hard one."""
        heaviest = max(body.mass for body in hit.bodies)
        share = min(hit.strength / HARDEST, 1.0)
        soft = any(body.soft for body in hit.bodies)
        sounds.play("squish" if soft else "bounce", volume=0.12 + 0.6 * share**1.5, pitch=1.35 / heaviest**0.3)
        self.quiet = QUIET_FRAMES
        if hit.strength > RINGING:
            colour = palette.lighter(hit.bodies[0].look.fill or palette.TEXT, 0.5)
            effects.ring(hit.point, radius=0.14 + 0.16 * share, colour=palette.faded(colour, 0.7))
