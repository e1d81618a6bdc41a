"""Impacts: what a hard impact looks and sounds like; the hardest ones only, and not too many of
them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ecs_softbody import Contacts
from ecs_softbody.elementary import power_of
from ecs_softbody.play import Effects, Impact, Loads, Sounds, find_impacts
from ecs_softbody.rendering import palette
from ecs_softbody_games.bouncing_balls.crowd import Body, Crowd

SOFTEST = 1.8
"""Speed of an impact [m/s] that makes the softest sound."""
HARDEST = 14.0
"""Speed of an impact [m/s] that makes the loudest sound."""
RINGING = 6.0
"""Speed of an impact [m/s] that draws a ring around the point."""
QUIET_FRAMES = 4
"""Frames between two sounds."""
GLOW_KEPT = 0.86
"""Share of the glow of an impact that is left after a frame."""


@dataclass(slots=True)
class Impacts:
    """Finds the impacts of each frame and shows the hard ones."""

    loads: Loads = field(default_factory=Loads)
    quiet: int = 0
    pairs: int = 0
    """Pairs that touched in the last frame."""

    def update(self, crowd: Crowd, contacts: Contacts, effects: Effects, sounds: Sounds) -> None:
        """Show what the contacts of this frame have hit."""
        self.quiet = max(self.quiet - 1, 0)
        pushing = contacts.impulse > 0.0
        self.pairs = len(
            set(
                zip(
                    contacts.entity_a[pushing].tolist(),
                    contacts.entity_b[pushing].tolist(),
                    strict=True,
                )
            )
        )
        for body in crowd.bodies:
            body.look.glow = body.look.glow * GLOW_KEPT if body.look.glow > 0.02 else 0.0
        members = {body.entity: body for body in crowd.bodies}
        impacts = find_impacts(contacts, SOFTEST, self.loads)
        for impact in impacts:
            for body in bodies_of(impact, members):
                body.look.glow = max(body.look.glow, 0.6 * min(impact.speed / HARDEST, 1.0))
        if impacts and self.quiet == 0:
            self._tell(impacts[0], bodies_of(impacts[0], members), effects, sounds)

    def _tell(self, impact: Impact, bodies: list[Body], effects: Effects, sounds: Sounds) -> None:
        """Play an impact: louder when harder, deeper when heavier, softer when a blob is in it;
        ring a hard one.
        """
        heaviest = max(body.mass for body in bodies)
        share = min(impact.speed / HARDEST, 1.0)
        soft = any(body.soft for body in bodies)
        sounds.play(
            "squish" if soft else "bounce",
            volume=0.12 + 0.6 * power_of(share, 1.5),
            pitch=1.35 / power_of(heaviest, 0.3),
        )
        self.quiet = QUIET_FRAMES
        if impact.speed > RINGING:
            colour = palette.lighter(bodies[0].look.fill or palette.TEXT, 0.5)
            effects.ring(
                impact.point, radius=0.14 + 0.16 * share, colour=palette.faded(colour, 0.7)
            )


def bodies_of(impact: Impact, members: dict[int, Body]) -> list[Body]:
    """Return who took part; walls do not count."""
    return [members[entity] for entity in (impact.entity_a, impact.entity_b) if entity in members]
