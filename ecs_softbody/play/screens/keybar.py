"""Key bar: key caps, rows of keys with descriptions, and the bar at the bottom of every screen."""

from __future__ import annotations

import math

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.hints import Keys, session_hints
from ecs_softbody.play.input.session_keys import PAUSE, RESTART, SETTINGS, SOUND
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.camera import KEY_BAR
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.cached import draw_cached
from ecs_softbody.rendering.screen.points import pixels_per_point
from ecs_softbody.rendering.texts.table import say

LEAST_KEYS = 17.0
"""Minimum size of keys in one row [points]; smaller ones are split into several rows."""
EDGE = 22.0
"""Margin at both sides of the screen [points]."""
LEAST_PIXELS = 6
"""Minimum size of a letter [pixels]."""
FOOT = 205
"""Darkness of the bar, of 255."""
UNDER_GLASS = 92.0
"""Height above the bar that buttons for fingers take on screens with lists [points]."""
SESSION_KEYS: Keys = [
    (PAUSE, "keys.pause"),
    (RESTART, "keys.restart"),
    (SETTINGS, "keys.settings"),
    (SOUND, "keys.sound"),
    ("tab", "keys.physics"),
    (",", "keys.slow"),
    (".", "keys.step"),
    ("f9", "keys.gif"),
    ("f11", "keys.full_screen"),
    ("f12", "keys.picture"),
    ("esc", "keys.pause_leave"),
]
"""Keys of every game, each with the text key of its description."""


def spoken(keys: Keys) -> Keys:
    """Return keys with their descriptions in place of text keys."""
    return [(key, say(meaning)) for key, meaning in keys]


def cap_width(picture: Picture, key: str, size: float) -> float:
    """Return the width of a key cap [points]."""
    return max(picture.text_width(key.upper(), 0.8 * size) + 0.9 * size, 1.5 * size)


def draw_key(
    picture: Picture, key: str, left: float, baseline: float, size: float, layer: int
) -> float:
    """Draw a key cap and return its width [points]."""
    width = cap_width(picture, key, size)
    low = (left, baseline - 0.45 * size)
    high = (left + width, baseline + 1.05 * size)
    picture.panel(
        (low[0], low[1] - 3),
        (high[0], high[1] - 0.5 * size),
        palette.TEXT_SHADOW,
        corner=8,
        layer=layer,
    )
    picture.panel(low, high, picture.theme.key_cap, corner=8, layer=layer)
    middle = (left + 0.5 * width, baseline + 0.3 * size)
    picture.text(
        key.upper(),
        middle,
        size=0.8 * size,
        align="center",
        vertical="middle",
        shadow=False,
        layer=layer + 1,
    )
    return width


def fitting(picture: Picture, text: str, size: float, room: float | None = None) -> float:
    """Return the size of a text [points], reduced to fit the screen or `room` points."""
    free = picture.width - 2.0 * EDGE if room is None else room
    width = picture.text_width(text, size)
    if width <= free:
        return size
    # The size of letters is a whole number of pixels.
    pixels = int(size * picture.point * free / width)
    while pixels > LEAST_PIXELS and picture.text_width(text, pixels / picture.point) > free:
        pixels -= 1
    return max(pixels, LEAST_PIXELS) / picture.point


def enlarged(picture: Picture) -> float:
    """Return the scale of keys on a screen that is 720 points high in a window of any size.

    So they have the same size in pixels as in other games.
    """
    return (
        pixels_per_point(picture.width_px, picture.height_px) / picture.point
        if picture.text_size == 0.0
        else 1.0
    )


def row_width(picture: Picture, keys: Keys, size: float) -> float:
    """Return the width of a row of keys and descriptions [points]."""
    caps = sum(
        cap_width(picture, key, size) + picture.text_width(meaning, size) for key, meaning in keys
    )
    return caps + size * (0.45 * len(keys) + 1.4 * (len(keys) - 1))


def _key_rows(picture: Picture, keys: Keys, size: float, room: float) -> tuple[list[Keys], float]:
    """Return keys as rows that fit into `room` points, and their size: smaller first, then more
    rows.
    """
    smaller = size
    free = room - 2.0 * EDGE
    least = LEAST_KEYS * enlarged(picture)
    while smaller > least and row_width(picture, keys, smaller) > free:
        smaller -= 1.0
    whole = row_width(picture, keys, smaller)
    if whole <= free:
        return [keys], smaller
    size = min(size, least)
    whole = row_width(picture, keys, size)
    free = min(free, 1.2 * whole / math.ceil(whole / free))  # rows of similar length
    rows: list[Keys] = [[]]
    for pair in keys:
        if rows[-1] and row_width(picture, [*rows[-1], pair], size) > free:
            rows.append([])
        rows[-1].append(pair)
    longest = max(row_width(picture, row, size) for row in rows)
    return rows, size * min(1.0, (room - 2.0 * EDGE) / longest)


def draw_key_row(
    picture: Picture,
    keys: Keys,
    baseline: float,
    *,
    size: float = 22.0,
    right: float = 0.0,
    layer: int = Layer.SCREEN,
) -> float:
    """Draw keys and descriptions, centred, in rows from `baseline` upwards; `right` points stay
    free.

    Returns:
        The height of the rows [points].
    """
    room = picture.width - right
    rows, size = _key_rows(picture, keys, size, room)

    def draw() -> None:
        low = baseline
        for row in rows[::-1]:
            x = 0.5 * (room - row_width(picture, row, size))
            for key, meaning in row:
                x += draw_key(picture, key, x, low, size, layer) + 0.45 * size
                picture.text(meaning, (x, low), size=size, layer=layer + 1)
                x += picture.text_width(meaning, size) + 1.4 * size
            low += 1.9 * size

    draw_cached(picture, ("keys", baseline, layer), (tuple(keys), size, room), draw, at_once=True)
    return 1.9 * size * len(rows)


def marks_of(*, slow: bool, silent: bool) -> list[str]:
    """Return the marks of the states that the bar shows permanently: slow motion, muted sound."""
    return [say(mark) for mark, on in (("marks.slow", slow), ("marks.silent", silent)) if on]


def draw_foot(picture: Picture, low: float, high: float) -> None:
    """Darken the screen between two heights [points], as a background for keys."""
    colour = (*picture.theme.shade, FOOT)
    picture.rectangle(
        (0.0, low), (picture.width, high), colour, layer=Layer.SCREEN - 2, space="screen"
    )


class Bar:
    """The bar at the bottom: the keys that work now, and marks such as "slow motion" at its right
    end.

    Args:
        picture: the bar is drawn into it.
        controls: the player's input; the bar names the keys of the device in hand.
        marks: words shown permanently.
    """

    def __init__(
        self, picture: Picture, controls: Controls | None = None, marks: list[str] | None = None
    ) -> None:
        self.picture = picture
        self.controls = controls or Controls()
        self.marks = marks or []

    def keys(self, keys: Keys) -> Keys:
        """Return the session's keys, each with a text key, as labelled on the device in hand."""
        return spoken(session_hints(keys, self.controls))

    def call(self, name: str) -> str:
        """Return the text of this name, which asks the player to confirm on the device in hand."""
        if self.controls.device == "touch":
            return say(f"{name}_by_touch")
        return say(name, key=session_hints([("space", "")], self.controls)[0][0].upper())

    def draw(self, keys: Keys, session_keys: Keys) -> float:
        """Draw the bar with a game's keys, then the session's (key, key of a text); return its
        height [points].
        """
        picture = self.picture
        right = 0.0
        if self.marks:
            text = " · ".join(self.marks)
            size = min(20.0, picture.width / 45)
            right = picture.text_width(text, size) + 40
            place = (picture.width - 20, 16)
            picture.text(
                text, place, size=size, colour=palette.GOLD, align="right", layer=Layer.SCREEN
            )
        every = [*keys, *self.keys(session_keys)]
        size = 20.0 * enlarged(picture)
        low = 16.0 * min(enlarged(picture), 1.0)
        rows = draw_key_row(picture, every, low, size=size, right=right) if every else 0.0
        height = max(KEY_BAR, rows + 8.0)
        draw_foot(picture, 0.0, height)
        return height
