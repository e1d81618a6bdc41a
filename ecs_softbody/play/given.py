"""Given: accepts a game as an instance or a class."""

from __future__ import annotations

from ecs_softbody.parallel.compiling import check_kernels
from ecs_softbody.play.game import Game
from ecs_softbody.simulation import Simulation


def game_from(asked: str, game: Game | type[Game]) -> Game:
    """Return a game, created if its class is given.

    Raises:
        TypeError: when it is neither.
        RuntimeError: if there are no compiled kernels, so that no game can run.
    """
    check_game(asked, game)
    check_kernels()
    return game() if isinstance(game, type) else game


def check_game(asked: str, game: Game | type[Game]) -> None:
    """Raise TypeError unless `game` is a Game or its class; `asked` names the caller."""
    if isinstance(game, Game) or (isinstance(game, type) and issubclass(game, Game)):
        return
    cure = ". A simulation is opened with show(sim)" if isinstance(game, Simulation) else ""
    raise TypeError(f"{asked}: {game!r} is not allowed; expected a Game, or its class{cure}")
