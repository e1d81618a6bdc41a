"""Pads: game controllers, plugged in or out at any time, with pyglet's events; they feed
Controls.
"""

from __future__ import annotations

import math
from typing import Any

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import PAD_BUTTONS, UNPLUGGED

DEAD_ZONE, FULL_FROM = 0.18, 0.95
"""Stick deflections below the first count as zero, from the second on as full."""
PUSHED_FROM, PUSHED_UNTIL = 0.55, 0.4
"""A stick or trigger acts as a key that goes down at the first and up below the second."""
STICKS = {"leftstick": ("stick_x", "stick_y"), "rightstick": ("right_stick_x", "right_stick_y")}
"""Pyglet's name of a stick -> the names of its two axes here."""
TRIGGERS = {"lefttrigger": "pad_lt", "righttrigger": "pad_rt"}
"""Pyglet's name of a trigger -> its name here, as an axis and as a key."""
CROSS = (("pad_left", "pad_right"), ("pad_down", "pad_up"))
"""Keys of the D-pad: (low, high) across, then up."""
STICK_KEYS = (("stick_left", "stick_right"), ("stick_down", "stick_up"))
"""Keys that the left stick acts as, in the same order."""


class Pads:
    """All controllers, as one player's.

    `connect` takes any object with pyglet's controller events.
    """

    def __init__(self) -> None:
        self.controls = Controls()
        """Receives the controllers' input; a window sets its own."""
        # The controllers that are plugged in, the keys that each holds down, and the positions of
        # its axes, by the identity of the controller.
        self._pads: dict[int, Any] = {}
        self._held: dict[int, set[str]] = {}
        self._axes: dict[int, dict[str, float]] = {}
        self._source: Any = None

    def open(self, source: Any = None) -> bool:
        """Look for controllers now and from now on; False, and no error, if that is impossible.

        Args:
            source: finds the controllers; pyglet's `ControllerManager` by default.
        """
        try:
            self._source = source or _pyglet_controllers()
            self._source.push_handlers(on_connect=self.connect, on_disconnect=self.disconnect)
            for pad in self._source.get_controllers():
                self.connect(pad)
        except Exception:
            return False
        return True

    @property
    def count(self) -> int:
        """Number of controllers plugged in."""
        return len(self._pads)

    def connect(self, pad: Any) -> None:
        """Add a plugged-in controller; one that cannot be opened is ignored."""
        if id(pad) in self._pads:
            return
        try:
            pad.open()
        except Exception:
            return
        self._held[id(pad)] = set()
        self._pads[id(pad)] = pad
        self._axes[id(pad)] = {}
        pad.push_handlers(
            on_button_press=self._button_down,
            on_button_release=self._button_up,
            on_stick_motion=self._stick,
            on_dpad_motion=self._cross,
            on_trigger_motion=self._trigger,
        )

    def disconnect(self, pad: Any) -> None:
        """Release everything held by an unplugged controller."""
        if self._pads.pop(id(pad), None) is None:
            return
        pad.remove_handlers(
            on_button_press=self._button_down,
            on_button_release=self._button_up,
            on_stick_motion=self._stick,
            on_dpad_motion=self._cross,
            on_trigger_motion=self._trigger,
        )
        self._axes.pop(id(pad))
        self._mix_axes()
        for key in self._held.pop(id(pad)):
            self._let_go(key)
        self.controls.pressed.add(UNPLUGGED)

    def rumble(self, strength: float, seconds: float) -> None:
        """Rumble all controllers that can, 0 to 1; strong hits also drive the slow motor."""
        for pad in self._pads.values():
            try:
                pad.rumble_play_weak(strength, seconds)
                if strength > 0.5:
                    pad.rumble_play_strong(strength, seconds)
            except Exception:  # a controller without a motor, or one being unplugged
                continue

    def _button_down(self, pad: Any, button: str) -> None:
        self._press(pad, PAD_BUTTONS.get(button, ""))

    def _button_up(self, pad: Any, button: str) -> None:
        self._release(pad, PAD_BUTTONS.get(button, ""))

    def _stick(self, pad: Any, stick: str, vector: Any) -> None:
        """Take the position of a stick, -1 to 1 each way; the left one acts as keys, too."""
        if stick not in STICKS or id(pad) not in self._pads:
            return
        x, y = without_dead_zone(float(vector[0]), float(vector[1]))
        across, along = STICKS[stick]
        self._axes[id(pad)] |= {across: x, along: y}
        self._mix_axes()
        if x or y:
            self._in_hand(pad)
        if stick == "leftstick":
            for value, (low, high) in zip((x, y), STICK_KEYS, strict=True):
                self._push(pad, low, -value)
                self._push(pad, high, value)

    def _cross(self, pad: Any, vector: Any) -> None:
        for value, (low, high) in zip((float(vector[0]), float(vector[1])), CROSS, strict=True):
            self._push(pad, low, -value)
            self._push(pad, high, value)

    def _trigger(self, pad: Any, trigger: str, value: float) -> None:
        name = TRIGGERS.get(trigger)
        if name is None or id(pad) not in self._pads:
            return
        pulled = min(max(float(value), 0.0), 1.0)
        self._axes[id(pad)][name] = 0.0 if pulled < 0.05 else pulled
        self._mix_axes()
        self._push(pad, name, pulled)

    def _push(self, pad: Any, key: str, value: float) -> None:
        """Treat a stick or trigger as a key, with hysteresis between down and up."""
        down = key in self._held.get(id(pad), ())
        if not down and value >= PUSHED_FROM:
            self._press(pad, key)
        elif down and value < PUSHED_UNTIL:
            self._release(pad, key)

    def _press(self, pad: Any, key: str) -> None:
        if not key or id(pad) not in self._pads:
            return
        self._held[id(pad)].add(key)
        self._in_hand(pad)
        self.controls.held.add(key)
        self.controls.pressed.add(key)

    def _release(self, pad: Any, key: str) -> None:
        if key in self._held.get(id(pad), ()):
            self._held[id(pad)].discard(key)
            self._let_go(key)

    def _let_go(self, key: str) -> None:
        if key in self.controls.held and not any(key in held for held in self._held.values()):
            self.controls.held.discard(key)
            self.controls.released.add(key)

    def _in_hand(self, pad: Any) -> None:
        self.controls.device = "pad"
        try:
            self.controls.family = pad.type
        except Exception:
            # Some devices lack an id that pyglet asks for.
            self.controls.family = "GENERIC"

    def _mix_axes(self) -> None:
        """Use the controller whose axis is deflected most."""
        mixed: dict[str, float] = {}
        for axes in self._axes.values():
            for name, value in axes.items():
                mixed[name] = max((mixed.get(name, 0.0), value), key=abs)
        self.controls.axes.clear()
        self.controls.axes.update(mixed)


def without_dead_zone(x: float, y: float) -> tuple[float, float]:
    """Return a stick's deflection without its dead zone: radial, and growing from 0 at its edge to
    1.
    """
    length = math.hypot(x, y)
    if not length > DEAD_ZONE:  # not a number either
        return 0.0, 0.0
    share = min((length - DEAD_ZONE) / (FULL_FROM - DEAD_ZONE), 1.0) / length
    return x * share, y * share


def _pyglet_controllers() -> Any:
    """Return pyglet's controller manager, imported without pyglet's hidden window."""
    import pyglet

    pyglet.options.shadow_window = False
    from pyglet.input import ControllerManager

    return ControllerManager()
