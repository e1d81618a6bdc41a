"""Screens: what lies over the game: start, pause, help, the end, the keys that work now, progress."""

from __future__ import annotations

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture

Keys = list[tuple[str, str]]
MOST_ROWS = 7
"""Rows of keys on the start screen; more keys stand in two columns."""
SESSION_KEYS: Keys = [
    ("p", "pause"),
    ("r", "start again"),
    ("tab", "show the physics"),
    (",", "slow motion"),
    (".", "one step while paused"),
    ("m", "sound on or off"),
    ("f11", "full screen"),
    ("f12", "save a picture"),
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


def draw_key_row(
    picture: Picture, keys: Keys, baseline: float, *, size: float = 22.0, layer: int = Layer.SCREEN
) -> None:
    """Draw keys and what they do in one centred row, smaller where it would not fit."""
    for _ in range(6):
        widths = [
            cap_width(picture, key, size) + 0.45 * size + picture.text_width(meaning, size) for key, meaning in keys
        ]
        total = sum(widths) + 1.4 * size * (len(keys) - 1)
        if total < picture.width - 40 or size < 13:
            break
        size *= max(0.75, (picture.width - 44) / total)
    x = 0.5 * (picture.width - total)
    for (key, meaning), width in zip(keys, widths, strict=True):
        cap = draw_key(picture, key, x, baseline, size, layer)
        picture.text(meaning, (x + cap + 0.45 * size, baseline), size=size, layer=layer + 1)
        x += width + 1.4 * size


def draw_hints(picture: Picture, keys: Keys) -> None:
    """Draw the bar at the bottom with the keys that work now."""
    picture.rectangle((0, 0), (picture.width, 46), palette.DIM, layer=Layer.SCREEN - 2, space="screen")
    draw_key_row(picture, keys, 16, size=20)


def draw_dim(picture: Picture, strength: float = 1.0) -> None:
    """Darken the whole game."""
    colour = (*palette.DIM[:3], min(round(palette.DIM[3] * strength), 255))
    picture.rectangle((0, 0), (picture.width, picture.height), colour, layer=Layer.SCREEN - 3, space="screen")


def draw_title(picture: Picture, title: str, tagline: str, keys: Keys, pulse: float) -> None:
    """Draw the start screen; `pulse` (0 to 1) makes the call to start breathe."""
    draw_dim(picture, 1.3)
    x = 0.5 * picture.width
    size = 92.0
    while picture.text_width(title, size) > picture.width - 120 and size > 40:
        size -= 8.0
    picture.text(title, (x, 520), size=size, align="center", layer=Layer.SCREEN)
    picture.text(tagline, (x, 452), size=34, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN)
    _key_table(picture, keys, 384)
    draw_call(picture, "Press SPACE to play", 104, pulse)
    draw_hints(picture, [("space", "play"), ("h", "all keys"), ("m", "sound"), ("esc", "leave")])


def draw_call(picture: Picture, text: str, y: float, pulse: float) -> None:
    """Draw the one thing to do next, on a bright pill."""
    size = 36.0
    half = 0.5 * picture.text_width(text, size) + 34
    x = 0.5 * picture.width
    fill = palette.mixed(palette.GOLD, (255, 255, 255), 0.35 * pulse)
    picture.panel((x - half, y - 26), (x + half, y + 34), fill, corner=30, layer=Layer.SCREEN)
    ink: Colour = (34, 26, 8)
    picture.text(
        text, (x, y + 4), size=size, colour=ink, align="center", vertical="middle", shadow=False, layer=Layer.SCREEN + 1
    )


def draw_paused(picture: Picture) -> None:
    """Draw the pause screen."""
    draw_dim(picture)
    x = 0.5 * picture.width
    picture.panel((x - 470, 282), (x + 470, 500), corner=24, layer=Layer.SCREEN - 1)
    picture.text("Paused", (x, 400), size=84, align="center", layer=Layer.SCREEN)
    draw_key_row(picture, [("space", "go on"), ("r", "start again"), ("h", "all keys"), ("esc", "leave")], 318, size=26)
    draw_hints(picture, [("space", "go on"), (".", "one step"), ("tab", "show the physics"), ("m", "sound")])


def draw_help(picture: Picture, keys: Keys) -> None:
    """Draw all keys."""
    draw_dim(picture, 1.5)
    x = 0.5 * picture.width
    picture.text("Keys", (x, 630), size=64, align="center", layer=Layer.SCREEN)
    half = (len(keys) + len(SESSION_KEYS) + 1) // 2
    every = [*keys, *SESSION_KEYS]
    left = max(40.0, x - 540)
    for column, part in enumerate((every[:half], every[half:])):
        for row, (key, meaning) in enumerate(part):
            key_x, y = left + column * (x - left), 548 - 46 * row
            draw_key(picture, key, key_x, y, 22, Layer.SCREEN)
            picture.text(meaning, (key_x + 170, y), size=24, layer=Layer.SCREEN)
    draw_hints(picture, [("h", "back")])


def draw_outcome(picture: Picture, won: bool, text: str, pulse: float) -> None:
    """Draw the screen that ends a game."""
    draw_dim(picture)
    x = 0.5 * picture.width
    headline, colour = ("You won!", palette.GOOD) if won else ("Game over", palette.BAD)
    picture.text(headline, (x, 430), size=96, colour=colour, align="center", layer=Layer.SCREEN)
    if text:
        picture.text(text, (x, 352), size=36, align="center", layer=Layer.SCREEN)
    draw_call(picture, "Press SPACE to play again", 240, pulse)
    draw_hints(picture, [("space", "play again"), ("esc", "leave")])


def draw_badge(picture: Picture, text: str) -> None:
    """Draw a small mark at the top: slow motion, muted, demo."""
    x = 0.5 * picture.width
    half = 0.5 * picture.text_width(text, 22) + 18
    picture.panel((x - half, picture.height - 50), (x + half, picture.height - 12), layer=Layer.SCREEN)
    picture.text(text, (x, picture.height - 38), size=22, colour=palette.GOLD, align="center", layer=Layer.SCREEN + 1)


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


def _key_table(picture: Picture, keys: Keys, top: float) -> None:
    """Draw keys and what they do, in two columns where one would be too small to read."""
    if not keys:
        return
    rows = len(keys) if len(keys) <= MOST_ROWS else (len(keys) + 1) // 2
    step = min(52.0, 206.0 / rows)
    size = step / 1.85
    columns = [keys[first : first + rows] for first in range(0, len(keys), rows)]
    wide = max(cap_width(picture, key, size) for key, _ in keys)
    meanings = max(picture.text_width(meaning, size) for _, meaning in keys)
    width = wide + 24 + meanings
    left = 0.5 * (picture.width - width * len(columns) - 60 * (len(columns) - 1))
    for column in columns:
        for row, (key, meaning) in enumerate(column):
            y = top - step * row
            draw_key(picture, key, left + wide - cap_width(picture, key, size), y, size, Layer.SCREEN)
            picture.text(meaning, (left + wide + 24, y), size=size, layer=Layer.SCREEN)
        left += width + 60
