"""Shapes: outlines with holes become chains of ground, or particles, triangles and springs of soft
bodies.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from ecs_softbody.arrays import Floats, Integers
from ecs_softbody.blueprints.mass_and_springs import DENSITY, MassAndSprings
from ecs_softbody.components import Collider, Particles, ShapeMatching, Springs
from ecs_softbody.elementary.rows import length, lengths
from ecs_softbody.errors import FieldError
from ecs_softbody.geometry.polygon import has_deep_gap, signed_area
from ecs_softbody.imports.reading import package
from ecs_softbody.indices import arange, argsort, unique
from ecs_softbody.rendering.mesh.triangulation import with_points_inside
from ecs_softbody.validation import check_number

Hold = Literal["shape", "springs"]
"""How a body keeps its form: by its rest shape, or by springs alone."""
ACROSS = 12
"""Approximate number of particles across a body."""
MOST_PARTICLES = 4000
"""Limit of the particles of a body."""
RADIUS_SHARE = 0.2
"""Radius of a particle over the distance between neighbours: little of the body lies outside of its
outline.
"""
COARSER = 0.1
"""Maximum deviation from the file's outline, as a fraction of the distance between neighbours."""
SHAPE_SHARE = 0.5
"""Stiffness of shape matching over spring stiffness, as for boxes."""
MOST_HOLES = 64
"""Holes of a body; ..."""
MOST_FILLED = 0.03
"""... the smallest are filled where all of these are less than this share of its area."""


class Mesh(NamedTuple):
    """Points and triangles of a body."""

    points: Floats
    """Shape (N, 2), outline points first."""
    ring: Integers
    """The rows of the outline, counter-clockwise."""
    triangles: Integers
    """Shape (T, 3); none lies in a hole."""
    spacing: float
    """Approximate distance between neighbours."""


def polygons_of(shape: Any) -> list[Any]:
    """Return the polygons of a shape of shapely that have an area, the largest first."""
    parts = list(getattr(shape, "geoms", [shape]))
    found: list[Any] = []
    for part in parts:
        if part.geom_type == "Polygon" and part.area > 0.0:
            found.append(part)
        elif hasattr(part, "geoms"):
            found += polygons_of(part)
    return sorted(found, key=lambda part: -part.area)


def mesh_of(outline: Any, holes: Any = (), *, spacing: float | None = None) -> Mesh:
    """Return points and triangles that fill an outline (V, 2) but for its holes, all in the same
    unit.

    Args:
        outline: corners of a simple polygon.
        holes: lists of corners.
        spacing: distance between neighbours; a twelfth of the larger side by default.

    Raises:
        ValueError: if the outline has no area, or so small a spacing gives too many points.
    """
    shapely = package("shapely")
    try:
        polygon = shapely.Polygon(
            np.asarray(outline, float), [np.asarray(hole, float) for hole in holes]
        )
        found = polygons_of(polygon if polygon.is_valid else shapely.make_valid(polygon))
    except (ValueError, TypeError, shapely.errors.ShapelyError):
        found = []
    if not found:
        raise FieldError(
            "mesh_of", "outline", outline, "a simple polygon", in_words="an outline without area"
        )
    return mesh_of_polygon(found[0], spacing)


def particles_in(polygon: Any, spacing: float | None) -> float:
    """Return the approximate number of particles of a polygon's mesh."""
    if spacing is None:
        left, bottom, right, top = polygon.bounds
        spacing = max(right - left, top - bottom) / ACROSS
    spacing = check_number("mesh_of", "spacing", spacing, above=0.0)
    return float((polygon.area / spacing + polygon.length) / spacing)


def mesh_of_polygon(polygon: Any, spacing: float | None) -> Mesh:
    """Return points and triangles of a polygon of shapely."""
    left, bottom, right, top = polygon.bounds
    asked = spacing
    # Particles are counted ahead of the triangulation, which takes long for many points.
    count = particles_in(polygon, spacing)
    if spacing is None:
        spacing = max(right - left, top - bottom) / ACROSS
    if count > MOST_PARTICLES:
        too_many = f"more than {MOST_PARTICLES} particles"
        if asked is None:
            wrong = f"so fine an outline needs {too_many}"
            raise FieldError("mesh_of", "outline", polygon, "a simpler one", wrong=wrong)
        hint = f": it gives {too_many}"
        raise FieldError("mesh_of", "spacing", spacing, "a larger one", hint=hint)
    return _mesh_of_corners(_sampled(simple(polygon, COARSER * spacing), spacing), spacing)


def _sampled(polygon: Any, spacing: float) -> Any:
    """Return a polygon with a corner about every `spacing`, without holes that matter less than
    their corners cost.
    """
    shapely = package("shapely")
    holes = sorted(polygon.interiors, key=lambda hole: -float(shapely.Polygon(hole).area))
    areas = np.array([shapely.Polygon(hole).area for hole in holes])
    # Each number is the area filled if a hole and all smaller ones are left out.
    filled = np.cumsum(areas[::-1], dtype=np.float64)[::-1]
    kept = (areas > 0.5 * spacing**2) | (filled > MOST_FILLED * polygon.area)
    holes = holes[: min(int(kept.sum()), MOST_HOLES)]
    outline, *inner = (
        along_ring(np.asarray(ring.coords)[:-1], spacing) for ring in (polygon.exterior, *holes)
    )
    sampled = shapely.Polygon(outline, inner)
    if sampled.is_valid:
        return sampled
    # Corners left out by the sampling kept these rings apart, so all of them stay.
    return shapely.Polygon(polygon.exterior, holes).segmentize(spacing)


def _mesh_of_corners(polygon: Any, spacing: float) -> Mesh:
    """Return the mesh of a polygon all of whose corners become points, with more of them inside."""
    shapely = package("shapely")
    around = np.asarray(polygon.exterior.coords)[:-1]
    if signed_area(around) < 0.0:
        around = around[::-1]
    corners = dict.fromkeys(
        [*map(tuple, around.tolist()), *map(tuple, shapely.get_coordinates(polygon).tolist())]
    )
    # Holes that touch the outline share a point with it.
    rows = {place: row for row, place in enumerate(corners)}
    parts = shapely.get_coordinates(shapely.constrained_delaunay_triangles(polygon)).reshape(
        -1, 4, 2
    )[:, :3]
    triangles = np.array(
        [rows[tuple(place)] for place in parts.reshape(-1, 2).tolist()], np.int64
    ).reshape(-1, 3)
    points = np.array(list(corners))
    inside = polygon.buffer(-0.6 * spacing)
    grid = hexagons(polygon.bounds, spacing)
    if not inside.is_empty and len(grid):
        points = np.concatenate((points, grid[shapely.contains_xy(inside, *grid.T)]))
    triangles = with_points_inside(points, triangles, arange(len(corners), len(points))).astype(
        np.int64
    )
    used = np.unique(np.concatenate((arange(len(around)), triangles.ravel())))
    number = np.full(len(points), -1, np.int64)
    number[used] = arange(len(used))
    return Mesh(points[used], arange(len(around)), number[triangles], spacing)


def simple(polygon: Any, tolerance: float) -> Any:
    """Return a polygon with fewer corners, and the same where that would break it."""
    found = polygons_of(polygon.simplify(tolerance))
    return found[0] if found and found[0].is_valid else polygon


def along_ring(corners: Floats, spacing: float) -> Floats:
    """Return points at the corners of a ring, without corners very near the previous one, and
    evenly between them.
    """
    kept = [corners[0]]
    for corner in corners[1:]:
        if length(corner - kept[-1]) >= 0.35 * spacing:
            kept.append(corner)
    if len(kept) > 3 and length(kept[-1] - kept[0]) < 0.35 * spacing:
        kept.pop()
    if (
        len(kept) < 3
        or abs(signed_area(np.array(kept))) < 1e-12 * spacing**2
        or not is_simple(np.array(kept))
    ):
        kept = list(corners)
    pieces = []
    for one, two in zip(kept, [*kept[1:], kept[0]], strict=True):
        count = max(1, math.ceil(length(two - one) / spacing - 1e-6))
        pieces.append(one + (arange(count) / count)[:, None] * (two - one))
    return np.concatenate(pieces)


def is_simple(ring: Floats) -> bool:
    """Return whether a ring does not cross itself."""
    return bool(package("shapely").Polygon(ring).is_valid)


def hexagons(bounds: tuple[float, float, float, float], spacing: float) -> Floats:
    """Return the points of a triangular grid in a box."""
    left, bottom, right, top = bounds
    high = spacing * math.sqrt(0.75)
    rows = arange(math.ceil((top - bottom) / high) + 1)
    columns = arange(math.ceil((right - left) / spacing) + 1)
    x, y = np.meshgrid(columns.astype(float), rows.astype(float))
    x += 0.5 * (rows[:, None] % 2)
    points: Floats = np.column_stack((left + spacing * x.ravel(), bottom + high * y.ravel()))
    return points


def body_of(
    owner: str,
    mesh: Mesh,
    *,
    mass: float | None = None,
    density: float | None = None,
    stiffness: float | None = None,
    hold: Hold = "shape",
    **collider: Any,
) -> tuple[Any, ...]:
    """Return the components of a body: see `picture` for the options."""
    if hold not in ("shape", "springs"):
        raise FieldError(owner, "hold", hold, "shape or springs")
    corners = mesh.points[mesh.triangles]
    one = corners[:, 1] - corners[:, 0]
    two = corners[:, 2] - corners[:, 0]
    area = 0.5 * float(np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]).sum())
    material = MassAndSprings(owner, {"mass": mass, "density": density, "stiffness": stiffness})
    kilograms = material.total_mass(area, DENSITY)
    stiff, damp = material.springs(kilograms / len(mesh.points), frequency=30.0, damping_ratio=0.12)
    pairs = edges_of(mesh.triangles, across=hold == "springs")
    radius = RADIUS_SHARE * mesh.spacing
    made: list[Any] = [
        Particles(mesh.points, mass=kilograms / len(mesh.points), radius=radius),
        Springs(pairs, stiffness=stiff, damping=damp),
    ]
    if hold == "shape":
        made.append(ShapeMatching(stiffness=SHAPE_SHARE * stiff, damping=damp))
    defaults = {"skin": radius, "self_collision": has_deep_gap(mesh.points[mesh.ring])}
    return (*made, Collider(outline=mesh.ring, **{**defaults, **collider}))


def edges_of(triangles: Integers, *, across: bool) -> Integers:
    """Return the sides of triangles as pairs (M, 2), each once; `across`: also the tips on both
    sides of each.
    """
    sides = np.sort(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1
    )
    tips = np.concatenate([triangles[:, 2], triangles[:, 0], triangles[:, 1]])
    pairs, which, count = unique(sides, axis=0, return_inverse=True, return_counts=True)
    if across:
        # Some versions of numpy return a column.
        order = argsort(which.ravel(), kind="stable")
        starts = np.concatenate(([0], np.cumsum(count, dtype=np.int64)[:-1]))[count == 2]
        opposite = np.sort(np.column_stack((tips[order[starts]], tips[order[starts + 1]])), axis=1)
        pairs = np.unique(
            np.concatenate((pairs, opposite[opposite[:, 0] < opposite[:, 1]])), axis=0
        )
    found: Integers = pairs.reshape(-1, 2).astype(np.int64)
    return found


def crossing(starts: Floats, ends: Floats, one: Integers, two: Integers) -> int:
    """Return how many pairs of segments (N, 2) to (N, 2), each two of their numbers, cross."""

    def side(number: Integers, points: Floats) -> Floats:
        along = ends[number] - starts[number]
        there = points - starts[number]
        found: Floats = along[:, 0] * there[:, 1] - along[:, 1] * there[:, 0]
        return found

    apart = side(one, starts[two]) * side(one, ends[two]) < 0.0
    # Only few of the pairs whose boxes overlap remain.
    one = one[apart]
    two = two[apart]
    return int((side(two, starts[one]) * side(two, ends[one]) < 0.0).sum())


def keyhole(polygon: Any) -> Floats:
    """Return one ring around a polygon of shapely: holes are joined to the outline by a cut, there
    and back.
    """
    ring = np.asarray(polygon.exterior.coords, float)[:-1]
    if signed_area(ring) < 0.0:
        ring = ring[::-1]
    holes = [np.asarray(hole.coords, float)[:-1] for hole in polygon.interiors]
    for hole in sorted(holes, key=lambda points: -float(points[:, 0].max())):
        inner = hole[::-1] if signed_area(hole) > 0.0 else hole
        start = int(np.argmax(inner[:, 0]))
        place, bridge = _bridge(ring, inner[start])
        inner = np.roll(inner, -start, axis=0)
        joint = [bridge] if length(bridge - ring[place]) > 0.0 else []
        out = np.array([ring[place], *joint])
        back = np.array([*joint, ring[place]])
        ring = np.concatenate((ring[:place], out, inner, inner[:1], back, ring[place + 1 :]))
    return ring


def _bridge(ring: Floats, point: Floats) -> tuple[int, Floats]:
    """Return the corner of a ring after which to cut to the right of a point, and where the cut
    meets the ring.
    """
    a = ring
    b = np.roll(ring, -1, axis=0)
    spans = (a[:, 1] <= point[1]) != (b[:, 1] <= point[1])
    rise = np.where(spans, b[:, 1] - a[:, 1], 1.0)
    x = a[:, 0] + (point[1] - a[:, 1]) / rise * (b[:, 0] - a[:, 0])
    x = np.where(spans & (x >= point[0] - 1e-12), x, np.inf)
    place = int(np.argmin(x))
    if not np.isfinite(x[place]):
        place = int(np.argmin(lengths(ring - point)))
        return place, ring[place]
    return place, np.array((x[place], point[1]))
