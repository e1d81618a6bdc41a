"""Texts: everything on the screens comes from one table, in every language of it."""

from __future__ import annotations

import ast
import itertools
import re
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecs_softbody.cli.games import find_game
from ecs_softbody.play import Controls, Game, Session, add_texts, say, translated
from ecs_softbody.play.input import names
from ecs_softbody.play.launch.failure import FailureScreen
from ecs_softbody.play.screens.menu import Choice, Menu
from ecs_softbody.rendering import Layer, Picture
from ecs_softbody.rendering.layers import Text
from ecs_softbody.rendering.texts.table import TABLE, Table
from ecs_softbody_games.jelly_platformer.hud import draw_hud
from ecs_softbody_games.springs_lab import SpringsLab
from ecs_softbody_games.springs_lab.pages import PAGES
from included import included_games
from tests.helpers.internals import keys_of_words, languages_of, set_languages, texts_come_back

ROOT = Path(__file__).parents[2]
SOURCES = [
    *(ROOT / "ecs_softbody").rglob("*.py"),
    *(ROOT / "games").rglob("*.py"),
    *(ROOT / "games").rglob("*.toml"),
]
UNITS = (
    "m s kg g N J Pa km h rad cm x W E fps ms min NS S xpbd saturated LB RB LT RT LS RS Hz "
    "sin cos tan tanh sinh cosh exp"
)
"""What is the same in every language: units, letters on keys, names of methods and functions."""
GAMES = sorted(included_games())
SIZE = (1280, 720)


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    yield
    TABLE.use("en")


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[None]:
    """Speak a language in which every text of the table stands in « »."""
    lines = [f'"{key}" = {_quoted(f"«{TABLE.text(key)}»")}' for key in TABLE.all_keys()]
    (tmp_path / "marked.toml").write_text("\n".join(lines), encoding="utf-8")
    before = languages_of(TABLE), keys_of_words(TABLE)
    texts = tomllib.loads((tmp_path / "marked.toml").read_text(encoding="utf-8"))
    set_languages(TABLE, {"en": dict(before[0]["en"]), "marked": texts}, before[1])
    TABLE.use("marked")
    yield
    set_languages(TABLE, *before)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unknown_words(texts: list[str]) -> set[str]:
    """Return words that stand in none of the table's texts."""
    found = set()
    for text in texts:
        outside = re.sub(r"«[^«»]*»", " ", re.sub(r"«[^«»]*«[^«»]*»[^«»]*»", " ", text))
        outside = re.sub(r"«[^»]*$|^[^«]*»", " ", outside)  # a line of two
        words = re.findall(r"[^\W\d_]+", outside)  # also r₀ and ω²
        found |= {
            word for word in words if sum(map(str.isalpha, word)) > 1 and word not in UNITS.split()
        }
    return found


def screens_of(game: type[Game]) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of every screen of a game."""
    session = Session(game)

    def seen() -> list[str]:
        texts = session.picture(*SIZE).texts
        return [
            text.text for text in texts if not Layer.DEBUG <= text.layer < Layer.HUD
        ]  # names of parts of the physics

    def press(key: str) -> None:
        session.frame(Controls(pressed={key}))

    yield "start", seen()
    press("h")
    yield "help", seen()
    press("h")
    press("o")
    for _ in range(len(session.settings_shown.rows)):  # type: ignore[union-attr]
        yield "settings", seen()
        press("down")
    press("escape")
    press("space")
    session.autopilot = True
    for number in range(240):
        session.frame()
        if number % 12 == 0:
            yield "playing", seen()
    press("tab")
    press("comma")
    press("m")
    for _ in range(3):
        session.frame()
    yield "physics", seen()
    session.autopilot = False
    session.state = "playing"
    press("p")
    yield "pause", seen()
    for outcome in ("won", "lost"):
        session.state = outcome  # type: ignore[assignment]
        session.game.outcome = outcome  # type: ignore[assignment]
        yield outcome, seen()
    session.close()


@pytest.mark.brief(10)
@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("name", GAMES)
def test_every_text_of_every_screen_is_in_the_table(name: str) -> None:
    missing = {
        (screen, *sorted(words))
        for screen, texts in screens_of(find_game(name, included_games()))
        if (words := unknown_words(texts))
    }
    assert not missing, (
        f"{name} shows words that are in no text of ecs_softbody/rendering/texts/en.toml: "
        f"{sorted(missing)}; add them "
        "there, and to the other languages; what is filled in is made with say(key, ...)"
    )


@pytest.mark.usefixtures("marked")
def test_the_time_of_the_ghost_is_in_the_table() -> None:
    picture = Picture(*SIZE)
    draw_hud(
        picture,
        coins=3,
        all_coins=9,
        secrets=1,
        all_secrets=3,
        time=4.2,
        best=63.25,
        charge=0.5,
        ready=True,
        turning=False,
    )
    shown = [text.text for text in picture.texts]
    assert any("1:03.2" in text for text in shown)
    assert not unknown_words(shown)


@pytest.mark.slow
@pytest.mark.usefixtures("marked")
def test_every_page_of_the_springs_lab_is_in_the_table() -> None:
    for picture in pages_of_the_lab(SIZE):
        assert not unknown_words([text.text for text in picture.texts])


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 720), (320, 180), (450, 900)])
@pytest.mark.parametrize("language", TABLE.languages)
def test_every_page_of_the_springs_lab_fits(language: str, size: tuple[int, int]) -> None:
    """No text is over the edge or over another one, and no sentence ends before its last word."""
    TABLE.use(language)
    for number, picture in enumerate(pages_of_the_lab(size)):
        # the list of pages covers the page
        lowest = Layer.HUD + 4 if number == len(PAGES) else 0
        boxes = [
            box_of(text, picture)
            for text in picture.texts
            if text.text and lowest <= text.layer < Layer.SCREEN
        ]
        for text, (left, low, right, high) in boxes:
            assert -1.0 <= left < right <= picture.width + 1.0, text
            assert low >= 0.0, text
            assert high <= picture.height + 1.0, text
        for (one, first), (other, second) in itertools.combinations(boxes, 2):
            wide = min(first[2], second[2]) - max(first[0], second[0])
            tall = min(first[3], second[3]) - max(first[1], second[1])
            assert wide < 2.0 or tall < 1.0, (one, other)
        if number < len(PAGES):
            written = " ".join(text.text for text in picture.texts)
            sentence = translated(PAGES[number].sentence)
            begun = any(
                " " in text.text and sentence.startswith(text.text) for text in picture.texts
            )
            assert sentence in written or not begun, sentence


def pages_of_the_lab(size: tuple[int, int]) -> Iterator[Picture]:
    """Yield a picture of every page, and one of the list of pages."""
    session = Session(SpringsLab())
    lab = session.game
    assert isinstance(lab, SpringsLab)
    session.frame(Controls(pressed={"space"}))
    for number in range(len(PAGES)):
        lab.turn_to(number)
        for _ in range(30):
            session.frame()
        lab.page.touched = number % 2 == 1
        yield session.picture(*size)
    session.frame(Controls(pressed={"i"}))
    yield session.picture(*size)
    session.close()


def box_of(text: Text, picture: Picture) -> tuple[Text, tuple[float, float, float, float]]:
    """Return a text and where it stands: left, bottom, right, top of its small letters [points]."""
    (x, y) = text.place
    wide = picture.text_width(text.text, text.size)
    return text, (x, y, x + wide, y + 0.5 * text.size)


@pytest.mark.usefixtures("marked")
def test_menu_and_failure_come_from_the_table() -> None:
    menu = Menu([Choice.of(find_game(name, included_games())) for name in GAMES])
    assert not unknown_words([text.text for text in menu.picture(*SIZE).texts])
    failed = FailureScreen("Rope bridge", ValueError("x" * 3))
    texts = [text for text in failed.picture(*SIZE).texts if text.layer == Layer.SCREEN]
    assert not unknown_words([text.text for text in texts]) - {"ValueError", "xxx"}


@pytest.mark.slow
def test_no_key_is_there_for_nothing() -> None:
    """A key is used where it, or its English text, stands in a source; or where it is made of
    parts.
    """
    spoken: set[str] = set()
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml" and "texts" not in path.parts:
            spoken |= set(re.findall(r'"([^"\n]*)"', text))
        elif path.suffix == ".py":
            spoken |= {
                node.value
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    made = ("key.", "settings.", "balls.", "language.", "menu.")
    spare = [
        key
        for key in TABLE.all_keys()
        if spoken.isdisjoint({key.removesuffix("_by_touch"), TABLE.text(key)})
        and not key.startswith(made)
    ]
    assert not spare, f"nobody uses these keys of en.toml: {spare}"


@pytest.mark.parametrize("language", [name for name in TABLE.languages if name != "en"])
def test_a_language_is_complete_and_fills_in_the_same(language: str) -> None:
    assert set(TABLE.all_keys(language)) == set(TABLE.all_keys())
    for key in TABLE.all_keys():
        fields = [
            {part[1] for part in string.Formatter().parse(TABLE.text(key, one))}
            for one in ("en", language)
        ]
        assert fields[0] == fields[1], key


@pytest.mark.brief(24)
@pytest.mark.parametrize("size", [(1280, 720), (320, 180), (450, 900)])
@pytest.mark.parametrize("name", GAMES)
def test_german_fits_on_every_screen(name: str, size: tuple[int, int]) -> None:
    """No text of a screen begins or ends outside of it."""
    TABLE.use("de")
    session = Session(find_game(name, included_games()))
    for keys in ((), ("h",), ("h", "o"), ("escape", "space", "p")):
        for key in keys:
            session.frame(Controls(pressed={key}))
        picture = session.picture(*size)
        for text in picture.texts:
            if text.layer >= Layer.SCREEN:
                left = text.place[0]
                wide = picture.text_width(text.text, text.size)
                assert -1.0 <= left <= picture.width - wide + 1.0, text
                assert 0.0 <= text.place[1] <= picture.height - 0.5 * text.size, text
    session.close()


def test_a_language_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG", "ECS_SOFTBODY_LANGUAGE"):
        monkeypatch.delenv(variable, raising=False)
    table = Table()
    table.add(ROOT / "ecs_softbody/rendering/texts")
    for value, expected in (("de_AT.UTF-8", "de"), ("fr_FR.UTF-8", "en"), ("C", "en"), ("", "en")):
        monkeypatch.setenv("LANG", value)
        table.use("")
        assert table.language == expected
    monkeypatch.setenv("ECS_SOFTBODY_LANGUAGE", "de")
    table.use("")
    assert table.say("pause.title") == "Pause"
    table.use("en")
    assert table.say("pause.title") == "Paused"


def test_a_key_that_a_language_does_not_have_is_english(tmp_path: Path) -> None:
    (tmp_path / "fr.toml").write_text(
        '[language]\nname = "Français"\n[end]\nwon = "Gagné {"\n', encoding="utf-8"
    )
    table = Table()
    table.add(ROOT / "ecs_softbody/rendering/texts")
    table.add(tmp_path)
    table.use("fr")
    assert table.languages["fr"] == "Français"
    assert table.say("end.lost") == "Game over"
    assert table.say("end.won") == "You won!"  # a slip in the file
    with pytest.raises(KeyError, match=r"no text 'end\.sad'"):
        table.say("end.sad")


def test_a_game_brings_texts_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "en.toml").write_text('[stars]\ntitle = "Stars"\nfound = "{count} found"\n')
    (tmp_path / "de.toml").write_text('[stars]\ntitle = "Sterne"\n')
    with texts_come_back(TABLE):
        add_texts(tmp_path)
        TABLE.use("de")
        found = translated("Stars"), say("stars.found", count=3), translated("what is nowhere")
    assert found == ("Sterne", "3 found", "what is nowhere")


@pytest.mark.parametrize(
    ("content", "said"),
    [("[a", r"en\.toml cannot be read"), ("a = 3", r"texts\.a: 3 is not allowed; expected a text")],
)
def test_a_broken_file_is_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "en.toml").write_text(content)
    with pytest.raises(ValueError, match=said):
        Table().add(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^texts: there is no folder '.*txets' in "):
        Table().add(tmp_path / "txets")


def test_all_names_of_keys_are_in_the_table() -> None:
    for key in sorted(names.KEYS - {"mouse_other", names.UNPLUGGED}):
        text = names.label(key)
        assert (
            len(text) < 3 or key[0] == "f" or text.upper() == text or text in keys_of_words(TABLE)
        ), text
