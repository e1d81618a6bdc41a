"""Screens: what lies over the game: start, pause, help, the end, the keys that work now, progress."""

from __future__ import annotations

import math

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.hints import Keys, session_hints
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.camera import KEY_BAR
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture

START_DIM = 0.68
"""How dark the game is behind the start screen, as a share of how dark it is behind the pause screen."""
LEAST_KEYS = 17.0
"""Keys that would be smaller than this [points] stand in several rows."""
WIDE = 900.0
"""From this width on [points] there is room for two columns."""
EDGE = 22.0
"""Room that stays free at both sides of the screen [points]."""
SESSION_KEYS: Keys = [
    ("p", "pause"),
    ("r", "start again"),
    ("tab", "show the physics"),
    (",", "slow motion"),
    (".", "one step while paused"),
    ("m", "sound on or off"),
    ("f11", "full screen"),
    ("f12", "save a picture"),
    ("o", "settings, while paused"),
    ("esc", "pause, then leave"),
]


def cap_width(picture: Picture, key: str, size: float) -> float:
    """Return the width of a key cap in points."""
    return max(picture.text_width(key.upper(), 0.8 * size) + 0.9 * size, 1.5 * size)


def draw_key(picture: Picture, key: str, left: float, baseline: float, size: float, layer: int) -> float:
    """Draw a key cap and return its width in points."""
    width = cap_width(picture, key, size)
    low, high = (left, baseline - 0.45 * size), (left + width, baseline + 1.05 * size)
    picture.panel((low[0], low[1] - 3), (high[0], low[1] + 20), palette.TEXT_SHADOW, corner=8, layer=layer)
    picture.panel(low, high, palette.KEY_CAP, corner=8, layer=layer)
    middle = (left + 0.5 * width, baseline + 0.3 * size)
    picture.text(key.upper(), middle, size=0.8 * size, align="center", vertical="middle", shadow=False, layer=layer + 1)
    return width


def fitting(picture: Picture, text: str, size: float) -> float:
    """Return the size of a text [points], smaller where the screen is too narrow for it."""
    return size * min(1.0, (picture.width - 2.0 * EDGE) / max(picture.text_width(text, size), 1.0))


def _row_width(picture: Picture, keys: Keys, size: float) -> float:
    """Return the width of keys and what they do in one row [points]."""
    caps = sum(cap_width(picture, key, size) + picture.text_width(meaning, size) for key, meaning in keys)
    return caps + size * (0.45 * len(keys) + 1.4 * (len(keys) - 1))


def _key_rows(picture: Picture, keys: Keys, size: float, room: float) -> tuple[list[Keys], float]:
    """Return keys as rows that fit into `room` points, and their size: smaller first, then more rows."""
    smaller, free = size, room - 2.0 * EDGE
    while smaller > LEAST_KEYS and _row_width(picture, keys, smaller) > free:
        smaller -= 1.0
    whole = _row_width(picture, keys, smaller)
    if whole <= free:
        return [keys], smaller
    size = min(size, 16.0)
    whole = _row_width(picture, keys, size)
    free = min(free, 1.2 * whole / math.ceil(whole / free))  # rows of like length
    rows: list[Keys] = [[]]
    for pair in keys:
        if rows[-1] and _row_width(picture, [*rows[-1], pair], size) > free:
            rows.append([])
        rows[-1].append(pair)
    return rows, size


def draw_key_row(
    picture: Picture, keys: Keys, baseline: float, *, size: float = 22.0, right: float = 0.0, layer: int = Layer.SCREEN
) -> float:
    """Draw keys and what they do, centred, in rows from `baseline` upwards; `right` points stay free.

    Returns:
        The height of the rows [points].
    """
    room = picture.width - right
    rows, size = _key_rows(picture, keys, size, room)
    for row in rows[::-1]:
        x = 0.5 * (room - _row_width(picture, row, size))
        for key, meaning in row:
            x += draw_key(picture, key, x, baseline, size, layer) + 0.45 * size
            picture.text(meaning, (x, baseline), size=size, layer=layer + 1)
            x += picture.text_width(meaning, size) + 1.4 * size
        baseline += 1.9 * size
    return 1.9 * size * len(rows)


class Bar:
    """The bar at the bottom: the keys that work now, and marks such as "slow motion" at its right end.

    Args:
        picture: it is drawn into.
        controls: what the player does; the bar speaks of the device in hand.
        marks: words that the player should see all the time.
    """

    def __init__(self, picture: Picture, controls: Controls | None = None, marks: list[str] | None = None) -> None:
        self.picture = picture
        self.controls = controls or Controls()
        self.marks = marks or []

    def keys(self, keys: Keys) -> Keys:
        """Return keys of the session as the device in hand has them."""
        return session_hints(keys, self.controls)

    def draw(self, keys: Keys, session_keys: Keys) -> float:
        """Draw the bar with a game's keys, then the session's, and return its height [points]."""
        picture, right = self.picture, 0.0
        if self.marks:
            text, size = " · ".join(self.marks), min(20.0, picture.width / 45)
            right = picture.text_width(text, size) + 40
            place = (picture.width - 20, 16)
            picture.text(text, place, size=size, colour=palette.GOLD, align="right", layer=Layer.SCREEN)
        every = [*keys, *self.keys(session_keys)]
        rows = draw_key_row(picture, every, 16, size=20, right=right) if every else 0.0
        height = max(KEY_BAR, rows + 8.0)
        picture.rectangle((0, 0), (picture.width, height), palette.DIM, layer=Layer.SCREEN - 2, space="screen")
        return height


def draw_dim(picture: Picture, strength: float = 1.0) -> None:
    """Darken the whole game."""
    colour = (*palette.DIM[:3], min(round(palette.DIM[3] * strength), 255))
    picture.rectangle((0, 0), (picture.width, picture.height), colour, layer=Layer.SCREEN - 3, space="screen")


def draw_title(picture: Picture, title: str, tagline: str, keys: Keys, pulse: float, bar: Bar | None = None) -> None:
    """Draw the start screen over the game that plays itself; `pulse` (0 to 1) makes the call to start breathe."""
    draw_dim(picture, START_DIM)
    x = 0.5 * picture.width
    picture.text(title, (x, 520), size=fitting(picture, title, 92), align="center", layer=Layer.SCREEN)
    place, size = (x, 452), fitting(picture, tagline, 34)
    picture.text(tagline, place, size=size, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN)
    bar = bar or Bar(picture)
    top = bar.draw([], [("space", "play"), ("h", "all keys"), ("o", "settings"), ("m", "sound"), ("esc", "leave")])
    if keys:
        own = draw_key_row(picture, keys, top + 20, size=26)
        low, high = (0, top), (picture.width, top + own + 14)
        picture.rectangle(low, high, palette.DIM, layer=Layer.SCREEN - 2, space="screen")
        top += own + 14
    draw_call(picture, f"Press {_yes(bar)} to play", top + 56, pulse)


def draw_level(picture: Picture, number: int, opened: int, count: int) -> None:
    """Say on the start screen which level it will be, where there are several."""
    if count > 1:
        arrows = "←  " if number > 0 else "", "  →" if number + 1 < opened else ""
        text = f"{arrows[0]}Level {number + 1} of {count}{arrows[1]}"
        picture.text(text, (0.5 * picture.width, 400), size=26, align="center", layer=Layer.SCREEN)


def draw_notice(picture: Picture, text: str) -> None:
    """Tell the player a sentence at the top of the start screen, in as many lines as it takes."""
    line, lines = "", []
    for word in text.split():
        if line and picture.text_width(f"{line} {word}", 20) > picture.width - 60:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    for number, part in enumerate([*lines, line] if line else []):
        place = (0.5 * picture.width, 672 - 26 * number)
        picture.text(part, place, size=20, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN)


def _yes(bar: Bar) -> str:
    """Return what the button that says yes is called on the device in hand."""
    return bar.keys([("space", "")])[0][0].upper()


def draw_call(picture: Picture, text: str, y: float, pulse: float) -> None:
    """Draw the one thing to do next, on a bright pill."""
    size = fitting(picture, f"MM{text}", 36.0)
    half = 0.5 * picture.text_width(text, size) + 34
    x = 0.5 * picture.width
    fill = palette.mixed(palette.GOLD, (255, 255, 255), 0.35 * pulse)
    picture.panel((x - half, y - 26), (x + half, y + 34), fill, corner=30, layer=Layer.SCREEN)
    ink: Colour = (34, 26, 8)
    picture.text(
        text, (x, y + 4), size=size, colour=ink, align="center", vertical="middle", shadow=False, layer=Layer.SCREEN + 1
    )


def draw_paused(picture: Picture, bar: Bar) -> None:
    """Draw the pause screen."""
    draw_dim(picture)
    x = 0.5 * picture.width
    half = min(470.0, x - 10.0)
    picture.text("Paused", (x, 400), size=fitting(picture, "Paused", 84), align="center", layer=Layer.SCREEN)
    ways = [("space", "go on"), ("r", "start again"), ("o", "settings"), ("esc", "leave")]
    draw_key_row(picture, bar.keys(ways), 306, size=23)
    picture.panel((x - half, 282), (x + half, 500), corner=24, layer=Layer.SCREEN - 1)
    bar.draw([], [("h", "all keys"), (".", "one step"), ("tab", "show the physics"), ("m", "sound")])


def draw_help(picture: Picture, keys: Keys, bar: Bar) -> None:
    """Draw all keys, in one column where the screen is narrow."""
    draw_dim(picture, 1.5)
    x, every = 0.5 * picture.width, [*keys, *SESSION_KEYS]
    picture.text("Keys", (x, 630), size=64, align="center", layer=Layer.SCREEN)
    columns = 2 if picture.width >= WIDE else 1
    rows = -(-len(every) // columns)
    step = min(46.0, 500.0 / rows)
    size = min(0.48 * step, 0.024 * picture.width * columns)
    left, wide = max(EDGE, x - 540.0), min(picture.width - 2.0 * EDGE, 1080.0) / columns
    for number, (key, meaning) in enumerate(every):
        column, row = divmod(number, rows)
        key_x, y = left + column * wide, 548 - step * row
        cap = draw_key(picture, key, key_x, y, size, Layer.SCREEN)
        place = (key_x + max(7.7 * size, cap + 0.5 * size), y)
        picture.text(meaning, place, size=1.09 * size, layer=Layer.SCREEN)
    bar.draw([], [("h", "back")])


def draw_outcome(picture: Picture, won: bool, text: str, pulse: float, bar: Bar, *, following: bool = False) -> None:
    """Draw the screen that ends a game, or a level where another one is `following`."""
    draw_dim(picture)
    x = 0.5 * picture.width
    headline, colour = ("You won!", palette.GOOD) if won else ("Game over", palette.BAD)
    size = fitting(picture, headline, 96)
    picture.text(headline, (x, 430), size=size, colour=colour, align="center", layer=Layer.SCREEN)
    if text:
        picture.text(text, (x, 352), size=fitting(picture, text, 36), align="center", layer=Layer.SCREEN)
    what = "go on" if following else "play again"
    draw_call(picture, f"Press {_yes(bar)} {'for the next level' if following else 'to play again'}", 240, pulse)
    again = [("r", "play again")] if following else []
    bar.draw([], [("space", what), *again, ("esc", "leave")])


def draw_progress(picture: Picture, title: str, done: int, total: int, what: str) -> None:
    """Draw the bar that shows how far the preparation is; uses nothing that needs preparing."""
    x, share = 0.5 * picture.width, done / max(total, 1)
    picture.rectangle(
        (0, 0), (picture.width, picture.height), palette.SKY_BOTTOM, fill_top=palette.SKY_TOP, layer=0, space="screen"
    )
    picture.text(title, (x, 420), size=64, align="center", layer=Layer.SCREEN)
    picture.text("Getting ready", (x, 340), size=30, colour=palette.TEXT_DIM, align="center", layer=Layer.SCREEN)
    picture.panel((x - 300, 272), (x + 300, 300), palette.PANEL, layer=Layer.SCREEN)
    picture.panel((x - 296, 276), (x - 268 + 564 * share, 296), palette.GOLD, layer=Layer.SCREEN + 1)
    picture.text(what, (x, 236), size=20, colour=palette.TEXT_DIM, align="center", layer=Layer.SCREEN)
