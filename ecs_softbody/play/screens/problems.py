"""Problems: lists errors in a scene file, over the running or waiting game."""

from __future__ import annotations

from collections.abc import Sequence

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.picture import Picture
from ecs_softbody.rendering.texts.table import say
from ecs_softbody.scenes.problems import Problem

SIZE, ROW, MARGIN = 18.0, 26.0, 20.0
"""Size of the text and of a line, and the margin [points]."""
MOST = 14
"""Maximum number of lines; an extra one counts the rest."""


def draw_problems(picture: Picture, problems: Sequence[Problem], title: str) -> None:
    """Draw a panel at the top of the picture: a heading from the table of texts, and one line for
    each problem.
    """
    if not problems:
        return
    lines = [str(problem) for problem in problems[:MOST]]
    if len(problems) > MOST:
        lines.append(say("problems.more", count=len(problems) - MOST))
    top = picture.height - 20.0
    left = MARGIN
    right = picture.width - MARGIN
    bottom = top - 2 * MARGIN - ROW * (len(lines) + 1)
    layer = Layer.SCREEN + 2
    picture.panel((left, bottom), (right, top), (60, 14, 22, 235), layer=layer)
    for number, line in enumerate([say(title), *lines]):
        y = top - MARGIN - 16 - ROW * number
        colour = palette.TEXT_ACCENT if number == 0 else palette.TEXT
        picture.text(
            _cut(picture, line, right - left - 2 * MARGIN),
            (left + MARGIN, y),
            size=SIZE,
            colour=colour,
            layer=layer + 1,
        )


def _cut(picture: Picture, text: str, width: float) -> str:
    """Return a text shortened to a width, with dots at the cut."""
    if picture.text_width(text, SIZE) <= width:
        return text
    low = 0
    high = len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if picture.text_width(f"{text[:middle]}…", SIZE) <= width:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low]}…"
