"""Errors are objects: one module forms their messages, and no code takes messages apart."""

from __future__ import annotations

import ast
import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import FieldError, Particles, Simulation, Springs, blueprints
from ecs_softbody.errors import FieldTypeError, LimitError, ShapeError
from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ecs_softbody"
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(ROOT / "games").rglob("*.py")])
PLAIN = {"ValueError", "TypeError"}
"""Errors without attributes, which no module raises for a value that is not allowed."""
PHRASE = " not allowed"
PARSERS = {
    "split", "rsplit", "partition", "rpartition", "startswith", "endswith", "removeprefix",
    "removesuffix", "replace", "find", "index", "match", "fullmatch", "search", "sub", "findall",
}  # fmt: skip
"""Calls that take a text apart; `" ".join(str(error).split())`, which joins lines, is none."""
FOREIGN = {
    "scenes/text/reading.py": "errors of tomllib have no line in an attribute before Python 3.14",
    "play/opening.py": "errors of pyglet and of loaders of libraries are texts only",
}
"""Modules that take messages of others apart, with the reason."""


def caught_names(tree: ast.AST) -> set[str]:
    """Return the names of errors that a module catches, and of texts made of them."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)}
    names |= {
        argument.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for argument in node.args.args
        if argument.annotation is not None and "Error" in ast.unparse(argument.annotation)
    }
    names |= {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_message(node.value, names)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return {name for name in names if name}


def is_message(node: ast.expr, errors: set[str | None]) -> bool:
    """Return whether an expression is the message of an error: `str(error)` or `error.args`."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "str" and node.args:
        return isinstance(node.args[0], ast.Name) and node.args[0].id in errors
    if isinstance(node, ast.Subscript):
        return is_message(node.value, errors)
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "args"
        and isinstance(node.value, ast.Name)
        and node.value.id in errors
    )


def parses(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that take the message of an error apart, or look for words in it."""
    names = caught_names(tree)
    texts = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_message(node.value, {*names})
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_text(node: ast.expr) -> bool:
        return is_message(node, {*names}) or (isinstance(node, ast.Name) and node.id in texts)

    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_joined = node.func.attr == "split" and not node.args
            taken = [node.func.value, *node.args]
            if node.func.attr in PARSERS and not is_joined and any(map(is_text, taken)):
                yield node.lineno
        elif isinstance(node, ast.Compare) and any(map(is_text, [node.left, *node.comparators])):
            yield node.lineno


def said_in(call: ast.Call) -> str:
    """Return the constant words of the first argument of a call."""
    return "".join(
        node.value
        for argument in call.args[:1]
        for node in ast.walk(argument)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def plain_refusals(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that form the sentence of a refused value for an error without attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in PLAIN:
            said = said_in(node)
            if PHRASE in said and "; expected " in said:
                yield node.lineno


def test_no_module_takes_messages_apart() -> None:
    found = {
        path.relative_to(PACKAGE.parent).as_posix(): lines
        for path in SOURCES
        if (lines := [*parses(tree_of(path))])
    }
    assert sorted(found) == sorted(f"ecs_softbody/{name}" for name in FOREIGN), found


def test_values_that_are_not_allowed_are_field_errors() -> None:
    found = {path.name: lines for path in SOURCES if (lines := [*plain_refusals(tree_of(path))])}
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "try: f()\nexcept ValueError as error: g(str(error).partition(':'))",
        "try: f()\nexcept ValueError as error:\n    text = str(error)\n    re.match('a', text)",
        "try: f()\nexcept ValueError as error: entity = error.args[0].split(':')",
        "try: f()\nexcept ValueError as error:\n    if 'expected' in str(error): g()",
        "def f(error: ValueError): return str(error).startswith('blob.')",
    ],
)
def test_the_check_finds_a_parser(source: str) -> None:
    assert [*parses(ast.parse(source))]


def test_the_check_lets_a_message_be_shown_in_one_line() -> None:
    source = "try: f()\nexcept ValueError as error: print(' '.join(str(error).split()))"
    assert not [*parses(ast.parse(source))]


def test_the_check_finds_an_error_without_attributes() -> None:
    source = 'raise ValueError(f"Water.flow: {flow} is not allowed; expected a number")'
    assert [*plain_refusals(ast.parse(source))] == [1]


def test_an_error_has_what_its_message_says() -> None:
    with pytest.raises(LimitError) as caught:
        Particles([(0, 0), (1, 0)], mass=[1.0, -2.0])
    error = caught.value
    assert (error.owner, error.field, error.value, error.place.row) == ("Particles", "mass", -2, 1)
    assert error.reason == f"-2.0 in row 1 is not allowed; expected {error.allowed}"
    assert str(error) == f"Particles.mass: {error.reason}"


def test_an_array_of_another_shape_has_both_shapes() -> None:
    with pytest.raises(ShapeError) as caught:
        Particles([(0, 0, 0)])
    assert caught.value.shape == (1, 3)
    assert caught.value.wanted == ("N", 2)
    with pytest.raises(ShapeError) as caught:
        blueprints.polygon([(0, 0), (1, 0)])
    assert caught.value.least == 3


def test_a_step_names_the_entity() -> None:
    sim = Simulation()
    entity = sim.spawn(Particles([(0, 0), (1, 0)]), Springs([(0, 5)], stiffness=1.0))
    with pytest.raises(FieldError) as caught:
        sim.step()
    assert caught.value.place.entity == entity
    assert (caught.value.value, caught.value.place.row) == (5, 0)
    assert f"sim.despawn({entity})" in caught.value.__notes__[0]


def test_places_are_added_from_the_inside_out() -> None:
    error = FieldError("blob", "radius", -1, "a number > 0").at("object 3").at("level.tmx")
    assert error.at(entity=7) is error
    assert str(error) == (
        "level.tmx, object 3: blob.radius of entity 7: -1 is not allowed; expected a number > 0"
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FieldError("a", "b", 1, "2"), "a.b: 1 is not allowed; expected 2"),
        (FieldError("", "b", True, "2"), "b: True is not allowed; expected 2"),
        (FieldError("a", "", np.float64(0.5), "2"), "a: 0.5 is not allowed; expected 2"),
        (FieldError("a", "b", (), "some", in_words="0 rows"), "0 rows are not allowed"),
        (FieldError("a", "b", (), "some", in_words="1 row"), "1 row is not allowed"),
        (FieldError("a", "b", "x", "y", hint=" (did you mean y?)"), "allowed (did you mean y?); "),
        (FieldError("a", "b", "x", "a file", wrong="there is none"), "a.b: there is none; expect"),
        (FieldError("a", "b", "x" * 10_000, "y"), "x... is not allowed"),
        (FieldError("a", "b", 10**10_000, "y"), "digits is not allowed"),
        (FieldTypeError("a", "b", int, "an instance"), "a.b: <class 'int'> is not allowed"),
    ],
)
def test_messages_are_one_short_sentence(error: FieldError, said: str) -> None:
    assert said in str(error)
    assert len(str(error)) < 200
    assert isinstance(error, ValueError)
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert str(twin) == str(error)
        assert twin.place == error.place


class Unshown:
    """A value whose own code fails."""

    def __repr__(self) -> str:
        raise KeyError("boom")


def nested(depth: int) -> list[object]:
    """Return a list in a list, and so on."""
    made: list[object] = []
    for _ in range(depth):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.eye(2), "array([[1., 0.], [0., 1.]])"),
        (Unshown(), "Unshown"),
        (nested(10_000), "list"),
        ([10**10_000], "list"),
        ("two  spaces", "'two  spaces'"),
        (["a"] * 1_000_000, "['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', '..."),
        (lambda: None, "<function <lambda> at "),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_any_value_is_shown_in_one_line_and_pickled(value: object, said: str) -> None:
    error = FieldError("a", "b", value, "2").at("level.tmx")
    assert str(error).startswith(f"level.tmx: a.b: {said}")
    assert "\n" not in str(error)
    assert error.value is value
    twin = pickle.loads(pickle.dumps(error))
    assert str(twin) == str(error)
    assert twin.place == error.place
    if callable(value):
        assert twin.value == error.in_words


def test_a_message_stays_when_the_value_changes() -> None:
    radius = np.array([5.0, 6.0])
    with pytest.raises(FieldError) as caught:
        blueprints.blob((0, 0), radius)  # type: ignore[arg-type]
    before = str(caught.value)
    radius[:] = 1.0
    assert str(caught.value) == before
    assert "array([5., 6.])" in before
