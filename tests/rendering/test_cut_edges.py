"""Cut edges: just what was one shines, on all pieces, and goes out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, blueprints
from ecs_softbody.play.feel.cut_edges import SHINES, CutEdges, runs_of
from ecs_softbody.rendering import Picture, View
from ecs_softbody.rendering.layers import Layer

BODIES = {
    "blob": lambda: blueprints.blob((0.0, 0.0), 0.6),
    "box": lambda: blueprints.box((0.0, 0.0), (1.0, 1.0)),
    "L": lambda: blueprints.polygon([(-1, -1), (1, -1), (1, 0), (0, 0), (0, 1), (-1, 1)]),
}


@pytest.fixture
def sim() -> Iterator[Simulation]:
    with Simulation(gravity=(0.0, 0.0), world="cut edges") as made:
        yield made
    made.close()


def drawn(edges: CutEdges) -> int:
    """Return how many corners of triangles the edges are."""
    picture = Picture(320, 180)
    picture.clear(320, 180, View((0.0, 0.0), 9.0, 320, 180))
    edges.draw(picture, 1.0)
    return sum(mesh.vertex_count for mesh in picture.meshes.between(Layer.BODIES, Layer.EYES))


@pytest.mark.brief(5)
@pytest.mark.parametrize("name", list(BODIES))
@pytest.mark.parametrize("angle", [0.3, 1.2, 2.0])
def test_both_sides_of_a_cut_shine_along_the_cut_alone(
    sim: Simulation, name: str, angle: float
) -> None:
    sim.spawn(*BODIES[name]())
    way = np.array((np.cos(angle), np.sin(angle)))
    across = np.array((-way[1], way[0]))
    middle = np.array((-0.31, -0.27))
    cuts = sim.cut(middle - 5.0 * way, middle + 5.0 * way)
    edges = CutEdges()
    edges.add(sim, cuts[0].pieces)
    assert {edge.entity for edge in edges.edges} == set(cuts[0].pieces)
    for edge in edges.edges:
        places = sim.get(edge.entity, Particles).position[edge.rows]
        assert len(places) > 1
        # a cut goes through corners that are near it
        assert np.abs((places - middle) @ across).max() < 0.12
    assert drawn(edges) > 0
    sim.despawn(cuts[0].pieces[0])
    for _ in range(round(60 * SHINES) - 2):
        sim.step()
        edges.advance(1.0 / 60.0)
    assert drawn(edges) > 0
    for _ in range(3):
        edges.advance(1.0 / 60.0)
    assert drawn(edges) == 0


def test_a_closed_world_is_forgotten(sim: Simulation) -> None:
    sim.spawn(*BODIES["blob"]())
    edges = CutEdges()
    edges.add(sim, sim.cut((-5.0, 0.1), (5.0, 0.1))[0].pieces)
    sim.close()
    assert drawn(edges) == 0
    edges.advance(1.0 / 60.0)
    assert not edges.edges


@pytest.mark.parametrize(
    ("marked", "runs"),
    [
        ("", []),
        ("....", []),
        ("####", [[0, 1, 2, 3, 0]]),
        ("#..#", [[3, 0]]),
        (".##.###", [[1, 2], [4, 5, 6]]),
        (".#.", []),
    ],
)
def test_runs_go_round_the_ring(marked: str, runs: list[list[int]]) -> None:
    found = runs_of(np.array([one == "#" for one in marked], np.bool_))
    assert sorted(run.tolist() for run in found) == sorted(runs)
