"""Entity: the number of an entity, which knows where it was spawned."""

from __future__ import annotations

ERAS: dict[str, int] = {}
"""How often the entities of each world were cleared: afterwards their ids belong to other
entities.
"""


class Entity(int):
    """The number of an entity, which knows the world that it was spawned in, and the era of that
    world.
    """

    world: str
    era: int

    def __new__(cls, number: int, world: str, era: int) -> Entity:
        """Return a number that knows its world."""
        entity = super().__new__(cls, number)
        entity.world = world
        entity.era = era
        return entity

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Be copied and pickled as a plain number: a copy of a world has numbers of its own."""
        return int, (int(self),)


def origin_elsewhere(entity: object, world: str, era: int | None = None) -> str:
    """Return where an entity is from when it is none of this world, else ""; era None: the world as
    it is now.
    """
    if not isinstance(entity, Entity):
        return ""
    if entity.world != world:
        return f"of world {entity.world!r}"
    if entity.era != (ERAS.get(world, 0) if era is None else era):
        return "of an earlier simulation, which was closed"
    return ""
