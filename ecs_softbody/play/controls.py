"""Controls: what the player does in one frame."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Controls:
    """What the player does in one frame.

    Key names: `left right up down space enter escape tab backspace shift ctrl`, `a` to `z`, `0` to `9`, `plus
    minus comma period slash`, `f1` to `f12`, `mouse_left mouse_middle mouse_right`.

    Attributes:
        held: keys and buttons that are down.
        pressed: those that went down since the last frame.
        released: those that went up since the last frame.
        pointer: position of the mouse in the world [m].
        pointer_screen: position of the mouse on the screen, in points (720 high, origin at the bottom left).
        scroll: turns of the wheel, up is positive.
    """

    held: set[str] = field(default_factory=set)
    pressed: set[str] = field(default_factory=set)
    released: set[str] = field(default_factory=set)
    pointer: tuple[float, float] = (0.0, 0.0)
    pointer_screen: tuple[float, float] = (0.0, 0.0)
    scroll: float = 0.0

    def is_held(self, *keys: str) -> bool:
        """Return whether any of these keys is down, or was for a moment since the last frame."""
        return any(key in self.held or key in self.pressed for key in keys)

    def was_pressed(self, *keys: str) -> bool:
        """Return whether any of these keys went down since the last frame."""
        return any(key in self.pressed for key in keys)

    def was_released(self, *keys: str) -> bool:
        """Return whether any of these keys went up since the last frame."""
        return any(key in self.released for key in keys)

    @property
    def horizontal(self) -> float:
        """-1, 0 or 1 from the arrow keys or A and D."""
        return float(self.is_held("right", "d")) - float(self.is_held("left", "a"))

    @property
    def vertical(self) -> float:
        """-1, 0 or 1 from the arrow keys or S and W."""
        return float(self.is_held("up", "w")) - float(self.is_held("down", "s"))
