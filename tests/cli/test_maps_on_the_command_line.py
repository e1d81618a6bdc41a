"""Maps on the command line: all that there is of Tiled and LDtk is drawn, recorded, checked and
opened by its name.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ecs_softbody.cli.games import find_game
from ecs_softbody.cli.main import main
from ecs_softbody.play import Controls
from tests.imports.map_corpus import (
    FLOOR,
    PICTURED,
    SQUARE,
    Case,
    cases,
    map_of,
    png,
    tile,
    tiles_layer,
    tileset,
    xml,
)
from tests.imports.test_map_corpus import written

READ = [case for case in cases() if not case.expected.refused]
PICTURED_MAP = map_of(tiles_layer(FLOOR), tilesets=[tileset(tile(0, SQUARE), **PICTURED)])


def a_map(folder: Path, ending: str) -> Path:
    (folder / "tiles.png").write_bytes(png())
    path = folder / f"level{ending}"
    path.write_bytes(xml(PICTURED_MAP) if ending == ".tmx" else json.dumps(PICTURED_MAP).encode())
    return path


@pytest.mark.slow
@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_every_map_is_drawn(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out" / "map.png"
    out.parent.mkdir()
    assert main(["import", str(written(case, tmp_path)), "--out", str(out)]) == 0
    assert out.stat().st_size > 1000
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".tmx", ".tmj", ".json"])
def test_a_map_is_imported_checked_recorded_and_opened(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = a_map(tmp_path, ending)
    assert main(["import", str(path), "--out", str(tmp_path / "map.png")]) == 0
    assert "1 tiles" in capsys.readouterr().out
    assert main(["check", str(path)]) == 0
    assert (
        main(
            [
                "record",
                str(path),
                "--out",
                str(tmp_path / "map.gif"),
                "--seconds",
                "0.2",
                "--size",
                "64x48",
            ]
        )
        == 0
    )
    assert (tmp_path / "map.gif").stat().st_size > 100
    game = find_game(str(path), {})()
    game.begin()
    game.advance(Controls())
    assert len(game.sim.entities()) == 2
    game.close()


def test_a_scene_imports_maps_of_every_ending(tmp_path: Path) -> None:
    for ending in (".tmx", ".tmj", ".json"):
        path = a_map(tmp_path, ending)
        (tmp_path / "scene.toml").write_text(f'import = "{path.name}"\n')
        assert main(["check", str(tmp_path / "scene.toml")]) == 0


def test_a_scene_in_json_is_still_one(tmp_path: Path) -> None:
    (tmp_path / "scene.json").write_text(
        '{"entities": {"a": {"ball": {"center": [0, 0], "radius": 1}}}}'
    )
    assert main(["check", str(tmp_path / "scene.json")]) == 0
    (tmp_path / "scene.json").write_text('{"layers": 3}')
    assert main(["check", str(tmp_path / "scene.json")]) != 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "level.tmj",
            json.dumps(map_of({**tiles_layer(FLOOR), "data": [1]})),
            "level.tmj: layer '",
        ),
        ("level.ldtk", '{"x": 1', "level.ldtk: it is no JSON"),
        ("leaf.svg", "<svg", "leaf.svg: it is no XML"),
    ],
)
def test_an_error_names_the_file_once(
    name: str, content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert main(["check", str(path)]) == 1
    told = capsys.readouterr().out
    assert told.count(name) == 1, told
    assert said in told
