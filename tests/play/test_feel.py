"""What a player feels: particles, marks of characters, an iris, a world that stands still when it
counts.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Character, Simulation, StaticCollider, Water, blueprints
from ecs_softbody.play import FRAME, Controls, Effects, Session
from ecs_softbody.play.feel.marks import Marks
from ecs_softbody.play.feel.particles import KINDS, MOST, KindName
from ecs_softbody.play.feel.surfaces import Surfaces
from ecs_softbody.rendering import Picture
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody_games.jelly_platformer.game import JellyPlatformer
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from tests.helpers.internals import places_of_drops

KIND_NAMES = tuple(KINDS)
ENDING = tuple(name for name, kind in KINDS.items() if kind.rests >= 0.0)


def throw(effects: Effects, kind: KindName, place: tuple[float, float], count: int = 20) -> None:
    """Let particles of a kind fall straight down from a place."""
    effects.particles.add(
        kind, place, np.tile((0.0, -2.0), (count, 1)), (200, 90, 90), np.random.default_rng(1)
    )


def seen(effects: Effects, height: int = 90) -> int:
    """Return how many pixels of a picture of this height the effects change."""
    picture = Picture(height * 16 // 9, height)
    empty = draw_image(picture)
    effects.draw(picture)
    return int((draw_image(picture) != empty).any(axis=2).sum())


@pytest.mark.parametrize("kind", ENDING)
@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_what_falls_ends_on_the_ground(sim: Simulation, kind: KindName, slope: float) -> None:
    sim.spawn(StaticCollider([(-9.0, -9.0 * slope), (9.0, 9.0 * slope)]))
    sim.step(FRAME)
    effects = Effects()
    throw(effects, kind, (0.0, 0.6))
    for _ in range(150):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
        places = places_of_drops(effects)
        assert (places[:, 1] >= slope * places[:, 0] - 1e-9).all()
    effects.advance(3.0, sim.gravity, Surfaces(sim))
    assert len(places_of_drops(effects)) == 0


@pytest.mark.parametrize("slope", [0.0, 0.5, -1.0])
@pytest.mark.parametrize("depth", [0.0, 0.02])
def test_nothing_that_is_thrown_off_the_ground_falls_into_it(
    sim: Simulation, slope: float, depth: float
) -> None:
    """A landing is told a little below the ground, where the soft body is pressed into it."""
    sim.spawn(StaticCollider([(-9.0, -9.0 * slope), (9.0, 9.0 * slope)]))
    sim.step(FRAME)
    normal = np.array((-slope, 1.0)) / np.hypot(slope, 1.0)
    effects = Effects()
    for strength in (0.02, 0.3, 1.0, 2.0):
        effects.crumbs(-depth * normal, normal=normal, strength=strength)
        effects.splash(-depth * normal, normal=normal, strength=strength)
    thrown = len(places_of_drops(effects))
    highest = 0.0
    for _ in range(60):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
        heights = places_of_drops(effects) @ normal
        assert (heights > -1e-9).all()
        highest = max(highest, float((heights > 0.1).sum()))
    assert highest > 0.3 * thrown  # they do not stick to it, either


@pytest.mark.parametrize("kind", [name for name in ENDING if KINDS[name].sinks])
def test_what_falls_into_water_sinks_slowly(sim: Simulation, kind: KindName) -> None:
    sim.spawn(Water(0.0, left=-5.0, right=5.0, bottom=-9.0))
    sim.step(FRAME)
    speeds = []
    for place in ((0.0, -1.0), (20.0, -1.0)):  # in the water, and beside it
        effects = Effects()
        throw(effects, kind, place)
        for _ in range(8):
            effects.advance(FRAME, sim.gravity, Surfaces(sim))
        speeds.append(-float(effects.particles.velocity[effects.particles.alive, 1].mean()))
    assert 0.0 < speeds[0] < 0.6 * speeds[1]


def test_bubbles_rise_and_end_at_the_surface(sim: Simulation) -> None:
    sim.spawn(Water(0.0, left=-5.0, right=5.0, bottom=-9.0))
    sim.step(FRAME)
    effects = Effects()
    highest = -9.0
    effects.bubbles((0.0, -0.4))
    first = float(places_of_drops(effects)[:, 1].mean())
    for _ in range(100):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
        places = places_of_drops(effects)
        highest = max(highest, float(places[:, 1].max(initial=-9.0)))
    assert first < highest < 0.1


@pytest.mark.brief(3)
@pytest.mark.parametrize("kind", KIND_NAMES)
def test_every_kind_is_seen_and_there_are_never_too_many(kind: KindName) -> None:
    effects = Effects()
    for _ in range(40):
        throw(effects, kind, (0.0, 0.0), 50)
    assert len(places_of_drops(effects)) == MOST
    effects.advance(FRAME)
    assert seen(effects, 720) > 0
    effects.clear()
    assert seen(effects) == 0


def test_the_same_calls_give_the_same_picture() -> None:
    places = []
    for _ in range(2):
        effects = Effects()
        for number in range(30):
            effects.crumbs((0.1 * number, 0.0))
            effects.dust((0.0, 0.1 * number))
            effects.confetti((0.0, 0.0), count=9)
            effects.sparks((1.0, 0.0))
            effects.advance(FRAME)
        places.append(places_of_drops(effects))
    assert len(places[0]) > 100
    np.testing.assert_array_equal(*places)


def test_drops_leave_stains_that_fade(sim: Simulation) -> None:
    sim.spawn(StaticCollider([(-9.0, 0.0), (9.0, 0.0)]))
    sim.step(FRAME)
    effects = Effects()
    throw(effects, "drop", (0.0, 0.5))
    for _ in range(60):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
    stained = seen(effects)
    for _ in range(200):
        effects.advance(FRAME, sim.gravity, Surfaces(sim))
    assert stained > 0 == seen(effects)


@pytest.mark.parametrize("place", [(0.0, 0.0), (6.0, -3.0)])
def test_an_iris_closes_and_stays_closed_until_it_opens(place: tuple[float, float]) -> None:
    effects = Effects()
    covered = []
    for closing in (True, False):
        effects.wipe(place, closing=closing, seconds=0.3)
        for _ in range(20):
            effects.advance(FRAME)
            covered.append(seen(effects))
    assert covered[18] == covered[19] == 160 * 90
    assert covered[0] < covered[10] < covered[19]
    assert covered[-1] == 0
    assert np.argmax(covered) < 20


def test_a_flash_tints_the_picture_for_a_moment() -> None:
    effects = Effects()
    picture = Picture(64, 36)
    effects.flash((255, 0, 0), 0.5)
    effects.draw(picture)
    assert draw_image(picture)[..., 0].min() > 100
    for _ in range(10):
        effects.advance(FRAME)
    assert seen(effects) == 0


def test_a_character_leaves_dust_where_it_lands_and_runs_and_a_trail_where_it_falls_fast(
    sim: Simulation,
) -> None:
    sim.spawn(StaticCollider([(-9.0, 0.0), (90.0, 0.0)]))
    character = Character(speed=6.0)
    sim.spawn(*blueprints.blob((0.0, 8.0), 0.5, particles=20, mass=1.0), character)
    marks = Marks()
    effects = Effects()
    kinds = []
    for frame in range(200):
        character.move = float(frame > 130)
        sim.step(FRAME)
        marks.observe(sim, effects, {})
        alive = effects.particles.alive
        kinds.append({KIND_NAMES[number] for number in effects.particles.kind[alive]})
        effects.advance(FRAME)
        landed = (character.grounded and "landed") or ""
        assert landed or "dust" not in kinds[-1] or frame > 60
    fall, rest, run = (set().union(*part) for part in (kinds[:70], kinds[125:130], kinds[150:]))
    assert "trail" in fall
    assert rest == set()
    assert run == {"dust"}


@pytest.mark.slow
def test_a_cut_lets_the_world_stand_still_for_three_or_four_frames_and_kicks_the_camera() -> None:
    session = Session(CutAndTear, autopilot=True)
    frames = []
    middles = []
    for _ in range(120):
        session.frame()
        frames.append(session.game.sim.frame)
        middles.append(session.game.camera.view(160, 90).center)
    session.close()
    still = int((np.diff(frames) == 0).sum())
    assert 3 <= still <= 4
    assert np.hypot(*np.ptp(np.array(middles), axis=0)) > 0.02


@pytest.mark.slow
def test_at_full_speed_the_camera_shows_what_comes() -> None:
    session = Session(JellyPlatformer)
    session.frame(Controls(pressed={"space"}))
    game = session.game
    assert isinstance(game, JellyPlatformer)
    leads = []
    for frame in range(200):
        session.frame(Controls(held={"right"}, pressed={"right"} if not frame else set()))
        leads.append(game.camera.center[0] - float(game.hero.position[0]))
    session.close()
    assert 3.0 < np.median(leads[120:]) < 4.0


@pytest.mark.slow
def test_a_fall_is_seen_and_the_picture_closes_and_opens_again() -> None:
    session = Session(JellyPlatformer)
    session.frame(Controls(pressed={"space"}))
    game = session.game
    lives = []
    shut = []
    crumbs = []
    assert isinstance(game, JellyPlatformer)
    for frame in range(430):
        session.frame(Controls(held={"right"}, pressed={"right"} if not frame else set()))
        lives.append(-game.falls)
        shut.append(game.effects.iris.opening)
        low = game.camera.visible[1]
        high = game.camera.visible[3]
        places = places_of_drops(game.effects)
        crumbs.append(int(((places[:, 1] > low) & (places[:, 1] < high)).sum()))
    session.close()
    lost = int(np.argmin(lives))
    assert lives[lost] == lives[0] - 1
    assert max(crumbs[lost : lost + 20]) > 15
    assert min(shut[lost : lost + 70]) == 0.0
    assert shut[lost + 110] == 1.0


@pytest.mark.slow
def test_a_restart_opens_the_picture_and_the_first_round_is_there_at_once() -> None:
    session = Session(JellyPlatformer)
    openings = []
    for key in ("space", "r"):
        session.frame(Controls(pressed={key}))
        openings.append(session.game.effects.iris.opening)
    for _ in range(30):
        session.frame()
    openings.append(session.game.effects.iris.opening)
    session.close()
    assert openings[0] == openings[2] == 1.0
    assert openings[1] < 0.2
