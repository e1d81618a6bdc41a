"""Drops end on what they meet, impacts are told by their speed, and a heap at rest is silent."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, Water, blueprints
from ecs_softbody.play import FRAME, Controls, Effects, Loads, Session, find_impacts
from ecs_softbody.play.feel.surfaces import Surfaces
from ecs_softbody.rendering import Picture
from ecs_softbody_games.bouncing_balls import BouncingBalls
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from tests.helpers.internals import places_of_drops


def lowest_drop(sim: Simulation, start: tuple[float, float], frames: int = 90) -> float:
    """Throw drops down from a point and return the lowest place that one of them reached [m]."""
    sim.step(FRAME)
    effects = Effects()
    lowest = math.inf
    for strength in (0.5, 1.0, 2.5):
        effects.splash(start, normal=(0.0, -1.0), strength=strength)
    for _ in range(frames):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
        if len(places_of_drops(effects)):
            lowest = min(lowest, float(places_of_drops(effects)[:, 1].min()))
    return lowest


@pytest.mark.parametrize("slope", [0.0, 0.3, -1.0])
@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_drops_end_on_the_ground(sim: Simulation, slope: float, scale: float) -> None:
    sim.spawn(
        StaticCollider([(-9.0 * scale, -9.0 * scale * slope), (9.0 * scale, 9.0 * scale * slope)])
    )
    sim.step(FRAME)
    effects = Effects()
    effects.splash((0.0, 0.8), normal=(0.0, -1.0), strength=2.0)
    for _ in range(60):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
        places = places_of_drops(effects)
        assert (places[:, 1] >= slope * places[:, 0] - 1e-9).all()


def test_drops_fall_where_there_is_nothing(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)], sensor=True))
    sim.spawn(StaticCollider([(5.0, 0.0), (9.0, 0.0)]))
    assert lowest_drop(sim, (0.0, 0.5)) < -0.5


def test_drops_end_at_the_surface_of_water(sim: Simulation) -> None:
    sim.spawn(Water(-1.0, left=-5.0, right=5.0, bottom=-4.0))
    assert lowest_drop(sim, (0.0, 0.0)) == pytest.approx(-1.0, abs=1e-9)


def test_drops_end_on_the_walls_of_a_room_and_on_what_moves(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-1, 0), (1, 0), (1, 2), (-1, 2)], closed=True, velocity=(0.0, 0.5)))
    effects = Effects()
    effects.burst((0.0, 1.0), strength=2.5)
    for _ in range(60):
        sim.step(FRAME)
        effects.advance(FRAME, (0.0, 0.0), Surfaces(sim))
        assert (np.abs(places_of_drops(effects)[:, 0]) <= 1.0 + 1e-9).all()


def test_a_drop_that_has_landed_is_seen_for_a_moment(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)]))
    sim.step(FRAME)
    effects = Effects()
    picture = Picture(64, 64)
    effects.splash((0.0, 0.2), normal=(0.0, -1.0))
    landed = 0
    for _ in range(60):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
        landed = max(landed, int((np.abs(places_of_drops(effects)[:, 1]) < 1e-9).sum()))
    effects.draw(picture)
    assert landed > 5
    assert len(places_of_drops(effects)) == 0


@pytest.mark.parametrize("height", [0.5, 2.0, 5.0])
def test_an_impact_is_told_by_the_speed_at_which_bodies_met(sim: Simulation, height: float) -> None:
    ground = sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)]))
    ball = sim.spawn(*blueprints.ball((0.0, height + 0.3), 0.3, mass=2.0))
    heard = []
    for _ in range(120):
        sim.step(FRAME)
        heard += find_impacts(sim.contacts, 0.5)
    speed = math.sqrt(2.0 * 9.81 * height)
    assert heard[0].speed == pytest.approx(speed, rel=0.05)
    assert {heard[0].entity_a, heard[0].entity_b} == {ball, ground}
    assert heard[0].impulse >= 2.0 * speed * 0.9
    assert all(impact.speed <= heard[0].speed for impact in heard)


def test_a_heavy_load_at_rest_is_no_impact(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)]))
    sim.spawn(*blueprints.ball((0.0, 0.1), 0.1, mass=0.01))
    sim.spawn(*blueprints.box((0.0, 1.21), (2.0, 2.0), mass=200.0))
    for frame in range(240):
        sim.step(FRAME)
        assert frame < 120 or not find_impacts(sim.contacts, 1.0)


def test_a_sliver_that_carries_a_heavy_body_is_silent_and_a_new_load_is_heard(
    sim: Simulation,
) -> None:
    """All that it carries throws it about within a substep;
    the speed of a contact is that before.
    """
    sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)]))
    sim.spawn(*blueprints.box((0.0, 0.1), (0.3, 0.2), mass=0.01))
    sim.spawn(*blueprints.box((0.0, 0.46), (0.4, 0.5), mass=2.0))
    for frame in range(240):
        sim.step(FRAME)
        assert frame < 60 or not find_impacts(sim.contacts, 0.3)
    ball = sim.spawn(*blueprints.ball((3.0, 0.8), 0.3, mass=2.0))
    heard = []
    for _ in range(60):
        sim.step(FRAME)
        heard += find_impacts(sim.contacts, 1.0)
    assert ball in (heard[0].entity_a, heard[0].entity_b)
    assert heard[0].speed == pytest.approx(math.sqrt(2.0 * 9.81 * 0.5), rel=0.01)


@pytest.mark.parametrize(("material", "speed"), [(None, 3.5), ("jelly", 3.5), ("pudding", 2.6)])
def test_a_wall_is_heard_by_what_lies_on_a_floor_that_is_one_with_it(
    sim: Simulation, material: Any, speed: float
) -> None:
    """The blow of a soft body grows in two or three frames: each of them alone is less than twice
    the one before.
    """
    sim.spawn(StaticCollider([(-20.0, 0.0), (3.0, 0.0), (3.0, 19.0)], friction=0.0))
    body = sim.get(sim.spawn(*blueprints.blob((0.0, 1.0), 1.0, material=material)), Particles)
    loads = Loads()
    heard = []
    for frame in range(220):
        if frame == 120:
            body.velocity[:, 0] += speed
        sim.step(FRAME)
        heard += [frame for _ in find_impacts(sim.contacts, 2.2, loads)]
    assert any(frame > 120 for frame in heard)


@pytest.mark.slow
def test_a_crowd_at_rest_falls_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(BouncingBalls)
    sounds = []
    monkeypatch.setattr(session.game.sounds, "play", lambda name, **_: sounds.append(name))
    session.state = "playing"
    for frame in range(1500):
        more = {"plus"} if frame < 500 else set()
        session.frame(Controls(held=more, pressed=more if not frame else set()))
        if frame == 900:
            sounds.clear()
    assert isinstance(session.game, BouncingBalls)
    assert len(session.game.crowd) > 180
    session.close()
    assert len(sounds) <= 60  # 150 where all that a ball carries is a hit of each frame


@pytest.mark.slow
def test_a_bench_of_cut_pieces_falls_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(CutAndTear, autopilot=True)
    sounds = []
    monkeypatch.setattr(session.game.sounds, "play", lambda name, **_: sounds.append(name))
    for _ in range(720):
        session.frame()
    sounds.clear()
    session.autopilot = False
    for _ in range(300):
        session.frame()
    session.close()
    assert len(sounds) <= 5


@pytest.mark.parametrize("seed", range(6))
def test_a_path_ends_at_the_nearest_of_all_walls(sim: Simulation, seed: int) -> None:
    """Open and closed walls, some that move, some that only sense; walls in any order."""
    chance = np.random.default_rng(seed)
    levels = chance.permutation(np.linspace(-3.0, 3.0, 7)).tolist()
    stands = {level: bool(chance.random() < 0.6) for level in levels}
    for number, level in enumerate(levels):
        corners = (
            [(-9.0, level), (9.0, level)]
            if number % 2
            else [(-9.0, level), (9.0, level), (0.0, level - 0.01)]
        )
        wall = StaticCollider(corners, closed=number % 2 == 0)
        wall.velocity = (0.0, 0.0) if stands[level] else (1.0, 0.0)
        sim.spawn(wall)
    sim.spawn(StaticCollider([(-9.0, 5.0), (9.0, 5.0)], sensor=True))
    sim.step(1e-6)
    start = np.column_stack(
        (chance.uniform(-5, 5, 30), np.round(chance.uniform(-4, 6, 30), 1) + 0.05)
    )
    end = start - (0.0, 1.5)
    share, along = Surfaces(sim).hits(start, end, np.zeros(30, np.bool_))
    for (_, y), free, way in zip(start.tolist(), share.tolist(), along, strict=True):
        below = [level for level in levels if y - 1.5 <= level <= y]
        if not below:
            assert free == math.inf
            assert np.isnan(way).all()
            continue
        assert free == pytest.approx((y - max(below)) / 1.5, abs=1e-3)
        assert np.isfinite(way).all() == stands[max(below)]


@pytest.mark.parametrize(
    "name",
    [
        "bubbles",
        "burst",
        "confetti",
        "crumbs",
        "dust",
        "ring",
        "rising_text",
        "sparks",
        "splash",
        "stain",
        "trail",
        "wipe",
    ],
)
def test_what_is_no_place_is_refused_by_name(name: str) -> None:
    more = {
        "rising_text": {"text": "+1"},
        "stain": {"along": (1, 0), "radius": 1.0, "colour": (9, 9, 9)},
        "trail": {"radius": 1.0, "colour": (9, 9, 9)},
        "wipe": {"closing": False},
    }.get(name, {})
    effects = Effects()
    for point in ("here", None, 1.0, (1.0, 2.0, 3.0), [(1, 2), (3,)], (np.nan, 1.0)):
        with pytest.raises(
            ValueError, match=r"^Effects\.\w+\.point: .* expected two finite numbers \(x, y\) \[m\]"
        ):
            getattr(effects, name)(point=point, **more)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"count": 10**12}, "splash.count"),
        ({"count": -1}, "splash.count"),
        ({"strength": np.nan}, "splash.strength"),
        ({"strength": "strong"}, "splash.strength"),
    ],
)
def test_as_many_drops_as_there_are_and_a_strength_that_is_a_number(
    wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=f"^Effects.{said}: .* is not allowed"):
        Effects().splash((0, 0), **wrong)
