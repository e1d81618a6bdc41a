"""Said: a maker's declarations that use other words than ours, or a form that no screen can
show.
"""

from __future__ import annotations

from typing import Any

from ecs_softbody.rendering import Theme
from ecs_softbody.validation import did_you_mean

OUTCOMES = {
    "win": "won", "victory": "won", "True": "won", "lose": "lost", "loss": "lost", "dead": "lost",
    "False": "lost",
}  # fmt: skip
"""Makers' words for outcomes."""


def check_class(game: Any) -> None:
    """Raise TypeError for class attributes of a game that no screen can show."""
    name = type(game).__name__
    if not isinstance(game.theme, Theme):
        raise TypeError(
            f"{name}.theme: {game.theme!r} is not allowed; expected a Theme, such as themes.SNOW"
        )
    for field in ("keys", "more_keys"):
        for pair in getattr(game, field):
            if not (isinstance(pair, tuple | list) and len(pair) == 2):
                raise TypeError(
                    f"{name}.{field}: {pair!r} is not allowed; expected pairs of an action or a "
                    "key, and what it does: "
                    '("jump", "jump")'
                )
    known = [*game.actions, *(key for key, _ in game.keys)]
    for each in game.by_pointer:
        if each not in known:
            names = ", ".join(map(repr, dict.fromkeys(known))) or "none"
            raise TypeError(
                f"{name}.by_pointer: {each!r} is not allowed; expected a list of some of `keys` "
                f"and `actions`: {names}"
            )


def check_outcome(game: Any) -> None:
    """Raise ValueError for an outcome that is neither None, "won" nor "lost"."""
    if game.outcome not in (None, "won", "lost"):
        hint = did_you_mean(str(game.outcome), ("won", "lost"), OUTCOMES)
        owner = type(game).__name__
        raise ValueError(
            f"{owner}.outcome: {game.outcome!r} is not allowed{hint}; expected None, 'won' or "
            "'lost'"
        )
