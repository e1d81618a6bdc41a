"""Ears are cut without the library as well: polygons, and holes that touch nothing, are covered as
they should be.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.indices import arange
from ecs_softbody.rendering.mesh.ear_cutting import triangulate_float64
from ecs_softbody.rendering.mesh.polygon_mesh import area_of


def star(
    random: np.random.Generator, middle: tuple[float, float], size: float, count: int
) -> np.ndarray:
    angle = arange(count) * (2.0 * np.pi / count)
    radius = size * random.uniform(0.6, 1.0, count)
    return np.array(middle) + radius[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))


@pytest.mark.parametrize("seed", range(40))
def test_what_is_covered_is_the_outline_without_its_holes(seed: int) -> None:
    random = np.random.default_rng(seed)
    rings = [star(random, (0.0, 0.0), 10.0, int(random.integers(8, 40)))]
    places = [(x, y) for x in (-3.0, 0.0, 3.0) for y in (-3.0, 0.0, 3.0)]
    for place in random.permutation(places)[: random.integers(0, 9)]:
        hole = star(random, tuple(place), 1.3, int(random.integers(3, 9)))
        rings.append(hole[::-1] if random.integers(2) else hole)
    points = np.concatenate(rings)
    triangles = triangulate_float64(
        points, np.cumsum([len(ring) for ring in rings], dtype=np.uint32)
    )
    outline, *holes = (abs(signed_area(ring)) for ring in rings)
    assert area_of(points, triangles) == pytest.approx(outline - sum(holes), rel=1e-9)
