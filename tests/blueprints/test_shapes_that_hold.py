"""Concave polygons hold their form: standing, dropped, squeezed and let go, mirrored,
crushed flat.
"""

import numpy as np
import pytest

from ecs_softbody import Simulation, StaticCollider, blueprints
from ecs_softbody.geometry import polygon
from ecs_softbody.geometry.polygon import has_deep_gap, signed_area
from ecs_softbody.indices import arange, repeat
from tests.helpers.stepping import run_frames

GROUND = 0.02


def star(count=5, radius=0.6, inner=0.27):
    angle = np.pi / 2 + np.pi * arange(2 * count) / count
    reach = np.where(arange(2 * count) % 2 == 0, radius, inner)
    return reach[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def gear(teeth=8, radius=0.6, inner=0.45):
    """Standing on two teeth; on one it would stand for 15 s and then fall over."""
    angle = 2 * np.pi * (arange(teeth)[:, None] + (0.25, 0.3, 0.7, 0.75)) / teeth
    reach = np.broadcast_to((inner, radius, radius, inner), angle.shape)
    return np.column_stack([(reach * np.cos(angle)).ravel(), (reach * np.sin(angle)).ravel()])


def snake():
    along = np.linspace(0, 1, 9)
    x = 1.8 * along - 0.9
    y = 0.25 * np.sin(2 * np.pi * along)
    return np.concatenate([np.column_stack([x, y - 0.12]), np.column_stack([x, y + 0.12])[::-1]])


SHAPES = {
    "L": [(0, 0), (1, 0), (1, 0.4), (0.4, 0.4), (0.4, 1), (0, 1)],
    "U": [(0, 0), (1.2, 0), (1.2, 1), (0.8, 1), (0.8, 0.4), (0.4, 0.4), (0.4, 1), (0, 1)],
    "T": [(0.35, 0), (0.65, 0), (0.65, 0.7), (1, 0.7), (1, 1), (0, 1), (0, 0.7), (0.35, 0.7)],
    "star": star(),
    "gear": gear(),
    "snake": snake(),
}
CHANGES = {
    "standing": lambda place: place,
    "dropped": lambda place: np.add(place, (0.0, 3.0)),
    "squeezed from above": lambda place: place * (1.0, 0.3),
    "squeezed from the side": lambda place: place * (0.3, 1.0),
    "mirrored": lambda place: place * (-1.0, 1.0) + np.array((0.0, 1.0)),
    "flat": lambda place: place * (1.0, 0.0) + np.array((0.0, 0.1)),
}


def crossings(ring):
    """How often the outline crosses itself."""
    after = np.roll(ring, -1, axis=0)

    def side(a, b, c):
        return (b - a)[..., 0] * (c - a)[..., 1] - (b - a)[..., 1] * (c - a)[..., 0]

    a = ring[:, None]
    b = after[:, None]
    c = ring[None]
    d = after[None]
    return (
        int(((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).sum()) // 2
    )


def area(ring):
    after = np.roll(ring, -1, axis=0)
    return 0.5 * (ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]).sum()


def deviation(body):
    """Root mean square distance to the rest shape, moved and turned to fit, over the root of its
    area.
    """
    pose = body.pose()
    turn = np.array(
        [(np.cos(pose.angle), np.sin(pose.angle)), (-np.sin(pose.angle), np.cos(pose.angle))]
    )
    away = body.position - pose.position - (body.rest_offset - body.rest_offset.mean(axis=0)) @ turn
    return np.sqrt((away**2).sum(axis=1).mean() / area(body.rest_offset))


def run(name, change, frames):
    """Change the body while it stands on flat ground, and let it go on; return it and its greatest
    deviation.
    """
    sim = Simulation(world=f"{name} {change}")
    body, *rest = blueprints.polygon(SHAPES[name])
    body.position -= (body.position[:, 0].mean(), body.position[:, 1].min())
    sim.spawn(body, *rest)
    sim.step(1e-12)
    body.position = np.add(CHANGES[change](body.position), (0.0, GROUND))
    sim.spawn(StaticCollider([(-50, 0), (50, 0)]))
    worst = 0.0
    for _ in range(frames):
        sim.step()
        worst = max(worst, deviation(body))
    return body, worst


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_it_stands_for_twenty_seconds_as_it_was_made(name):
    """Never more than 5 % away, at rest at the end."""
    body, worst = run(name, "standing", 1200)
    assert worst < 0.05
    assert deviation(body) < 0.025
    assert np.abs(body.velocity).max() < 1e-3
    assert crossings(body.position) == 0


@pytest.mark.brief(16)
@pytest.mark.parametrize("change", [name for name in CHANGES if name != "standing"])
@pytest.mark.parametrize("name", SHAPES)
def test_it_gets_its_form_back(name, change):
    body, worst = run(name, change, 480)
    assert worst > 0.07, "it was not deformed at all"
    assert deviation(body) < 0.035
    assert crossings(body.position) == 0
    assert area(body.position) == pytest.approx(area(body.rest_offset), rel=0.02)


@pytest.mark.slow
def test_without_its_rest_shape_it_sags():
    """What shape_frequency is for: skin and gas alone leave a gear far from its form."""
    sim = Simulation()
    body, *rest = blueprints.polygon(np.add(gear(), (0.0, 0.62)), shape_frequency=0.0)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-50, 0), (50, 0)]))
    worst = []
    for _ in range(600):
        sim.step()
        worst.append(deviation(body))
    assert np.mean(worst[300:]) > 0.08


@pytest.mark.brief(12)
@pytest.mark.parametrize(
    ("size", "rows", "height"),
    [(0.05, 5, 1.0), (0.1, 5, 2.0), (0.2, 8, 2.0), (0.3, 5, 5.0), (1.0, 8, 1.0)],
)
@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_a_box_that_a_fall_has_crushed_is_a_box_again_and_rests(size, rows, height, angle):
    """The smaller a box, and the finer, the softer it is: these are crushed flat or turned inside
    out on the way.
    """
    sim = Simulation()
    body, *rest = blueprints.box((0, height + size), size, rows=rows, columns=rows, angle=angle)
    corners = body.position[[0, rows - 1, -1, -rows]]
    square = np.hypot(*(corners - np.roll(corners, 1, axis=0)).T)
    sim.spawn(body, *rest)
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    run_frames(sim, 600)
    corners = body.position[[0, rows - 1, -1, -rows]]
    x, y = corners.T
    assert 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)) == pytest.approx(square[0] ** 2, rel=0.1)
    assert np.hypot(*(corners - np.roll(corners, 1, axis=0)).T) == pytest.approx(square, rel=0.1)
    assert np.abs(body.velocity).max() < 0.01


def slit(width, depth):
    left = 0.5 - 0.5 * width
    right = 0.5 + 0.5 * width
    return [
        (0, 0),
        (1, 0),
        (1, 1),
        (right, 1),
        (right, 1 - depth),
        (left, 1 - depth),
        (left, 1),
        (0, 1),
    ]


def comb(teeth=4):
    step = 1.0 / (2 * teeth - 1)
    upper = [
        (2 * k * step + x, y)
        for k in range(teeth)
        for x, y in ((0, 0.3), (0, 1), (step, 1), (step, 0.3))
    ]
    return [(0, 0), *upper, (1, 0)]


def dropped(corners, seconds, **options):
    """Drop a polygon by 2 m; return the simulation, the body, and how high its lowest point was in
    the last 5 s.
    """
    sim = Simulation(solver=options.pop("solver", "saturated"))
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    body, *rest = blueprints.polygon(np.add(corners, (0.0, 2.0)), **options)
    sim.spawn(body, *rest)
    lowest = []
    for _ in range(60 * seconds):
        sim.step()
        lowest.append(body.position[:, 1].min())
    return sim, body, max(lowest[-300:])


@pytest.mark.brief(4)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("material", ["jelly", "rubber"])
@pytest.mark.parametrize(
    "corners",
    [slit(0.01, 0.6), slit(0.05, 0.6), slit(0.08, 0.8), slit(0.15, 0.6), slit(0.02, 0.3), comb()],
)
def test_a_body_with_a_gap_comes_to_rest_in_its_form(corners, material, solver):
    """Both sides of a slit passed through each other, were mended, and the body leapt to 0.78 m for
    ever.
    """
    sim, body, _ = dropped(corners, 14, material=material, solver=solver)
    assert not body.velocity.any()
    assert abs(signed_area(body.position)) == pytest.approx(
        abs(signed_area(np.array(corners))), rel=0.1
    )
    sim.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
@pytest.mark.parametrize("width", [0.01, 0.05, 0.08])
def test_mending_again_and_again_throws_no_body_up(width, solver):
    sim, _, lowest = dropped(
        slit(width, 0.6), 24, material="jelly", self_collision=False, solver=solver
    )
    assert lowest < 0.06
    sim.close()


@pytest.mark.parametrize("shape", ["L", "T", "snake"])
def test_what_has_no_gap_does_not_touch_itself(shape):
    assert not blueprints.polygon(SHAPES[shape])[-1].self_collision
    assert blueprints.polygon(SHAPES[shape], self_collision=True)[-1].self_collision


@pytest.mark.parametrize("width", [0.001, 0.1, 0.5])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("turn", [1, -1])
def test_a_gap_is_found_at_any_size_either_way_round_from_any_corner(width, size, turn):
    corners = size * np.roll(np.array(slit(width, 0.6))[::turn], 3, axis=0)
    assert blueprints.polygon(corners)[-1].self_collision
    assert not blueprints.polygon(corners, self_collision=False)[-1].self_collision


def spikes(count, inner):
    angle = np.pi * arange(2 * count) / count
    reach = np.where(arange(2 * count) % 2 == 0, 1.0, inner)
    return reach[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


@pytest.mark.parametrize("count", [8, 16, 30, 60])
@pytest.mark.parametrize("inner", [0.2, 0.4])
def test_the_gaps_between_spikes_are_deep(count, inner):
    assert has_deep_gap(spikes(count, inner))
    assert not has_deep_gap(spikes(count, 0.97))


@pytest.mark.parametrize("count", [100, 1300, 3000])
@pytest.mark.parametrize("turn", [0, 1, 77])
def test_a_needle_is_found_in_a_ring_of_many_points_and_noise_is_none(count, turn):
    angle = 2.0 * np.pi * arange(count) / count
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    noise = 1.0 + 1e-3 * np.random.default_rng(turn).normal(size=(count, 1))
    assert not has_deep_gap(ring)
    assert not has_deep_gap(ring * noise)
    assert not has_deep_gap(ring * (5.0, 0.1))
    ring[1] *= -0.5
    assert has_deep_gap(np.roll(ring, turn, axis=0))
    assert has_deep_gap(np.roll(ring, turn, axis=0)[::-1])


@pytest.mark.parametrize("count", [3, 4, 24, 1000])
@pytest.mark.parametrize("away", [0.0, 1e3])
def test_no_places_of_circles_and_straight_sides_are_compared(count, away, monkeypatch):
    """Rounding made circles look concave, so that the import of a drawing of them took half as long
    again.
    """
    monkeypatch.setattr(polygon, "FEWEST_PLACES", None)
    angle = 2.0 * np.pi * arange(count) / count
    corners = away + np.column_stack((np.cos(angle), np.sin(angle)))
    sides = np.concatenate([np.linspace(corners[k - 1], corners[k], 7)[1:] for k in range(count)])
    twice = repeat(corners, 2, axis=0)
    for ring in (corners, corners[::-1], sides, sides[::-1], twice):
        assert not has_deep_gap(ring)
    notched = sides.copy()
    notched[2] = 0.5 * (notched[2] + sides.mean(axis=0))
    with pytest.raises(TypeError):
        has_deep_gap(notched)
