"""Overlays over the game: start, pause, help, the end, notices, progress."""

from __future__ import annotations

from ecs_softbody.play.input.hints import Keys
from ecs_softbody.play.input.session_keys import HELP, RESTART, SETTINGS, SOUND
from ecs_softbody.play.screens.keybar import (
    EDGE,
    SESSION_KEYS,
    Bar,
    draw_foot,
    draw_key,
    draw_key_row,
    enlarged,
    fitting,
    row_width,
)
from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.screen.points import USUAL_HEIGHT
from ecs_softbody.rendering.texts.table import say, translated

SHADE, SOFT = 190, 40.0
"""Darkness of the band behind a screen's words, of 255, and the height of its soft lower edge
[points].
"""
WON_DIM, PAUSE_DIM = 0.25, 0.6
"""Darkness of the world behind a win and behind the pause, relative to a loss."""
HEADLINE = 0.66
"""Position of the end screen's headline, as a fraction of the height."""
HELP_ROW = 25.0
"""Minimum height of a row of the help [points]; if the rows do not fit, there are more columns."""


def unit_of(picture: Picture) -> float:
    """Return the scale of large texts: 1 from 720 points of height on, less on lower screens."""
    return min(1.0, picture.height / USUAL_HEIGHT)


def draw_dim(picture: Picture, strength: float = 1.0) -> None:
    """Darken the whole game, in the dark colour of its theme."""
    colour = (*picture.theme.shade, min(round(palette.DIM[3] * strength), 255))
    picture.rectangle(
        (0, 0), (picture.width, picture.height), colour, layer=Layer.SCREEN - 3, space="screen"
    )


def draw_title(
    picture: Picture,
    title: str,
    tagline: str,
    keys: Keys,
    pulse: float,
    bar: Bar | None = None,
    *,
    below: float = 0.0,
) -> float:
    """Draw the start screen over the self-playing game; `pulse` (0 to 1) animates the call to
    start.

    Returns:
        The top of the map of levels, which is `below` high [points].
    """
    x = 0.5 * picture.width
    bar = bar or Bar(picture)
    title = translated(title)
    tagline = translated(tagline)
    ways = [
        ("space", "keys.play"),
        (HELP, "keys.all"),
        (SETTINGS, "keys.settings"),
        (SOUND, "keys.sound"),
        ("esc", "keys.leave"),
    ]
    top = bar.draw([], ways)
    foot = top + (draw_key_row(picture, keys, top + 20, size=26) + 14 if keys else 8.0)
    unit = min(1.0, (picture.height - foot) / 590.0)
    small = max(unit, 0.6)
    low = top
    call = foot + 26.0 * small
    # The call stands on the edge of the dark foot, which then hides little of the world.
    top = foot + 30.0 * small
    draw_foot(picture, low, top)
    large = fitting(picture, title, 92 * unit)
    lowest = call + 42 * small + 120 * unit + below
    line = min(max(top + 0.77 * (picture.height - top), lowest), picture.height - 0.9 * large)
    draw_shade(picture, line - 104 * unit - below)
    picture.text(title, (x, line), size=large, align="center", layer=Layer.SCREEN)
    place = (x, line - 68 * unit)
    size = fitting(picture, tagline, 34 * max(unit, 0.65))
    picture.text(
        tagline, place, size=size, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN
    )
    draw_call(picture, bar.call("title.press"), call, pulse, small)
    return line - 120 * unit


def draw_shade(picture: Picture, low: float) -> None:
    """Darken the screen above a height [points], with a soft edge: words stay readable over any
    motion.
    """
    shade = picture.theme.shade
    width = picture.width
    clear = (*shade, 0)
    full = (*shade, SHADE)
    picture.rectangle(
        (0.0, low - SOFT),
        (width, low),
        clear,
        fill_top=full,
        layer=Layer.SCREEN - 2,
        space="screen",
    )
    picture.rectangle(
        (0.0, low), (width, picture.height), full, layer=Layer.SCREEN - 2, space="screen"
    )


def draw_notice(picture: Picture, text: str) -> None:
    """Show a sentence at the top of the screen, in as many lines as it needs."""
    line = ""
    lines = []
    for word in text.split():
        if line and picture.text_width(f"{line} {word}", 20) > picture.width - 60:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    for number, part in enumerate([*lines, line] if line else []):
        x = 0.5 * picture.width
        y = picture.height - 48 - 26 * number
        half = 0.5 * picture.text_width(part, 20) + 14
        fill = picture.theme.key_cap[:3]  # covers the game's numbers behind it
        picture.panel((x - half, y - 8), (x + half, y + 22), fill, corner=8, layer=Layer.SCREEN + 3)
        picture.text(
            part,
            (x, y),
            size=20,
            colour=palette.TEXT_ACCENT,
            align="center",
            layer=Layer.SCREEN + 4,
        )


def draw_call(picture: Picture, text: str, y: float, pulse: float, unit: float = 1.0) -> None:
    """Draw the call to action, on a bright pill."""
    size = fitting(picture, f"MM{text}", 36.0 * unit)
    half = 0.5 * picture.text_width(text, size) + 34
    x = 0.5 * picture.width
    fill = palette.mixed(palette.GOLD, (255, 255, 255), 0.35 * pulse)
    low = (x - half, y - 26 * unit)
    high = (x + half, y + 34 * unit)
    picture.panel(low, high, fill, corner=30 * unit, layer=Layer.SCREEN)
    ink: Colour = (34, 26, 8)
    picture.text(
        text,
        (x, y + 4 * unit),
        size=size,
        colour=ink,
        align="center",
        vertical="middle",
        shadow=False,
        layer=Layer.SCREEN + 1,
    )


def draw_paused(picture: Picture, bar: Bar, *, levels: bool = False) -> None:
    """Draw the pause screen; a game of several `levels` offers its map."""
    draw_dim(picture, PAUSE_DIM)
    x = 0.5 * picture.width
    text = say("pause.title")
    shade = (*picture.theme.shade, 244)
    larger = enlarged(picture)
    unit = unit_of(picture) * min(larger, 1.0)
    size = 23 * larger
    ways = [
        ("space", "keys.go_on"),
        (RESTART, "keys.restart"),
        (SETTINGS, "keys.settings"),
        ("esc", "keys.leave"),
    ]
    large = fitting(picture, text, 84 * unit)
    # With touch there is only one way, whose row may be narrower than the title.
    widest = max(row_width(picture, bar.keys(ways), size), picture.text_width(text, large))
    half = min(0.5 * widest + 36.0 * larger, x - 10.0)
    low = 0.4 * picture.height
    line = low + draw_key_row(picture, bar.keys(ways), low + 24 * larger, size=size) + 40 * unit + 8
    picture.text(text, (x, line), size=large, align="center", layer=Layer.SCREEN)
    picture.panel(
        (x - half, low), (x + half, line + 1.15 * large), shade, corner=24, layer=Layer.SCREEN - 1
    )
    more = [
        (HELP, "keys.all"),
        (".", "keys.one_step"),
        ("tab", "keys.physics"),
        ("f9", "keys.gif"),
        (SOUND, "keys.sound"),
    ]
    bar.draw([], [("backspace", "keys.map"), *more] if levels else more)


def draw_help(picture: Picture, keys: Keys, bar: Bar) -> None:
    """Draw all keys, in as many columns as needed."""
    draw_dim(picture, 1.5)
    every = [*keys, *[(translated(key), say(meaning)) for key, meaning in SESSION_KEYS]]
    foot = bar.draw([], [(HELP, "keys.back")])
    unit = unit_of(picture)
    x = 0.5 * picture.width
    picture.text(
        say("help.title"),
        (x, picture.height - 90 * unit),
        size=64 * unit,
        align="center",
        layer=Layer.SCREEN,
    )
    high = picture.height - 172 * unit
    room = high - foot - 14.0
    columns = max(
        2 if picture.width >= 900.0 else 1, -(-len(every) // max(int(room / HELP_ROW), 1))
    )
    rows = -(-len(every) // columns)
    step = min(46.0, room / max(rows - 1, 1))
    size = 0.48 * step
    wide = min(picture.width - 2.0 * EDGE, 1080.0) / columns
    size = max(min(size, 22.0), 13.0)
    left = x - 0.5 * columns * wide
    for number, (key, meaning) in enumerate(every):
        column, row = divmod(number, rows)
        key_x = left + column * wide
        y = high - step * row
        cap = draw_key(picture, key, key_x, y, size, Layer.SCREEN)
        at = max(min(7.7 * size, 0.4 * wide), cap + 0.5 * size)
        written = fitting(picture, meaning, 1.09 * size, wide - at - 10.0)
        picture.text(meaning, (key_x + at, y), size=written, layer=Layer.SCREEN)


def draw_outcome(
    picture: Picture,
    won: bool,
    words: tuple[str, str],
    pulse: float,
    bar: Bar,
    *,
    following: bool = False,
) -> None:
    """Draw the screen that ends a game, or a level if another one is `following`.

    The `words` are the outcome text and the best result.
    """
    text, best = words
    draw_dim(picture, WON_DIM if won else 1.0)
    x = 0.5 * picture.width
    unit = unit_of(picture)
    headline, colour = (say("end.won"), palette.GOOD) if won else (say("end.lost"), palette.BAD)
    line = HEADLINE * picture.height
    size = fitting(picture, headline, 96 * unit)
    draw_shade(picture, line - (124 * unit if best else 104 * unit if text else 34 * unit))
    picture.text(headline, (x, line), size=size, colour=colour, align="center", layer=Layer.SCREEN)
    if text:
        size = fitting(picture, text, 36 * max(unit, 0.6))
        picture.text(text, (x, line - 78 * unit), size=size, align="center", layer=Layer.SCREEN)
    if best:
        size = fitting(picture, best, 24 * max(unit, 0.7))
        place = (x, line - 118 * unit)
        picture.text(
            best, place, size=size, colour=palette.TEXT_ACCENT, align="center", layer=Layer.SCREEN
        )
    call = "end.next" if following else "end.again"
    draw_call(picture, bar.call(call), line - 190 * unit, pulse, max(unit, 0.6))
    again = [(RESTART, "keys.again")] if following else []
    bar.draw(
        [], [("space", "keys.go_on" if following else "keys.again"), *again, ("esc", "keys.leave")]
    )


def draw_progress(picture: Picture, title: str, done: int, total: int, what: str) -> None:
    """Draw the progress bar of the preparation; uses nothing that needs preparing."""
    x = 0.5 * picture.width
    y = 0.5 * picture.height
    share = done / max(total, 1)
    picture.rectangle(
        (0, 0),
        (picture.width, picture.height),
        palette.SKY_BOTTOM,
        fill_top=palette.SKY_TOP,
        layer=0,
        space="screen",
    )
    title = translated(title)
    half = min(300.0, x - EDGE)
    picture.text(
        title, (x, y + 60), size=fitting(picture, title, 64), align="center", layer=Layer.SCREEN
    )
    ready = say("progress.title")
    picture.text(
        ready, (x, y - 20), size=30, colour=palette.TEXT_DIM, align="center", layer=Layer.SCREEN
    )
    picture.panel((x - half, y - 88), (x + half, y - 60), palette.PANEL, layer=Layer.SCREEN)
    end = x - half + 32 + (2 * half - 36) * share
    picture.panel((x - half + 4, y - 84), (end, y - 64), palette.GOLD, layer=Layer.SCREEN + 1)
    size = fitting(picture, what, 20)
    picture.text(
        what, (x, y - 124), size=size, colour=palette.TEXT_DIM, align="center", layer=Layer.SCREEN
    )
