from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from PIL import Image

import ecs_softbody
from ecs_softbody.cli import games as offered
from ecs_softbody.cli.games import loadable
from ecs_softbody.cli.main import main
from ecs_softbody.cli.scene_files import check_files
from ecs_softbody.parallel.compiling import IS_PYTHON
from ecs_softbody.play import Game

GAMES = Path(__file__).parents[1] / "rendering"


@pytest.fixture(autouse=True)
def one_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the small game of the rendering tests, and two that are broken, as packages would."""
    monkeypatch.syspath_prepend(str(GAMES))
    entries = [
        EntryPoint("blob-garden", "blob_garden:BlobGarden", offered.GROUP),
        EntryPoint("broken", "no_such_module:Game", offered.GROUP),
        EntryPoint("odd", "json:dumps", offered.GROUP),
    ]
    monkeypatch.setattr(offered, "entry_points", lambda group: entries)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["--version"])
    assert leaving.value.code == 0
    assert capsys.readouterr().out == f"ecs-softbody {ecs_softbody.__version__}\n"


def test_games_are_listed_with_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    assert "blob-garden          Push the blob" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["play"], ["record"]])
def test_an_unknown_game_names_those_that_there_are(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "blob-gardn"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "did you mean blob-garden?" in told
    assert "broken" in told


@pytest.mark.parametrize(("name", "reason"), [("broken", "no_such_module"), ("odd", "no subclass")])
def test_a_broken_game_is_told_in_one_line(
    name: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", name]) == 2
    assert re.fullmatch(rf"ecs-softbody: .*{reason}.*\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--size", "5"], "WIDTHxHEIGHT"),
        (["--seconds", "-1"], "-1"),
        (["--seconds", "x"], "seconds"),
        (["--rate", "y"], "rate"),
    ],
)
def test_a_wrong_option_says_what_is_expected(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["record", "blob-garden", *arguments])
    assert leaving.value.code == 2
    assert reason in capsys.readouterr().err


def test_a_file_of_an_unknown_kind_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "blob-garden", "--out", str(tmp_path / "x.avi")]) == 2
    assert "must end in .gif, .png, .mp4, .webm, .replay" in capsys.readouterr().err


@pytest.mark.skipif(IS_PYTHON, reason="drawing every pixel in plain Python takes minutes")
def test_record_writes_what_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "x.gif"
    assert (
        main(
            ["record", "blob-garden", "--out", str(target), "--seconds", "0.5", "--size", "160x90"]
        )
        == 0
    )
    assert str(target) in capsys.readouterr().out
    with Image.open(target) as film:
        assert (film.size, film.n_frames) == ((160, 90), 10)


@pytest.mark.slow
@pytest.mark.skipif(IS_PYTHON, reason="drawing every pixel in plain Python takes minutes")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_play_without_a_display_records_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("PYGLET_HEADLESS", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ecs_softbody.cli.main.DEMO_SECONDS", 0.5)
    assert main(["play", "blob-garden"]) == 0
    out = capsys.readouterr().out
    assert "no display" in out
    assert str(tmp_path / "blob-garden.gif") in out
    assert (tmp_path / "blob-garden.gif").stat().st_size > 1000


@pytest.mark.slow
def test_the_list_of_games_needs_no_pyglet() -> None:
    code = (
        "import sys; from ecs_softbody.cli.main import main; main(['games']); "
        "sys.exit('pyglet' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a pipe that is closed there is another error")
def test_an_output_that_is_closed_ends_the_command_without_a_word() -> None:
    command = [sys.executable, "-m", "ecs_softbody", "schema"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        run.stdout.close()
        assert run.stderr is not None
        told = run.stderr.read()
    assert (told, run.returncode) == ("", 141)


def test_a_class_that_is_a_game_is_found() -> None:
    assert issubclass(offered.find_game("blob-garden", offered.find_games()), Game)


def test_a_broken_game_does_not_take_the_menu_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(loadable(offered.find_games())) == ["blob-garden"]
    told = capsys.readouterr().err
    assert "'broken'" in told
    assert "'odd'" in told


def test_a_folder_that_is_not_there_is_told_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder.replay").mkdir()
    for target, why in (
        (tmp_path / "nowhere" / "film.gif", "there is no folder"),
        (tmp_path / "nowhere" / "one.replay", "there is no folder"),
        (tmp_path / "folder.replay", "it is a folder"),
    ):
        assert main(["record", "blob-garden", "--out", str(target), "--seconds", "600"]) == 2
        assert why in capsys.readouterr().err
        assert (
            target.suffix == ".gif" or main(["play", "blob-garden", "--replay", str(target)]) == 2
        )
        assert target.suffix == ".gif" or why in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["abc", "0", "-1", "nan", "1e9"])
def test_a_length_that_cannot_be_is_told(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["record", "blob-garden", f"--seconds={seconds}"])
    assert leaving.value.code == 2
    assert "expected a number above 0" in capsys.readouterr().err


DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><path d="M0 '
    '20V10H40V20Z"/></svg>'
)


def test_import_says_what_a_file_becomes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "hill.svg"
    shown = tmp_path / "hill.png"
    drawing.write_text(DRAWING)
    assert main(["import", str(drawing), "--out", str(shown)]) == 0
    assert "1 ground (4 points)" in capsys.readouterr().out
    with Image.open(shown) as image:
        assert image.size == (1280, 720)
    assert main(["import", str(tmp_path / "none.tmj")]) == 2
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.slow
def test_a_drawing_is_played_into_a_film_where_there_is_no_display(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hill.svg").write_text(DRAWING)
    assert main(["play", "hill.svg"]) == 0
    assert "hill.gif" in capsys.readouterr().out
    assert (tmp_path / "hill.gif").exists()


def test_what_has_no_name_is_told_by_its_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_files([Path(".")]) == [".: the ending '' is not allowed; expected .toml or .json"]
    assert capsys.readouterr().out.startswith(".: the ending")
