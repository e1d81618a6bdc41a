"""Saves and settings: games start with them, are played a little, and keep something again."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from ecs_softbody.play import Controls, Game
from ecs_softbody.play.saves import FOLDER_VARIABLE, Saves
from ecs_softbody.play.screens.menu import Choice
from ecs_softbody.play.session import Session
from ecs_softbody.play.settings import USUAL, Settings
from included import included_games
from tests.fuzzing.kinds.kind import Kind, Sample
from tests.snapshots.small_game import Hop

SIZE = (320, 180)
SETTINGS = {
    **USUAL,
    "muted": False,
    "volume": 0.5,
    "music volume": 0.25,
    "language": "de",
    "played": ["hop", "jelly-car"],
    "text size": 1.5,
    "colours": "deuteranopia",
    "keys": {"hop": {"hop": ["w", "up"], "move": [["a"], ["d"]]}, "other": {}},
}


def frames(session: Session, count: int, **pressed: set[str]) -> None:
    """Run frames, the first with keys, and look at the last one."""
    for number in range(count):
        session.frame(Controls(**(pressed if number == 0 else {})))
    session.picture(*SIZE)


class Kept(Kind):
    """What a game or a player keeps."""

    refusals = ()  # such a file stops no game
    batch = 20

    def prepare(self) -> None:
        os.environ[FOLDER_VARIABLE] = os.getcwd()

    def take(self, sample: Sample, path: Path) -> Session:
        self.path = path
        game = sample.about()
        return Session(game, settings=Settings.of_the_player(game))

    def check_kept(self, saves: Saves, path: Path) -> None:
        """Look whether what is kept now is in the file."""
        saves["kept by the fuzz"] = 7
        if saves.path is not None and not saves.notice:
            assert json.loads(path.read_bytes())["kept by the fuzz"] == 7, (
                "what is kept is not in the file"
            )


class GameSaves(Kept):
    """The saves of each installed game."""

    name = "saves"
    words: ClassVar[list[str]] = [
        "time 1",
        "stars",
        "stars 1",
        "opened levels",
        "load",
        "page",
        "best",
        "level",
        "keys",
    ]

    def samples(self) -> list[Sample]:
        return [self._sample(entry.load()) for entry in included_games().values()]

    def _sample(self, game: type[Game]) -> Sample:
        """Return the saves of a game with all that it asks for when it is started and played."""
        asked: dict[str, Any] = {}
        plain = Saves.get

        def get(saves: Saves, key: str, default: Any = None) -> Any:
            if saves.name == game.name:
                asked[key] = default
            return plain(saves, key, default)

        with patch.object(Saves, "get", get):
            made = game()
            session = Session(made)
            for level in range(max(len(made.levels), 1)):
                made.level_number = level
                made.level_words(level)
                frames(session, 2)
                session.restart()
                frames(session, 2)
                session.state = "title"
            session.close()
            Choice.of(game, made.saves)
        values = {
            key: 2
            if default is None
            else default + 1
            if isinstance(default, int | float)
            else default
            for key, default in asked.items()
        }
        name = f"{game.name}.json"
        return Sample(
            name, {name: json.dumps({**values, "opened levels": 2, "level": 1}).encode()}, game
        )

    def go_on(self, taken: Session) -> None:
        game = taken.game
        Choice.of(type(game), game.saves)
        for level in range(len(game.levels)):
            game.level_words(level)
        frames(taken, 1)
        taken.restart()
        frames(taken, 2)
        game.outcome = "won"
        frames(taken, 2)
        self.check_kept(game.saves, self.path)
        taken.close()


class PlayerSettings(Kept):
    """The settings of all games."""

    name = "settings"
    words: ClassVar[list[str]] = [*SETTINGS, "hop", "move"]

    def samples(self) -> list[Sample]:
        data = json.dumps(SETTINGS).encode()
        return [Sample("settings.json", {"settings.json": data}, Hop)]

    def go_on(self, taken: Session) -> None:
        frames(taken, 1)
        taken.restart()
        frames(taken, 2)
        frames(taken, 1, pressed={"p"})
        frames(taken, 1, pressed={"o"})
        screen = taken.settings_shown
        if screen is not None:
            screen.selected = zlib.crc32(self.path.read_bytes()) % len(screen.rows)
            frames(taken, 1, pressed={"right"})
            frames(taken, 1, pressed={"escape"})
        taken.settings.choose("master", 0.5)
        self.check_kept(taken.settings.saves, self.path)
        taken.close()
