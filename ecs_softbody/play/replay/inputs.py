"""Inputs: a compact encoding of the player's input in each frame.

A frame is one byte of flags, then the flagged parts: names that went down or up, the pointer,
sticks. Names are indices into the replay's list of names. The pointer is rounded to a tenth of a
millimetre and sticks to 1/32767 before the game sees them, so that playback gives the same values.
"""

from __future__ import annotations

import math
import struct
from typing import Any, NamedTuple, get_args

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.names import Device, Family
from ecs_softbody.state.container import SnapshotError

HELD, PRESSED, RELEASED, POINTER, SCROLL, AXES, DEVICE, STANDING = (1 << bit for bit in range(8))
"""Flags: which parts follow. STANDING has none: the world stood still in this frame."""
GRID = 1e-4  # m
STEPS = 32767.0
"""Steps of a stick from the middle to its end."""
PLACE = struct.Struct("<iihh")
"""Pointer in the world [GRID] and on the screen [points], x and y each."""
NUMBER = struct.Struct("<d")
STICK = struct.Struct("<Bh")
"""Name of a stick's axis, and its value [1/STEPS]."""
LARGEST = 2.0e5  # m
APART = 64
"""A reader keeps one frame in this many in memory, and reads on from there."""


def rounded(controls: Controls) -> Controls:
    """Return the player's input rounded as for playback."""
    x, y = (round(min(max(value, -LARGEST), LARGEST) / GRID) * GRID for value in controls.pointer)
    u, v = (float(round(min(max(value, -32000.0), 32000.0))) for value in controls.pointer_screen)
    axes = {
        name: round(min(max(value, -1.0), 1.0) * STEPS) / STEPS
        for name, value in controls.axes.items()
    }
    return Controls(
        held=set(controls.held),
        pressed=set(controls.pressed),
        released=set(controls.released),
        pointer=(x, y),
        pointer_screen=(u, v),
        scroll=controls.scroll,
        axes=axes,
        device=controls.device,
        family=controls.family,
        actions=controls.actions,
    )


class InputWriter:
    """Writes frames; each holds the differences from the previous one."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._before = Controls()

    def frame(self, controls: Controls, *, standing: bool = False) -> bytes:
        """Return the bytes of a frame; `controls` must be rounded."""
        before = self._before
        flags = STANDING if standing else 0
        parts = [b""]
        if controls.held != before.held:
            flags |= HELD
            parts.append(self._names(controls.held))
        for flag, names in ((PRESSED, controls.pressed), (RELEASED, controls.released)):
            if names:
                flags |= flag
                parts.append(self._names(names))
        if (controls.pointer, controls.pointer_screen) != (before.pointer, before.pointer_screen):
            flags |= POINTER
            (x, y) = controls.pointer
            (u, v) = controls.pointer_screen
            parts.append(PLACE.pack(round(x / GRID), round(y / GRID), int(u), int(v)))
        if controls.scroll:
            flags |= SCROLL
            parts.append(NUMBER.pack(controls.scroll))
        if controls.axes != before.axes:
            flags |= AXES
            sticks = [
                STICK.pack(self._number(name), round(value * STEPS))
                for name, value in controls.axes.items()
            ]
            parts += [bytes([len(sticks)]), *sticks]
        if (controls.device, controls.family) != (before.device, before.family):
            flags |= DEVICE
            parts.append(bytes([self._number(controls.device), self._number(controls.family)]))
        parts[0] = bytes([flags])
        self._before = controls
        return b"".join(parts)

    def _names(self, names: set[str]) -> bytes:
        return bytes([len(names), *sorted(self._number(name) for name in sorted(names))])

    def _number(self, name: str) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
        return self._numbers[name]


class _Frame(NamedTuple):
    """The player's input in one frame; `end` is the start of the next one.

    Frames share unchanged sets.
    """

    held: set[str]
    pressed: set[str]
    released: set[str]
    pointer: tuple[float, float]
    screen: tuple[float, float]
    scroll: float
    axes: dict[str, float]
    device: Any
    family: Any
    is_standing: bool
    end: int


NONE: set[str] = set()
FIRST = _Frame(NONE, NONE, NONE, (0.0, 0.0), (0.0, 0.0), 0.0, {}, "keyboard", "GENERIC", False, 0)
"""The state before the first frame."""


class InputReader:
    """Reads frames in any order, fastest in sequence.

    One frame in APART is kept in memory; the following ones are read from there.

    Raises:
        SnapshotError: if a frame is damaged.
    """

    def __init__(self, names: list[str], data: bytes, count: int) -> None:
        self._names = names
        self._data = data
        self._kept: list[_Frame] = []
        frame = FIRST
        for number in range(count):
            if number % APART == 0:
                self._kept.append(frame)
            try:
                frame = self._after(frame)
            except (IndexError, struct.error, ValueError):
                raise SnapshotError(
                    f"replay: what the player did in frame {number + 1} is damaged"
                ) from None
        if frame.end != len(data):
            raise SnapshotError("replay: its frames are damaged")
        self._number = count - 1
        self._frame = frame

    def __getitem__(self, number: int) -> tuple[Controls, bool]:
        """Return the controls of a frame, and whether the world stood still in it."""
        if not 0 <= number - self._number < APART:
            self._number = number // APART * APART - 1
            self._frame = self._kept[number // APART]
        for _ in range(number - self._number):
            self._frame = self._after(self._frame)
        self._number = number
        frame = self._frame
        controls = Controls(
            frame.held,
            frame.pressed,
            frame.released,
            frame.pointer,
            frame.screen,
            frame.scroll,
            frame.axes,
            frame.device,
            frame.family,
        )
        return rounded(controls), frame.is_standing

    def _after(self, before: _Frame) -> _Frame:
        """Return the frame after another one."""
        cursor = _Cursor(self._data, before.end)
        flags = cursor.byte()
        held = cursor.names(self._names) if flags & HELD else before.held
        pressed = cursor.names(self._names) if flags & PRESSED else NONE
        released = cursor.names(self._names) if flags & RELEASED else NONE
        pointer = before.pointer
        screen = before.screen
        if flags & POINTER:
            x, y, u, v = cursor.unpack(PLACE)
            pointer = (x * GRID, y * GRID)
            screen = (float(u), float(v))
        scroll = cursor.unpack(NUMBER)[0] if flags & SCROLL else 0.0
        if not math.isfinite(scroll):
            raise ValueError(scroll)
        axes = before.axes
        if flags & AXES:
            sticks = [cursor.unpack(STICK) for _ in range(cursor.byte())]
            axes = {self._names[number]: value / STEPS for number, value in sticks}
        device = before.device
        family = before.family
        if flags & DEVICE:
            device = self._names[cursor.byte()]
            family = self._names[cursor.byte()]
            if device not in get_args(Device) or family not in get_args(Family):
                raise ValueError(device)
        return _Frame(
            held,
            pressed,
            released,
            pointer,
            screen,
            scroll,
            axes,
            device,
            family,
            bool(flags & STANDING),
            cursor.at,
        )


class _Cursor:
    """A read position in bytes."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self.at = at

    def byte(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self._data[self.at - 1]

    def names(self, names: list[str]) -> set[str]:
        """Return the next names: how many there are, then the number of each."""
        return {names[self.byte()] for _ in range(self.byte())}

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        """Return the next values of a layout."""
        self.at += layout.size
        return layout.unpack_from(self._data, self.at - layout.size)
