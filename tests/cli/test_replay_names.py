"""A replay names its game, and nothing else is imported for it, whatever the name is."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import pytest

from ecs_softbody.cli.main import main
from ecs_softbody.play import Replay

MARK = "from pathlib import Path; Path(__file__).with_name('HAS_RUN').write_text('')"
NAMES = [
    "levels.py", "./levels.py", "folder/levels.py", "../here/levels.py", "{here}/levels.py",
    "file://{here}/levels.py", "//server/share/x.py", "\\\\server\\share\\x.py", "C:\\x.py",
    "C:/x.py:Game", "levels.py:Game", "levels", "levels:Game", "pack", "pack:Game", "pack.deeper",
    "pack.deeper:Game", ".pack", "..", ".", "", " ", "/", "folder", "os.path", "this",
    "antigravity.x", "hills.toml", "hills.toml:Game", "map.tmj", "drawing.svg", "picture.png",
    "__main__:Game", "jelly-platformer ", "Jelly-Platformer", "jelly-platformer:JellyPlatformer",
    "ecs_softbody_games.jelly_car", "ecs_softbody_games.jelly_car:JellyCar", "a" * 100_000,
    "levels\0.py", "\x1b[2J\x1b]0;x\x07", "x\ny\rz", "\u202egnp.py", "\udc80", "{0}", "%s",
    "--game", "-h",
]  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with all kinds of things that could be imported."""
    folder = tmp_path / "here"
    for name in (
        "levels.py",
        "folder/levels.py",
        "folder/__init__.py",
        "pack/__init__.py",
        "pack/deeper.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(MARK)
    (folder / "hills.toml").write_text('format = 1\ntitle = "hills"\n')
    monkeypatch.chdir(folder)
    return folder


def replay_of(name: str) -> Replay:
    return Replay(name, 0, {}, {}, 1, {}, [], [], 0)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_no_name_in_a_replay_imports_anything(
    here: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*asked: object, **options: object) -> None:
        raise AssertionError(f"imports {asked}")

    written = replay_of(name.replace("{here}", str(here))).save(here / "best.replay")
    importlib.import_module("ecs_softbody.scenes")
    modules = set(sys.modules)
    paths = list(sys.path)
    monkeypatch.setattr(importlib, "import_module", refuse)
    monkeypatch.setattr(importlib.util, "spec_from_file_location", refuse)
    assert main(["replay", str(written)]) == 2
    assert (set(sys.modules), sys.path) == (modules, paths)
    assert not list(here.rglob("HAS_RUN"))
    said = capsys.readouterr().err
    assert said.isascii()
    assert said[:-1].isprintable()
    assert "is not installed. One of a file is named: ecs-softbody replay" in said
    assert len(said) < 300 + 2 * len(str(written))


@pytest.mark.parametrize(
    "content", [b"", b"x" * 200, Replay("x", 0, {}, {}, 1, {}, [], [], 0).to_bytes()]
)
def test_a_file_of_another_kind_is_told_in_print(
    here: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "best.replay").write_bytes(content.replace(b"replay\0\0", b"\x1b[2J\xff\0\nx"))
    assert main(["replay", "best.replay"]) == 2
    said = capsys.readouterr().err
    assert said[:-1].isprintable()
    assert len(said) < 200


@pytest.mark.slow
def test_what_the_user_names_is_imported(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = replay_of("levels.py").save(here / "best.replay")
    assert main(["replay", str(written), "--game", "levels.py"]) == 2
    assert (here / "HAS_RUN").exists()
    assert "has no game" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("versions", "components"),
    [
        ({"ecs-softbody": "\x1b[2J"}, []),
        ({"\x1b[2J": "1"}, []),
        ({"numpy": "9" * 10_000}, []),
        ({str(n): "1" for n in range(1000)}, []),
        ({}, ["\x1b[2J"]),
        ({}, ["x" * 10_000]),
        ({}, [str(n) for n in range(1000)]),
        ({"numpy": "\ud800"}, []),
    ],
)
def test_what_a_replay_says_of_itself_can_be_printed(
    tmp_path: Path,
    versions: dict[str, str],
    components: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = Replay("muscles", 0, {}, {}, 1, versions, [], components, 0).save(
        tmp_path / "x.replay"
    )
    assert main(["replay", str(written)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("ecs-softbody: replay: its content is damaged")
    assert len(said.err) < 300
