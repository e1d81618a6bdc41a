"""What a test hears of contacts, and the bodies that it listens to."""

from __future__ import annotations

import esper

from ecs_softbody import Collider, Particles, StaticCollider

NAMES = ("contact_begin", "contact_stay", "contact_end")


class Listener:
    """Notes every event as (name, entity_a, entity_b), and lets a test react to it."""

    def __init__(self, *names, reaction=None):
        self.log = []
        self.events = []
        self.reaction = reaction
        self._handlers = {name: self._handler(name) for name in names or NAMES}
        for name, handler in self._handlers.items():
            esper.set_handler(name, handler)

    def _handler(self, name):
        def handle(event):
            self.log.append((name, event.entity_a, event.entity_b))
            self.events.append(event)
            if self.reaction:
                self.reaction(name, event)

        return handle

    def stop(self):
        for name, handler in self._handlers.items():
            esper.remove_handler(name, handler)

    def of(self, name):
        return [pair for kind, *pair in self.log if kind == name]

    def take(self):
        taken = self.log
        self.log = []
        return taken


def resting_ball(sim, x=0.0, **options):
    return sim.spawn(Particles([(x, 0.2)], radius=0.2), Collider(**options))


def ground(sim, **options):
    return sim.spawn(StaticCollider([(-9, 0), (9, 0)], **options))
