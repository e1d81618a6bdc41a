"""Floors and walls of many static colliders: bodies go over them as over one, and nothing gets
through a seam.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.floors import SEPARATE, drive, floor, slide, slider, steps, tile
from tests.helpers.internals import build_walls_anew, collision_space
from tests.helpers.stepping import run_frames

SLIDERS = ["disc", "ball", "blob", "box", "wooden box", "crate"]
ALIKE = 0.005
"""Least share by which speeds and heights over two floors may differ."""


def make_floor(
    sim: Simulation, kind: str, friction: Callable[[int], float] = lambda k: 0.5
) -> None:
    for k, wall in enumerate(floor(kind)):
        wall.friction = friction(k)
        sim.spawn(wall)


def over(
    kind: str, go: Callable[[Simulation], tuple[float, float]], **options: object
) -> tuple[float, float]:
    """Return speed and height of what goes over a floor."""
    sim = Simulation(world=kind, **options)
    make_floor(sim, kind)
    found = go(sim)
    sim.close()
    return found


@pytest.mark.brief(6)
@pytest.mark.parametrize("kind", SEPARATE)
@pytest.mark.parametrize("body", SLIDERS)
def test_bodies_slide_over_many_colliders_as_over_one(body, kind):
    def go(sim):
        return slide(sim, slider(body), 6.0, way=6.0)

    assert over(kind, go) == pytest.approx(over("line", go), rel=ALIKE)


@pytest.mark.slow
@pytest.mark.sample(12)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("substeps", [4, 8, 16])
@pytest.mark.parametrize("speed", [1.0, 6.0, 20.0])
@pytest.mark.parametrize("body", SLIDERS)
def test_bodies_slide_24_metres_at_any_speed(body, speed, substeps, solver):
    options = {"substeps": substeps, "solver": solver}

    def go(sim):
        return slide(sim, slider(body), speed)

    expected = over("line", go, **options)
    for kind in SEPARATE:
        assert over(kind, go, **options) == pytest.approx(expected, rel=ALIKE), kind


@pytest.mark.brief(6)
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("speed", [1.0, 6.0, 20.0])
@pytest.mark.parametrize("body", SLIDERS)
def test_ends_need_not_be_in_one_place(body, speed, closed):
    """Each is up to half a millimetre too high or low, and as far from the next one."""
    rng = np.random.default_rng(5)
    sim = Simulation()
    for a, b in pairwise(steps(1.0)):
        y = rng.uniform(-0.0005, 0.0005, 2)
        x = b + rng.uniform(-0.0005, 0.0005)
        surface = [(a, y[0]), (x, y[1] * (not closed) + y[0] * closed)]
        sim.spawn(
            StaticCollider([(x, -1), (a, -1), *surface] if closed else surface, closed=closed)
        )
    found = slide(sim, slider(body), speed, way=6.0)
    expected = over("line", lambda one: slide(one, slider(body), speed, way=6.0))
    assert found[0] == pytest.approx(expected[0], rel=ALIKE)
    assert found[1] == pytest.approx(expected[1], rel=ALIKE, abs=0.0005)


@pytest.mark.brief(3)
@pytest.mark.parametrize("kind", ["segments", "backward", "mixed", "tiles"])
@pytest.mark.parametrize("body", ["ball", "blob", "box"])
def test_hills_of_many_colliders_are_as_of_one(body, kind):
    """With friction, over valleys and corners of 14 degrees: places after a second."""
    xs = steps(0.5)
    line = [(x, -0.12 * (k % 2)) for k, x in enumerate(xs)]
    places = []
    for shape in ("chain", kind):
        sim = Simulation(world=shape)
        if shape == "chain":
            sim.spawn(StaticCollider(line))
        for k, (p, q) in enumerate(pairwise(line) if shape != "chain" else ()):
            turned = shape == "backward" or (shape == "mixed" and k % 3 == 1)
            ring = (
                [(p[0], -3), (q[0], -3), q, p] if shape == "tiles" else [q, p] if turned else [p, q]
            )
            sim.spawn(StaticCollider(ring, closed=shape == "tiles"))
        moving = slider(body, friction=0.5)
        moving[0].velocity += (5.0, 0.0)
        sim.spawn(*moving)
        run_frames(sim, 60)
        places.append(moving[0].position.copy())
        sim.close()
    assert places[1] == pytest.approx(places[0], abs=0.002)


@pytest.mark.brief(6)
@pytest.mark.parametrize("kind", SEPARATE)
@pytest.mark.parametrize("driver", ["hero", "cube", "car"])
def test_what_drives_goes_over_many_colliders_as_over_one(driver, kind):
    """For three seconds, with friction."""

    def go(sim):
        return drive(sim, driver, 180)

    assert over(kind, go) == pytest.approx(over("chain", go), rel=ALIKE)


@pytest.mark.brief(4)
@pytest.mark.parametrize("kind", ["segments", "boxes", "small grid"])
@pytest.mark.parametrize("body", ["ball", "blob", "box", "crate"])
def test_tiles_may_differ_in_friction(body, kind):
    """Of a body without friction nothing is felt, whatever the tiles have."""
    found = []
    for is_rough in (lambda k: 0.0, lambda k: 0.5 * (k % 2)):
        sim = Simulation(world=f"{body} {kind}")
        make_floor(sim, kind, is_rough)
        found.append(slide(sim, slider(body), 6.0, way=6.0))
        sim.close()
    assert found[1] == pytest.approx(found[0], rel=ALIKE)


@pytest.mark.parametrize("body", ["ball", "blob", "box", "wooden box"])
def test_tiles_side_by_side_are_a_smooth_wall(body):
    """A body that falls along a wall of tiles, pressed to it, is as fast as along one wall."""
    speeds = []
    for height in (20.0, 1.0, 0.25):
        sim = Simulation(gravity=(3.0, -9.81), world=f"{body} {height}")
        for k in range(round(20.0 / height)):
            sim.spawn(
                StaticCollider(tile(1.0, 1.0 + height, -height * k, -height * (k + 1)), closed=True)
            )
        body_of = slider(body)
        body_of[0].position += (
            1.0 - body_of[0].position[:, 0].max() - body_of[0].radius.max(),
            -1.0,
        )
        sim.spawn(*body_of)
        run_frames(sim, 90)
        assert body_of[0].position[:, 0].max() < 1.0
        speeds.append(body_of[0].velocity[:, 1].mean())
        sim.close()
    assert speeds[1:] == pytest.approx([speeds[0]] * 2, rel=ALIKE)


@pytest.mark.parametrize("shift", [-0.0005, 0.0, 0.0005])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("way", [(0.0, -1.0), (-1.0, 0.0), (-0.7, -0.7)])
def test_an_outer_corner_of_two_colliders_is_solid(way, turned, shift):
    """A disc that is thrown at the corner of an L, from above, from the side and along the
    diagonal.
    """
    sides = [[(-3, 0), (0, 0)], [(0.0 + shift, 0), (0.0 + shift, -3)]]
    sim = Simulation(gravity=5.0 * np.array(way))
    for k, side in enumerate(sides):
        sim.spawn(StaticCollider(side[::-1] if turned and k else side))
    disc = Particles([-2.0 * np.array(way)], velocity=[4.0 * np.array(way)], radius=0.1)
    sim.spawn(disc, Collider(friction=0.0))
    for _ in range(60):
        sim.step()
        x, y = disc.position[0]
        assert not (x < -0.01 and y < -0.01), "inside the L"
        assert (
            np.hypot(max(x, 0.0), max(y, 0.0)) > 0.095
            or (x < 0.0 and y > 0.09)
            or (y < 0.0 and x > 0.09)
        )


@pytest.mark.brief(9)
@pytest.mark.parametrize("speed", [0.0, 5.0, 50.0, 500.0])
@pytest.mark.parametrize(
    "kind", ["segments", "backward", "mixed", "gaps", "boxes with gaps", "grid", "triangles"]
)
@pytest.mark.parametrize("radius", [0.001, 0.01, 0.2])
def test_nothing_falls_through_a_seam(radius, kind, speed):
    """Discs of three sizes, right above the seam, above its middle and beside it."""
    sim = Simulation()
    make_floor(sim, kind)
    discs = [
        Particles([(seam + x, 0.5)], velocity=(0, -speed), radius=radius)
        for seam, x in (
            (0.0, 0.0),
            (2.0, -0.0005),
            (4.0, -0.00025),
            (6.0, 1e-9),
            (8.0, -1e-9),
            (10.0, 0.0003),
        )
    ]
    for disc in discs:
        sim.spawn(disc, Collider())
    run_frames(sim, 60)
    for disc in discs:
        assert disc.position[0, 1] == pytest.approx(radius, abs=0.002)


@pytest.mark.brief(3)
@pytest.mark.parametrize("body", ["blob", "box", "crate"])
@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_bodies_that_land_on_seams_lie_as_on_one_floor(body, shift):
    places = []
    for kind in ("chain", "segments", "gaps", "boxes", "grid", "triangles"):
        sim = Simulation(world=f"{kind} {body}")
        make_floor(sim, kind)
        landing = slider(body, friction=0.5)
        landing[0].position += (shift, 1.0)
        sim.spawn(*landing)
        run_frames(sim, 120)
        places.append(landing[0].position.copy())
        sim.close()
    for place in places[1:]:
        assert place == pytest.approx(places[0], abs=0.002)


def test_a_rope_hangs_over_the_corner_of_two_tiles():
    sim = Simulation()
    for k in range(4):
        sim.spawn(StaticCollider(tile(-k - 1, -k), closed=True))
        sim.spawn(StaticCollider(tile(-k - 1, -k, -1.0, -2.0), closed=True))
    rope = blueprints.rope((-2.0, 0.05), (0.5, 0.05))
    sim.spawn(*rope)
    for _ in range(120):
        sim.step()
        x, y = rope[0].position.T
        assert not ((x < -0.002) & (y < -0.002)).any()


def sinks(sim: Simulation, x: float, radius: float = 0.2) -> bool:
    """Tell whether a disc that comes down at x, over the end of a wall at (0, 0), gets into it."""
    disc = Particles([(x, 0.5)], radius=radius)
    entity = sim.spawn(disc, Collider(friction=0.0))
    nearest = np.inf
    for _ in range(60):
        sim.step()
        nearest = min(nearest, np.hypot(*disc.position[0]))
    sim.despawn(entity)
    return bool(nearest < 0.97 * radius)


@pytest.mark.parametrize("turned", [0, 1, 2, 3])
def test_a_wall_without_its_neighbour_has_an_end(turned):
    """Whichever of two walls goes, by itself or by a game's hand, a disc meets the end of the one
    that stays.
    """
    for change in ("despawn", "write", "write twice", "velocity", "sensor", "mask"):
        for goes in (0, 1):
            sim = Simulation(world=f"{change} {goes}")
            sides = [[(-2, 0), (0, 0)], [(0, 0), (2, 0)]]
            walls = [
                StaticCollider(side[::-1] if turned >> k & 1 else side)
                for k, side in enumerate(sides)
            ]
            entities = [sim.spawn(wall) for wall in walls]
            assert not sinks(sim, 0.0)
            wall = walls[goes]
            way = 1.0 if goes else -1.0
            if change == "despawn":
                sim.despawn(entities[goes])
            elif change == "write":
                wall.vertices += (10.0 * way, 0.0)
            elif change == "write twice":
                for _ in range(3):
                    wall.vertices += (5.0 * way, 0.0)
                    sim.step()
            elif change == "velocity":
                wall.velocity = (5.0 * way, 0.0)
                run_frames(sim, 60)
            elif change == "sensor":
                wall.sensor = True
            else:
                wall.mask = 0
            assert not sinks(sim, 0.05 * way), f"{change}, wall {goes}"
            sim.close()


def joined_ends(sim: Simulation) -> int:
    """Return how many edges go on at a vertex of another collider."""
    begin = collision_space(sim).walls.seams[:, :, 0]
    return int(((begin >= 0) & (begin != np.arange(len(begin))[:, None])).sum())


def test_platforms_that_move_together_stay_joined():
    """A blob lies on both; it notices nothing of the seam,
    and platforms that part have ends again.
    """
    sim = Simulation()
    walls = [
        StaticCollider([(-3, 0), (0, 0)], velocity=(1, 0)),
        StaticCollider([(0, 0), (3, 0)], velocity=(1, 0)),
    ]
    for wall in walls:
        sim.spawn(wall)
    blob = slider("blob")
    sim.spawn(*blob)
    run_frames(sim, 60)
    assert joined_ends(sim) == 1
    assert blob[0].position[:, 1].min() > 0.0
    walls[1].velocity = (1.5, 0)
    sim.step()
    assert joined_ends(sim) == 0
    for wall in walls:
        wall.velocity = (0, 0)
    sim.step()
    assert joined_ends(sim) == 0, "they are apart"
    walls[1].vertices += walls[0].vertices[1] - walls[1].vertices[0]
    sim.step()
    assert joined_ends(sim) == 1


def test_platforms_that_turn_together_stay_joined():
    sim = Simulation()
    walls = [
        StaticCollider(ends, angular_velocity=0.5, pivot=(0, 0))
        for ends in ([(-3, 0), (0, 0)], [(0, 0), (3, 0)])
    ]
    for wall in walls:
        sim.spawn(wall)
    sim.spawn(*slider("blob"))
    run_frames(sim, 30)
    assert joined_ends(sim) == 1
    walls[0].vertices += (0.0, 0.01)
    sim.step()
    assert joined_ends(sim) == 0


def test_a_lift_of_a_game_is_joined_where_it_stops():
    """Its vertices are written frame by frame; a while after it has come to the floor it is part of
    it.
    """
    sim = Simulation()
    sim.spawn(StaticCollider([(-3, 0), (0, 0)]))
    lift = StaticCollider([(0, -1), (3, -1)])
    sim.spawn(lift)
    sim.spawn(*slider("ball"))
    for frame in range(40):
        lift.vertices[:, 1] = min(-1.0 + frame / 20, 0.0)
        sim.step()
        assert joined_ends(sim) == (1 if frame >= 30 else 0)


def test_what_may_not_be_joined_is_not():
    others = [
        {"sensor": True},
        {"radius": 0.1},
        {"one_way": (0, 1)},
        {"category": 2},
        {"mask": 1},
        {"velocity": (1, 0)},
    ]
    for other in others:
        sim = Simulation(world=str(other))
        sim.spawn(StaticCollider([(-3, 0), (0, 0)]))
        sim.spawn(StaticCollider([(0, 0), (3, 0)], **other))
        sim.spawn(*slider("ball"))
        sim.step()
        assert joined_ends(sim) == 0, other
        sim.close()


@pytest.mark.parametrize("body", ["ball", "blob", "box"])
def test_one_way_tiles_are_one_platform(body):
    found = []
    for width in (24.0, 0.5):
        sim = Simulation(world=f"{body} {width}")
        for k in range(round(24.0 / width)):
            sim.spawn(
                StaticCollider([(-2 + width * k, 0), (-2 + width * (k + 1), 0)], one_way=(0, 1))
            )
        found.append(slide(sim, slider(body), 6.0, way=9.0))
        sim.close()
    assert found[1] == pytest.approx(found[0], rel=ALIKE)


@pytest.mark.parametrize("turned", [False, True])
def test_rooms_side_by_side_keep_what_is_in_them(turned):
    """A wall between two rooms is inner for who is outside only; also where a room has a corner
    that points inwards.
    """
    left = [(-2, 0), (-1, 0), (-1, 1), (0, 1), (0, 2), (-2, 2)]
    right = [(-1, 0), (1, 0), (1, 2), (0, 2), (0, 1), (-1, 1)]
    sim = Simulation(gravity=(0, 0))
    sim.spawn(StaticCollider(left, closed=True))
    sim.spawn(StaticCollider(right[::-1] if turned else right, closed=True))
    rng = np.random.default_rng(3)
    bodies = []
    for x, y in ((-1.5, 0.5), (-1.5, 1.5), (0.5, 0.5), (0.5, 1.5)):
        ball = Particles([(x, y)], velocity=rng.normal(size=2) * 20, radius=0.05)
        blob, *rest = blueprints.blob((x, y - 0.25), 0.15, velocity=rng.normal(size=2) * 5)
        sim.spawn(ball, Collider(restitution=1.0))
        sim.spawn(blob, *rest)
        bodies += [(ball, x < 0), (blob, x < 0)]
    for _ in range(300):
        sim.step()
        for particles, is_left in bodies:
            x, y = particles.position.T
            within = ((x > -2) & (x < -1) & (y > 0) & (y < 2)) | (
                (x >= -1) & (x < 0) & (y > 1) & (y < 2)
            )
            assert (within if is_left else ~within).all()
            assert (np.abs(x) < 2.0).all()
            assert ((y > 0.0) & (y < 2.0)).all()


def test_queries_tell_which_tile_it_is():
    sim = Simulation()
    tiles = [sim.spawn(StaticCollider(tile(k, k + 1), closed=True)) for k in range(5)]
    sim.spawn(*slider("ball"))
    sim.step()
    for k, entity in enumerate(tiles):
        assert sim.raycast((k + 0.5, 1.0), (k + 0.5, -1.0)).entity == entity
        assert sim.raycast((k + 0.999, 1.0), (k + 0.999, -1.0)).entity == entity
        assert entity in [found.entity for found in sim.point_query((k + 0.5, 0.1), radius=0.2)]


@pytest.mark.parametrize("kind", ["segments", "boxes", "grid"])
def test_worlds_with_joined_walls_go_on_from_snapshots_and_files(kind, tmp_path):
    """Also with platforms that move together, and one that a game has just moved."""
    sim = Simulation(world="joined")
    make_floor(sim, kind)
    for k in range(3):
        sim.spawn(
            StaticCollider(
                [(k, 2), (k + 1, 2)], velocity=(0.5, 0), angular_velocity=0.2, pivot=(0, 2)
            )
        )
    lift = StaticCollider([(3, 1), (4, 1)])
    lift_entity = sim.spawn(lift)
    for k, body in enumerate(("blob", "box", "ball")):
        parts = slider(body)
        parts[0].position += (k, 0.0)
        parts[0].velocity += (6.0, 0.0)
        sim.spawn(*parts)
    for _ in range(20):
        lift.vertices += (0.0, 0.01)
        sim.step()
    path = sim.snapshot().save(tmp_path / "moment.snapshot")
    snapshot = sim.snapshot()

    def go_on(world: Simulation) -> list[str]:
        hashes = []
        for frame in range(40):
            if frame < 5:
                world.get(int(lift_entity), StaticCollider).vertices += (0.0, 0.01)
            world.step()
            hashes.append(world.state_hash())
        return hashes

    expected = go_on(sim)
    sim.restore(snapshot)
    assert go_on(sim) == expected
    other = Simulation(world="another")
    other.restore(path)
    assert joined_ends(other) == joined_ends(sim)
    assert go_on(other) == expected
    sim.close()
    other.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1.0, 1.1])
def test_many_walls_are_joined_quickly(width):
    """11,000 tiles, in a grid or each apart from the others."""
    sim = Simulation()
    for k in range(11_000):
        x = width * (k % 1000)
        y = -width * (k // 1000)
        sim.spawn(StaticCollider(tile(x, x + 1, y, y - 1), closed=True))
    sim.spawn(*slider("ball"))
    sim.step()
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        build_walls_anew(sim)
        seconds.append(time.process_time() - begin)
    assert min(seconds) < 0.2, "of one core"
    assert len(collision_space(sim).walls.edges.ends) == 44_000
