"""The class of a game: which attributes are allowed, and where its maker wrote them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ecs_softbody.errors import FieldError, FieldTypeError, Source
from ecs_softbody.play.input.actions import Bindings
from ecs_softbody.play.input.controls import Controls
from ecs_softbody.rendering.theme import Theme
from ecs_softbody.simulation import Simulation
from ecs_softbody.validation import FARTHEST, array_of, did_you_mean

Error = TypeVar("Error", bound=FieldError)
OUTCOMES = {
    "win": "won", "victory": "won", "True": "won", "lose": "lost", "loss": "lost", "dead": "lost",
    "False": "lost",
}  # fmt: skip
"""Makers' words for outcomes."""
LONGEST_NAME = 200
"""Maximum length of a game's name, of which the name of a file is made [characters]."""


COMPUTED = object()
"""Stands for the value of a property."""


class Rule(NamedTuple):
    """The allowed values of an attribute of a game's class."""

    wrong_in: Callable[[Any], Iterable[object]]
    """Returns the wrong parts of a value, or the value itself; empty if it is allowed."""
    allowed: str
    """The allowed values, in words."""


def _instance_of(*kinds: type[Any]) -> Callable[[Any], Iterable[object]]:
    """Return the check for instances of classes."""
    return lambda value: () if isinstance(value, kinds) else (value,)


def _is_list(value: object) -> bool:
    """Return whether a value is a sequence of values; a text is none."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _wrong_list(value: Any) -> Iterable[object]:
    return () if _is_list(value) else (value,)


def _wrong_texts(value: Any, known: Sequence[str] | None = None) -> Iterable[object]:
    """Return the values that are no text, or no known one."""
    if not _is_list(value):
        return (value,)
    return [
        part
        for part in value
        if not isinstance(part, str) or (known is not None and part not in known)
    ]


def _wrong_pairs(value: Any) -> Iterable[object]:
    if isinstance(value, Mapping):
        return list(value)[:1] or (value,)
    return [pair for pair in value if _wrong_pair(pair)] if _is_list(value) else (value,)


def _wrong_pair(value: Any) -> Iterable[object]:
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    return () if is_pair and not _wrong_texts(value) else (value,)


def _wrong_view(value: Any) -> Iterable[object]:
    if value is None:
        return ()
    sides = array_of(value)
    if sides.shape != (4,) or not (np.abs(sides) <= FARTHEST).all():
        return (value,)
    left, bottom, right, top = sides.tolist()
    return () if right > left and top > bottom else (value,)


def _wrong_name(value: Any) -> Iterable[object]:
    is_name = isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and "\0" not in value
    return () if is_name else (value,)


def _wrong_scene(value: Any) -> Iterable[object]:
    return () if isinstance(value, str | Path) and "\0" not in str(value) else (value,)


TEXT = Rule(_instance_of(str), "a text")
FLAG = Rule(_instance_of(bool, np.bool_), "True or False")
CONTROLS = Rule(_instance_of(Controls), "Controls. Controls() does nothing")
PAIRS = Rule(_wrong_pairs, 'pairs of an action or a key, and what it does: ("jump", "jump")')
VIEW = Rule(_wrong_view, "left, bottom, right, top [m] with right > left and top > bottom, or None")
RULES: Mapping[str, Rule] = {
    "name": Rule(_wrong_name, "a short text for the command line, such as 'jelly-car'"),
    "title": TEXT,
    "tagline": TEXT,
    "group": TEXT,
    "keys": PAIRS,
    "more_keys": PAIRS,
    "actions": Rule(
        _instance_of(Mapping), 'names with a Button or an Axis: {"jump": Button("space")}'
    ),
    "levels": Rule(_wrong_list, "a list of levels, such as names of files"),
    "scene": Rule(_wrong_scene, "the name of a scene file, such as 'level.toml'"),
    "parts": Rule(_wrong_list, "a list of blueprints and classes"),
    "start_view": VIEW,
    "card_view": VIEW,
    "best_result": Rule(
        _wrong_pair, "a name in `saves` and how it is written: ('time', '{:.1f} s')"
    ),
    "theme": Rule(_instance_of(Theme), "a Theme, such as themes.SNOW"),
    "drag_with_mouse": FLAG,
    "impact_effects": FLAG,
    "show_shadows": FLAG,
    "pauses_alone": FLAG,
    "films": FLAG,
    "lays_out_itself": FLAG,
    "flashes": FLAG,
}
"""The allowed attributes of a game, or of its class; `by_pointer` is checked last."""


def check_attributes(game: Any) -> None:
    """Raise FieldTypeError for attributes of a game, or of its class, that cannot be used."""
    owner = _class_of(game).__name__
    for field, rule in RULES.items():
        if (value := _given(game, field)) is COMPUTED:
            continue
        for wrong in rule.wrong_in(value):
            raise in_class(FieldTypeError(owner, field, wrong, rule.allowed), game, field)
    actions, keys, by_pointer = (_given(game, field) for field in ("actions", "keys", "by_pointer"))
    if any(value is COMPUTED for value in (actions, keys, by_pointer)):
        return
    known = list(dict.fromkeys([*actions, *(key for key, _ in keys)]))
    for wrong in _wrong_texts(by_pointer, known):
        names = ", ".join(map(repr, known)) or "none"
        allowed = f"a list of some of `keys` and `actions`: {names}"
        raise in_class(FieldTypeError(owner, "by_pointer", wrong, allowed), game, "by_pointer")


def _given(game: Any, field: str) -> Any:
    """Return an attribute of a game; COMPUTED for a property, which may need a world."""
    value = inspect.getattr_static(game, field)
    return COMPUTED if isinstance(value, property | cached_property) else value


def check_made(game: Any) -> None:
    """Raise FieldTypeError for a game whose `__init__` leaves out the one of Game, or whose
    attributes cannot be used.
    """
    if "bindings" not in vars(game):
        said = "the call of super().__init__() is missing"
        allowed = "it as the first line of __init__"
        error = FieldTypeError(type(game).__name__, "__init__", None, allowed, wrong=said)
        raise in_class(error, game, "__init__")
    check_attributes(game)


def bindings_of(game: Any, reserved: frozenset[str]) -> Bindings:
    """Return the bindings of a game's actions; FieldError for an impossible one."""
    try:
        return Bindings(game.actions, reserved, owner=f"{type(game).__name__}.actions")
    except FieldError as error:
        raise in_class(error, game, "actions") from None


def missing_start(game: Any) -> FieldError:
    """Return the error of a game without `start`, levels and scene."""
    allowed = (
        "a method that builds a world: self.sim = Simulation(), then self.sim.spawn; or a scene "
        'file: scene = "level.toml"'
    )
    owner = type(game).__name__
    return in_class(FieldTypeError(owner, "start", None, allowed, wrong="it is missing"), game)


def check_world(game: Any, method: str) -> None:
    """Raise FieldTypeError unless a game has a world, after one of its methods."""
    sim = getattr(game, "sim", None)
    if not isinstance(sim, Simulation):
        owner = type(game).__name__
        allowed = "a Simulation, which start() makes: self.sim = Simulation()"
        raise in_class(FieldTypeError(owner, "sim", sim, allowed), game, method)


def check_outcome(game: Any) -> None:
    """Raise FieldError for an outcome that is neither None, "won" nor "lost"."""
    outcome = game.outcome
    if outcome is None or (isinstance(outcome, str) and outcome in ("won", "lost")):
        return
    hint = did_you_mean(str(outcome), ("won", "lost"), OUTCOMES)
    owner = type(game).__name__
    allowed = "None, 'won' or 'lost'"
    raise in_class(FieldError(owner, "outcome", outcome, allowed, hint=hint), game)


def controls_of(game: Any) -> Controls:
    """Return the input of a game's scripted player for this frame; FieldTypeError for any other
    object.
    """
    controls: Controls = _result(game, "autopilot", game.autopilot(), CONTROLS)
    return controls


def outcome_text_of(game: Any) -> str:
    """Return a game's line for the end screen; FieldTypeError if it is no text."""
    return str(_result(game, "outcome_text", game.outcome_text(), TEXT))


def level_words_of(game: Any, number: int) -> tuple[str, str]:
    """Return a game's texts for a level; FieldTypeError if they are not two."""
    pair = Rule(_wrong_pair, "two texts: its name, and what the player has reached there")
    name, reached = _result(game, "level_words", game.level_words(number), pair)
    return name, reached


def _result(game: Any, method: str, value: Any, rule: Rule) -> Any:
    """Return the result of a game's method, if its rule allows it."""
    for wrong in rule.wrong_in(value):
        owner = f"{type(game).__name__}.{method}"
        raise in_class(FieldTypeError(owner, "", wrong, rule.allowed), game, method)
    return value


def title_of(game: Any) -> str:
    """Return the title of a game, or of a class: its name, if its title is no text."""
    title = inspect.getattr_static(game, "title", None)
    return title if isinstance(title, str) else _class_of(game).__name__


def in_class(error: Error, game: Any, member: str = "") -> Error:
    """Return an error with the place of a member of a game's class that is to blame; without the
    member, of the class.
    """
    kind = _class_of(game)
    owner = next((each for each in kind.__mro__ if member in vars(each)), kind)
    error.source = _place_in(owner, member) or _place_in(kind, "")
    return error


def _class_of(game: Any) -> type[Any]:
    return game if isinstance(game, type) else type(game)


def _place_in(kind: type[Any], member: str) -> Source | None:
    """Return the place of a class, or of one of its members; None where there is no source."""
    try:
        file = inspect.getsourcefile(kind)
        lines, first = inspect.getsourcelines(kind)
        (tree,) = ast.parse(textwrap.dedent("".join(lines))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    assert isinstance(tree, ast.ClassDef)
    line = next((part.lineno for part in tree.body if member in _names_of(part)), tree.lineno)
    return None if file is None else Source(file, first + line - 1, kind.__name__)


def _names_of(part: ast.stmt) -> set[str]:
    """Return the names that a statement of a class defines."""
    if isinstance(part, ast.FunctionDef | ast.ClassDef):
        return {part.name}
    if isinstance(part, ast.Assign | ast.AnnAssign):
        targets = part.targets if isinstance(part, ast.Assign) else [part.target]
        return {
            name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
        }
    return set()
