"""The platformer's second level, a map of the editor Tiled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ecs_softbody.play import Controls, Session
from ecs_softbody_games.jelly_platformer import JellyPlatformer, course
from ecs_softbody_games.jelly_platformer.course import LEVELS
from tests.helpers.platformer import play

FOLDER = Path(course.__file__).parent / "levels"
FILE = FOLDER / "hollow.tmj"


@pytest.fixture
def game() -> Iterator[JellyPlatformer]:
    made = JellyPlatformer()
    made.level_number = len(LEVELS) - 1
    made.start()
    yield made
    made.close()


@pytest.mark.slow
def test_the_scripted_player_reaches_the_flag_of_the_map(game: JellyPlatformer) -> None:
    path = play(game, 60.0)
    assert game.outcome == "won", f"stopped at {path[-1]}"
    assert game.falls == 0
    assert game.coins > len(game.level.coins) // 2
    assert game.checkpoint == len(game.level.checkpoints) - 1


def test_ground_and_objects_are_where_the_map_has_them(game: JellyPlatformer) -> None:
    raw = json.loads(FILE.read_text())
    things = next(layer for layer in raw["layers"] if layer["type"] == "objectgroup")["objects"]
    flag = next(one for one in things if one["type"] == "flag")
    size = raw["tilewidth"]
    high = raw["height"]
    assert game.level.flag == pytest.approx((flag["x"] / size, high - flag["y"] / size))
    assert len(game.level.coins) == sum(one["type"] == "coin" for one in things)
    assert game.level.ground_height(10.0) == pytest.approx(4.0)
    assert game.level.ground_height(17.0) == pytest.approx(4.5)  # a slope
    assert game.level.ground_height(32.0) is None
    assert sum(len(tiles.corners) for tiles in game.level.tiles) > 500


@pytest.mark.slow
def test_after_the_flag_of_the_meadow_comes_the_next_level_and_the_map_is_the_last() -> None:
    session = Session(JellyPlatformer())
    game = session.game
    assert isinstance(game, JellyPlatformer)
    session.frame(Controls(pressed={"space"}))
    meadow = game.level.name
    game.outcome = "won"
    for _ in range(240):
        session.frame(Controls())
        session.frame(Controls(pressed={"space"}))
        if game.level.name != meadow:
            break
    assert game.level_number == 1
    assert np.isfinite(game.hero.position).all()
    game.choose_level(len(LEVELS) - 1)
    session.frame(Controls())
    assert game.level.name == "Hollow"
    assert not game.has_next_level
    session.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the levels, for a player to edit."""
    for name in ("meadow.toml", "hollow.tmj", "hollow.png"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    return tmp_path


def session_of(path: Path) -> Session:
    class Edited(JellyPlatformer):
        levels = (str(path),)

    return Session(Edited())


def frames(session: Session, count: int = 60) -> JellyPlatformer:
    for _ in range(count):
        session.frame(Controls())
    assert isinstance(session.game, JellyPlatformer)
    return session.game


@pytest.mark.slow
def test_a_level_takes_a_changed_file_within_a_second_and_keeps_the_old_one_where_it_is_wrong(
    folder: Path,
) -> None:
    file = folder / "meadow.toml"
    session = session_of(file)
    text = file.read_text()
    frames(session, 1)
    file.write_text(text.replace('name = "Night meadow"', 'name = "Day meadow"'))
    assert frames(session).level.name == "Day meadow"
    file.write_text(text.replace('name = "Night meadow"', 'nam = "Evening meadow"'))
    game = frames(session)
    assert game.level.name == "Day meadow"
    assert "data.name is missing" in str(game.scene_source.problems[0])
    file.write_text(f"{text}\n[entitis]\n")
    assert frames(session).level.name == "Day meadow"
    assert "there is no such table" in str(game.scene_source.problems[0])
    session.restart()
    assert game.level.name == "Day meadow"
    file.write_text(text)
    assert frames(session).level.name == "Night meadow"
    assert not game.scene_source.problems
    session.close()


@pytest.mark.slow
def test_a_map_takes_a_change_of_the_map_and_of_its_pictures(folder: Path) -> None:
    file = folder / "hollow.tmj"
    session = session_of(file)
    raw = json.loads(file.read_text())
    game = frames(session, 1)
    coins = len(game.level.coins)
    texture = game.level.tiles[0].texture
    things = next(layer for layer in raw["layers"] if layer["type"] == "objectgroup")["objects"]
    things.remove(next(one for one in things if one["type"] == "coin"))
    file.write_text(json.dumps(raw))
    assert len(frames(session).level.coins) == coins - 1
    with Image.open(folder / "hollow.png") as image:
        image.convert("RGBA").point(lambda value: value // 2).save(folder / "hollow.png")
    frames(session)
    assert game.level.tiles[0].texture.pixels.max() < texture.pixels.max()
    flag = next(one for one in things if one["type"] == "flag")
    flag["type"] = "flagg"
    file.write_text(json.dumps(raw))
    frames(session)
    expected = "hollow.tmj: an object of class 'flagg' is not allowed; expected one of start"
    assert expected in str(game.scene_source.problems[0])
    assert len(game.level.coins) == coins - 1
    flag["type"] = "flag"
    (folder / "hollow.png").unlink()
    file.write_text(json.dumps(raw))
    frames(session)
    assert [str(one) for one in game.scene_source.problems] == [
        "hollow.tmj: tileset 'hollow': there is no file 'hollow.png'"
    ]
    (folder / "hollow.png").write_bytes((FOLDER / "hollow.png").read_bytes())
    frames(session)
    assert not game.scene_source.problems
    session.close()
