"""Character: jumps, landings, and the moments in which a jump counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ecs_softbody import Character
from tests.helpers.heroes import FRAME, Scene, close_worlds

__all__ = ["close_worlds"]


@pytest.mark.brief(12)
@pytest.mark.parametrize(
    ("kind", "size", "solver", "substeps"),
    [
        ("blob", 1.0, "saturated", 8), ("blob", 0.2, "xpbd", 32), ("blob", 3.0, "saturated", 8),
        ("wheel", 1.0, "saturated", 8), ("box", 0.5, "xpbd", 8), ("polygon", 1.0, "saturated", 16),
        ("ball", 0.5, "saturated", 8),
    ],
)  # fmt: skip
@pytest.mark.parametrize("height", [0.6, 3.0])
def test_a_jump_is_as_high_as_asked(kind, size, solver, substeps, height):
    scene = Scene(
        kind, size, solver=solver, substeps=substeps, character=Character(jump_height=height)
    )
    assert scene.character.grounded
    start = scene.sim.center(scene.hero)[1]
    path = scene.run(60, jump=True)
    assert path[:, 1].max() - start == pytest.approx(height, rel=0.02)


@pytest.mark.brief(3)
@pytest.mark.parametrize("gravity", [(0.0, -22.0), (9.81, 0.0), (-3.0, 4.0)])
def test_up_is_against_gravity(gravity):
    up = -np.array(gravity) / np.hypot(*gravity)
    right = np.array((up[1], -up[0]))
    scene = Scene(
        ground=[-50.0 * right, 50.0 * right],
        at=tuple(0.5 * up - (0.0, 0.5)),
        gravity=gravity,
        frames=120,
    )
    assert scene.character.grounded
    start = scene.sim.center(scene.hero)
    rise = (scene.run(80, jump=True) - start) @ up
    assert rise.max() == pytest.approx(1.5, rel=0.02)
    scene.run(120, jump=False, move=1.0)
    assert scene.velocity @ right == pytest.approx(5.0, rel=0.02)


@pytest.mark.parametrize("early", [7, 8])
def test_the_buffer_is_exact_to_a_step(early):
    """A key that is pressed `early` steps before the landing; 0.12 s are 7.2 steps."""
    fall = Scene(at=(0, 2.0), frames=0)
    landing = 0
    while not fall.character.grounded:
        fall.run(1)
        landing += 1
    scene = Scene(at=(0, 2.0), frames=landing - early)
    heard = []
    scene.sim.on("jumped", lambda entity, speed: heard.append(speed))
    scene.run(1, jump=True)
    scene.run(12)
    assert bool(heard) == (early <= 7)


@pytest.mark.parametrize(("late", "jumps"), [(6, True), (7, False)])
def test_coyote_time_is_exact_to_a_step(late, jumps):
    """0.1 s are 6 steps in the air."""
    scene = Scene(ground=[(-50, 0), (3, 0)])
    scene.character.move = 1.0
    while scene.character.grounded:
        scene.run(1)
    scene.run(late - 1)
    assert scene.character.airtime == pytest.approx(late * FRAME)
    scene.run(1, jump=True)
    assert (scene.velocity[1] > 0.0) == jumps


def test_a_squash_charges_the_next_jump():
    scene = Scene(character=Character(jump_height=1.0, charge_height=2.0, charge_time=0.5))
    tall = np.ptp(scene.body.position[:, 1])
    scene.run(60, squash=True)
    assert scene.character.charge == 1.0
    assert np.ptp(scene.body.position[:, 1]) < 0.8 * tall
    start = scene.sim.center(scene.hero)[1]
    path = scene.run(70, squash=False, jump=True)
    assert path[:, 1].max() - start == pytest.approx(3.0, rel=0.05)
    assert scene.character.charge == 0.0


def test_letting_go_makes_a_jump_shorter():
    scene = Scene(character=Character(jump_height=2.0, short_jump=0.5))
    start = scene.sim.center(scene.hero)[1]
    scene.run(1, jump=True)
    path = scene.run(60, jump=False)
    assert 0.9 < path[:, 1].max() - start < 1.25


def test_events_tell_jumps_and_landings():
    scene = Scene(at=(0, 3.0), frames=0)
    told = []
    scene.sim.on("landed", lambda *event: told.append(event), entity=scene.hero)
    scene.sim.on("jumped", lambda *event: told.append(event), entity=scene.hero)
    scene.run(90)
    ((entity, speed, ground),) = told
    assert (entity, ground) == (scene.hero, scene.ground)
    assert speed == pytest.approx(math.sqrt(2.0 * 9.81 * 3.0), rel=0.05)
    told.clear()
    scene.run(2, jump=True)
    assert told[0][1] == pytest.approx(math.sqrt(2.0 * 9.81 * 1.5), rel=0.02)


def test_a_landing_ends_in_one_wobble_and_no_hop():
    scene = Scene(character=Character.slime())
    rest = scene.sim.center(scene.hero)[1]
    tall = np.ptp(scene.body.position[:, 1])
    scene.run(1, jump=True)
    while not scene.character.grounded:
        scene.run(1)
    heights = []
    tops = []
    for _ in range(90):
        tops.append(scene.run(1)[0, 1] - rest)
        heights.append(np.ptp(scene.body.position[:, 1]) / tall)
        assert scene.character.grounded
    assert min(heights) < 0.75
    assert 1.0 < max(heights) < 1.15
    assert max(tops) < 0.08
    assert heights[-1] == pytest.approx(1.0, abs=0.03)
