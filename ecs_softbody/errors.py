"""Errors: a value that a field does not allow. Its message is formed here, and nowhere else.

Whoever catches one reads its attributes; no code takes messages apart (tests/test_errors.py).
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

LONGEST_SHOWN = 60
"""Maximum length of a value in a message [characters]."""


class Place(NamedTuple):
    """Where a refused value stands."""

    within: str = ""
    """The file, or the part of one: "level.tmx, layer 'ground'"."""
    entity: int | None = None
    """The entity whose component has the field."""
    row: int | None = None
    """The row of a column, from 0."""


class Source(NamedTuple):
    """Where the maker's code is to blame for a value, if none of its lines was running."""

    file: str
    line: int
    name: str
    """Of the class or function."""


class FieldError(ValueError):
    """A value that is not allowed. `str(error)` is one sentence that names all of its attributes.

    Attributes:
        owner: the class, function or table that has the field: "Springs", "blob".
        field: the field or argument; empty if the owner as a whole is meant.
        value: the value as it was given; of a column, the first number that is refused.
        allowed: the allowed values, in words.
        place: where the value stands, as far as known: file, entity and row.
        source: where the maker's code has it, for an attribute of a game's class.
    """

    def __init__(
        self,
        owner: str,
        field: str,
        value: object,
        allowed: str,
        *,
        in_words: str = "",
        hint: str = "",
        wrong: str = "",
        entity: int | None = None,
        row: int | None = None,
    ) -> None:
        """in_words: the value in words, where its own notation does not tell what is wrong with it.
        hint: what follows on "not allowed": a circumstance, a reason, or a likely name.
        wrong: what is wrong, in place of "VALUE is not allowed": "there is no file 'cat.png'".
        """
        super().__init__(owner, field, value, allowed)
        self.owner = owner
        self.field = field
        self.value = value
        self.allowed = allowed
        self.place = Place(entity=entity, row=None if row is None else int(row))
        self.in_words = in_words or shown(value)  # now: an array may change, and be caught later
        self.hint = hint
        self.wrong = wrong
        self.source: Source | None = None

    def at(self, within: str = "", *, entity: int | None = None) -> Self:
        """Add where the value stands, and return this error; `within` goes around places that are
        known already.
        """
        known = self.place
        around = ", ".join(part for part in (within, known.within) if part)
        self.place = known._replace(
            within=around, entity=known.entity if entity is None else entity
        )
        return self

    def of(self, owner: str) -> Self:
        """Name the function whose argument the value is in place of the class that it was passed
        on to, and return this error; an argument has no rows.
        """
        self.owner = owner
        self.args = (owner, *self.args[1:])
        self.place = self.place._replace(row=None)
        return self

    @property
    def reason(self) -> str:
        """The sentence without owner, field, file and entity."""
        if self.wrong:
            return f"{self.wrong}; expected {self.allowed}"
        return refusal(self.in_words, self.allowed, self.hint, self.place.row)

    def __str__(self) -> str:
        name = ".".join(part for part in (self.owner, self.field) if part)
        entity = "" if self.place.entity is None else f" of entity {self.place.entity}"
        parts = (self.place.within, f"{name}{entity}", self.reason)
        return ": ".join(part for part in parts if part)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error: with the words of a value that cannot be pickled, in its place."""
        value = self.value
        try:
            pickle.dumps(value)
        except Exception:  # pickling runs the value's own code
            value = self.in_words
        made = self.owner, self.field, value, self.allowed
        return type(self), made, {**self.__dict__, "value": value}


class FieldTypeError(FieldError, TypeError):
    """A value of a type that is never allowed: a class in place of an instance, say."""


class LimitError(FieldError):
    """A number beyond the limits of its column."""


class ShapeError(FieldError):
    """An array of another shape than its field has.

    Attributes:
        shape: the shape that was given.
        wanted: the shape that is allowed, a letter in place of a length that may be any.
        least: the smallest number of rows, where there is a limit.
    """

    def __init__(
        self,
        owner: str,
        field: str,
        value: object,
        allowed: str,
        *,
        shape: tuple[int, ...] = (),
        wanted: tuple[int | str, ...] = (),
        least: int = 0,
    ) -> None:
        super().__init__(owner, field, value, allowed, in_words=f"shape {shape}")
        self.shape = shape
        self.wanted = wanted
        self.least = least


def refusal(in_words: str, allowed: str, hint: str = "", row: int | None = None) -> str:
    """Return the sentence that refuses a value; `in_words` is the value in words."""
    is_many = in_words[:1].isdigit() and " " in in_words and not in_words.startswith("1 ")
    where = "" if row is None else f" in row {row}"
    return f"{in_words}{where} {'are' if is_many else 'is'} not allowed{hint}; expected {allowed}"


def shown(value: object) -> str:
    """Return a value as it is shown in a message, in a few words on one line."""
    if isinstance(value, Path):
        value = str(value)
    if type(value) in (list, tuple, str, bytes):
        value = value[: LONGEST_SHOWN + 1]  # type: ignore[index]  # more is not shown
    try:
        in_words = repr(value.item() if isinstance(value, np.generic) else value)
    except Exception:  # the value's own code, lists too deep, or whole numbers too long
        is_long = isinstance(value, int)
        return "a whole number of thousands of digits" if is_long else type(value).__name__
    in_words = re.sub(r"\s*\n\s*", " ", in_words)  # of arrays with rows
    return in_words if len(in_words) <= LONGEST_SHOWN else f"{in_words[: LONGEST_SHOWN - 3]}..."
