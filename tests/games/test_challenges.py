"""The challenges of bouncing balls: each is met by mouse and keys alone, and not by waiting or by
holding a key.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import Controls, Session, say
from ecs_softbody.rendering import Layer
from ecs_softbody_games.bouncing_balls import BouncingBalls
from ecs_softbody_games.bouncing_balls.challenges import CHALLENGES, Challenge, KeepUp, Rings, Speed
from ecs_softbody_games.bouncing_balls.game import FAILURES
from tests.helpers.games import play
from tests.helpers.starts import STARTS

NUMBERS = range(1, len(CHALLENGES) + 1)


def opened(number: int, *, autopilot: bool = False) -> Session:
    game = BouncingBalls()
    game.level_number = number
    session = Session(game, autopilot=autopilot)
    if not autopilot:
        session.frame(Controls(pressed={"space"}))
    return session


def game_of(session: Session) -> BouncingBalls:
    assert isinstance(session.game, BouncingBalls)
    return session.game


def challenge_of(session: Session) -> Challenge:
    challenge = game_of(session).challenge
    assert challenge is not None
    return challenge


def play_on(session: Session, controls: Controls | None = None) -> None:
    """Play to the end, with the same keys in every frame, or as the script does."""
    while session.state == "playing":
        session.frame(controls or Controls())


@pytest.fixture(params=NUMBERS)
def number(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.mark.slow
@pytest.mark.brief(6)
def test_a_scripted_player_meets_it_and_the_result_is_kept(number: int) -> None:
    session = opened(number, autopilot=True)
    play_on(session)
    game = game_of(session)
    challenge = challenge_of(session)
    assert (session.state, challenge.won) == ("won", True)
    assert game.saves[f"stars {number + 1}"] == challenge.stars >= 2
    assert game.saves[f"challenge {number}"] == challenge.result
    assert game.saves["challenges"] == 1
    assert game.level_words(number)[1] == game.outcome_text() != ""
    session.close()


@pytest.mark.slow
def test_it_is_met_from_shifted_starts(number: int) -> None:
    outcomes = []
    for seed in range(STARTS):
        session = opened(number, autopilot=True)
        rng = np.random.default_rng(seed)
        for body in game_of(session).crowd.bodies:
            body.particles.position += rng.uniform(-0.05, 0.05, 2)
        play_on(session)
        outcomes.append(session.state)
        session.close()
    assert outcomes == ["won"] * STARTS


@pytest.mark.slow
@pytest.mark.sample(6)
@pytest.mark.parametrize(
    "key", ["", "left", "right", "up", "down", "space", "g", "d", "e", "plus", "mouse_left"]
)
def test_nobody_meets_it_by_holding_one_key(number: int, key: str) -> None:
    session = opened(number)
    game = game_of(session)
    held = {key} - {""}
    pointer = tuple(game.crowd.bodies[0].place)
    session.frame(Controls(held=held, pressed=set(held), pointer=pointer))
    while session.state == "playing" and game.sim.frame < 3700:
        session.frame(Controls(held=held, pointer=pointer))
    assert session.state == "lost"
    assert f"stars {number + 1}" not in game.saves
    session.close()


def test_only_its_own_toys_work(number: int) -> None:
    session = opened(number)
    game = game_of(session)
    toys = challenge_of(session).toys
    bodies = len(game.crowd)
    before = (game.settings.fluid_level, game.settings.restitution_level)
    for key in ("plus", "minus", "d", "e", "t"):
        session.frame(Controls(pressed={key}, held={key}))
    assert len(game.crowd) == bodies
    assert (game.settings.fluid_level, game.settings.restitution_level) == before
    session.frame(Controls(pressed={"left"}, held={"left"}))
    assert (game.settings.direction == "left") == ("gravity" in toys)
    session.frame(Controls(pressed={"space"}, held={"space"}))
    assert (challenge_of(session).kicks == 1) == ("kick" in toys)
    x, y = game.crowd.bodies[0].place.tolist()
    session.frame(Controls(pressed={"mouse_left"}, held={"mouse_left"}, pointer=(x, y)))
    assert session.drag.holding == ("mouse" in toys)
    session.close()


def test_the_key_goes_through_all_of_them_and_back_to_the_sandbox() -> None:
    game = BouncingBalls()
    game.begin()
    seen = []
    for _ in range(len(CHALLENGES) + 1):
        seen.append(type(game.challenge))
        play(game, 1, "c")
        play(game, 1)
    assert seen == [type(None), *CHALLENGES]
    assert game.challenge is None
    assert len(game.crowd) == 40
    game.close()


def test_all_are_on_the_map_and_who_fails_twice_gets_a_hint() -> None:
    game = BouncingBalls()
    assert game.opened_levels == len(CHALLENGES) + 1
    words = [game.level_words(number)[0] for number in range(game.opened_levels)]
    assert len(set(words)) == len(words)
    game.close()
    session = opened(4)
    for failure in range(FAILURES):
        shown = " ".join(text.text for text in session.picture(1280, 720).texts)
        assert say("balls.keep_up_hint").split()[0] not in shown, failure
        play_on(session)
        assert session.state == "lost"
        session.restart()
    shown = " ".join(text.text for text in session.picture(1280, 720).texts)
    assert say("balls.keep_up_hint") in shown
    session.close()


@pytest.mark.brief(4)
@pytest.mark.parametrize(("kind", "late"), [(Rings, 40.0), (Speed, 15.0)])
def test_late_is_worth_one_star(kind: type[Challenge], late: float) -> None:
    session = opened(CHALLENGES.index(kind) + 1, autopilot=True)
    challenge = challenge_of(session)
    challenge.frame = round(60 * late)
    play_on(session)
    assert (session.state, challenge.stars) == ("won", 1)
    session.close()


def test_more_kicks_are_worth_fewer_stars() -> None:
    session = opened(CHALLENGES.index(KeepUp) + 1)
    challenge = challenge_of(session)
    stars = []
    for kicks in (KeepUp.best, KeepUp.best + 1, KeepUp.good + 1):
        challenge.kicks = int(kicks)
        stars.append(challenge.stars)
    assert stars == [3, 2, 1]
    session.close()


SIZES = [(320, 180), (450, 900), (1280, 720), (2560, 1080), (3840, 2160)]


@pytest.mark.brief(16)
@pytest.mark.parametrize("size", SIZES)
def test_what_its_panel_says_is_within_the_panel(number: int, size: tuple[int, int]) -> None:
    session = opened(number)
    game_of(session).failures[number] = FAILURES
    game_of(session).saves[f"challenge {number}"] = 12.3
    session.picture(*size)
    for _ in range(3):
        session.frame()
    session.autopilot = True  # no keys at the bottom
    picture = session.picture(*size)
    lines = [
        text
        for text in picture.texts
        if text.text.strip() and text.place[0] > picture.width - 300.0
    ]
    assert len(lines) > 6
    for text in lines:
        assert text.place[0] + picture.text_width(text.text, text.size) <= picture.width
    rows = sorted(text.place[1] for text in lines)
    assert rows[0] > 60.0
    session.close()


def test_a_panel_shows_keys_where_they_act_and_nowhere_else(number: int) -> None:
    session = opened(number)
    challenge = {
        text.text for text in session.picture(1280, 720).texts if text.layer < Layer.SCREEN
    }
    session.close()
    session = opened(0)
    sandbox = {text.text for text in session.picture(1280, 720).texts if text.layer < Layer.SCREEN}
    session.close()
    assert {"G", "D", "E", "+", "-"} <= sandbox
    assert not {"G", "D", "E", "+", "-"} & challenge
