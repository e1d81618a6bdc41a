"""What a maker looks for has one place: a key of the session, the size of a window, the colour of the
hero.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ecs_softbody.play import RESERVED_KEYS
from ecs_softbody.play.input import session_keys
from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ecs_softbody"
PLATFORMER = ROOT / "games" / "ecs_softbody_games" / "jelly_platformer"
KEYS = {name: value for name, value in vars(session_keys).items() if name.isupper()}


def places(is_it: Callable[[ast.AST], bool], *folders: Path) -> Iterator[str]:
    """Yield the file of each node in the sources of these folders for which `is_it` holds."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(tree_of(path)):
                if is_it(node):
                    yield path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("name", KEYS)
def test_a_key_of_the_session_is_named_in_one_place(name: str) -> None:
    def is_key(node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and node.value == KEYS[name]

    rooms = PACKAGE / "play", PACKAGE / "web", PACKAGE / "inspector"
    assert list(places(is_key, *rooms)) == ["ecs_softbody/play/input/session_keys.py"]


def test_keys_of_the_session_are_not_given_to_games() -> None:
    # Settings are opened on screens without a game: games may have that key.
    assert set(KEYS.values()) - RESERVED_KEYS == {session_keys.SETTINGS}


def test_the_usual_size_of_a_window_is_written_in_one_place() -> None:
    def is_size(node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and node.value == 1280

    assert list(places(is_size, PACKAGE)) == ["ecs_softbody/rendering/screen/points.py"]


def test_the_colour_of_the_hero_is_written_in_one_place() -> None:
    def is_green(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "GREEN"

    (place,) = places(is_green, PLATFORMER)
    assert place.endswith("jelly_platformer/hero.py")
