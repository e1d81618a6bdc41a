"""The platformer's second level, a map of the editor Tiled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.play import Controls, Session
from ecs_softbody_games.jelly_platformer import JellyPlatformer, course
from ecs_softbody_games.jelly_platformer.course import LEVELS
from ecs_softbody_games.jelly_platformer.levels.maps import read_map
from tests.helpers.platformer import play

FILE = Path(course.__file__).parent / "levels" / "hollow.tmj"


@pytest.fixture
def game() -> Iterator[JellyPlatformer]:
    made = JellyPlatformer()
    made.level_number = len(LEVELS) - 1
    made.start()
    yield made
    made.close()


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
    size, high = raw["tilewidth"], raw["height"]
    assert game.level.flag == pytest.approx((flag["x"] / size, high - flag["y"] / size))
    assert len(game.level.coins) == sum(one["type"] == "coin" for one in things)
    assert game.level.ground_height(10.0) == pytest.approx(4.0)
    assert game.level.ground_height(17.0) == pytest.approx(4.5)  # a slope
    assert game.level.ground_height(32.0) is None
    assert sum(len(tiles.corners) for tiles in game.level.tiles) > 500


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


def test_a_map_that_is_no_level_is_told(tmp_path: Path) -> None:
    raw = json.loads(FILE.read_text())
    (tmp_path / "hollow.png").write_bytes(FILE.with_suffix(".png").read_bytes())
    things = next(layer for layer in raw["layers"] if layer["type"] == "objectgroup")["objects"]
    next(one for one in things if one["type"] == "flag")["type"] = "flagg"
    (tmp_path / "bad.tmj").write_text(json.dumps(raw))
    with pytest.raises(ValueError, match=r"bad\.tmj: an object of class 'flagg' is not allowed; expected one of start"):
        read_map(tmp_path / "bad.tmj")
