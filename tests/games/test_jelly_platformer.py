"""The jelly platformer, played without a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import esper
import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import FRAME, Controls
from ecs_softbody.rendering import Picture, View
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.game import LIVES, PAD_SPEED
from ecs_softbody_games.jelly_platformer.hero import BUFFER_TIME, COYOTE_TIME, JUMP_SPEED, RADIUS, RUN_SPEED
from ecs_softbody_games.jelly_platformer.level import Bridge, Ferry, Hazard, Jelly, Ledge, Level, Patrol, Sign, WindArea
from tests.helpers.games import play_frame

Make = Callable[..., JellyPlatformer]
FLAT = ((-30.0, 12.0), (-6.0, 12.0), (-6.0, 0.0), (30.0, 0.0), (30.0, -20.0))


def flat_level(**changes: object) -> Level:
    values: dict[str, object] = {
        "name": "test", "start": (0.0, 0.6), "flag": (-10.0, 12.0), "bottom": -6.0, "view": (-20.0, -8.0, 60.0, 20.0),
        "terrain": (FLAT,),
    }  # fmt: skip
    return Level(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def make() -> Iterator[Make]:
    games: list[JellyPlatformer] = []

    def build(level: Level | None = None, settle: int = 40) -> JellyPlatformer:
        games.append(JellyPlatformer(level or flat_level()))
        games[-1].start()
        run(games[-1], settle)
        return games[-1]

    yield build
    for game in games:
        game.close()


def frame(game: JellyPlatformer, *keys: str, pressed: bool = False) -> None:
    play_frame(game, Controls(held=set(keys), pressed=set(keys) if pressed else set()))


def run(game: JellyPlatformer, frames: int, *keys: str) -> None:
    for _ in range(frames):
        frame(game, *keys)


def heights(game: JellyPlatformer, frames: int, *keys: str) -> np.ndarray:
    seen = []
    for _ in range(frames):
        frame(game, *keys)
        seen.append(game.hero.position[1])
    return np.array(seen)


def run_off_the_edge(game: JellyPlatformer) -> None:
    """Roll right until the ground ends."""
    for _ in range(400):
        frame(game, "right")
        if game.hero.position[0] > 29.0 and not game.hero.grounded:
            return
    raise AssertionError("the hero never left the ground")


def play(game: JellyPlatformer, seconds: float) -> list[np.ndarray]:
    path = []
    for _ in range(round(seconds / FRAME)):
        play_frame(game, game.autopilot())
        path.append(game.hero.position)
        if game.outcome:
            break
    return path


def test_the_scripted_player_reaches_the_flag() -> None:
    game = JellyPlatformer()
    game.start()
    path = play(game, 90.0)
    assert game.outcome == "won", f"stopped at {path[-1]}"
    assert game.lives == LIVES
    assert game.coins >= 20
    assert game.checkpoint == len(game.level.checkpoints) - 1
    assert f"{game.coins} of {len(game.level.coins)}" in game.outcome_text()
    assert {"hop", "coin", "squish", "pop"} <= set(game.sounds.played)
    game.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shift", "wait"),
    [(-0.1, 0), (-0.07, 0), (-0.03, 0), (0.05, 0), (0.1, 0), (0.0, 27), (0.0, 63), (0.0, 81), (0.0, 99), (0.5, 153)],
)
def test_the_scripted_player_wins_wherever_and_whenever_it_begins(shift: float, wait: int) -> None:
    game = JellyPlatformer()
    game.start()
    run(game, wait)
    game.hero.appear((game.level.start[0] + shift, game.level.start[1]))
    path = play(game, 90.0)
    assert game.outcome == "won", f"stopped at {path[-1]}"
    assert game.lives >= LIVES - 1, "it plays without looking, and the hero rolls a little further some times"
    game.close()


def test_the_same_keys_give_the_same_game_after_a_restart() -> None:
    game = JellyPlatformer()
    game.start()
    first = np.array(play(game, 8.0))
    game.start()
    assert (game.lives, game.coins, game.time, game.checkpoint) == (LIVES, 0, 0.0, -1)
    again = np.array(play(game, 8.0))
    np.testing.assert_array_equal(first, again)
    game.close()


def test_ten_seconds_without_a_key_stay_finite_and_still() -> None:
    game = JellyPlatformer()
    game.start()
    run(game, 600)
    with game.sim:
        for _, particles in esper.get_component(Particles):
            assert np.isfinite(particles.position).all()
            assert np.isfinite(particles.velocity).all()
    assert np.hypot(*game.hero.velocity) < 0.05
    assert abs(game.hero.position[0] - game.level.start[0]) < 0.1
    assert game.outcome is None
    game.close()


def test_the_hero_runs_at_its_speed_and_stops_again(make: Make) -> None:
    game = make()
    run(game, 90, "right")
    assert 0.85 * RUN_SPEED < game.hero.velocity[0] < 1.1 * RUN_SPEED
    run(game, 50)
    assert abs(game.hero.velocity[0]) < 0.3


def test_a_key_held_longer_jumps_higher(make: Make) -> None:
    short, long = make(), make()
    ground = short.hero.position[1]
    frame(short, "space", pressed=True)
    low = heights(short, 60).max() - ground
    frame(long, "space", pressed=True)
    high = heights(long, 60, "space").max() - ground
    assert 0.6 < low < 0.65 * high
    assert 0.85 < high / (JUMP_SPEED**2 / 44.0) < 1.15


def test_rising_takes_longer_than_falling(make: Make) -> None:
    game = make()
    frame(game, "space", pressed=True)
    path = heights(game, 90, "space")
    top = int(path.argmax())
    down = int(np.argmax((np.arange(90) > top) & (path < path[0])))
    assert down - top < top


def test_a_jump_stretches_the_hero_and_a_landing_flattens_it_without_a_hop(make: Make) -> None:
    game = make()
    middle, tall, speeds = game.hero.position[1], [np.ptp(game.hero.particles.position[:, 1])], []
    frame(game, "space", pressed=True)
    for _ in range(90):
        tall.append(np.ptp(game.hero.particles.position[:, 1]))
        speeds.append(game.hero.landed)
        frame(game, "space")
        if max(speeds) > 3.0:
            assert game.hero.position[1] < middle + 0.15
    shape, landing = np.array(tall[1:]) / tall[0], int(np.argmax(speeds))
    assert shape[:10].max() > 1.18
    assert 0.55 < shape[landing:].min() < 0.75
    assert (shape[landing:] < 0.9).sum() >= 8


@pytest.mark.parametrize(("wait", "jumps"), [(COYOTE_TIME - 0.03, True), (COYOTE_TIME + 0.05, False)])
def test_a_jump_counts_until_shortly_after_the_edge(make: Make, wait: float, jumps: bool) -> None:
    game = make()
    run_off_the_edge(game)
    run(game, round((wait - FRAME) / FRAME), "right")
    frame(game, "right", "space", pressed=True)
    assert game.hero.jumped is jumps
    assert bool(game.hero.velocity[1] > 0.0) is jumps


@pytest.mark.parametrize(("early", "jumps"), [(BUFFER_TIME - 0.05, True), (BUFFER_TIME + 0.08, False)])
def test_a_jump_counts_from_shortly_before_the_ground(make: Make, early: float, jumps: bool) -> None:
    game = make(settle=0)
    game.hero.appear((0.0, 3.0))
    falls = make(settle=0)
    falls.hero.appear((0.0, 3.0))
    landing = next(number for number in range(200) if (frame(falls), falls.hero.grounded)[1])
    run(game, landing - round(early / FRAME))
    frame(game, "space", pressed=True)
    run(game, round(early / FRAME) + 3)
    assert ("hop" in game.sounds.played) is jumps


def test_a_hero_who_fell_asleep_obeys_in_the_same_frame(make: Make) -> None:
    runner, jumper = make(settle=200), make(settle=200)
    assert runner.sim.is_asleep(runner.hero.entity)
    assert runner.hero.grounded
    frame(runner, "right")
    assert runner.hero.velocity[0] > 0.3
    frame(jumper, "space", pressed=True)
    assert jumper.hero.velocity[1] > 0.9 * JUMP_SPEED


def test_a_bridge_and_a_pad_that_fell_asleep_still_carry_and_throw(make: Make) -> None:
    banks = (
        ((-30.0, 12.0), (-6.0, 12.0), (-6.0, 0.0), (0.0, 0.0), (0.0, -9.0)),
        ((9.0, -9.0), (9.0, 0.0), (30.0, 0.0)),
    )
    level = flat_level(
        terrain=banks, start=(-3.0, 0.6), bridges=(Bridge((0.0, -0.1), (9.0, -0.1)),),
        jellies=(Jelly("pad", (14.0, 0.0), (2.2, 0.7)),),
    )  # fmt: skip
    game = make(level, settle=0)
    game.hero.freeze()
    for _ in range(2000):
        frame(game)
        if game.sim.asleep_count == 2:
            break
    assert game.sim.asleep_count == 2
    game.hero.appear(level.start)
    lowest = heights(game, 150, "right").min()
    assert game.hero.position[0] > 9.5
    assert -1.2 < lowest < -0.2
    game.hero.appear((14.0, 3.0))
    assert heights(game, 120).max() > 0.6 * PAD_SPEED**2 / 44.0 + 1.2
    assert game.lives == LIVES


def test_no_second_jump_in_the_air(make: Make) -> None:
    game = make()
    frame(game, "space", pressed=True)
    run(game, 20, "space")
    frame(game, "space", pressed=True)
    assert game.sounds.played.count("hop") == 1


def test_pressing_into_a_wall_does_not_hold_the_hero_up(make: Make) -> None:
    pressing, free = make(settle=0), make(settle=0)
    pressing.hero.appear((-6.0 + RADIUS, 8.0))
    free.hero.appear((10.0, 8.0))
    run(pressing, 30, "left")
    run(free, 30)
    fallen, unhindered = 8.0 - pressing.hero.position[1], 8.0 - free.hero.position[1]
    assert fallen > 0.85 * unhindered
    run(pressing, 150, "left")
    assert pressing.hero.position[1] < 0.7
    assert np.hypot(*pressing.hero.velocity) < 0.5


def test_spikes_cost_a_life_and_the_hero_returns_to_the_lamp(make: Make) -> None:
    spikes = Hazard((12.0, 0.0), (13.0, 0.5), "spikes")
    game = make(flat_level(hazards=(spikes,), checkpoints=((5.0, 0.0),)))
    for _ in range(300):
        frame(game, "right")
        if game.lives < LIVES:
            break
    assert game.checkpoint == 0
    assert game.hero.position[0] == pytest.approx(12.0, abs=1.2)
    assert "hurt" in game.sounds.played
    run(game, 90)
    assert (game.lives, game.outcome) == (LIVES - 1, None)
    np.testing.assert_allclose(game.hero.position, (5.0, 0.5), atol=0.3)


def test_falling_three_times_loses(make: Make) -> None:
    game = make()
    lost = []
    for _ in range(2400):
        frame(game, "right")
        lost.append(game.lives)
        if game.outcome:
            break
    assert game.outcome == "lost"
    assert sorted(set(lost)) == [0, 1, 2, 3]
    assert "lives" in game.outcome_text()


def test_coins_are_taken_once(make: Make) -> None:
    game = make(flat_level(coins=((2.0, 0.6), (20.0, 3.9))))
    run(game, 60, "right")
    assert game.coins == 1
    assert game.sounds.played.count("coin") == 1


def test_a_pad_throws_the_hero_up(make: Make) -> None:
    game = make(flat_level(start=(4.0, 3.0), jellies=(Jelly("pad", (4.0, 0.0), (2.2, 0.7)),)), settle=0)
    assert heights(game, 120).max() > 0.6 * PAD_SPEED**2 / 44.0 + 1.2


@pytest.mark.parametrize("aside", [0.0, -0.85, 0.85])
def test_a_grump_bursts_under_a_hero_who_lands_on_it(make: Make, aside: float) -> None:
    game = make(flat_level(start=(4.0, 3.0), grumps=(Patrol(3.9, 4.1, 0.0),)), settle=0)
    game.hero.appear((game.world.grumps[0].position[0] + aside, 1.8))
    game.hero.particles.velocity[:] = (0.0, -8.0)
    top = heights(game, 90)[45:].max()
    assert not game.world.grumps[0].alive
    assert not game.sim.contacts.of(game.world.grumps[0].entity)
    assert (game.lives, top > 1.2) == (LIVES, True)


def test_a_grump_bites_from_the_side(make: Make) -> None:
    game = make(flat_level(grumps=(Patrol(4.0, 6.0, 0.0),)))
    run(game, 90, "right")
    assert game.lives == LIVES - 1
    assert game.world.grumps[0].alive


def test_a_grump_stays_on_its_patrol(make: Make) -> None:
    game = make(flat_level(grumps=(Patrol(4.0, 6.0, 0.0),)))
    places = []
    for _ in range(400):
        frame(game)
        places.append(game.world.grumps[0].particles.position[:, 0].mean())
    assert 3.4 < min(places) < 4.1
    assert 5.9 < max(places) < 6.6


def test_a_ferry_carries_the_hero_and_turns_round(make: Make) -> None:
    ferry = Ferry((40.0, 0.0), (44.0, 0.0), 3.0, 2.0)
    game = make(flat_level(start=(41.5, 0.7), ferries=(ferry,)), settle=60)
    entity = game.world.ferries[0][1]
    offsets, places = [], []
    for _ in range(300):
        frame(game)
        left = float(game.world.ferry_collider(entity).vertices[0, 0])
        places.append(left)
        offsets.append(game.hero.position[0] - left)
    assert 39.9 < min(places) < 40.2
    assert 43.8 < max(places) < 44.1
    assert np.ptp(offsets) < 0.8
    assert game.lives == LIVES


def test_a_ledge_lets_the_hero_through_from_below_only(make: Make) -> None:
    game = make(flat_level(ledges=(Ledge((-1.5, 1.7), 3.0),)))
    frame(game, "space", pressed=True)
    run(game, 100, "space")
    assert game.hero.position[1] == pytest.approx(1.7 + 0.9 * RADIUS, abs=0.12)


def test_the_wind_lifts_the_hero(make: Make) -> None:
    wind = WindArea((-2.0, 0.0), (2.0, 9.0), (0.0, 13.5))
    game = make(flat_level(winds=(wind,)))
    assert heights(game, 120).max() > 5.0


def test_drawing_the_level_shows_the_numbers(make: Make) -> None:
    game = JellyPlatformer()
    game.start()
    picture = Picture(640, 360, game.camera.view(640, 360))
    game.draw(picture, 0.5)
    texts = [text.text for text in picture.texts]
    assert "0" in texts
    assert f"/ {len(game.level.coins)}" in texts
    vertices, _ = picture.triangles()
    assert np.isfinite(vertices).all()
    game.close()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"start": (99.0, 0.0)}, "start"),
        ({"coins": ((0.0, -7.0),)}, "coins"),
        ({"terrain": (((0.0, 0.0), (-1.0, 0.0)),)}, "terrain"),
        ({"hazards": (Hazard((1.0, 0.0), (0.0, 1.0), "spikes"),)}, "low below"),
        ({"ferries": (Ferry((0.0, 0.0), (0.0, 0.0), 1.0, 1.0),)}, "ferries"),
    ],
)
def test_a_level_that_cannot_be_played_is_refused(changes: dict[str, object], field: str) -> None:
    with pytest.raises(ValueError, match=field):
        flat_level(**changes)


@pytest.mark.parametrize(("x", "expected"), [(0.0, "whole"), (7.0, "pushed in"), (-7.0, "pushed in"), (8.6, "gone")])
def test_a_hint_stays_on_the_screen_until_its_place_is_gone(make: Make, x: float, expected: str) -> None:
    game = make(flat_level(signs=(Sign((x, 3.0), "a hint that is quite long"),)), settle=0)
    picture = Picture(1280, 720, View((0.0, 3.0), 9.0, 1280, 720))
    game.scenery.draw(picture, 0.0, [], -1, 0.0)
    game.scenery.draw_signs(picture)
    if expected == "gone":
        assert not picture.texts
        return
    (text,) = picture.texts
    assert 0.0 < text.place[0] < 1280.0 - picture.text_width(text.text, text.size)
    middle = text.place[0] + 0.5 * picture.text_width(text.text, text.size)
    assert (abs(middle - (640.0 + 80.0 * x)) < 2.0) == (expected == "whole")
