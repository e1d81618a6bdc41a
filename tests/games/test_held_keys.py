"""Keys that are held through a screen do nothing in any game before they are let go."""

from __future__ import annotations

import random
from itertools import chain

import numpy as np
import pytest

from ecs_softbody.play import Controls, Game, Session
from ecs_softbody.play.input.names import AXES, KEYS
from ecs_softbody.play.session import GO
from included import included_games

FRAMES = 30
IN_PAUSE = {*GO, "pad_b", "pad_y", "pad_back"}
"""What the pause itself answers, of the keys that games have, too."""
PLACE = (1.0, 2.0)
"""Where the mouse is [m]."""


def keys_of(game: Game) -> set[str]:
    """Return every key of a game that a session does not use itself."""
    actions = chain(
        game.actions.values(),
        game.bindings.all_keys("horizontal"),
        game.bindings.all_keys("vertical"),
    )
    return {*KEYS} & {*GO, "mouse_left", *(key for one in actions for key in names_of(one))}


def names_of(action: object) -> set[str]:
    return (
        {action}
        if isinstance(action, str)
        else {key for keys in action.parts.values() for key in keys}
    )  # type: ignore[attr-defined]


def hashes(name: str, held: bool, *, paused: bool) -> dict[str, str]:
    """Return the state of a game that was begun, or gone on with,
    while all keys were held or none.
    """
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - a game may use it
    session = Session(included_games()[name].load())
    down, axes = (
        (keys_of(session.game), dict.fromkeys(AXES, 1.0))
        if held
        else (set[str](), dict[str, float]())
    )

    def frames(count: int, pressed: set[str], down: set[str], axes: dict[str, float]) -> None:
        for number in range(count):
            new = pressed if number == 0 else set[str]()
            session.frame(
                Controls(held=down | new, pressed=set(new), axes=dict(axes), pointer=PLACE)
            )

    try:
        if paused:
            frames(10, {"space"}, set(), {})
            frames(1, {"p"}, set(), {})
            frames(5, set(), down, axes)
            frames(1, {"p"} | down - IN_PAUSE, down, axes)
        else:
            frames(5, set(), down, axes)
            frames(1, {"space"}, down, axes)
        assert session.state == "playing"
        frames(FRAMES, set(), down, axes)
        assert session.state == "playing"
        session.frame(Controls(released=set(down), pointer=PLACE))
        return dict(session.game.sim.component_hashes())
    finally:
        session.close()


@pytest.mark.brief(5)
@pytest.mark.parametrize("paused", [False, True], ids=["start", "pause"])
@pytest.mark.parametrize("name", sorted(included_games()))
def test_what_is_held_through_a_screen_changes_nothing(name: str, paused: bool) -> None:
    assert hashes(name, held=True, paused=paused) == hashes(name, held=False, paused=paused)


DONE_WHEN_LET_GO = {
    "slingshot": ("mouse_left", (-9.0, 5.0), "used"),
    "cut-and-tear": ("mouse_left", (0.0, -9.0), "cuts"),
    "little-planet": ("up", PLACE, "thrown"),
    "muscles": ("space", PLACE, "leap_frames"),
}
"""Games in which something happens when a key goes up: the key, where the mouse goes, and what
counts it.
"""


@pytest.mark.brief(2)
@pytest.mark.parametrize("in_pause", [True, False])
@pytest.mark.parametrize("name", list(DONE_WHEN_LET_GO))
def test_what_happens_when_a_key_goes_up_does_not_happen_in_the_pause(
    name: str, in_pause: bool
) -> None:
    key, goal, count = DONE_WHEN_LET_GO[name]
    session = Session(included_games()[name].load())
    session.frame(Controls(pressed={"space"}))
    game = session.game
    start = game.sling.fork if name == "slingshot" else (0.0, 9.0)  # type: ignore[attr-defined]
    session.frame(Controls(held={key}, pressed={key}, pointer=start))
    for _ in range(5):
        session.frame(Controls(held={key}, pointer=goal))
    if in_pause:
        session.frame(Controls(held={key}, pressed={"p"}, pointer=goal))
        session.frame(Controls(released={key}, pointer=goal))
        session.frame(Controls(pressed={"p"}, pointer=goal))
    else:
        session.frame(Controls(released={key}, pointer=goal))
    assert session.state == "playing"
    for _ in range(2):
        session.frame(Controls(pointer=goal))
    assert bool(getattr(game, count)) is not in_pause
    session.close()
