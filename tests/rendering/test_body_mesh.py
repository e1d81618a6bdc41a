from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import AreaConstraint, Particles, Simulation
from ecs_softbody.rendering import View, palette
from ecs_softbody.rendering.mesh.body_mesh import RingColours, Rings, add_bodies
from ecs_softbody.rendering.mesh.body_parts import INCLUSIONS
from ecs_softbody.rendering.mesh.curves import sample_curve, smooth_line
from ecs_softbody.rendering.mesh.mesh import Mesh
from ecs_softbody.rendering.world.topology import paths_of, shapes_of

VIEW = View((0.0, 0.0), 10.0, 1000, 1000)


def circle(count: int, radius: float = 1.0) -> np.ndarray:
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return radius * np.column_stack((np.cos(turns), np.sin(turns)))


def draw(rings: list[np.ndarray], radius: float = 0.0) -> tuple[Mesh, np.ndarray]:
    first = np.concatenate(([0], np.cumsum([len(ring) for ring in rings]))).astype(np.int64)
    positions = np.concatenate(rings)
    colours = RingColours(*(np.tile(palette.rgba(palette.TEAL), (len(rings), 1)) for _ in range(4)))
    mesh = Mesh()
    packed = Rings(
        positions, np.full(len(positions), radius), np.arange(len(positions), dtype=np.int64), first
    )
    return mesh, add_bodies(mesh, packed, colours, VIEW, 3.0)


def fill_area(mesh: Mesh, samples: int) -> float:
    corners = mesh.vertices[mesh.indices[: 3 * samples].reshape(-1, 3), :2].astype(float)
    first = corners[:, 1] - corners[:, 0]
    second = corners[:, 2] - corners[:, 0]
    return (
        float(np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]).sum() / 2)
        / VIEW.scale**2
    )


def samples_of(mesh: Mesh) -> int:
    return (mesh.vertex_count - 5 - 4 * INCLUSIONS) // 5


@pytest.mark.parametrize("closed", [True, False])
def test_the_curve_passes_through_every_particle(closed: bool) -> None:
    points = np.random.default_rng(2).uniform(-100, 100, (9, 2))
    curve = np.zeros((9 * 4 if closed else 8 * 4 + 1, 2))
    sample_curve(points, 9, closed, 4, curve)
    np.testing.assert_allclose(curve[::4], points, atol=1e-12)


def test_a_straight_line_stays_straight() -> None:
    line = smooth_line(np.column_stack((np.linspace(0, 300, 6), np.full(6, 7.0))))
    np.testing.assert_allclose(line[:, 1], 7.0)
    assert (np.diff(line[:, 0]) > 0).all()


def test_a_ring_of_particles_fills_the_disc() -> None:
    mesh, boxes = draw([circle(24)])
    assert fill_area(mesh, samples_of(mesh)) == pytest.approx(np.pi, rel=0.01)
    np.testing.assert_allclose(boxes[0, :2], (500, 500), atol=0.5)
    assert boxes[0, 2] == pytest.approx(100.0, rel=0.01)


@pytest.mark.parametrize("order", [1, -1])
def test_the_radius_makes_the_body_larger_whichever_way_round(order: int) -> None:
    mesh, _ = draw([circle(24)[::order]], radius=0.2)
    assert fill_area(mesh, samples_of(mesh)) == pytest.approx(np.pi * 1.2**2, rel=0.01)


def test_a_concave_body_is_filled_without_its_bay() -> None:
    ring = circle(40)
    ring[:, 1] = np.where((np.abs(ring[:, 0]) < 0.4) & (ring[:, 1] > 0), -0.6, ring[:, 1])
    x, y = ring.T
    expected = abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2
    mesh, _ = draw([ring])
    assert fill_area(mesh, samples_of(mesh)) == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize(
    "ring",
    [
        circle(24) * (1.0, 0.0),
        circle(24) * 0.0,
        circle(24) * (-1.0, 0.02),
        np.random.default_rng(3).normal(size=(24, 2)),
        circle(3),
    ],
    ids=["flat", "one point", "inverted and squashed", "tangled", "triangle"],
)
def test_no_shape_gives_nan_or_leaves_its_surroundings(ring: np.ndarray) -> None:
    mesh, boxes = draw([ring], radius=0.05)
    assert np.isfinite(mesh.vertices).all()
    assert np.isfinite(boxes).all()
    reach = (np.abs(ring).max() * 1.4 + 0.2) * VIEW.scale
    assert np.abs(mesh.vertices[:, :2] - 500.0).max() < reach + 10.0
    assert mesh.indices.max() < mesh.vertex_count


def test_bodies_out_of_view_cost_nothing() -> None:
    mesh, boxes = draw([circle(24) + np.array((100.0, 0.0)), circle(24)])
    assert boxes[:, 7].tolist() == [0.0, 1.0]
    assert mesh.vertex_count == 5 * samples_of(mesh) + 5 + 4 * INCLUSIONS


def test_a_body_with_nan_is_not_drawn() -> None:
    mesh, boxes = draw([circle(24) * np.nan, circle(24)])
    assert boxes[:, 7].tolist() == [0.0, 1.0]
    assert np.isfinite(mesh.vertices).all()


def test_paths_are_found_in_any_order() -> None:
    (path,) = paths_of(np.array([(3, 2), (0, 1), (2, 1)]))
    assert path.rows.tolist() in ([0, 1, 2, 3], [3, 2, 1, 0])
    assert not path.closed


def test_a_closed_path_is_closed_and_a_net_is_no_path() -> None:
    (path,) = paths_of(np.array([(0, 1), (1, 2), (2, 0)]))
    assert path.closed
    assert paths_of(np.array([(0, 1), (0, 2), (0, 3)])) == []


def test_an_area_is_drawn_as_a_ring_without_a_collider() -> None:
    sim = Simulation()
    sim.spawn(Particles(circle(8)), AreaConstraint(range(7, -1, -1), stiffness=1.0))
    sim.step()
    (shape,) = shapes_of(sim.buffers)
    assert shape.ring is not None
    assert shape.ring.tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
