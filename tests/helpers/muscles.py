"""A spring that a muscle drives."""

import esper

from ecs_softbody import Muscles, Particles, Springs

FRAME = 1.0 / 60.0


def pair(*, mass=1.0, stiffness=100.0, damping=0.0, pinned=(True, False), **muscle):
    """A spring of one metre with a muscle; returns its particles, springs and muscles."""
    body = Particles([(0.0, 0.0), (1.0, 0.0)], mass=mass, pinned=pinned)
    springs = Springs([(0, 1)], stiffness=stiffness, damping=damping)
    muscles = Muscles([0], **muscle)
    esper.create_entity(body, springs, muscles)
    return body, springs, muscles
