"""Games: every package may offer some, through the entry points `ecs_softbody.games`."""

from __future__ import annotations

import difflib
from importlib.metadata import EntryPoint, entry_points

from ecs_softbody.play import Game

GROUP = "ecs_softbody.games"


class UnknownGame(LookupError):  # noqa: N818 - a mistake of the user's, told as it is
    """No game has this name; the message lists those that there are."""


def find_games() -> dict[str, EntryPoint]:
    """Return the games that are installed, by name, in alphabetical order; none of them is imported."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def find_game(name: str, games: dict[str, EntryPoint]) -> type[Game]:
    """Return the class of a game.

    Raises:
        UnknownGame: when there is none of this name.
        RuntimeError: when its package cannot be loaded, or offers something else than a Game.
    """
    if name not in games:
        near = difflib.get_close_matches(name, games, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        known = ", ".join(games) or "none is installed; install this package with: pip install -e ."
        raise UnknownGame(f"there is no game {name!r}.{hint} The games are: {known}")
    entry = games[name]
    try:
        found = entry.load()
    except Exception as error:
        raise RuntimeError(f"the game {name!r} ({entry.value}) cannot be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise RuntimeError(f"the game {name!r} ({entry.value}) is no subclass of ecs_softbody.rendering.Game")
    return found
