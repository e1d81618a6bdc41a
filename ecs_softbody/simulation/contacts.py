"""WorldContacts: the contacts and touching pairs of the last frame of a Simulation, and
`pass_through` for one-way platforms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import esper
import numpy as np
from numpy.typing import NDArray

from ecs_softbody.collision.contacts.view import Contacts
from ecs_softbody.collision.pipeline import CollisionSpace
from ecs_softbody.components import Collider, StaticCollider
from ecs_softbody.errors import FieldError
from ecs_softbody.simulation.world import World
from ecs_softbody.storage.holding import whole


class WorldContacts:
    """Reports contacts and pairs that touch, and lets bodies through one-way platforms."""

    def __init__(self, world: World, space: CollisionSpace, wake: Callable[[int], None]) -> None:
        self._world = world
        self._space = space
        self._wake = wake

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last frame."""
        return replace(self._space.report(), home=self._world.home)

    @property
    def touching(self) -> NDArray[np.int64]:
        """Pairs (P, 2) of entities that touch."""
        return self._pairs(sensor=False)

    @property
    def sensed(self) -> NDArray[np.int64]:
        """Pairs (P, 2) of an entity and the sensor that it is in."""
        return self._pairs(sensor=True)

    def _pairs(self, *, sensor: bool) -> NDArray[np.int64]:
        """Return the pairs, with sensors or without. Pairs are tracked from the first such question
        on; before it, tracking costs nothing.
        """
        self._space.tracker.start()
        return self._space.tracker.pairs.entities(sensor=sensor)

    @whole
    def pass_through(self, entity: int, platform: int) -> None:
        """Let a body that stands on a one-way platform, or touches it, drop through; call it when
        the key goes down.

        The platform is open to the whole body until the two have parted. Elsewhere it does nothing.

        Raises:
            ValueError: when `entity` has no Collider or `platform` no StaticCollider with
                `one_way`.
        """
        self._world.check_own("pass_through", entity)
        self._world.check_own("pass_through", platform)
        if not esper.entity_exists(entity) or not esper.has_component(entity, Collider):
            raise FieldError("Simulation.pass_through", "entity", entity, "one with a Collider")
        wall = (
            esper.try_component(platform, StaticCollider) if esper.entity_exists(platform) else None
        )
        if wall is None or not wall.one_way.any():
            raise FieldError(
                "Simulation.pass_through",
                "platform",
                platform,
                "an entity with a StaticCollider that has one_way",
            )
        self._space.one_way.ask(int(entity), int(platform))
        self._wake(entity)
