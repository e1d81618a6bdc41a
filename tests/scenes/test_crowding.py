"""Bodies in one place: a file that asks for too many is refused at every door, and no heap that plays is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, SnapshotError, StaticCollider, blueprints, scenes
from ecs_softbody.crowding import check_crowding
from ecs_softbody.imports import import_file

MANY = "too many bodies lie in one place"
BODIES = {
    "blobs": lambda at: blueprints.blob(at, 1.0),
    "small blobs": lambda at: blueprints.blob(at, 0.01),
    "boxes": lambda at: blueprints.box(at, (2.0, 2.0)),
    "ropes": lambda at: blueprints.rope(at, np.add(at, (3.0, 0.0)), segments=13),
    "cloths": lambda at: blueprints.cloth(at, (3.0, 3.0)),
}


def heap(make: Callable[[Any], Any], side: int, apart: float) -> list[Any]:
    return [make((apart * column, apart * row)) for row in range(side) for column in range(side)]


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_bodies_in_one_place_are_refused_and_heaps_are_not(make: Callable[[Any], Any]) -> None:
    points = np.concatenate([one.position for one in make((0.0, 0.0)) if isinstance(one, Particles)])
    side = float(np.ptp(points, axis=0).max())
    for apart in (1.0, 0.8, 0.6):  # as deep in one another as no heap is
        check_crowding(heap(make, 20, apart * side))
    check_crowding([make((0.0, 0.0)) for _ in range(20)])
    with pytest.raises(ValueError, match=MANY):
        check_crowding([make((0.0, 0.0)) for _ in range(400)])


def test_what_does_not_touch_is_not_crowded() -> None:
    place = np.zeros((1, 2))
    drops = [(Particles(place, radius=0.1), Collider(category=2, mask=1)) for _ in range(3000)]
    walls = [(StaticCollider([(0.0, 0.0), (1.0, 0.0)]),) for _ in range(3000)]
    check_crowding(drops)
    check_crowding(walls)
    check_crowding([(Particles(np.zeros((3000, 2)), radius=0.1), Collider())])
    check_crowding([(Particles(place, radius=0.1),) for _ in range(3000)])
    with pytest.raises(ValueError, match=MANY):
        check_crowding([(Particles(place, radius=0.1), Collider()) for _ in range(3000)])
    with pytest.raises(ValueError, match=MANY):
        check_crowding([(Particles(np.zeros((3000, 2)), radius=0.1), Collider(self_collision=True))])


def test_grains_in_any_order_are_as_crowded_as_in_rows() -> None:
    """Neighbouring rows of 20 000 grains are metres apart: those of one cell would be thousands."""
    dice = np.random.default_rng(1)
    for touch in (False, True):
        check_crowding([(Particles(dice.uniform(0.0, 10.0, (20_000, 2)), radius=0.05), Collider(self_collision=touch))])
    swarms = [Particles(dice.uniform(2.1 * number, 2.1 * number + 2.0, (1000, 2)), radius=0.01) for number in range(9)]
    check_crowding([(one, Collider()) for one in swarms])


def test_every_door_refuses_them(tmp_path: Path) -> None:
    scene = tmp_path / "level.toml"
    scene.write_text("\n".join(f"[entities.b{k}.blob]\ncenter = [0, 0]\nradius = 1" for k in range(300)))
    (problem,) = scenes.check(scene)
    assert MANY in str(problem)
    assert "'b0', 'b1', 'b2' and 297 more; expected them apart" in str(problem)

    drawing = tmp_path / "level.svg"
    circles = "".join('<circle cx="5" cy="5" r="4" class="blob"/>' for _ in range(300))
    drawing.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">{circles}</svg>')
    with pytest.raises(ValueError, match=rf"^svg: level\.svg: {MANY}, at \(.*\): 'blob 1', .* and 297 more"):
        import_file(drawing)

    sim, other = Simulation(world="crowded"), Simulation(world="quiet")
    for _ in range(400):
        sim.spawn(*blueprints.blob((0.0, 0.0), 1.0))
    with pytest.raises(SnapshotError, match=MANY):
        other.restore(sim.snapshot().to_bytes())
