"""Bodies in one place: a file that asks for too many is refused at every door, and no heap that
plays is.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pytest

from ecs_softbody import (
    Collider,
    Magnet,
    Particles,
    PointGravity,
    Simulation,
    SnapshotError,
    StaticCollider,
    Water,
    Wind,
    blueprints,
    scenes,
)
from ecs_softbody.crowding import check_crowding
from ecs_softbody.imports import import_file

MANY = "too many bodies lie in one place"
AROUND = "too many points lie around one another"
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
    points = np.concatenate(
        [one.position for one in make((0.0, 0.0)) if isinstance(one, Particles)]
    )
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
        check_crowding(
            [(Particles(np.zeros((3000, 2)), radius=0.1), Collider(self_collision=True))]
        )


FIELDS: dict[str, tuple[Any, str, int, int]] = {
    "20000 Wind act on 240 points": (Wind((1.0, 0.0)), "blob", 10, 20_000),
    "20000 Water act on 240 points": (Water(), "blob", 10, 20_000),
    "2400 poles of Magnet act on 2400 points": (Magnet(strength=1.0), "blob", 100, 0),
    "2000 PointGravity act on 2000 points": (PointGravity(strength=1.0), "ball", 2000, 0),
}


@pytest.mark.parametrize("said", FIELDS)
def test_fields_that_act_on_too_many_points_are_refused(said: str) -> None:
    """50 blobs of 100 poles take 5.8 s a step, 5000 waters and 400 blobs 48 s."""
    field, make, bodies, alone = FIELDS[said]

    def world(bodies: int, alone: int) -> list[Any]:
        own = () if alone else (field,)
        made = [(*getattr(blueprints, make)((3.0 * k, 0.0), 1.0), *own) for k in range(bodies)]
        return made + [(field,)] * alone

    check_crowding(world(bodies // 5, alone // 5))
    with pytest.raises(ValueError, match=said):
        check_crowding(world(bodies, alone))


def test_bodies_so_fast_that_their_ways_cross_are_refused() -> None:
    """3000 balls at 10 km/s take 2.5 s and 834 MB for the first step: each is near all others."""

    def gas(speed: float) -> list[Any]:
        turn = np.arange(3000.0)
        ways = speed * np.column_stack((np.cos(turn), np.sin(turn)))
        return [
            blueprints.ball((k % 60 * 2.0, k // 60 * 2.0), 0.3, velocity=ways[k])
            for k in range(3000)
        ]

    for speed in (0.0, 30.0, 300.0):
        check_crowding(gas(speed))
    for speed in (1e4, 1e5, 1e9):
        with pytest.raises(ValueError, match=r"too many (ways cross in the next moment|points)"):
            check_crowding(gas(speed))
    check_crowding([blueprints.ball((3.0 * k, 0.0), 0.3, velocity=(0.0, 1e4)) for k in range(300)])


def test_grains_in_any_order_are_as_crowded_as_in_rows() -> None:
    """Neighbouring rows of 20 000 grains are metres apart: those of one cell would be thousands."""
    dice = np.random.default_rng(1)
    for touch in (False, True):
        check_crowding(
            [
                (
                    Particles(dice.uniform(0.0, 10.0, (20_000, 2)), radius=0.05),
                    Collider(self_collision=touch),
                )
            ]
        )
    swarms = [
        Particles(dice.uniform(2.1 * number, 2.1 * number + 2.0, (1000, 2)), radius=0.01)
        for number in range(9)
    ]
    check_crowding([(one, Collider()) for one in swarms])


def nested(count: int, points: int, apart: float = 0.01) -> list[Any]:
    return [
        blueprints.blob((0.0, 0.0), 0.3 + apart * number, particles=points)
        for number in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "points"), [(1, 20_000), (2, 5000), (40, 500), (80, 200), (160, 100), (320, 50)]
)
def test_points_that_all_have_to_be_compared_are_refused(count: int, points: int) -> None:
    """40 rings of 500 points around one another took eight seconds for each step."""
    with pytest.raises(ValueError, match=f"{AROUND}|{MANY}"):
        check_crowding(nested(count, points))
    apart = [
        blueprints.blob((40.0 * number, 0.0), 0.5, particles=min(points, 3000))
        for number in range(count)
    ]
    check_crowding(apart)


def test_walls_of_many_edges_in_large_rings_are_refused() -> None:
    turns = np.linspace(0.0, 2.0 * np.pi, 50_000, endpoint=False)
    star = (
        np.column_stack((np.cos(turns), np.sin(turns)))
        * (0.2 + 0.1 * np.cos(9999.0 * turns))[:, None]
    )
    around = StaticCollider(star, closed=True)
    check_crowding([(around,), blueprints.blob((0.0, 0.0), 0.3)])
    with pytest.raises(
        ValueError, match=f"^{AROUND}: 3000 points, 3000 points; expected fewer, or them apart"
    ):
        check_crowding([(around,), *nested(2, 3000)])


def test_points_inside_an_outline_are_compared_with_nothing() -> None:
    lattice = blueprints.box((0.0, 0.0), (4.0, 4.0), rows=100, columns=100)
    collider = next(one for one in lattice if isinstance(one, Collider))
    assert len(collider.outline) == 396
    folds = Collider(outline=collider.outline, self_collision=True)
    check_crowding([[folds if one is collider else one for one in lattice]])


@pytest.mark.parametrize(("count", "points"), [(10, 500), (80, 50), (160, 20)])
def test_what_is_taken_steps_within_seconds(count: int, points: int) -> None:
    bodies = nested(count, points)
    check_crowding(bodies)
    sim = Simulation(world="nested")
    for body in bodies:
        sim.spawn(*body)
    begun = process_time()
    sim.step(1.0 / 60.0)
    assert process_time() - begun < 5.0


def test_bodies_of_one_place_that_do_not_touch_are_counted_before_they_take_memory() -> None:
    place = np.zeros((1, 2))
    with pytest.raises(ValueError, match=AROUND):
        check_crowding(
            [(Particles(place, radius=0.1), Collider(category=2, mask=1)) for _ in range(6000)]
        )


def test_places_beyond_all_numbers_are_no_place() -> None:
    for far in (1e300, np.inf, np.nan):
        stray = Particles([(0.0, 0.0), (1.0, 0.0)], radius=0.1)
        stray.position[1] = far
        check_crowding([(stray, Collider()), blueprints.blob((0.0, 0.0), 1.0)])


def test_every_door_refuses_them(tmp_path: Path) -> None:
    scene = tmp_path / "level.toml"
    scene.write_text(
        "\n".join(f"[entities.b{k}.blob]\ncenter = [0, 0]\nradius = 1" for k in range(300))
    )
    (problem,) = scenes.check(scene)
    assert MANY in str(problem)
    assert "'b0', 'b1', 'b2' and 297 more; expected them apart" in str(problem)

    drawing = tmp_path / "level.svg"
    circles = "".join('<circle cx="5" cy="5" r="4" class="blob"/>' for _ in range(300))
    drawing.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">{circles}</svg>'
    )
    with pytest.raises(
        ValueError, match=rf"^svg: level\.svg: {MANY}, at \(.*\): 'blob 1', .* and 297 more"
    ):
        import_file(drawing)

    scene.write_text("[entities.large.blob]\ncenter = [0, 0]\nradius = 1\nparticles = 65536")
    (problem,) = scenes.check(scene)
    assert f"{AROUND}: 'large' of 65536 points; expected fewer" in str(problem)

    sim = Simulation(world="crowded")
    other = Simulation(world="quiet")
    for _ in range(400):
        sim.spawn(*blueprints.blob((0.0, 0.0), 1.0))
    with pytest.raises(SnapshotError, match=MANY):
        other.restore(sim.snapshot().to_bytes())
