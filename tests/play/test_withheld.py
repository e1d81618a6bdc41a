"""What is held through a screen does nothing in the game before it is let go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody.play import Controls, Session
from tests.play.jumper import Jumper, frames

WAYS_IN = {
    "pause": (["p"], "p"), "pause, space": (["p"], "space"), "escape": (["escape"], "enter"),
    "help": (["h"], "h"), "controller": (["pad_start"], "pad_a"),
    "settings": (["p", "o", "escape"], "space"), "map": (["p", "backspace"], "space"),
}  # fmt: skip
"""Keys that open a screen, and the one that ends the last of them."""
HELD = {
    "space": "jump",
    "up": "jump",
    "pad_a": "jump",
    "right": "move",
    "d": "move",
    "pad_left": "move",
}


class Watcher(Jumper):
    """Knows what it has seen of the player."""

    def start(self) -> None:
        super().start()
        self.seen: list[Controls] = []

    def update(self, controls: Controls, dt: float) -> None:
        super().update(controls, dt)
        self.seen.append(controls.copied())

    @property
    def has_seen_nothing(self) -> bool:
        return not any(
            one.held or one.pressed or one.released or any(one.axes.values()) for one in self.seen
        )


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Watcher())
    yield made
    made.close()


def watcher_of(session: Session) -> Watcher:
    assert isinstance(session.game, Watcher)
    return session.game


def begin(session: Session) -> None:
    session.frame(Controls(pressed={"space"}))
    session.frame()
    assert session.state == "playing"
    watcher_of(session).seen.clear()


@pytest.mark.brief(5)
@pytest.mark.parametrize("way", list(WAYS_IN))
@pytest.mark.parametrize("key", list(HELD))
@pytest.mark.parametrize("before", [True, False], ids=["held before", "pressed in it"])
def test_a_key_that_is_held_through_a_screen_is_seen_when_it_is_pressed_again(
    session: Session, way: str, key: str, before: bool
) -> None:
    begin(session)
    opens, closes = WAYS_IN[way]
    held = {key} if before else set[str]()
    if before:
        session.frame(Controls(held={key}, pressed={key}))
    for name in opens:
        session.frame(Controls(held=held | {name}, pressed={name}))
    watcher_of(session).seen.clear()
    frames(session, 5, held=held)
    if key != closes and key not in ("space", "pad_a"):  # which would end the screen
        session.frame(Controls(held={key}, pressed={key} - held))
        held = {key}
    session.frame(Controls(held=held | {closes}, pressed={closes}))
    assert session.state == "playing"
    game = watcher_of(session)
    frames(session, 10, held=held | {closes})
    frames(session, 5, held=held)
    session.frame(Controls(released=held))
    session.frame()
    assert game.has_seen_nothing
    assert game.seen
    session.frame(Controls(held={key}, pressed={key}))
    assert game.seen[-1].was_pressed(key)
    session.frame(Controls(released={key}))
    assert game.seen[-1].was_released(key)


def test_a_key_that_is_let_go_and_pressed_within_a_frame_is_seen(session: Session) -> None:
    session.frame(Controls(held={"space"}, pressed={"space"}))
    frames(session, 3, held={"space"})
    session.frame(Controls(held={"space"}, pressed={"space"}, released={"space"}))
    assert watcher_of(session).jumps == 1


def test_two_keys_with_which_a_screen_ends_are_both_held_back(session: Session) -> None:
    begin(session)
    session.frame(Controls(pressed={"p"}))
    keys = {"space", "right", "mouse_left"}
    session.frame(Controls(held=keys, pressed=set(keys)))
    frames(session, 3, held=keys)
    session.frame(Controls(held={"right"}, released={"space", "mouse_left"}))
    assert watcher_of(session).has_seen_nothing


def test_a_stick_that_is_held_through_a_pause_moves_nothing_before_it_was_in_the_middle(
    session: Session,
) -> None:
    begin(session)
    pushed = {"stick_x": 0.7}
    session.frame(Controls(axes=dict(pushed), device="pad"))
    assert watcher_of(session).moved == 0.7
    session.frame(Controls(axes=dict(pushed), pressed={"pad_start"}))
    session.frame(Controls(axes=dict(pushed), pressed={"pad_start"}))
    session.frame(Controls(axes={"stick_x": 0.9}))
    assert session.state == "playing"
    assert watcher_of(session).moved == 0.0
    session.frame(Controls(axes={"stick_x": 0.0}))
    session.frame(Controls(axes=dict(pushed)))
    assert watcher_of(session).moved == 0.7


def test_a_key_that_is_held_when_a_level_ends_is_seen_when_it_is_pressed_again(
    session: Session,
) -> None:
    begin(session)
    session.frame(Controls(held={"right"}, pressed={"right"}))
    session.game.outcome = "won"
    frames(session, 40, held={"right"})
    session.frame(Controls(held={"right", "space"}, pressed={"space"}))
    assert (session.state, session.game.level_number) == ("playing", 1)
    frames(session, 5, held={"right", "space"})
    assert watcher_of(session).has_seen_nothing
    session.frame(Controls(held={"right"}, released={"right"}, pressed={"right"}))
    assert watcher_of(session).moved == 1.0


def test_a_key_goes_on_through_a_restart_and_a_new_level(session: Session) -> None:
    begin(session)
    frames(session, 2, held={"right"})
    session.frame(Controls(held={"right", "r"}, pressed={"r"}))
    session.frame(Controls(held={"right"}))
    assert watcher_of(session).moved == 1.0
    watcher_of(session).next_level()
    frames(session, 2, held={"right"})
    assert session.game.level_number == 1
    assert watcher_of(session).moved == 1.0


def test_what_was_pressed_before_the_pause_in_slow_motion_comes_no_more(session: Session) -> None:
    begin(session)
    session.slow = True
    updates = len(watcher_of(session).updates)
    while len(watcher_of(session).updates) == updates:
        session.frame()
    # for the next frame of the world
    session.frame(Controls(pressed={"up"}, released={"up"}))
    session.frame(Controls(pressed={"p"}))
    session.frame(Controls(pressed={"p"}))
    session.slow = False
    frames(session, 5)
    assert watcher_of(session).jumps == 0
