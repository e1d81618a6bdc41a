"""Whatever a file of saves or settings holds: every game starts, is played,
and keeps on keeping.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ecs_softbody.play import Controls, Game, Saves, Session, Settings
from ecs_softbody.play.replay.ghost import Ghost
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.state import container
from included import included_games

ODD = [
    '"x"', '""', "null", "true", "false", "-1", "0", "2.5", "1e300", "-1e300", "1e999", "-Infinity",
    "NaN", "1" + "0" * 400, "-1" + "0" * 5000, "[]", "[[[1], 2]]", "[" * 500 + "]" * 500, "{}",
    '{"a": [1]}', '"\\ud800"', '["\\udc80", 1]', '"' + "x" * 5000 + '"',
    '{"jelly-car": {"drive-": 3, "hop": ["\\ud800", 1e999, "x", "space"]}}',
]  # fmt: skip
READERS = (
    "get", "number", "whole", "flag", "text", "texts", "table", "keep_best", "change",
    "__getitem__", "__contains__",
)  # fmt: skip
NAMES = list(included_games())


def loaded(name: str) -> type[Game]:
    found: type[Game] = included_games()[name].load()
    return found


@functools.cache
def keys_of(name: str) -> tuple[str, ...]:
    """Return every key of its saves that a game, its card and the screens over it ask for."""
    asked: dict[str, None] = {}

    def recording(method: Callable[..., Any]) -> Callable[..., Any]:
        def ask(saves: Saves, key: str, *others: Any, **options: Any) -> Any:
            if saves.name != "settings":
                asked[key] = None
            return method(saves, key, *others, **options)

        return ask

    with pytest.MonkeyPatch.context() as patch:
        for reader in READERS:
            patch.setattr(Saves, reader, recording(getattr(Saves, reader)))
        play_a_little(loaded(name), Settings())
    return tuple(asked)


def play_a_little(kind: type[Game], settings: Settings) -> None:
    """See its card and all its levels, play some frames of each, and win them as the game counts
    it.
    """
    game = kind()
    if settings.saves.path is not None:
        game.saves.open(settings.saves.path.parent)
        settings.note_played(game.name)
    menu = Menu([Choice.of(kind, game.saves)], settings=settings)
    menu.frame(Controls())
    draw_image(menu.picture(320, 180, 1.0))
    session = Session(game, settings=settings)
    for level in range(max(len(game.levels), 1)):
        game.level_number = level
        game.begin()
        session.state = "title"
        session.picture(320, 180)
        session.frame(Controls(pressed={"space"}))
        for _ in range(3):
            session.frame()
        session.picture(320, 180)
        game.level_words(level)
        game.outcome_text()
        game.outcome = "won"
        session.frame()
        draw_image(session.picture(320, 180))
    settings.keep(game)
    settings.choose("master", 0.5)
    session.close()


def write(path: Path, values: dict[str, str]) -> None:
    """Write a file of values that are JSON already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "{" + ",".join(f"{json.dumps(key)}: {value}" for key, value in values.items()) + "}"
    )


def opened(folder: Path) -> Settings:
    settings = Settings()
    settings.saves.open(folder)
    return settings


@pytest.mark.brief(120)
@pytest.mark.sample(5)
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("name", NAMES)
def test_no_value_in_the_saves_stops_a_game(name: str, value: str, tmp_path: Path) -> None:
    keys = keys_of(name)
    assert keys
    path = tmp_path / f"{name}.json"
    write(path, dict.fromkeys([*keys, "of a maker"], value))
    play_a_little(loaded(name), opened(tmp_path))
    assert not list(tmp_path.glob("*damaged*"))
    saves = Saves(name)
    saves.open(tmp_path)
    for key in keys:
        saves[key] = 3
        saves.keep_best(key, 4)
    again = Saves(name)
    assert again.open(tmp_path)
    assert {key: again.whole(key, 0) for key in keys} == dict.fromkeys(keys, 4)
    assert "of a maker" in again


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_no_value_in_the_settings_stops_a_game(value: str, tmp_path: Path) -> None:
    names = [
        "muted",
        "volume",
        "music volume",
        "master",
        "shake",
        "flashes",
        "text size",
        "colours",
        "language",
    ]
    for name in ("jelly-car", "muscles"):
        write(tmp_path / "settings.json", dict.fromkeys([*names, "played", "keys"], value))
        play_a_little(loaded(name), opened(tmp_path))
        assert not list(tmp_path.glob("*damaged*"))
        found = json.loads((tmp_path / "settings.json").read_text())
        assert found["played"][0] == name
        assert found["master"] == 0.5


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(len(NAMES)))
def test_a_game_that_is_won_over_odd_values_keeps_what_was_reached(
    seed: int, tmp_path: Path
) -> None:
    name = NAMES[seed]
    keys = [key for key in keys_of(name) if key != "opened levels"]
    write(
        tmp_path / f"{name}.json",
        {key: ODD[(seed + number) % len(ODD)] for number, key in enumerate(keys)},
    )
    game = loaded(name)()
    game.saves.open(tmp_path)
    session = Session(game, autopilot=True)
    for _ in range(2400):
        session.frame()
        if session.state != "playing":
            break
    session.picture(320, 180)
    session.close()
    again = Saves(name)
    assert again.open(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jelly-car", "jelly-platformer"])
@pytest.mark.parametrize(
    "shape", [[(0.0, 0.0)], [(1e9, -1e9)] * 40, [(0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]]
)
def test_no_ghost_of_another_body_stops_a_game(
    name: str, shape: list[tuple[float, float]], tmp_path: Path
) -> None:
    game = loaded(name)()
    game.saves.open(tmp_path)
    game.saves["of a maker"] = 1
    game.begin()
    game.run.finish(5.0)  # type: ignore[attr-defined]
    (path,) = tmp_path.glob("*.ghost")
    ghost = Ghost.load(path)
    lengths = {"result": 5.0, "frames": 300, "counts": [len(shape)] * 100}
    text = json.dumps(lengths).encode()
    points = np.array(shape * 100, np.float32).tobytes()
    path.write_bytes(container.pack("ghost", len(text).to_bytes(4, "little") + text + points))
    assert ghost.result == Ghost.load(path).result
    session = Session(game)
    session.frame(Controls(pressed={"space"}))
    for _ in range(10):
        session.frame()
        draw_image(session.picture(320, 180))
    assert game.run.time == 5.0  # type: ignore[attr-defined]
    session.close()
