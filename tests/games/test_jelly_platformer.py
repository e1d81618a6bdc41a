"""The jelly platformer, played without a window."""

from __future__ import annotations

import esper
import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play.replay import rewind
from ecs_softbody.rendering import Picture, View
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.bubble import FAILURES
from ecs_softbody_games.jelly_platformer.game import PAD_SPEED
from ecs_softbody_games.jelly_platformer.hero import RADIUS
from ecs_softbody_games.jelly_platformer.levels.level import (
    Ferry,
    Hazard,
    Jelly,
    Ledge,
    Patrol,
    Sign,
    WindArea,
)
from tests.helpers.platformer import Make, flat_level, frame, heights, play, run


@pytest.mark.slow
def test_the_scripted_player_reaches_the_flag() -> None:
    game = JellyPlatformer()
    game.start()
    path = play(game, 90.0)
    assert game.outcome == "won", f"stopped at {path[-1]}"
    assert game.falls == 0
    assert game.coins >= 20
    assert game.checkpoint == len(game.level.checkpoints) - 1
    assert f"{game.coins} of {len(game.level.coins)}" in game.outcome_text()
    assert {"hop", "coin", "squish", "pop"} <= set(game.sounds.played)
    game.close()


@pytest.mark.slow
def test_the_past_is_prepared_before_the_first_frame_and_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = []

    class Noted(rewind.GameSnapshot):
        def __init__(self, game: JellyPlatformer, *others: object, **given: object) -> None:
            before.append(given.get("before"))
            super().__init__(game, *others, **given)

    monkeypatch.setattr(rewind, "GameSnapshot", Noted)
    game = JellyPlatformer()
    game.begin()
    (past,) = game.rewinds
    assert before == [None]
    assert past.seconds == 0.0
    assert not past.back()
    frame(game)
    assert before[0] is None
    assert isinstance(before[1], Noted)
    assert past.seconds > 0.0
    game.close()


@pytest.mark.slow
def test_the_same_keys_give_the_same_game_after_a_restart() -> None:
    game = JellyPlatformer()
    game.start()
    first = np.array(play(game, 8.0))
    game.start()
    assert (game.falls, game.coins, game.time, game.checkpoint) == (0, 0, 0.0, -1)
    again = np.array(play(game, 8.0))
    np.testing.assert_array_equal(first, again)
    game.close()


@pytest.mark.slow
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


@pytest.mark.slow
def test_spikes_hurt_and_the_hero_returns_to_the_lamp(make: Make) -> None:
    spikes = Hazard((12.0, 0.0), (13.0, 0.5), "spikes")
    game = make(flat_level(hazards=(spikes,), checkpoints=((5.0, 0.0),)))
    for _ in range(300):
        frame(game, "right")
        if game.falls:
            break
    assert game.checkpoint == 0
    assert game.hero.position[0] == pytest.approx(12.0, abs=1.2)
    assert "hurt" in game.sounds.played
    run(game, 90)
    assert (game.falls, game.outcome) == (1, None)
    np.testing.assert_allclose(game.hero.position, (5.0, 0.5), atol=0.3)


@pytest.mark.slow
def test_nobody_loses_and_after_two_falls_a_bubble_helps_until_the_next_lamp(make: Make) -> None:
    game = make(flat_level(checkpoints=((25.0, 0.0),)))
    helped = []
    wait = 0
    for _ in range(2400):
        frame(game, "right")
        helped.append(game.bubble.is_there)
        wait = wait + 1 if game.bubble.is_there else 0
        if wait > 60:
            break
    assert (game.outcome, game.falls) == (None, FAILURES)
    assert not any(helped[:-61])


@pytest.mark.slow
def test_in_the_bubble_the_hero_falls_slowly_and_jumps_in_the_air_and_a_lamp_bursts_it(
    make: Make,
) -> None:
    game = make(flat_level(checkpoints=((12.0, 0.0),)))
    tops = []
    times = []
    for failures in (0, FAILURES):
        game.bubble.failures = failures
        game.hero.appear((0.0, 0.6))
        run(game, 30)
        path = []
        for wait in range(150):
            frame(game, "space", pressed=wait in (0, 30))
            path.append(game.hero.position[1])
        tops.append(max(path))
        times.append(sum(height > 1.0 for height in path))
    assert tops[1] > tops[0] + 1.0
    assert times[1] > 1.5 * times[0]
    run(game, 150, "right")
    assert game.checkpoint == 0
    assert not game.bubble.is_there


@pytest.mark.slow
def test_gems_are_found_and_kept_with_the_best_time(make: Make) -> None:
    game = make(flat_level(secrets=((2.0, 0.6), (40.0, 4.0)), flag=(6.0, 0.0)))
    run(game, 60, "right")
    assert (game.secrets, len(game.secrets_left)) == (1, 1)
    run(game, 200)
    assert game.outcome == "won"
    assert "1 of 2 secrets" in game.outcome_text()
    assert (game.saves["secrets"], game.saves["time"] > 0.0) == (1, True)
    assert "1 secrets" in game.level_words(0)[1]


@pytest.mark.slow
def test_coins_are_taken_once(make: Make) -> None:
    game = make(flat_level(coins=((2.0, 0.6), (20.0, 3.9))))
    run(game, 60, "right")
    assert game.coins == 1
    assert game.sounds.played.count("coin") == 1


@pytest.mark.slow
def test_a_pad_throws_the_hero_up(make: Make) -> None:
    game = make(
        flat_level(start=(4.0, 3.0), jellies=(Jelly("pad", (4.0, 0.0), (2.2, 0.7)),)), settle=0
    )
    assert heights(game, 120).max() > 0.6 * PAD_SPEED**2 / 44.0 + 1.2


@pytest.mark.slow
@pytest.mark.parametrize("aside", [0.0, -0.85, 0.85])
def test_a_grump_bursts_under_a_hero_who_lands_on_it(make: Make, aside: float) -> None:
    game = make(flat_level(start=(4.0, 3.0), grumps=(Patrol(3.9, 4.1, 0.0),)), settle=0)
    game.hero.appear((game.world.grumps[0].position[0] + aside, 1.8))
    game.hero.particles.velocity[:] = (0.0, -8.0)
    top = heights(game, 90)[45:].max()
    assert not game.world.grumps[0].alive
    assert not game.sim.contacts.of(game.world.grumps[0].entity)
    assert (game.falls, top > 1.2) == (0, True)


@pytest.mark.slow
def test_a_grump_bites_from_the_side(make: Make) -> None:
    game = make(flat_level(grumps=(Patrol(4.0, 6.0, 0.0),)))
    run(game, 90, "right")
    assert game.falls == 1
    assert game.world.grumps[0].alive


@pytest.mark.slow
def test_a_grump_stays_on_its_patrol(make: Make) -> None:
    game = make(flat_level(grumps=(Patrol(4.0, 6.0, 0.0),)))
    places = []
    for _ in range(400):
        frame(game)
        places.append(game.world.grumps[0].particles.position[:, 0].mean())
    assert 3.4 < min(places) < 4.1
    assert 5.9 < max(places) < 6.6


@pytest.mark.slow
def test_a_ferry_carries_the_hero_and_turns_round(make: Make) -> None:
    ferry = Ferry((40.0, 0.0), (44.0, 0.0), 3.0, 2.0)
    game = make(flat_level(start=(41.5, 0.7), ferries=(ferry,)), settle=60)
    entity = game.world.ferries[0][1]
    offsets = []
    places = []
    for _ in range(300):
        frame(game)
        left = float(game.world.ferry_collider(entity).vertices[0, 0])
        places.append(left)
        offsets.append(game.hero.position[0] - left)
    assert 39.9 < min(places) < 40.2
    assert 43.8 < max(places) < 44.1
    assert np.ptp(offsets) < 0.8
    assert game.falls == 0


@pytest.mark.slow
def test_a_ledge_lets_the_hero_through_from_below_only(make: Make) -> None:
    game = make(flat_level(ledges=(Ledge((-1.5, 1.7), 3.0),)))
    frame(game, "space", pressed=True)
    run(game, 100, "space")
    assert game.hero.position[1] == pytest.approx(1.7 + 0.9 * RADIUS, abs=0.12)


@pytest.mark.slow
def test_the_wind_lifts_the_hero(make: Make) -> None:
    wind = WindArea((-2.0, 0.0), (2.0, 9.0), (0.0, 13.5))
    game = make(flat_level(winds=(wind,)))
    assert heights(game, 120).max() > 5.0


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("x", "expected"), [(0.0, "whole"), (7.0, "pushed in"), (-7.0, "pushed in"), (8.6, "gone")]
)
def test_a_hint_stays_on_the_screen_until_its_place_is_gone(
    make: Make, x: float, expected: str
) -> None:
    game = make(flat_level(signs=(Sign((x, 3.0), "a hint that is quite long"),)), settle=0)
    picture = Picture(1280, 720, View((0.0, 3.0), 9.0, 1280, 720))
    game.scenery.draw(picture, 0.0, ([], []), -1, 0.0)
    game.scenery.draw_signs(picture)
    if expected == "gone":
        assert not picture.texts
        return
    (text,) = picture.texts
    assert 0.0 < text.place[0] < 1280.0 - picture.text_width(text.text, text.size)
    middle = text.place[0] + 0.5 * picture.text_width(text.text, text.size)
    assert (abs(middle - (640.0 + 80.0 * x)) < 2.0) == (expected == "whole")
