"""Where a command writes is checked before anything is played, drawn or built."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from ecs_softbody.cli import web
from ecs_softbody.cli.main import main
from ecs_softbody.play import recording
from tests.cli.test_main import DRAWING


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a drawing and a scene, in which nothing may be played or built."""
    monkeypatch.chdir(tmp_path)
    Path("hill.svg").write_text(DRAWING)
    Path("ok.toml").write_text("[entities.a.blob]\ncenter = [0, 3]\nradius = 1\n")
    Path("x.txt").write_text("mine")

    def never(*given: object, **options: object) -> None:
        raise AssertionError("it has begun")

    monkeypatch.setattr(web, "kernels_folder", never)
    monkeypatch.setattr(web, "thumbnail", never)
    monkeypatch.setattr(recording, "Session", never)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("import hill.svg --out o.jpg", "--out: 'o.jpg' is not allowed; expected a file that ends"),
        ("import none.svg --out o.jpg", "--out: 'o.jpg' is not allowed; expected a file that ends"),
        ("web ok.toml --out x.txt", "'x.txt' is a file; expected a new folder"),
        ("web ok.toml --out x.txt/page", "'x.txt/page' cannot be written: Not a directory"),
        ("web ok.toml --out . --zip", "has files of something else"),
        ("record ok.toml --out x.txt/a.gif", "there is no folder 'x.txt'"),
    ],
)
def test_a_wrong_place_is_told_first(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 2
    assert said in capsys.readouterr().err
    assert {path.name for path in Path().iterdir()} == {"hill.svg", "ok.toml", "x.txt"}


@pytest.mark.skipif("sys.platform != 'linux'")
@pytest.mark.parametrize(
    "command",
    [
        "record ok.toml --out /proc/r.gif",
        "record ok.toml --out /proc/r.replay",
        "play ok.toml --replay /proc/r.replay",
        "import hill.svg --out /proc/r.png",
        "web ok.toml --out /proc/page",
    ],
)
def test_a_folder_that_takes_no_files_is_told_first(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command.split()) == 2
    assert "'/proc" in (said := capsys.readouterr().err)
    assert "written" in said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["import", "hill.svg", "--out", ""], "--out: '' is not allowed; expected a path"),
        (["web", "ok.toml", "--out", ""], "--out: '' is not allowed; expected a path"),
        (["check", ""], "'' is not allowed; expected a path"),
        (["web", "ok.toml", "--serve", "--port", "0"], "--port: '0' is not allowed; expected a wh"),
        (["web", "ok.toml", "--port", "99999"], "--port: '99999' is not allowed; expected a whole"),
    ],
)
def test_an_empty_path_and_a_port_that_cannot_be(
    command: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(command)
    assert leaving.value.code == 2
    assert said in capsys.readouterr().err


def test_a_port_that_is_taken_is_told_first(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["web", "ok.toml", "--out", "page", "--serve", "--port", str(port)]) == 2
    assert f"--port: {port} cannot be had" in capsys.readouterr().err
    assert not Path("page").exists()


@pytest.mark.skipif("sys.platform != 'linux'")
def test_a_replay_that_nobody_can_play_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("PYGLET_HEADLESS", raising=False)
    assert main(["play", "ok.toml", "--replay", "a.replay"]) == 1
    said = capsys.readouterr().err
    assert "no display" in said
    assert "there is no replay" in said
    assert "record GAME --out a.replay" in said
    assert not Path("a.replay").exists()


def test_a_path_is_shown_as_text() -> None:
    from ecs_softbody.errors import FieldError

    assert str(FieldError("--out", "", Path("o.jpg"), "x")).startswith("--out: 'o.jpg' is not")
