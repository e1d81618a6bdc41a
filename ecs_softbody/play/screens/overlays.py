"""Screens: what lies over the game: start, pause, help, the end, the keys that work now, progress."""

from __future__ import annotations

from ecs_softbody.play.input.controls import Controls
from ecs_softbody.play.input.hints import Keys, session_hints
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.camera import KEY_BAR
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture

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


def draw_key_row(
    picture: Picture, keys: Keys, baseline: float, *, size: float = 22.0, right: float = 0.0, layer: int = Layer.SCREEN
) -> None:
    """Draw keys and what they do in one centred row, smaller where it would not fit; `right` points stay free."""
    room = picture.width - right
    for _ in range(6):
        widths = [
            cap_width(picture, key, size) + 0.45 * size + picture.text_width(meaning, size) for key, meaning in keys
        ]
        total = sum(widths) + 1.4 * size * (len(keys) - 1)
        if total < room - 40 or size < 13:
            break
        size *= max(0.75, (room - 44) / total)
    x = 0.5 * (room - total)
    for (key, meaning), width in zip(keys, widths, strict=True):
        cap = draw_key(picture, key, x, baseline, size, layer)
        picture.text(meaning, (x + cap + 0.45 * size, baseline), size=size, layer=layer + 1)
        x += width + 1.4 * size


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

    def draw(self, keys: Keys, session_keys: Keys) -> None:
        """Draw the bar with a game's keys, then the session's."""
        picture, right = self.picture, 0.0
        picture.rectangle((0, 0), (picture.width, KEY_BAR), palette.DIM, layer=Layer.SCREEN - 2, space="screen")
        if self.marks:
            text, size = " · ".join(self.marks), min(20.0, picture.width / 45)
            right = picture.text_width(text, size) + 40
            place = (picture.width - 20, 16)
            picture.text(text, place, size=size, colour=palette.GOLD, align="right", layer=Layer.SCREEN)
        every = [*keys, *self.keys(session_keys)]
        if every:
            draw_key_row(picture, every, 16, size=20, right=right)


def draw_dim(picture: Picture, strength: float = 1.0) -> None:
    """Darken the whole game."""
    colour = (*palette.DIM[:3], min(round(palette.DIM[3] * strength), 255))
    picture.rectangle((0, 0), (picture.width, picture.height), colour, layer=Layer.SCREEN - 3, space="screen")


def draw_title(picture: Picture, title: str, tagline: str, keys: Keys, pulse: float, bar: Bar | None = None) -> None:
    """Draw the start screen; `pulse` (0 to 1) makes the call to start breathe."""
    draw_dim(picture, 1.3)
    x = 0.5 * picture.width
    size = 92.0
    while picture.text_width(title, size) > picture.width - 120 and size > 40:
        size -= 8.0
    picture.text(title, (x, 520), size=size, align="center", layer=Layer.SCREEN)
    picture.text(tagline, (x, 452), size=34, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN)
    _key_table(picture, keys, 384)
    bar = bar or Bar(picture)
    draw_call(picture, f"Press {_yes(bar)} to play", 104, pulse)
    bar.draw([], [("space", "play"), ("h", "all keys"), ("o", "settings"), ("m", "sound"), ("esc", "leave")])


def draw_level(picture: Picture, number: int, opened: int, count: int) -> None:
    """Say on the start screen which level it will be, where there are several."""
    if count > 1:
        arrows = "←  " if number > 0 else "", "  →" if number + 1 < opened else ""
        text = f"{arrows[0]}Level {number + 1} of {count}{arrows[1]}"
        picture.text(text, (0.5 * picture.width, 152), size=26, align="center", layer=Layer.SCREEN)


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
    size = 36.0
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
    picture.panel((x - 470, 282), (x + 470, 500), corner=24, layer=Layer.SCREEN - 1)
    picture.text("Paused", (x, 400), size=84, align="center", layer=Layer.SCREEN)
    ways = [("space", "go on"), ("r", "start again"), ("o", "settings"), ("esc", "leave")]
    draw_key_row(picture, bar.keys(ways), 318, size=26)
    bar.draw([], [("h", "all keys"), (".", "one step"), ("tab", "show the physics"), ("m", "sound")])


def draw_help(picture: Picture, keys: Keys, bar: Bar) -> None:
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
    bar.draw([], [("h", "back")])


def draw_outcome(picture: Picture, won: bool, text: str, pulse: float, bar: Bar, *, following: bool = False) -> None:
    """Draw the screen that ends a game, or a level where another one is `following`."""
    draw_dim(picture)
    x = 0.5 * picture.width
    headline, colour = ("You won!", palette.GOOD) if won else ("Game over", palette.BAD)
    picture.text(headline, (x, 430), size=96, colour=colour, align="center", layer=Layer.SCREEN)
    if text:
        picture.text(text, (x, 352), size=36, align="center", layer=Layer.SCREEN)
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
