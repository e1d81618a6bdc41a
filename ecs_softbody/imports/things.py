"""Things: turns shapes of a map or drawing into components, by class and properties."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from ecs_softbody import blueprints
from ecs_softbody.arrays import Floats
from ecs_softbody.blueprints.calls import particles_asked
from ecs_softbody.components import Particles, StaticCollider
from ecs_softbody.elementary.rows import directions, lengths, turned
from ecs_softbody.errors import FieldError
from ecs_softbody.imports.budget import Budget, Unreadable
from ecs_softbody.imports.found import Found
from ecs_softbody.imports.reading import COLOURS, beside, cut, in_plain_words, package, shortened
from ecs_softbody.imports.shapes import (
    MOST_PARTICLES,
    body_of,
    crossing,
    keyhole,
    mesh_of_polygon,
    particles_in,
    polygons_of,
)
from ecs_softbody.indices import arange
from ecs_softbody.rendering import Look, Skin, palette

STATIC = {
    "": "ground",
    "ground": "ground",
    "solid": "ground",
    "wall": "ground",
    "sensor": "sensor",
    "line": "ground",
}
"""Classes of static shapes; a shape without a class is ground."""
SOFT = ("body", "blob", "ball", "box", "polygon", "cloth", "rope")
"""Classes of soft bodies: `body` keeps any outline with holes, the others are blueprints."""
LOOKS = ("fill", "outline", "eyes", "style", "mood", "opacity", "glow", "layer_offset")
"""Properties that are options of Look."""
WORDS = ("style", "mood", "fit", "hold")
"""Of these, which are words of the library, LDtk writes the first letter large."""
SKINS = ("picture", "tile", "fit")
"""Properties of the picture of a body."""
MOST_POINTS = 5000
"""Corners of an outline."""
MOST_CROSSINGS = 3000
"""How often a shape may cross itself."""
AT_ONCE = 64
"""Lines whose neighbours are looked for in one go: these are few numbers, even where all lines are
near one another.
"""
SIMPLER = "; break the path apart, or trace it with fewer nodes"
"""The cure of outlines that are too much."""
MANY_CROSSINGS = 550
"""Of an outline, which take twice as long to mend as as many in outlines of few."""
MANY = 1600
"""Particles of a body of which finding their triangles takes as long as all else."""
HOLED = 512
"""Pixels of the picture of a body with holes."""
MOST_ENTITIES = 5000
"""Limit of the entities that a file becomes."""


@dataclass
class Thing:
    """A shape of a file: a shapely polygon or a line (N, 2) [m], with its properties."""

    owner: str
    """For messages."""
    path: Path
    """Of the file; pictures are beside it."""
    name: str
    kind: str
    points: Floats
    polygon: Any = None
    round: bool = False
    angle: float = 0.0
    properties: dict[str, Any] = field(default_factory=dict)


def flag_of(value: Any) -> Any:
    """Return a property with the texts "true" and "false", as first given by Tiled, as booleans."""
    return (
        {"true": True, "false": False}.get(value.lower(), value)
        if isinstance(value, str)
        else value
    )


def is_known(kind: str) -> bool:
    """Return whether a word stands for something of the library."""
    return kind.lower() in STATIC or kind.lower() in SOFT


def found_of(thing: Thing, budget: Budget) -> list[Found]:
    """Return the entities made from a thing.

    Raises:
        ValueError: naming the thing, if a property is not allowed or its shape does not fit, or if
            the file exceeds its budget.
    """
    if len(thing.points) > MOST_POINTS:
        raise Unreadable(
            f"{thing.owner}: {len(thing.points)} points are not allowed; expected at most "
            f"{MOST_POINTS}{SIMPLER}"
        )
    kind = thing.kind.lower()
    options = {name: flag_of(value) for name, value in thing.properties.items()}
    options |= {name: options[name].lower() for name in WORDS if isinstance(options.get(name), str)}
    budget.spend("entities")
    try:
        # The look comes first: it takes its options out, and the rest are arguments of the body.
        dressed = _dress(thing, options)
        if kind in STATIC:
            made = _static(thing, STATIC[kind], options, budget)
        else:
            made = [_soft(thing, kind, options, budget)]
        if kind in ("body", "polygon") and thing.polygon is not None:
            dressed += _with_holes(thing, made[0], dressed, budget)
    except Unreadable:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise Unreadable(f"{thing.owner}: {cut(in_plain_words(error))}") from None
    return [Found(thing.name, STATIC.get(kind, kind), (*parts, *dressed)) for parts in made]


def _with_holes(
    thing: Thing, parts: tuple[Any, ...], dressed: list[Any], budget: Budget
) -> list[Any]:
    """Return a picture of a body with holes, so that one can see through them; none where it has a
    skin already.
    """
    polygon = polygons_of(thing.polygon)[0]
    look = next((one for one in dressed if isinstance(one, Look)), None)
    if not polygon.interiors or any(isinstance(one, Skin) for one in dressed):
        return []
    budget.spend("bodies with holes")
    fill = look.fill if look is not None and look.fill else palette.TEAL
    left, bottom, right, top = polygon.bounds
    low = np.array((left, bottom))
    side = max(right - left, top - bottom)
    image = Image.new("RGBA", (HOLED, HOLED), (*fill[:3], 255))
    draw = ImageDraw.Draw(image)
    for hole in polygon.interiors:
        places = (np.asarray(hole.coords) - low) / side * HOLED
        draw.polygon([(x, HOLED - y) for x, y in places.tolist()], fill=(*fill[:3], 0))
    return [Skin(image, uv=(parts[0].position - low) / side)]


def _dress(thing: Thing, options: dict[str, Any]) -> list[Any]:
    """Pop the properties of look and skin from the options, and return their components."""
    look = {name: options.pop(name) for name in LOOKS if name in options}
    for name in COLOURS:
        if isinstance(look.get(name), str):
            look[name] = colour_of(thing.owner, look[name])
    skin = {name: options.pop(name) for name in SKINS if name in options}
    dressed: list[Any] = []
    if (
        thing.kind.lower() in STATIC
        and thing.polygon is not None
        and thing.kind.lower() != "sensor"
    ):
        look.setdefault("style", "solid")
    if look:
        dressed.append(Look(**look))
    if skin:
        if "picture" not in skin:
            raise Unreadable(
                f"{thing.owner}: tile and fit are for a picture; expected the property picture, too"
            )
        turned = options.get("angle", thing.angle) if thing.kind.lower() == "box" else 0.0
        dressed.append(
            Skin(beside(thing.owner, thing.path, skin.pop("picture")), angle=turned, **skin)
        )
    return dressed


def is_colour(text: str) -> bool:
    """Return whether a text is a colour as Tiled writes it."""
    return re.fullmatch(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{8})", text) is not None


def colour_of(owner: str, text: str) -> tuple[int, ...]:
    """Return a colour written as #RRGGBB or, as Tiled writes it, #AARRGGBB."""
    digits = text.removeprefix("#")
    if not is_colour(text):
        raise Unreadable(
            f"{owner}: the colour {shortened(text)} is not allowed; expected #RRGGBB or #AARRGGBB"
        )
    parts = bytes.fromhex(digits)
    return tuple(parts) if len(parts) == 3 else (*parts[1:], parts[0])


def _static(
    thing: Thing, word: str, options: dict[str, Any], budget: Budget
) -> list[tuple[Any, ...]]:
    one_way = options.get("one_way")
    if not isinstance(one_way, bool | list | tuple | None):
        raise FieldError("", "one_way", one_way, "true, false or a direction (x, y)")
    if isinstance(one_way, bool):
        options["one_way"] = (0.0, 1.0) if one_way else None
    if word == "sensor":
        options["sensor"] = True
    if thing.polygon is None:
        return [(StaticCollider(_distinct(thing.points), **options),)]
    parts = polygons_of(thing.polygon)
    for one in parts:  # each hole is joined to all that is joined already
        budget.spend("steps", len(one.interiors) * len(package("shapely").get_coordinates(one)))
    return [(StaticCollider(_distinct(keyhole(one)), closed=True, **options),) for one in parts]


def _distinct(points: Floats) -> Floats:
    """Return points without consecutive duplicates."""
    apart = np.append(True, lengths(np.diff(points, axis=0)) > 0.0)
    kept: Floats = points[apart]
    return kept


BLUEPRINTS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "rope": blueprints.rope, "blob": blueprints.blob, "ball": blueprints.ball,
    "box": blueprints.box, "cloth": blueprints.cloth,
}  # fmt: skip


def _soft(thing: Thing, kind: str, options: dict[str, Any], budget: Budget) -> tuple[Any, ...]:
    if kind == "rope" and thing.polygon is None:
        options.setdefault("segments", max(1, min(200, round(_length(thing.points) / 0.25))))
    if kind in BLUEPRINTS:
        budget.spend("particles", particles_asked(BLUEPRINTS[kind], options))
    if kind == "rope":
        if thing.polygon is not None or len(thing.points) < 2:
            raise ValueError("a rope is an open line; expected a polyline")
        return _along(thing.points, options)
    if thing.polygon is None:
        raise ValueError(f"a {kind} has an area; expected a closed shape")
    found = polygons_of(thing.polygon)
    if not found:
        raise ValueError("the shape has no area")
    if kind in ("body", "polygon"):
        spacing = options.pop("spacing", None)
        count = min(particles_in(found[0], spacing), MOST_PARTICLES)
        budget.spend("bodies")
        budget.spend("particles", count)
        corners = len(package("shapely").get_coordinates(found[0]))
        # Each point searches for its triangle.
        budget.spend("points in bodies", corners + count * (1.0 + count / MANY))
        return body_of(kind, mesh_of_polygon(found[0], spacing), **options)
    low = thing.points.min(axis=0)
    high = thing.points.max(axis=0)
    middle = 0.5 * (low + high)
    radius = 0.5 * float((high - low).min())
    if kind in ("blob", "ball"):
        return BLUEPRINTS[kind](middle, options.pop("radius", radius), **options)
    sides, middle = _upright(thing)
    if kind == "box":
        return tuple(
            blueprints.box(middle, sides, angle=options.pop("angle", thing.angle), **options)
        )
    return tuple(blueprints.cloth(middle, sides, **options))


def _along(points: Floats, options: dict[str, Any]) -> tuple[Any, ...]:
    """Return a rope that lies along a line (N, 2) [m], as long as that."""
    far = np.append(0.0, np.cumsum(lengths(np.diff(points, axis=0)), dtype=np.float64))
    particles, *others = blueprints.rope((0.0, 0.0), (far[-1], 0.0), **options)
    assert isinstance(particles, Particles)
    at = particles.position[:, 0].copy()
    particles.position[:] = np.column_stack(
        [np.interp(at, far, points[:, axis]) for axis in (0, 1)]
    )
    return (particles, *others)


def _upright(thing: Thing) -> tuple[Floats, Floats]:
    """Return width and height of a turned rectangle, and its middle."""
    points = turned(thing.points, -thing.angle)
    low = points.min(axis=0)
    high = points.max(axis=0)
    return high - low, turned(0.5 * (low + high), thing.angle)


def _length(points: Floats) -> float:
    return float(lengths(np.diff(points, axis=0)).sum())


def polygon_of(owner: str, points: Floats, budget: Budget) -> Any:
    """Return a shapely polygon, or None for points without an area; crossings are repaired."""
    shapely = package("shapely")
    if len(points) < 3 or not np.isfinite(points).all():
        return None
    if len(points) > MOST_POINTS:
        raise Unreadable(f"{owner} has more than {MOST_POINTS} points")
    try:
        made = shapely.Polygon(points)
        if made.is_valid and made.area > 0.0:
            return made
        count = check_crossings(owner, points, np.roll(points, -1, axis=0), budget)
        budget.spend("crossings", count * (1.0 + count / MANY_CROSSINGS))
        return _whole(shapely.make_valid(made))
    except Unreadable:
        raise
    except (ValueError, shapely.errors.ShapelyError):
        raise Unreadable(f"{owner}: these corners make no polygon") from None


def check_crossings(
    owner: str, starts: Floats, ends: Floats, budget: Budget, most: int = MOST_CROSSINGS
) -> int:
    """Return how often lines (N, 2) to (N, 2) cross one another; each crossing becomes a corner.

    Raises:
        ValueError: if they cross more than `most` times, or too many are close to one another to be
            checked in time.
    """
    shapely = package("shapely")
    lines = shapely.linestrings(np.stack((starts, ends), axis=1))
    tree = shapely.STRtree(lines)
    count = 0
    for first in range(0, len(lines), AT_ONCE):
        one, two = tree.query(lines[first : first + AT_ONCE])
        one += first
        budget.spend("near lines", len(one))
        count += crossing(starts, ends, one[one < two], two[one < two])
        if count > most:
            raise Unreadable(f"{owner} crosses itself more than {most} times{SIMPLER}")
    return count


def _whole(shape: Any) -> Any:
    parts = polygons_of(shape)
    return package("shapely").MultiPolygon(parts) if parts else None


def merged(owner: str, polygons: list[Any], *, simple: bool = False) -> list[Any]:
    """Merge polygons that touch or overlap, and remove corners in the middle of edges.

    `simple`: a single polygon is known to have no such corners.
    """
    shapely = package("shapely")
    whole = polygons[0]
    if len(polygons) > 1:
        whole = shapely.union_all(shapely.set_precision(np.array(polygons, object), 1e-6))
    parts = polygons_of(whole)
    if len(parts) > MOST_ENTITIES:
        raise Unreadable(f"{owner} makes more than {MOST_ENTITIES} entities")
    if simple and len(polygons) == 1:
        return parts
    return [one for part in parts for one in polygons_of(part.simplify(1e-6))]


def ellipse_points(low: Floats, high: Floats, count: int = 32) -> Floats:
    """Return points around the ellipse in a box."""
    angles = 2.0 * np.pi * arange(count) / count
    points: Floats = 0.5 * (low + high) + 0.5 * (high - low) * directions(angles)
    return points
