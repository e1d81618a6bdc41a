"""Polygons with holes: what is painted has the area that they have, however their rings touch."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from ecs_softbody.components import StaticCollider
from ecs_softbody.imports import mesh_of
from ecs_softbody.imports.shapes import keyhole, polygons_of
from ecs_softbody.rendering import Look, Picture, View, palette
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.land.ground import draw_static
from ecs_softbody.rendering.land.ground_fill import fill_of_ground
from ecs_softbody.rendering.mesh.polygon_mesh import area_of, fill_polygon
from ecs_softbody.rendering.world.skin import Skin

shapely = pytest.importorskip("shapely")

MOST_OFF = 1e-3
"""Share of the true area by which the painted one may be off."""
SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)


def painted(ring: np.ndarray) -> float:
    return area_of(*fill_polygon(ring))


def blob(random: np.random.Generator, middle: np.ndarray, size: float, count: int) -> object:
    """Return a star of some corners; its sides can be nearly anything."""
    angle = np.sort(random.uniform(0.0, 2.0 * np.pi, count))
    radius = size * random.uniform(0.3, 1.0, count)
    corners = middle + radius[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    return shapely.make_valid(shapely.Polygon(corners))


def scattered(random: np.random.Generator) -> object:
    """Return a blob with blobs cut out of it, some over its edge."""
    shape = blob(random, np.zeros(2), 1.0, random.integers(8, 40))
    for _ in range(random.integers(1, 8)):
        shape = shape - blob(
            random, random.uniform(-0.6, 0.6, 2), random.uniform(0.05, 0.3), random.integers(3, 12)
        )
    return shape


def cells(random: np.random.Generator) -> object:
    """Return the full cells of a grid: holes and parts touch in corners, many in one place."""
    full = np.argwhere(
        random.uniform(size=(random.integers(4, 12),) * 2) < random.uniform(0.5, 0.9)
    )
    return shapely.union_all([shapely.box(x, y, x + 1, y + 1) for x, y in full])


def cells_with_more_points(random: np.random.Generator) -> object:
    """Return the same with points in the middle of straight sides."""
    return shapely.segmentize(cells(random), float(random.choice([0.25, 0.5])))


def diamonds(random: np.random.Generator) -> object:
    """Return a square with holes whose corners touch its sides, and the sides of other holes, in
    between corners.
    """
    shape = shapely.Polygon(SQUARE)
    holes = []
    for _ in range(random.integers(1, 12)):
        x, y = random.integers(1, 16, 2) / 16
        left, down, right, up = random.integers(1, 6, 4) / 16
        hole = [(x - left, y), (x, y - down), (x + right, y), (x, y + up)]
        more = shapely.Polygon(SQUARE, [*holes, hole])
        if more.is_valid:
            shape = more
            holes = [*holes, hole]
    return shape


def corners_of_shelves(random: np.random.Generator) -> object:
    """Return a square with L-shaped holes side by side, and along its edge."""
    shape = shapely.box(0, 0, 9, 9)
    for _ in range(random.integers(2, 9)):
        x, y = random.integers(0, 7, 2)
        shape = shape - (shapely.box(x, y, x + 1, y + 3) | shapely.box(x, y, x + 3, y + 1))
    return shape


def islands(random: np.random.Generator) -> object:
    """Return rings in the holes of rings; the outer one has a slit."""
    fine = int(random.integers(2, 16))
    shape = shapely.Point(0, 0).buffer(1.0, fine) - shapely.Point(0, 0).buffer(0.8, fine)
    shape = shape | (shapely.Point(0, 0).buffer(0.6, fine) - shapely.box(-0.2, -0.2, 0.2, 0.2))
    return shape - shapely.box(-0.01, -2.0, 0.01, -0.7)


KINDS: tuple[Callable[[np.random.Generator], object], ...] = (
    scattered, cells, cells_with_more_points, diamonds, corners_of_shelves, islands,
)  # fmt: skip


def polygons(kind: Callable[[np.random.Generator], object], count: int) -> Iterator[object]:
    """Yield polygons of a kind, of all sizes, turned and far away."""
    random = np.random.default_rng(40)
    made = 0
    while made < count:
        scale = random.choice([1e-6, 1.0, 1.0, 1e6])
        turn = random.choice([0.0, 0.0, 0.3])
        away = random.choice([0.0, 1e3]) * scale
        turned = scale * np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))))
        shape = shapely.transform(kind(random), lambda points, m=turned, to=away: points @ m + to)
        for polygon in polygons_of(shape if shape.is_valid else shapely.make_valid(shape)):
            if polygon.area > 1e-9 * scale**2:  # no splinter of rounding
                made += 1
                yield polygon


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_is_painted_has_the_area_of_the_polygon(
    kind: Callable[[np.random.Generator], object],
) -> None:
    wrong = []
    for number, polygon in enumerate(polygons(kind, 400)):
        ring = keyhole(polygon)[:: -1 if number % 2 else 1]
        if abs(painted(ring) / polygon.area - 1.0) > MOST_OFF:
            wrong.append((number, painted(ring) / polygon.area, polygon.wkt))
    assert not wrong


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_triangle_lies_in_the_polygon(kind: Callable[[np.random.Generator], object]) -> None:
    for polygon in polygons(kind, 30):
        corners, triangles = fill_polygon(keyhole(polygon))
        middles = corners[triangles.reshape(-1, 3)].mean(axis=1)
        assert shapely.dwithin(polygon, shapely.points(middles), 1e-9 * polygon.length).all()


RINGS = {
    "a triangle": (SQUARE[:3], 0.5),
    "a dent": ([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], 10.0),
    "points twice": (np.repeat(SQUARE, 2, axis=0), 1.0),
    "points on straight sides": (
        [(0, 0), (0.5, 0), (1, 0), (1, 0.3), (1, 1), (0.2, 1), (0.1, 1), (0, 1)],
        1.0,
    ),
    "the first point again": ([*SQUARE, SQUARE[0]], 1.0),
    "a spike": ([(0, 0), (1, 0), (1, 0.5), (3, 0.5), (1, 0.5), (1, 1), (0, 1)], 1.0),
    "a spike inwards": ([(0, 0), (1, 0), (1, 0.5), (0.5, 0.5), (1, 0.5), (1, 1), (0, 1)], 1.0),
    "two squares at a corner": (
        [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1)],
        2.0,
    ),
    "two squares on a line": (
        [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0), (3, 0), (4, 0), (4, 1), (3, 1), (3, 0)],
        2.0,
    ),
    "a hole along the edge": (
        [(0, 0), (3, 0), (3, 3), (0, 3), (0, 2), (1, 2), (1, 1), (0, 1)],
        8.0,
    ),
    "a hole along the edge, with a bridge": (
        [(0, 0), (3, 0), (3, 3), (0, 3), (0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (0, 1)],
        8.0,
    ),
    "holes that touch along an edge": (
        [
            (0, 0),
            (4, 0),
            (4, 4),
            (0, 4),
            (0, 0),
            (1, 1),
            (1, 3),
            (2, 3),
            (2, 1),
            (1, 1),
            (2, 1.5),
            (2, 2.5),
            (3, 2.5),
            (3, 1.5),
            (2, 1.5),
            (1, 1),
        ],
        13.0,
    ),
    "a hole that touches the edge between its corners": (
        [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0), (1, 1), (0, 2), (1, 3), (2, 2), (1, 1)],
        14.0,
    ),
    "an island in a hole": (
        [
            (0, 0),
            (5, 0),
            (5, 5),
            (0, 5),
            (0, 0),
            (1, 1),
            (1, 4),
            (4, 4),
            (4, 1),
            (1, 1),
            (2, 2),
            (3, 2),
            (3, 3),
            (2, 3),
            (2, 2),
            (1, 1),
        ],
        17.0,
    ),
    "a dent where two points are one": ([(4, 0), (2, 0), (1, 4), (2, 2), (2, 2)], 3.0),
    "a bow": ([(0, 0), (2, 2), (2, 0), (0, 2)], 2.0),
    "a bow with one large side": ([(0, 0), (3, 3), (3, 0), (0, 1)], 4.5 - 9 / 8 + 3 / 8),
    "round twice": (np.concatenate((SQUARE, SQUARE)), 1.0),
    "round twice, the second time inside": (
        [(0, 0), (3, 0), (3, 3), (0, 3), (0, 0), (1, 1), (2, 1), (2, 2), (1, 2), (1, 1)],
        9.0,
    ),
}


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("name", RINGS)
def test_rings_by_hand(name: str, scale: float) -> None:
    ring, area = RINGS[name]
    for turned in (np.array(ring, float), np.array(ring, float)[::-1]):
        for start in range(len(turned)):
            assert painted(np.roll(turned, start, axis=0) * scale) == pytest.approx(
                area * scale**2, rel=1e-6
            )


@pytest.mark.parametrize(
    "ring",
    [
        [(0, 0), (1, 0), (2, 0)],
        [(1, 1)] * 5,
        [(0, 0), (np.nan, 0), (1, 1)],
        [(0, 0), (np.inf, 0), (1, 1), (0, 1)],
        SQUARE * 1e-200,
        [(0, 0), (1, 1), (0, 0), (2, 2)],
    ],
)
def test_what_has_no_area_has_no_triangles(ring: np.ndarray) -> None:
    assert len(fill_polygon(ring)[1]) == 0


@pytest.mark.parametrize("count", [200, 1500, 5000])
def test_scribbles_take_no_time(count: int) -> None:
    scribble = np.random.default_rng(1).uniform(size=(count, 2))
    begun = time.process_time()
    corners, triangles = fill_polygon(scribble)
    assert time.process_time() - begun < 2.0
    assert len(triangles)
    assert (corners.min(axis=0) >= 0.0).all()
    assert (corners.max(axis=0) <= 1.0).all()


def test_triangulation_is_loaded_when_something_is_drawn_that_needs_it() -> None:
    program = (
        "import sys, ecs_softbody.play.window, ecs_softbody.rendering.picture as p; q = "
        "p.Picture(64, 36); "
        "q.polygon([(0, 0), (1, 0), (0, 1)], (255, 0, 0)); early = 'mapbox_earcut' in sys.modules; "
        "q.polygon([(0, 0), (4, 0), (1, 1), (0, 4)], (255, 0, 0)); "
        "sys.exit(early or 'mapbox_earcut' not in sys.modules or 'shapely' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_star_is_filled_in_the_middle_too() -> None:
    angle = 4.0 * np.pi / 5.0 * np.arange(5)
    star = np.column_stack((np.cos(angle), np.sin(angle)))
    # of the corners between the tips
    share = np.sin(np.pi / 10.0) / np.sin(7.0 * np.pi / 10.0)
    assert painted(star) == pytest.approx(5.0 * share * np.sin(0.2 * np.pi))


def two_holes() -> object:
    shelf = shapely.box(1, 1, 2, 4) | shapely.box(1, 1, 4, 2)
    other = shapely.box(5, 1, 6, 4) | shapely.box(3, 3, 6, 4)
    return shapely.box(0, 0, 7, 5) - shelf - other


def test_one_sees_through_the_holes_of_ground() -> None:
    polygon = two_holes()
    picture = Picture(320, 180, view=View((3.5, 2.5), 9.0, 320, 180))
    draw_static(picture, keyhole(polygon), 0.0, "solid", Look(fill=palette.CORAL))
    ground = draw_image(picture)[:, :, 0] > 60
    places = np.stack(
        np.meshgrid(np.linspace(0.05, 6.95, 70), np.linspace(0.05, 4.95, 50)), axis=-1
    ).reshape(-1, 2)
    away = shapely.distance(polygon.boundary, shapely.points(places)) > 0.3
    places = places[away]
    x, y = picture.to_pixels(places).astype(int).T
    assert away.sum() > 500
    np.testing.assert_array_equal(ground[179 - y, x], shapely.contains_xy(polygon, *places.T))


def test_a_picture_on_ground_leaves_its_holes_open() -> None:
    polygon = two_holes()
    picture = Picture(320, 180)
    ring = keyhole(polygon)
    skin = Skin(np.zeros((4, 4, 4), np.uint8), uv=[(0.0, 0.0)])
    fill = fill_of_ground(picture, skin, Look(style="solid"), ring, "solid", radius=0.0, angle=0.0)
    assert fill is not None
    assert area_of(fill.corners, fill.triangles) == pytest.approx(
        polygon.area * picture.view.scale**2
    )
    assert len(fill.uv) == len(fill.tint) == len(fill.corners)
    assert StaticCollider(ring, closed=True).row_count == len(ring)


@pytest.mark.parametrize("name", ["one", "touching", "thin wall", "at the edge", "many"])
def test_a_body_leaves_its_holes_open(name: str) -> None:
    holes = {
        "one": [SQUARE + 1.0],
        "touching": [SQUARE + 1.0, SQUARE + 2.0],
        "thin wall": [SQUARE * (1.0, 2.0) + 1.0, SQUARE * (0.95, 2.0) + (2.05, 1.0)],
        "at the edge": [[(0, 2), (1, 1), (1, 3)]],
        "many": [0.5 * SQUARE + (x + 0.25, y + 0.25) for x in range(4) for y in range(4)],
    }[name]
    polygon = shapely.Polygon(4.0 * SQUARE, holes)
    assert polygon.is_valid
    mesh = mesh_of(4.0 * SQUARE, holes)
    assert area_of(mesh.points, mesh.triangles.ravel()) == pytest.approx(polygon.area, rel=0.02)
    middles = mesh.points[mesh.triangles].mean(axis=1)
    assert shapely.contains_xy(polygon.buffer(0.05), *middles.T).all()
    assert len(np.unique(mesh.points, axis=0)) == len(mesh.points)
