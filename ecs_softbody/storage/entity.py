"""Entity: the number of an entity, which also knows the world where it was spawned.

`spawn` returns it. esper gives the same numbers in every world, and again after a world was
cleared: with the world and its era, a number that is used in the wrong place can be refused.
"""

from __future__ import annotations

from typing import NamedTuple

from ecs_softbody.errors import FieldError
from ecs_softbody.validation import is_whole

ERAS: dict[str, int] = {}
"""The era of each world, by name: how often its entities were cleared. Numbers of an earlier era
belong to other entities now.
"""


class Home(NamedTuple):
    """Where entities are at home."""

    world: str
    era: int


def home_of(world: str) -> Home:
    """Return the home of the entities that a world has now."""
    return Home(world, ERAS.get(world, 0))


class Entity(int):
    """The number of an entity, with the world where it was spawned, and the era of that world."""

    world: str
    era: int

    def __new__(cls, number: int, world: str, era: int) -> Entity:
        """Return a number with its world."""
        entity = super().__new__(cls, number)
        entity.world = world
        entity.era = era
        return entity

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Be copied and pickled as a plain number: a copy of a world has numbers of its own."""
        return int, (int(self),)


def origin_elsewhere(entity: object, world: str, era: int | None = None) -> str:
    """Return the origin of an entity that is not of this world, else ""; era None: the current era
    of the world.
    """
    if not isinstance(entity, Entity):
        return ""
    if entity.world != world:
        return f"of world {entity.world!r}"
    if entity.era != (home_of(world).era if era is None else era):
        return "of an earlier simulation, which was closed"
    return ""


def check_at_home(owner: str, field: str, entity: object, home: Home) -> None:
    """Raise ValueError for the number of an entity of another world, or of this one before it was
    closed, and for any other object.
    """
    if where := origin_elsewhere(entity, *home):
        raise FieldError(
            owner,
            field,
            entity,
            f"one of this simulation, world {home.world!r}",
            in_words=f"entity {entity!r}, one {where},",
        )
    if not is_whole(entity):
        raise FieldError(owner, field, entity, "the number of an entity, as `spawn` returns")
