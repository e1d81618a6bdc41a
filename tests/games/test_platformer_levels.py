"""Each level of the platformer is won by its scripted player, late, early and clumsy, too, and not
by one key.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import FRAME, Controls
from ecs_softbody_games.jelly_platformer import JellyPlatformer
from ecs_softbody_games.jelly_platformer.levels.script import LAMP
from ecs_softbody_games.jelly_platformer.rules.boss import Boss
from tests.helpers.starts import STARTS, WHOLE

NAMES = [Path(level).stem for level in JellyPlatformer.levels]
OWN = [name for name in NAMES if name not in ("meadow", "hollow")]
"""Those with a rule of their own; the others have tests of their own."""
LONGEST = 90.0  # s


def begun(name: str) -> JellyPlatformer:
    game = JellyPlatformer()
    game.level_number = NAMES.index(name)
    game.begin()
    return game


@pytest.fixture(params=OWN)
def game(request: pytest.FixtureRequest) -> Iterator[JellyPlatformer]:
    made = begun(request.param)
    yield made
    made.close()


def play_to_the_end(game: JellyPlatformer, slips: np.random.Generator | None = None) -> None:
    """Play as the script says; with `slips` each key comes and goes up to four frames late."""
    held: set[str] = set()
    wait = 0
    for _ in range(round(LONGEST / FRAME)):
        controls = game.autopilot()
        if slips is not None:
            wait = max(wait - 1, 0)
            if controls.held != held and wait == 0:
                wait = int(slips.integers(1, 5))
            now = held if wait > 1 else set(controls.held)
            controls = Controls(held=now, pressed=now - held, released=held - now)
            held = now
        game.advance(controls)
        if game.outcome:
            return


def test_every_lamp_has_a_place_in_the_script_and_something_is_said_at_once(
    game: JellyPlatformer,
) -> None:
    lamps = [int(until) for keys, until in game.level.script if keys == LAMP]
    assert lamps == list(range(1, len(game.level.checkpoints) + 1))
    assert any(sign.at[0] < game.level.start[0] + 9.0 for sign in game.level.signs)


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_a_shifted_start_wins(number: int) -> None:
    """Late, further left or right, or with keys that come late: one of these, all ten where ten
    starts are asked.
    """
    for seed in range(number, number + (STARTS if WHOLE else 1)):
        game = begun(NAMES[number])
        rng = np.random.default_rng(seed)
        for _ in range(int(rng.integers(0, 60))):
            game.advance(Controls())
        game.hero.particles.position += (rng.uniform(-0.4, 0.4), 0.0)
        play_to_the_end(game, rng if seed % 4 == 3 else None)
        assert game.outcome == "won", (seed, game.hero.position)
        assert game.falls <= 3, (seed, "it plays without looking")
        game.close()


@pytest.mark.slow
@pytest.mark.sample(2)
def test_no_level_is_won_by_holding_one_key(game: JellyPlatformer) -> None:
    others = ("jump", "soft", "swell")
    for key in ("right", others[game.level_number % 3]):
        game.begin()
        for frame in range(400):
            game.advance(Controls(held={key}, pressed={key} if frame % 30 == 0 else set()))
        assert game.outcome is None
        assert game.hero.position[0] < game.level.flag[0] - 8.0
        assert np.isfinite(game.sim.buffers[Particles].rows["position"]).all()


@pytest.mark.slow
def test_time_turns_back_in_every_level_and_the_script_goes_on(game: JellyPlatformer) -> None:
    for _ in range(150):
        game.advance(game.autopilot())
    place = game.hero.position
    frame = game.sim.frame
    for _ in range(45):
        game.advance(Controls(held={"z"}, pressed={"z"}))
    assert game.sim.frame < frame - 30
    assert game.hero.position[0] < place[0] - 2.0
    for _ in range(120):
        game.advance(game.autopilot())
    assert game.hero.position[0] > place[0] - 1.0
    assert game.falls == 0


@pytest.mark.slow
def test_the_boss_is_hit_only_out_of_breath_and_its_gate_opens_with_the_last_hit() -> None:
    game = begun("boss")
    boss = game.rules[0]
    assert isinstance(boss, Boss)
    game.hero.appear((44.0, 0.6))
    for at_once in (True, False):
        while boss.is_full != at_once or boss.stunned > 0.0:
            game.advance(Controls())
            game.hero.appear((44.0, 0.6))
        hits = boss.hits_left
        top = float(boss.body.position[:, 1].max())
        game.safe_for = 9.0
        game.hero.appear((float(boss.body.center[0]), top + 0.7))
        for _ in range(15):
            game.advance(Controls())
        assert boss.hits_left == hits - (not at_once)
    assert not boss.is_open
    boss.hits_left = 1
    boss.hit()
    assert boss.is_open
    for _ in range(10):
        game.advance(Controls())
    assert boss.opened == {"gate"}
    game.close()
