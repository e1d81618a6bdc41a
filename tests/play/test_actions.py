"""Actions: what a game asks for, by which keys, and what it is told when a name is wrong."""

from __future__ import annotations

import pytest

from ecs_softbody.play import Axis, Button, Controls
from ecs_softbody.play.input.actions import Bindings
from ecs_softbody.play.input.hints import game_hints, session_hints
from tests.play.jumper import Jumper

JUMP = Button("space", "up", "pad_a")
MOVE = Axis("left a pad_left", "right d pad_right", "stick_x")


def bound(**what: object) -> Controls:
    return Controls(actions=Bindings({"jump": JUMP, "move": MOVE}), **what)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["space", "up", "pad_a"])
def test_each_key_of_an_action_does_it(key: str) -> None:
    assert bound(pressed={key}).was_pressed("jump")
    assert bound(held={key}).is_pressed("jump")
    assert bound(released={key}).was_released("jump")
    assert not bound(held={key}).was_pressed("jump")


@pytest.mark.parametrize(
    ("held", "stick", "value"),
    [
        (set(), 0.0, 0.0),
        ({"left"}, 0.0, -1.0),
        ({"d"}, 0.0, 1.0),
        ({"left", "d"}, 0.0, 0.0),
        (set(), 0.4, 0.4),
        ({"right"}, 0.4, 1.0),
        ({"left", "right"}, -0.3, -0.3),
        (set(), 0.99, 0.99),
    ],
)
def test_an_axis_takes_keys_and_sticks(held: set[str], stick: float, value: float) -> None:
    axes = {"stick_x": stick} if stick else {}
    assert bound(held=held, axes=axes).axis("move") == pytest.approx(value)


def test_a_scripted_player_names_actions() -> None:
    controls = Controls(pressed={"jump"}, axes={"move": -0.5})
    assert controls.was_pressed("jump")
    assert controls.axis("move") == -0.5
    assert controls.is_pressed("jump", "space")


def test_one_end_of_an_axis_is_asked_for_like_a_key() -> None:
    assert bound(pressed={"a"}).was_pressed("move-")
    assert not bound(pressed={"a"}).was_pressed("move+")
    assert bound(pressed={"a"}).was_pressed("move")


def test_a_wrong_name_is_an_error_that_names_the_right_one() -> None:
    with pytest.raises(ValueError, match=r"no action or key 'jmup'.*\(did you mean jump\?\)"):
        bound().was_pressed("jmup")
    with pytest.raises(ValueError, match=r"did you mean move\?"):
        bound().axis("mvoe")
    with pytest.raises(ValueError, match="no action or key 'jump'"):
        bound().axis("jump")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Button("spce"), "'spce' is not the name of a key .did you mean space"),
        (lambda: Axis("left", "rigth"), "did you mean right"),
        (lambda: Axis("left", "right", "stik_x"), "did you mean stick_x"),
        (lambda: Bindings({"up": JUMP}), "'up' is not allowed"),
        (lambda: Bindings({"move it": MOVE}), "'move it' is not allowed"),
    ],
)
def test_a_wrong_declaration_is_refused(make: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("action", [Button("space", "p"), Axis("left", "right r")])
def test_keys_of_the_session_are_refused(action: Button | Axis) -> None:
    class Wrong(Jumper):
        actions = {"wrong": action}  # noqa: RUF012 - as games write it

    with pytest.raises(ValueError, match=r"actions.wrong: '[pr]' is not allowed: the session uses"):
        Wrong()


def test_an_action_must_be_a_button_or_an_axis() -> None:
    with pytest.raises(TypeError, match=r"^actions.jump: 'space' is not allowed; expected Button"):
        Bindings({"jump": "space"})  # type: ignore[dict-item]


def test_the_player_chooses_a_key_of_each_device() -> None:
    bindings = Bindings({"jump": JUMP, "fire": Button("x", "pad_b")})
    bindings.choose("jump", "j")
    assert bindings.keys("jump") == ("j", "pad_a")
    bindings.choose("jump", "pad_b")
    assert bindings.keys("jump") == ("j", "pad_b")
    assert bindings.keys("fire") == ("x",)  # one button does one thing
    again = Bindings({"jump": JUMP, "fire": Button("x", "pad_b")})
    again.load(bindings.saved())
    assert [again.keys(part) for part in again.parts()] == [
        bindings.keys(part) for part in bindings.parts()
    ]
    again.reset()
    assert again.keys("jump") == ("space", "up", "pad_a")


@pytest.mark.parametrize(
    "saved", [None, 3, [], {"gone": ["space"]}, {"jump": "space"}, {"jump": [1, "no key"]}]
)
def test_what_a_file_says_wrongly_is_left_out(saved: object) -> None:
    bindings = Bindings({"jump": JUMP})
    bindings.load(saved)
    assert set(bindings.keys("jump")) <= {"space", "up", "pad_a"}
    assert bindings.parts() == ["jump"]


def test_hints_speak_of_the_device_in_hand() -> None:
    keys = [("move", "roll"), ("jump", "hop"), ("vertical", "gas"), ("mouse", "pull")]
    controls = bound()
    assert game_hints(keys, controls.actions, controls) == [
        ("← →", "roll"), ("space", "hop"), ("↑ ↓", "gas"), ("mouse", "pull"),
    ]  # fmt: skip
    controls.device = "pad"
    assert [key for key, _ in game_hints(keys, controls.actions, controls)] == [
        "Stick",
        "A",
        "Stick",
        "mouse",
    ]
    assert session_hints([("p", "pause"), ("h", "all keys")], controls) == [("Start", "pause")]
    controls.family = "PS"
    assert [key for key, _ in game_hints(keys, controls.actions, controls)][1] == "Cross"
