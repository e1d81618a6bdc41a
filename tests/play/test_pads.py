"""Controllers: fake ones speak pyglet's events, through the door that real ones come through."""

from __future__ import annotations

import math

import pytest

from ecs_softbody.play import Axis, Button, Controls, Pads
from ecs_softbody.play.input.actions import Bindings
from ecs_softbody.play.input.pads import DEAD_ZONE, FULL_FROM, without_dead_zone
from tests.helpers.fake_pad import FakePad

ACTIONS = Bindings({"move": Axis("left a", "right d", "stick_x"), "jump": Button("space", "pad_a")})


@pytest.fixture
def pads() -> Pads:
    made = Pads()
    made.controls = Controls(actions=ACTIONS)
    return made


def plugged(pads: Pads, product: str = "0x0000") -> FakePad:
    fake = FakePad(product)
    pads.connect(fake.pad)
    return fake


def next_frame(controls: Controls) -> None:
    controls.pressed.clear()
    controls.released.clear()


@pytest.mark.parametrize(
    ("button", "key"),
    [
        ("a", "pad_a"), ("y", "pad_y"), ("leftshoulder", "pad_lb"), ("start", "pad_start"),
        ("dpleft", "pad_left"), ("dpup", "pad_up"),
    ],
)  # fmt: skip
def test_a_button_goes_down_and_up(pads: Pads, button: str, key: str) -> None:
    fake = plugged(pads)
    controls = pads.controls
    fake.press(button)
    assert fake.opened
    assert controls.was_pressed(key)
    next_frame(controls)
    assert controls.is_pressed(key)
    fake.release(button)
    assert controls.was_released(key)
    assert not controls.is_pressed(key)


@pytest.mark.parametrize("x", [-1.0, -0.6, -0.3, -0.1, 0.0, 0.1, 0.25, 0.5, 0.8, 1.0])
def test_a_stick_moves_as_far_as_it_is_pushed(pads: Pads, x: float) -> None:
    plugged(pads).stick(x, 0.0)
    share = min(max(abs(x) - DEAD_ZONE, 0.0) / (FULL_FROM - DEAD_ZONE), 1.0)
    assert pads.controls.axis("move") == pytest.approx(math.copysign(share, x), abs=1e-3)
    assert pads.controls.horizontal == pytest.approx(math.copysign(share, x), abs=1e-3)


@pytest.mark.parametrize("angle", range(0, 360, 30))
@pytest.mark.parametrize("length", [0.0, 0.1, 0.17, 0.19, 0.5, 0.94, 1.0, 1.4])
def test_the_dead_zone_is_round_keeps_the_direction_and_has_no_jump(
    angle: int, length: float
) -> None:
    x = length * math.cos(math.radians(angle))
    y = length * math.sin(math.radians(angle))
    out = without_dead_zone(x, y)
    assert math.hypot(*out) == pytest.approx(
        min(max(length - DEAD_ZONE, 0.0) / (FULL_FROM - DEAD_ZONE), 1.0)
    )
    assert out[0] * y == pytest.approx(out[1] * x, abs=1e-12)


def test_up_on_the_stick_is_up(pads: Pads) -> None:
    plugged(pads).stick(0.0, 1.0)
    assert pads.controls.vertical == pytest.approx(1.0)
    assert pads.controls.was_pressed("stick_up")


def test_a_stick_that_trembles_at_the_edge_is_one_press(pads: Pads) -> None:
    fake = plugged(pads)
    presses = 0
    for x in (0.5, 0.65, 0.55, 0.65, 0.52, 0.66):
        fake.stick(x, 0.0)
        presses += "stick_right" in pads.controls.pressed
        next_frame(pads.controls)
    assert presses == 1
    fake.stick(0.0, 0.0)
    assert not pads.controls.held


def test_a_trigger_is_an_axis_and_a_key(pads: Pads) -> None:
    fake = plugged(pads)
    fake.trigger(0.3)
    assert pads.controls.axes["pad_rt"] == pytest.approx(0.3, abs=0.01)
    assert not pads.controls.is_pressed("pad_rt")
    fake.trigger(0.9)
    assert pads.controls.was_pressed("pad_rt")


def test_the_device_in_hand_is_the_one_used_last_and_noise_is_no_use(pads: Pads) -> None:
    fake = plugged(pads, "0x5C4")
    fake.stick(0.05, 0.02)
    assert pads.controls.device == "keyboard"
    fake.press("a")
    assert (pads.controls.device, pads.controls.family) == ("pad", "PS")


def test_a_controller_that_is_unplugged_lets_go_of_everything(pads: Pads) -> None:
    fake = plugged(pads)
    fake.press("a")
    fake.stick(1.0, 0.0)
    next_frame(pads.controls)
    pads.disconnect(fake.pad)
    assert pads.count == 0
    assert not pads.controls.held
    assert pads.controls.axis("move") == 0.0
    assert pads.controls.was_released("jump")
    assert "pad_unplugged" in pads.controls.pressed
    next_frame(pads.controls)
    fake.press("b")  # a last event of a controller that is gone
    assert not pads.controls.pressed


def test_a_controller_comes_back(pads: Pads) -> None:
    fake = plugged(pads)
    pads.disconnect(fake.pad)
    pads.connect(fake.pad)
    pads.connect(fake.pad)  # said twice
    fake.press("a")
    assert pads.count == 1
    assert pads.controls.was_pressed("jump")


def test_two_controllers_are_one_player(pads: Pads) -> None:
    first = plugged(pads)
    second = plugged(pads)
    first.press("a")
    second.press("a")
    first.release("a")
    assert pads.controls.is_pressed("jump")
    first.stick(0.4, 0.0)
    second.stick(-0.9, 0.0)
    assert pads.controls.axis("move") < -0.5
    pads.disconnect(second.pad)
    assert pads.controls.axis("move") > 0.2
    assert not pads.controls.is_pressed("jump") or "pad_a" in pads.controls.pressed


def test_a_controller_that_cannot_be_opened_is_left_alone(pads: Pads) -> None:
    pads.connect(FakePad(broken=True).pad)
    assert pads.count == 0


def test_rumble_reaches_every_motor_that_there_is(pads: Pads) -> None:
    fake = plugged(pads)
    pads.rumble(0.3, 0.1)
    pads.rumble(0.9, 0.2)
    assert fake.rumbled == [("weak", 0.3, 0.1), ("weak", 0.9, 0.2), ("strong", 0.9, 0.2)]


def test_without_controllers_rumble_does_nothing(pads: Pads) -> None:
    pads.rumble(1.0, 1.0)
    assert pads.count == 0
