"""A game controller without wires: pyglet's own class,
over a device whose switches a test moves.
"""

from __future__ import annotations

from typing import Any

BUTTONS = (
    "a",
    "b",
    "x",
    "y",
    "back",
    "start",
    "guide",
    "leftshoulder",
    "rightshoulder",
    "leftstick",
    "rightstick",
)
STICKS = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")
CROSS = ("dpleft", "dpright", "dpup", "dpdown")


class FakePad:
    """A controller to plug into `Pads.connect`, and hands that move it.

    Args:
        product: USB number of the maker's product: decides whose letters are on the buttons.
    """

    def __init__(self, product: str = "0x0000", *, broken: bool = False) -> None:
        import pyglet

        pyglet.options.shadow_window = False  # or importing the input opens a display
        from pyglet.input.base import AbsoluteAxis, Button, Controller, Device, Sign
        from pyglet.input.controller import Relation

        self.opened = False
        self.rumbled: list[tuple[str, float, float]] = []
        switches = {name: Button(name) for name in (*BUTTONS, *CROSS)}
        axes = {
            name: AbsoluteAxis(name, 0 if "trigger" in name else -32768, 32767) for name in STICKS
        }
        fake = self

        class FakeDevice(Device):  # type: ignore[misc]
            id_product = product

            def __init__(self) -> None:
                super().__init__(None, "fake pad")

            def get_controls(self) -> list[Any]:
                return [*switches.values(), *axes.values()]

            def get_guid(self) -> str:
                return "fake"

            def open(self, window: Any = None, exclusive: bool = False) -> None:
                if broken:
                    raise OSError("no permission")
                fake.opened = True

        class Pad(Controller):  # type: ignore[misc]
            def rumble_play_weak(self, strength: float = 1.0, duration: float = 0.5) -> None:
                fake.rumbled.append(("weak", strength, duration))

            def rumble_play_strong(self, strength: float = 1.0, duration: float = 0.5) -> None:
                fake.rumbled.append(("strong", strength, duration))

        mapping: dict[str, Any] = {"name": "fake pad", "guid": "fake"}
        for number, name in enumerate(switches):
            mapping[name] = Relation("button", number, Sign.DEFAULT)
        for number, name in enumerate(axes):
            mapping[name] = Relation("axis", number, Sign.DEFAULT)
        self._switches = switches
        self._axes = axes
        self.pad = Pad(FakeDevice(), mapping)

    def press(self, *buttons: str) -> None:
        """Push buttons down: "a", "start", "dpleft"."""
        for button in buttons:
            self._switches[button].value = True

    def release(self, *buttons: str) -> None:
        """Let buttons go."""
        for button in buttons:
            self._switches[button].value = False

    def stick(self, x: float, y: float, which: str = "left") -> None:
        """Push a stick, -1 to 1, up is positive; the hardware counts down as positive."""
        self._axes[f"{which}x"].value = round(x * 32767)
        self._axes[f"{which}y"].value = round(-y * 32767)

    def trigger(self, value: float, which: str = "right") -> None:
        """Pull a trigger, 0 to 1."""
        self._axes[f"{which}trigger"].value = round(value * 32767)
