"""Entity: the number of an entity, with the world where it was spawned."""

from __future__ import annotations

ERAS: dict[str, int] = {}
"""How often the entities of each world were cleared: afterwards their ids belong to other
entities.
"""


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
    if entity.era != (ERAS.get(world, 0) if era is None else era):
        return "of an earlier simulation, which was closed"
    return ""
