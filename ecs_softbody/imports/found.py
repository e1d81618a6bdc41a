"""Found: the results of an import, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.crowding import check_crowding
from ecs_softbody.imports.budget import Unreadable
from ecs_softbody.imports.reading import shortened
from ecs_softbody.simulation import Simulation


@dataclass(frozen=True)
class Found:
    """One entity to spawn: `sim.spawn(*found.components)`."""

    name: str
    """As in the file, or empty."""
    kind: str
    """`ground`, `sensor`, `body`, or the blueprint that made it."""
    components: tuple[Any, ...]
    properties: dict[str, Any] = field(default_factory=dict)
    """Custom properties from the file, which are no options of the library."""

    def __iter__(self) -> Any:
        return iter(self.components)


@dataclass(frozen=True)
class Place:
    """A place in a map for the game's own use, such as for a coin or its hero."""

    name: str
    kind: str
    position: tuple[float, float]
    """Its middle [m]."""
    size: tuple[float, float] = (0.0, 0.0)
    """Width and height [m]."""
    properties: dict[str, Any] = field(default_factory=dict)
    points: tuple[tuple[float, float], ...] = ()
    """The corners of a polygon or a line [m]; empty for a rectangle, an ellipse or a point."""


@dataclass(frozen=True)
class Imported:
    """The content of an imported file."""

    entities: list[Found]
    places: list[Place] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Messages about features left out, with the reason."""
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Left, bottom, right, top of the map [m], in the form for `camera.fit`."""
    properties: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Custom properties of a Tiled map, by "map", "layer NAME", "tile NUMBER of TILESET"."""

    def __post_init__(self) -> None:
        """Check the imported bodies for crowding; ValueError if too many lie in one place."""
        names = [one.name or f"{one.kind} {number}" for number, one in enumerate(self.entities, 1)]
        try:
            check_crowding((one.components for one in self.entities), names=names)
        except ValueError as error:
            raise Unreadable(str(error), names_file=False) from None

    def spawn(self, sim: Simulation) -> list[int]:
        """Spawn everything, and return the entities in the order of `entities`."""
        return [sim.spawn(*one.components) for one in self.entities]

    def describe(self) -> str:
        """Return a summary of the import, one line per kind."""
        kinds: dict[str, list[int]] = {}
        for one in self.entities:
            kinds.setdefault(one.kind, []).append(_points(one.components))
        lines = [
            f"{len(points):5} {kind}" + (f" ({sum(points)} points)" if any(points) else "")
            for kind, points in sorted(kinds.items())
        ]
        there: dict[str, int] = {}
        for place in self.places:
            there[place.kind or "place"] = there.get(place.kind or "place", 0) + 1
        lines += [
            f"{count:5} {_printable(kind)} (a place)" for kind, count in sorted(there.items())
        ]
        left, bottom, right, top = self.bounds
        lines += [f"  {right - left:.3g} x {top - bottom:.3g} m"]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def _printable(word: str) -> str:
    """Return a word of a file as a terminal may show it, which some letters give orders."""
    return word if word.isprintable() and len(word) <= 60 else shortened(word)


def _points(components: tuple[Any, ...]) -> int:
    """Return the number of points of a body or piece of ground; 0 for entities that are only drawn,
    such as tiles.
    """
    return sum(one.row_count for one in components if isinstance(one, Particles | StaticCollider))
