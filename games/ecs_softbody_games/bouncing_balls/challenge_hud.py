"""Challenge HUD: the panel of a challenge: its number, what is to be done, how far it is, stars and
best result.
"""

from __future__ import annotations

from ecs_softbody.play import say
from ecs_softbody.rendering import Picture, palette
from ecs_softbody_games.bouncing_balls.challenges import CHALLENGES, Challenge
from ecs_softbody_games.bouncing_balls.hud import (
    KEY_BAR,
    LONGEST_PANEL,
    MARGIN,
    PAD,
    PANEL_WIDTH,
    draw_switches,
)
from ecs_softbody_games.stars import draw_stars

LINE = 27.0
GOAL_SIZE = 23.0
HINT_SIZE = 18.0


def lines_of(picture: Picture, text: str, size: float, width: float) -> list[str]:
    """Return a text in lines that are not wider than `width`."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and picture.text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def draw_challenge(
    picture: Picture, challenge: Challenge, best: float | None, *, helped: bool, won: int
) -> None:
    """Draw the panel at the right.

    Args:
        picture: to draw on.
        challenge: that is played.
        best: the player's best result, None: none yet.
        helped: whether the hint is shown.
        won: the stars to show: those that it is worth now, or that were won.
    """
    left = picture.width - PANEL_WIDTH - MARGIN
    right = picture.width - MARGIN
    top = picture.height - MARGIN
    bottom = max(KEY_BAR + MARGIN, top - LONGEST_PANEL)
    picture.panel((left, bottom), (right, top))
    x = left + PAD
    edge = right - PAD
    y = top - 40.0
    number = CHALLENGES.index(type(challenge)) + 1
    head = say("balls.challenge", number=number, count=len(CHALLENGES))
    picture.text(head, (x, y), size=HINT_SIZE, colour=palette.TEXT_DIM)
    for line in lines_of(picture, say(f"balls.{challenge.key}"), GOAL_SIZE, edge - x):
        y -= LINE
        picture.text(
            line,
            (x, y),
            size=GOAL_SIZE,
            colour=palette.TEXT_ACCENT if challenge.frame < 240 else palette.TEXT,
        )
    y -= 34.0
    draw_stars(picture, won, (x + 46.0, y), 14.0)
    if best is not None:
        words = say("menu.best", result=challenge_result(challenge, best))
        picture.text(words, (edge, y - 7.0), size=HINT_SIZE, align="right", colour=palette.TEXT_DIM)
    y -= 50.0
    picture.text(f"{challenge.done} / {challenge.most}", (x, y), size=40.0)
    picture.text(challenge_result(challenge, challenge.result), (edge, y), size=26.0, align="right")
    y -= 38.0
    if helped:
        for line in lines_of(picture, say(f"balls.{challenge.key}_hint"), HINT_SIZE, edge - x):
            picture.text(line, (x, y), size=HINT_SIZE, colour=palette.TEXT_ACCENT)
            y -= 21.0
    if y - 110.0 > bottom:
        draw_switches(picture, x, edge, bottom + 122.0, challenge.crowd.settings)


def challenge_result(challenge: Challenge | type[Challenge], result: float) -> str:
    """Return a result in words: seconds, or kicks."""
    return (
        say("balls.kicks", count=round(result)) if "kick" in challenge.toys else f"{result:.1f} s"
    )
