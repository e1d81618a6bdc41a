"""What a maker reads about a mistake: one line in the words of files, none in those of arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from ecs_softbody import Collider, FieldError, Particles, blueprints, scenes
from ecs_softbody.scenes.model.parts import Parts
from ecs_softbody.scenes.problems import in_words
from tests.scenes.test_checking import Battery

BODY = "[entities.a]\nParticles = { position = [[0, 0], [1, 0]] }\n"


def told(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "s.toml"
    path.write_text(text)
    return [str(problem) for problem in scenes.check(path)]


SAID = [
    (
        'ball = { center = [0, 1], radius = "big" }',
        "ball.radius: 'big' is not allowed; expected a number >= 0 [m]",
    ),
    (
        "ball = { center = [0, 1], radius = true }",
        "ball.radius: true is not allowed; expected a number >= 0 [m]",
    ),
    (
        'ball = { center = "here", radius = 1 }',
        "ball.center: 'here' is not allowed; expected two numbers [x, y]",
    ),
    (
        "ball = { center = [0, 1, 2], radius = 1 }",
        "ball.center: [0, 1, 2] is not allowed; expected two numbers [x, y]",
    ),
    ("ball = { radius = 1 }", "ball: 'center' is missing; expected center = two numbers [x, y]"),
    (
        "ball = { center = [0, 0], radius = 2020-01-01 }",
        "ball.radius: 2020-01-01 is not allowed; expected a number >= 0 [m]",
    ),
    (
        "box = { center = [0, 0], size = [1] }",
        "box.size: [1] is not allowed; expected a side, or two numbers [width, height]",
    ),
    (
        "polygon = { vertices = [0, 0, 1, 1] }",
        "polygon.vertices: [0, 0, 1, 1] is not allowed; expected a list of points [x, y]",
    ),
    (
        "StaticCollider = { vertices = [[0, 0], [1]] }",
        (
            "StaticCollider.vertices: [[0, 0], [1]] is not allowed; expected a list of "
            "points [x, y] [m]"
        ),
    ),
    (
        "Wind = { velocity = 3 }",
        "Wind.velocity: 3 is not allowed; expected two numbers [x, y] [m/s]",
    ),
    (
        'Look = { fill = "red" }',
        (
            "Look.fill: 'red' is not allowed; expected [red, green, blue], or with alpha, "
            "each 0 to 255"
        ),
    ),
    (
        'Collider = { mask = "all" }',
        "Collider.mask: 'all' is not allowed; expected a whole number >= 0",
    ),
    ('tags = "player"', "tags: 'player' is not allowed; expected a list of texts"),
    ("at = 3", "at: 3 is not allowed; expected two numbers [x, y]"),
]


@pytest.mark.parametrize(("line", "said"), SAID)
def test_messages_are_in_the_words_of_a_file(line: str, said: str, tmp_path: Path) -> None:
    assert told(tmp_path, f"[entities.a]\n{line}\n")[0] == f"s.toml:2: entities.a.{said}"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "Springs = { pairs = [0, 1], stiffness = 1 }",
            "pairs: [0, 1] is not allowed; expected a list of pairs",
        ),
        (
            "Springs = { pairs = [[0, 0.5]], stiffness = 1 }",
            "pairs: [[0, 0.5]] is not allowed; expected a list",
        ),
        (
            "Springs = { pairs = [[0, 1]], stiffness = [1, 2] }",
            "stiffness: 2 entries are not allowed; expected 1",
        ),
        (
            "Springs = { pairs = [[0, 2]], stiffness = 1 }",
            "pairs: 2 in row 0 is not allowed; expected rows",
        ),
        (
            "Springs = { pairs = [[0, 1]], stiffness = -1 }",
            "stiffness: -1.0 is not allowed; expected finite",
        ),
    ],
)
def test_messages_about_rows(line: str, said: str, tmp_path: Path) -> None:
    (found,) = told(tmp_path, f"{BODY}{line}\n")
    assert found.startswith(f"s.toml:3: entities.a.Springs.{said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[world]\ngravity = 9.81\n",
            "s.toml:2: world.gravity: 9.81 is not allowed; expected two numbers [x, y]",
        ),
        (
            "[camera]\nview = [5, 5, 0, 0]\n",
            "s.toml:2: camera.view: [5, 5, 0, 0] is not allowed; expected [left",
        ),
        (
            "[camera]\nheight = -1\n",
            "s.toml:2: camera.height: -1 is not allowed; expected a finite number > 0",
        ),
        (
            "[camera]\nfollow = 'b'\n[entities.a]\n",
            "s.toml:2: camera.follow: there is no entity 'b'",
        ),
        (
            "[camera]\nfollow = 'a'\n[entities.a]\nWater = {}\n",
            "s.toml:2: camera.follow: 'a' is not allowed; expected an entity with a body",
        ),
        (
            "[theme]\nsky = [1, 2]\n",
            "s.toml:2: theme.sky: [1, 2] is not allowed; expected a list of two colours",
        ),
        (
            "[theme]\nclouds = [255, 300, 0]\n",
            "s.toml:2: theme.clouds: [255, 300, 0] is not allowed; expected",
        ),
        ("[theme]\nclouds = 3\n", "s.toml:2: theme.clouds: 3 is not allowed; expected"),
        (
            "[theme]\nstars = 99999999\n",
            "s.toml:2: theme.stars: 99999999 is not allowed; expected a whole number",
        ),
        ("[entities.a]\n[entities.a]\n", "s.toml:2: entities.a is there twice (column 12)"),
    ],
)
def test_messages_about_tables(text: str, said: str, tmp_path: Path) -> None:
    (found,) = told(tmp_path, text)
    assert found.startswith(said)


WRONG: tuple[Any, ...] = (
    "x",
    True,
    -1e9,
    1.5,
    [],
    [1, 2, 3, 4, 5, 6, 7],
    [["a"]],
    [[1, 2], [3]],
    {"a": 1},
)
WORDS_OF_CODE = (
    "float64",
    "int32",
    "uint",
    "shape (",
    "array",
    "None",
    "True",
    "dtype",
    "object",
    "Error",
    "argument",
)


@pytest.mark.slow
def test_no_message_speaks_of_arrays(tmp_path: Path) -> None:
    """Every field of every part, with everything that it may not be."""
    parts = Parts([Battery])
    unclear = set()
    for name in parts:
        for value in WRONG:
            document = tomlkit.document()
            document["entities"] = {f"{field}{number}": {name: {field: value}}
                                    for number, field in enumerate(parts[name].kinds)}  # fmt: skip
            for line in told(tmp_path, tomlkit.dumps(document)):
                if any(word in line for word in WORDS_OF_CODE) or "\n" in line:
                    unclear.add(line)
    assert not sorted(unclear), "\n".join(sorted(unclear))


def test_an_error_of_a_games_own_is_one_line_whatever_its_words() -> None:
    error = FieldError("Battery", "charge", 1, "a number\nof cells", wrong="there is\n  none")
    assert in_words(error) == "there is none; expected a number of cells"


KEPT = blueprints.ball((0, 0), 1)


def _raises(error: Exception) -> Any:
    raise error


RETURNED: dict[str, tuple[Callable[[], Any], str]] = {
    "a number": (lambda: 5, "what it returns, 5, is not allowed; expected components: objects"),
    "nothing": (lambda: None, "what it returns, None, is not allowed; expected components"),
    "a class": (lambda: Particles, "what it returns, the class Particles, is not allowed"),
    "a list": (
        lambda: [Particles([(0, 0)])],
        "what it returns, a list of 1 things, is not allowed; expected a tuple of components",
    ),
    "a number among components": (
        lambda: (Particles([(0, 0)]), 3),
        "what it returns, 3, is not allowed; expected components",
    ),
    "a KeyError": (lambda: {}["zz"], "KeyError: 'zz'"),
    "a TypeError": (lambda: _raises(TypeError("no sum")), "TypeError: no sum"),
    "a division": (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
    "a ValueError": (lambda: _raises(ValueError("too high")), "too high"),
    "no words": (lambda: _raises(ValueError()), "ValueError"),
    "a FieldError": (
        lambda: blueprints.ball((0, 0), -1),
        "radius: -1 is not allowed; expected a finite number > 0",
    ),
}


@pytest.mark.parametrize("what", RETURNED)
def test_a_blueprint_of_a_game_is_told_with_its_line(what: str, tmp_path: Path) -> None:
    make, said = RETURNED[what]

    def tower() -> tuple[Particles, Collider]:
        return make()  # type: ignore[no-any-return]

    path = tmp_path / "own.toml"
    path.write_text("[entities.a]\nat = [3, 0]\nangle = 1.0\ntower = {}\n")
    (problem,) = scenes.check(path, [tower])
    assert str(problem).startswith(f"own.toml:4: entities.a.tower: {said}")


def test_a_blueprint_makes_new_components_each_time(tmp_path: Path) -> None:
    def tower() -> tuple[Particles, Collider]:
        return KEPT  # type: ignore[return-value]

    path = tmp_path / "own.toml"
    path.write_text("[entities.a]\ntower = {}\n[entities.b]\ntower = {}\n")
    said = (
        "own.toml:4: entities.b.tower: what it returns, a Particles that another entity has "
        "already, is not allowed; expected a new one for each entity"
    )
    assert [str(each) for each in scenes.check(path, [tower])] == [said]
    path.write_text("[entities.a]\ntower = {}\n")
    first = scenes.open(path, [tower])
    again = scenes.check(path, [tower])
    assert [str(each) for each in again] == [
        said.replace("own.toml:4: entities.b", "own.toml:2: entities.a")
    ]
    first.sim.close()
