"""From keys and buttons of a window to what a frame sees of them."""

from __future__ import annotations

import pytest

from ecs_softbody.play import Controls
from ecs_softbody.play.input.devices import Devices
from tests.helpers.fake_pad import FakePad


@pytest.fixture
def devices() -> Devices:
    return Devices()


def tap(devices: Devices, name: str) -> None:
    devices.press(name)
    devices.release(name)


def test_each_of_three_quick_presses_has_a_frame_of_its_own(devices: Devices) -> None:
    for _ in range(3):
        tap(devices, "down")
    tap(devices, "space")
    seen = []
    for _ in range(4):
        controls = devices.controls
        seen.append(
            (
                controls.was_pressed("down"),
                controls.was_released("down"),
                controls.was_pressed("space"),
            )
        )
        assert not controls.held
        devices.next_frame()
    assert seen == [
        (True, True, True),
        (True, True, False),
        (True, True, False),
        (False, False, False),
    ]


def test_the_last_of_quick_presses_may_last(devices: Devices) -> None:
    tap(devices, "down")
    devices.press("down")
    devices.next_frame()
    assert devices.controls == Controls(held={"down"}, pressed={"down"})
    devices.next_frame()
    assert devices.controls == Controls(held={"down"})


def test_what_was_not_pressed_here_is_not_let_go_here(devices: Devices) -> None:
    devices.release("space")
    assert devices.controls == Controls()
    devices.press("space")
    devices.begin()
    devices.release("space")
    assert devices.controls == Controls()


def test_in_another_window_everything_is_let_go_once(devices: Devices) -> None:
    tap(devices, "down")
    devices.press("down")
    devices.press("mouse_left")
    devices.let_go()
    assert not devices.controls.held
    assert devices.controls.released == {"down", "mouse_left"}
    devices.next_frame()
    devices.release("down")
    assert devices.controls == Controls()


def test_a_button_of_a_controller_that_is_held_begins_nothing_on_another_screen(
    devices: Devices,
) -> None:
    fake = FakePad()
    devices.pads.connect(fake.pad)
    fake.press("a")
    fake.stick(0.8, 0.0)
    assert devices.controls.held == {"pad_a", "stick_right"}
    devices.begin()
    fake.stick(0.9, 0.0)
    assert not devices.controls.pressed
    # as a stick stands, which is no press
    assert devices.controls.axis("horizontal") > 0.8
    fake.release("a")
    fake.stick(0.0, 0.0)
    assert not devices.controls.released
    fake.press("a")
    fake.stick(0.8, 0.0)
    assert devices.controls.pressed == {"pad_a", "stick_right"}
