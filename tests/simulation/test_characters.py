"""Character: heroes of all kinds run, hold and ride as they are asked to."""

from __future__ import annotations

import math

import esper
import numpy as np
import pytest

from ecs_softbody import (
    Attachment,
    Character,
    Collider,
    PointGravity,
    Simulation,
    StaticCollider,
    Water,
    blueprints,
)
from tests.helpers.heroes import FLAT, NUMBERS, Scene, close_worlds

__all__ = ["close_worlds"]


@pytest.mark.slow
def test_a_hero_walks_around_a_planet():
    angle = np.arange(64) * np.pi / 32.0
    circle = 6.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    sim = Simulation(world=f"characters {next(NUMBERS)}", gravity=(0, 0))
    sim.spawn(StaticCollider(circle, closed=True))
    sim.spawn(PointGravity((0, 0), strength=9.81 * 36.0))
    character = Character()
    hero = sim.spawn(*blueprints.blob((0, 6.5), 0.5), character)
    turned = 0.0
    before = 0.5 * np.pi
    for frame in range(500):
        character.move = 1.0 if frame > 60 else 0.0
        sim.step()
        x, y = sim.center(hero)
        turned += (math.atan2(y, x) - before + np.pi) % (2.0 * np.pi) - np.pi
        before = math.atan2(y, x)
        assert 6.0 < math.hypot(x, y) < 7.2
    assert turned < -2.0 * np.pi * 0.8
    np.testing.assert_allclose(character.up, np.array((x, y)) / math.hypot(x, y), atol=0.02)


@pytest.mark.brief(7)
@pytest.mark.parametrize("kind", ["blob", "box", "wheel"])
@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("degrees", [20.0, 43.0])
def test_a_slope_below_the_limit_holds_without_creeping(kind, size, degrees):
    x = 200.0 * math.cos(math.radians(degrees))
    y = 200.0 * math.sin(math.radians(degrees))
    lift = 0.5 * size * (1.0 / math.cos(math.radians(degrees)) - 1.0)
    scene = Scene(
        kind,
        size,
        ground=[(-x, -y), (x, y)],
        at=(0.0, lift + (0.2 * size if kind == "box" else 0.0)),
    )
    path = scene.run(300)
    assert scene.character.grounded
    assert scene.character.on_slope
    assert np.hypot(*(path[-1] - path[120])) < 0.02 * size


@pytest.mark.brief(2)
@pytest.mark.parametrize("kind", ["blob", "box"])
def test_a_steeper_slope_slides_and_cannot_be_climbed(kind):
    angle = math.radians(55.0)
    x = 200.0 * math.cos(angle)
    y = 200.0 * math.sin(angle)
    scene = Scene(kind, ground=[(-x, -y), (x, y)], at=(0.0, 0.5), frames=60)
    scene.character.move = 1.0
    scene.run(30)
    before = scene.velocity
    scene.run(60)
    assert scene.character.sliding
    assert not scene.character.grounded
    down = -np.array((math.cos(angle), math.sin(angle)))
    assert (scene.velocity - before) @ down == pytest.approx(9.81 * math.sin(angle), rel=0.05)


@pytest.mark.brief(2)
@pytest.mark.parametrize("kind", ["blob", "box"])
def test_platforms_and_conveyors_carry(kind):
    scene = Scene(kind)
    scene.wall.velocity = (2.0, 0.5)
    scene.run(60)
    offset = scene.sim.center(scene.hero) - scene.wall.vertices.mean(axis=0)
    scene.run(120)
    np.testing.assert_allclose(
        scene.sim.center(scene.hero) - scene.wall.vertices.mean(axis=0), offset, atol=0.03
    )
    scene.run(60, move=1.0)
    assert scene.velocity[0] == pytest.approx(7.0, abs=0.1)
    scene.wall.velocity = (0.0, 0.0)
    scene.wall.surface_velocity = -2.0
    scene.run(60, move=0.0)
    assert scene.velocity[0] == pytest.approx(-2.0, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["blob", "box", "wheel"])
def test_walls_hold_nobody_but_those_who_stick(kind):
    free = Scene(kind, at=(0, 20), frames=80)
    wall = Scene(kind, at=(2.49, 20), ground=[(-50, 0), (3, 0), (3, 90)], frames=0)
    wall.run(80, move=1.0)
    assert 20 - wall.sim.center(wall.hero)[1] > 0.98 * (20 - free.sim.center(free.hero)[1])
    wall.run(200)
    assert wall.character.on_wall
    assert np.hypot(*wall.velocity) < 0.05
    wall.run(12, jump=True, move=0.5)
    path = wall.run(120, stick=True, move=0.0, jump=False)
    assert wall.character.sticking
    assert wall.character.standing == wall.ground
    assert abs(path[-1, 1] - path[30, 1]) < 0.01
    start = wall.sim.center(wall.hero)
    path = wall.run(50, jump=True, stick=False)
    assert path[:, 1].max() - start[1] == pytest.approx(1.5, rel=0.05)
    assert path[-1, 0] < start[0] - 0.5


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", ["saturated", "xpbd"])
def test_a_run_and_a_jump_on_a_raft_keep_its_momentum(solver):
    sim = Simulation(world=f"characters {next(NUMBERS)}", solver=solver)
    sim.spawn(StaticCollider(FLAT, friction=0.0))
    raft = blueprints.box((0, 0.4), (8.0, 0.8), rows=3, columns=17, mass=6.0, friction=0.8)
    sim.spawn(*raft)
    character = Character()
    body = blueprints.blob((0, 1.35), 0.5)
    sim.spawn(*body, character)
    for frame in range(150):
        character.move = 1.0 if 60 <= frame < 75 else 0.0
        character.jump = frame >= 75
        sim.step()
        momentum = sum(float(part[0].mass @ part[0].velocity[:, 0]) for part in (raft, body))
        assert abs(momentum) < 1e-6
        if frame == 74:
            over = body[0].pose().velocity[0] - raft[0].pose().velocity[0]
            assert raft[0].pose().velocity[0] < -0.3
            assert 2.0 < over < 5.5


@pytest.mark.slow
def test_several_heroes_and_water():
    sim = Simulation(world=f"characters {next(NUMBERS)}")
    sim.spawn(StaticCollider([(-20, 9), (-20, 0), (20, 0), (20, 9)]))
    sim.spawn(Water(3.0))
    heroes = [Character(), Character(jump_height=2.0)]
    bodies = [blueprints.blob((x, 2.8), 0.4, density=600.0) for x in (-3, 3)]
    swimmers = [sim.spawn(*body, one) for body, one in zip(bodies, heroes, strict=True)]
    for _ in range(240):
        sim.step()
    assert all(0.05 < one.submerged <= 1.0 for one in heroes)
    before = [sim.center(one) for one in swimmers]
    heroes[0].move = -1.0
    heroes[1].jump = True
    tops = []
    for _ in range(60):
        sim.step()
        tops.append(sim.center(swimmers[1])[1])
    assert sim.center(swimmers[0])[0] < before[0][0] - 0.5
    assert max(tops) > before[1][1] + 0.1
    assert abs(sim.center(swimmers[1])[0] - before[1][0]) < 0.2


def test_removing_the_character_gives_friction_back():
    scene = Scene()
    collider = scene.sim.get(scene.hero, Collider)
    assert collider.smooth
    with scene.sim:
        esper.remove_component(scene.hero, Character)
    scene.run(2)
    assert not collider.smooth


def test_nothing_breaks_where_the_body_is_pinned_or_held():
    scene = Scene()
    scene.body.pinned[:] = True
    scene.run(20, move=1.0, jump=True)
    scene.body.pinned[:] = False
    joint = scene.sim.spawn(Attachment((scene.hero, None)))
    scene.run(30, jump=False)
    scene.sim.despawn(joint)
    scene.run(60)
    assert np.isfinite(scene.body.position).all()
    assert scene.velocity[0] == pytest.approx(5.0, abs=0.1)


def test_a_hero_that_is_cut_while_it_runs_goes_on_in_two_parts():
    scene = Scene()
    scene.run(30, move=1.0)
    x, y = scene.sim.center(scene.hero)
    (cut,) = scene.sim.cut((x, y - 2.0), (x, y + 2.0), entity=scene.hero)
    for _ in range(40):
        scene.sim.step()
    centers = np.array([scene.sim.center(part) for part in cut.pieces])
    assert len(centers) == 2
    assert np.isfinite(centers).all()
    assert (centers[:, 0] > x + 1.0).all()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"speed": -1.0}, "Character.speed"),
        ({"slope_limit": 45.0}, "Character.slope_limit.*rad"),
        ({"short_jump": 0.0}, "Character.short_jump"),
        ({"air_control": 2.0}, "Character.air_control"),
        ({"jump_height": math.nan}, "Character.jump_height"),
    ],
)
def test_bad_numbers_are_refused(changes, told):
    for make in (Character, Character.slime, Character.ball, Character.cube):
        with pytest.raises(ValueError, match=told):
            make(**changes)
    with pytest.raises(ValueError, match="Character"):
        Character().move = 1.5
    with pytest.raises(TypeError, match="jump_height"):
        Character(jump_heigth=1.0)
    with pytest.raises(TypeError, match="jump_height"):
        Character.slime(jump_heigth=1.0)
