"""The command `ecs-softbody import`, on files of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecs_softbody.cli.main import main
from tests.imports.samples import sources, write

GAMES = Path(__file__).parents[2] / "games"
MAPS = sorted(path for path in GAMES.rglob("*.*") if path.suffix in (".tmj", ".ldtk", ".svg"))


@pytest.mark.parametrize("ending", sorted(sources()))
def test_a_file_of_every_kind_is_described(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(write(tmp_path, f"sample{ending}", sources()[ending]))]) == 0
    assert "points)" in capsys.readouterr().out


@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.name)
def test_the_maps_of_games_are_described_and_drawn(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(path), "--out", str(tmp_path / "map.png")]) == 0
    told = capsys.readouterr().out
    assert "ground" in told
    assert "tiles\n" in told
    assert (tmp_path / "map.png").stat().st_size > 1000


@pytest.mark.parametrize("command", ["import", "check", "play"])
@pytest.mark.parametrize(
    ("ending", "instead"),
    [
        (".world", "it is a world of Tiled, which names maps; open one of these"),
        (".tsx", "it is a tileset of Tiled; open a map that uses it"),
        (".tsj", "it is a tileset of Tiled; open a map that uses it"),
        (".tx", "it is a template of Tiled; open a map that uses it"),
        (".tj", "it is a template of Tiled; open a map that uses it"),
    ],
)
def test_a_part_of_a_map_is_told_what_to_open_instead(
    command: str, ending: str, instead: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / f"part{ending}").write_text("{}")
    assert main([command, str(tmp_path / f"part{ending}")]) != 0
    said = capsys.readouterr()
    assert instead in said.out + said.err
    assert "Traceback" not in said.out + said.err
