"""What goes into a page with a game of one's own, and what does not; links of scenes."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecs_softbody.cli.games import find_game
from ecs_softbody.cli.main import main
from ecs_softbody.web.links import file_name, text_to_scene
from ecs_softbody.web.making.game_files import GameFiles, files_of_game
from ecs_softbody.web.making.pins import runtime_of
from ecs_softbody.web.making.writing import LOCK, write_folder, write_zip

GAME = """
from ecs_softbody.play import Game


class Stars(Game):
    name = "stars"
    title = "Stars"
"""
BALL = "[entities.ball]\nball = { center = [0, 3], radius = 0.5 }\n"


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    """Forget what games import, and where they lie."""
    modules = dict(sys.modules)
    places = list(sys.path)
    yield
    sys.path[:] = places
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


def taken(asked: Path | str) -> GameFiles:
    return files_of_game(find_game(str(asked), {}), str(asked), {})


def written(folder: Path, **files: str) -> Path:
    """Write files by their names, with "__" for a slash, and return that of the game."""
    for name, text in {"stars_py": GAME, **files}.items():
        path = folder / name.replace("__", "/").replace("_py", ".py").replace(
            "_txt", ".txt"
        ).replace("_png", ".png")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "stars.py"


@pytest.mark.parametrize("name", ["random.py", "email.py", "my gäme's.py"])
def test_a_game_called_like_a_module_of_python_travels_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(GAME)
    found = taken(tmp_path / name)
    assert list(found.files) == [f"game_of_page/{name}"]
    assert found.name == f"game_of_page/{name}"
    assert found.files[f"game_of_page/{name}"].decode() == GAME


def test_secrets_and_links_to_other_places_stay_at_home(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("{}")
    folder = tmp_path / "game"
    game = written(folder, level_png="x")
    for name in (".env", "id_rsa", "server.pem", "credentials.json", "secrets.toml", "notes.txt"):
        (folder / name).write_text("x")
    (folder / "leak.json").symlink_to(elsewhere)
    (folder / "same.json").symlink_to(folder / "good.json")
    (folder / "good.json").write_text("{}")
    found = taken(game)
    assert [name.partition("/")[2] for name in found.files] == [
        "stars.py",
        "good.json",
        "level.png",
        "same.json",
    ]
    told = [note.partition(" ")[0] for note in found.notes if "left out" in note]
    assert told == ["credentials.json", "leak.json", "secrets.toml"]


def test_so_they_do_in_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pack"
    written(folder, **{"__init___py": "", "data__level_txt": "x"})
    (folder / "__init__.py").write_text("")
    for name in ("id_ed25519", "server.key", ".env"):
        (folder / name).write_text("x")
    (folder / "leak.txt").symlink_to("/etc/hostname")
    monkeypatch.chdir(tmp_path)
    found = taken("pack.stars:Stars")
    assert found.name == "pack.stars:Stars"
    assert list(found.files) == ["pack/__init__.py", "pack/data/level.txt", "pack/stars.py"]
    assert [note.partition(" ")[0] for note in found.notes] == [
        "pack/id_ed25519",
        "pack/leak.txt",
        "pack/server.key",
    ]


def test_what_the_code_names_comes_along(tmp_path: Path) -> None:
    code = f"""
import levels.one
{GAME}
    def start(self):
        import helper
        open("notes.txt"), open("pictures/" + self.name)
"""
    game = written(
        tmp_path,
        stars_py=code,
        levels__one_py="",
        helper_py="import deep.inner",
        deep__inner_py="",
        notes_txt="",
        other_txt="",
        pictures__a_png="",
        photographs__private_png="",
        unused_py="",
    )
    assert sorted(name.partition("/")[2] for name in taken(game).files) == [
        "deep/inner.py", "helper.py", "levels/one.py", "notes.txt", "pictures/a.png", "stars.py",
    ]  # fmt: skip


def test_a_package_that_the_page_does_not_have_is_told_before_a_friend_opens_it(
    tmp_path: Path,
) -> None:
    code = "import json, numpy, PIL.Image, sqlite3\nfrom pymunk import Body" + GAME
    game = written(
        tmp_path, stars_py=GAME.replace("from ecs", "if 0:\n    import mod\nfrom ecs"), mod_py=code
    )
    assert taken(game).notes == [
        (
            f"mod.py imports {name}, which is not in the page: the game stops there unless it "
            "does without"
        )
        for name in ("sqlite3", "pymunk")
    ]


def test_a_huge_folder_is_refused_before_it_is_read(tmp_path: Path) -> None:
    game = written(tmp_path)
    with (tmp_path / "film.gif").open("wb") as large:
        large.truncate(1 << 40)
    with pytest.raises(ValueError, match="a page may have 64 MB"):
        taken(game)


@pytest.mark.parametrize("address", ["ftp://x/", "javascript://x", "file:///x"])
def test_python_comes_from_no_other_address(address: str) -> None:
    with pytest.raises(ValueError, match="expected a folder, or an address with https://"):
        runtime_of(address)


def test_what_was_interrupted_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"index.html": b"x", "game.zip": b"y"}
    files[LOCK] = json.dumps({"files": {name: {} for name in files}}).encode()
    from ecs_softbody.web.making import writing

    write = writing.write_atomically

    def interrupted(path: Path, content: bytes) -> None:
        if path.name == "game.zip":
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(writing, "write_atomically", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_folder(files, tmp_path / "page")
    with pytest.raises(KeyboardInterrupt):
        write_zip(files, tmp_path / "game.zip")
    assert not (tmp_path / "game.zip").exists()
    monkeypatch.undo()
    write_folder(files, tmp_path / "page")
    assert {path.name: path.read_bytes() for path in (tmp_path / "page").iterdir()} == files


def shared(tmp_path: Path, text: str, *words: str, name: str = "ball.toml") -> int:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return main(["share", str(tmp_path / name), *words])


def test_a_scene_that_needs_another_file_is_no_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.toml").write_text(BALL)
    assert shared(tmp_path, 'include = ["more.toml"]\n') == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "cannot be a link, which carries one file with a light scene: include" in said.err


@pytest.mark.parametrize(
    "page", ["example.org", "javascript:alert(1)//", "https://example.org/#a", "https://a b/"]
)
def test_a_page_has_an_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], page: str
) -> None:
    assert shared(tmp_path, BALL, "--page", page) == 2
    assert "expected an address that begins with https://" in capsys.readouterr().err


def test_a_json_scene_with_a_mark_at_its_beginning_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '\ufeff{"entities": {"ball": {"ball": {"center": [0, 3], "radius": 0.5}}}}'
    assert shared(tmp_path, text, name="ball.json") == 0
    link, _, rest = capsys.readouterr().out.partition("\n")
    assert file_name(text_to_scene(link.partition("#scene=")[2])) == "scene.json"
    assert rest == f"{len(link)} letters\n"


def test_a_scene_too_long_for_a_link_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    noise = "".join(f"# {zlib.crc32(str(number).encode())} {number}\n" for number in range(20_000))
    assert shared(tmp_path, BALL + noise) == 2
    assert "a link has at most" in capsys.readouterr().err
