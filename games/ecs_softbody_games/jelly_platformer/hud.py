"""Head-up display: coins, lives and time."""

from __future__ import annotations

from typing import Literal

from ecs_softbody.rendering import Layer, Picture, palette

TOP = 678.0  # points: the middle of the line
SIZE = 36.0
LOW_CORNER, HIGH_CORNER = 26.0, 26.0


def draw_hud(picture: Picture, *, coins: int, all_coins: int, lives: int, most_lives: int, time: float) -> None:
    """Write the numbers along the top of the screen."""
    _draw_coins(picture, coins, all_coins)
    _draw_lives(picture, lives, most_lives)
    right = picture.width - 20.0
    picture.panel((right - 150.0, TOP - LOW_CORNER), (right, TOP + HIGH_CORNER), corner=26.0)
    text = f"{int(time // 60)}:{time % 60:04.1f}"
    picture.text(text, (right - 24.0, TOP), size=SIZE, align="right", vertical="middle")


def _draw_coins(picture: Picture, coins: int, all_coins: int) -> None:
    picture.panel((20.0, TOP - LOW_CORNER), (198.0, TOP + HIGH_CORNER), corner=26.0)
    draw_coin(picture, (48.0, TOP), 17.0, 1.0, layer=Layer.HUD, space="screen")
    width = picture.text(f"{coins}", (76.0, TOP), size=SIZE, colour=palette.GOLD, vertical="middle")
    picture.text(f"/ {all_coins}", (84.0 + width, TOP), size=24.0, colour=palette.TEXT_DIM, vertical="middle")


def _draw_lives(picture: Picture, lives: int, most_lives: int) -> None:
    left, step = 214.0, 46.0
    picture.panel((left, TOP - LOW_CORNER), (left + 20.0 + step * most_lives, TOP + HIGH_CORNER), corner=26.0)
    for number in range(most_lives):
        place = (left + 10.0 + step * (number + 0.5), TOP)
        if number < lives:
            _draw_face(picture, place)
        else:
            picture.disc(place, 10.0, palette.faded(palette.TEXT_DIM, 0.25), layer=Layer.HUD, space="screen")


def _draw_face(picture: Picture, place: tuple[float, float]) -> None:
    """Draw a small hero."""
    x, y = place
    green = palette.GREEN
    picture.disc(place, 17.0, green, outline=palette.darker(green), layer=Layer.HUD, space="screen")
    for side in (-6.0, 6.0):
        picture.disc((x + side, y + 2.0), 5.0, palette.EYE_WHITE, layer=Layer.HUD, space="screen")
        picture.disc((x + side + 1.0, y + 2.0), 2.6, palette.EYE_PUPIL, layer=Layer.HUD, space="screen")


def draw_coin(
    picture: Picture,
    place: tuple[float, float],
    radius: float,
    turn: float,
    *,
    layer: int = Layer.DECOR,
    space: Literal["world", "screen"] = "world",
) -> None:
    """Draw a coin; `turn` -1 to 1 is how much of its face is seen."""
    wide = max(abs(turn), 0.14)
    gold = palette.GOLD
    rim = palette.mixed(gold, palette.AMBER, 0.9)
    picture.ellipse(place, (radius * wide, radius), palette.darker(rim, 0.35), layer=layer, space=space)
    picture.ellipse(place, (radius * wide * 0.86, radius * 0.86), gold, layer=layer, space=space)
    inner = palette.mixed(gold, palette.AMBER, 0.55)
    picture.ellipse(place, (radius * wide * 0.52, radius * 0.56), inner, layer=layer, space=space)
    shine = (place[0] - 0.3 * radius * wide, place[1] + 0.42 * radius)
    picture.ellipse(shine, (radius * wide * 0.2, radius * 0.14), palette.TEXT, layer=layer, space=space)
