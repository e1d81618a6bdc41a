"""Saved: the fields of one part of a world in a snapshot file, each checked as it is read.

A file has a tree of named values and lists, as of JSON, and arrays beside it; in the tree an array
has a reference, which `find` resolves. Resources declare their fields (resource.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.errors import FieldError

Name = str | int
"""The name of a field, or its place in a list."""
LONGEST_LIST = 1_000_000
"""Members that a list in a file may have."""
LARGEST = 1.7e308
"""Default limit of numbers in a file, a little below the largest float."""
LARGEST_SERIAL = 1 << 30
"""Serial numbers below this make keys of pairs that fit into 64 bits
(collision/contacts/contact_pairs.py).
"""
LARGEST_WHOLE = 2**62
"""No count or version gets there; sums of two still fit into 64 bits."""


class SavedArray:
    """An array of a file: its shape, the name of its type, and its bytes."""

    def __init__(self, shape: tuple[int, ...], kind: Any, content: bytes | memoryview) -> None:
        """kind: as `type_of` returns it."""
        self.shape = shape
        self.kind = kind
        self.content = content


Find = Callable[[Any], SavedArray | None]
"""Returns the array that a value of the tree refers to; None if it is no such reference."""
VersionOf = Callable[[int], int]
"""Returns which version of the world a number in the file stands for."""


class Saved:
    """The fields of one part, such as the contacts of a world. A wrong one raises ValueError that
    names it.

    A file may be untrusted, and kernels do not check indices: the reader of a field states its
    allowed values.
    """

    def __init__(
        self,
        owner: str,
        fields: Any,
        find: Find = lambda encoded: None,
        lengths: Mapping[str, int] | None = None,
        version_of: VersionOf = int,
    ) -> None:
        """owner: name of the part, for errors. fields: by name, or a list, whose members are the
        fields 0, 1 and so on. lengths: that are known, by name.
        """
        self.owner = owner
        self._fields = fields
        self._find = find
        self.lengths: dict[str, int] = dict(lengths or {})
        """Lengths by the names used in the shapes of arrays (resource.py); parts know the lengths
        of the whole.
        """
        self.version_of = version_of
        if not isinstance(fields, dict | list):
            raise FieldError(owner, "", fields, "named fields")

    def __len__(self) -> int:
        return len(self._fields)

    def fail(self, name: Name, found: object, allowed: str, in_words: str = "") -> NoReturn:
        """Raise the error of a wrong field; in_words: the value in words."""
        raise FieldError(self.owner, str(name), found, allowed, in_words=in_words)

    def get(self, name: Name) -> Any:
        """Return a field as it is in the file."""
        try:
            return self._fields[name]
        except (KeyError, IndexError, TypeError):
            raise FieldError(
                self.owner, str(name), None, "a value", wrong="it is missing"
            ) from None

    def has(self, name: str) -> bool:
        """Return whether a field is there and not None."""
        return isinstance(self._fields, dict) and self._fields.get(name) is not None

    def part(self, name: Name, owner: str = "") -> Saved:
        """Return a field as a part with fields of its own; owner: another name for it in errors."""
        owner = owner or f"{self.owner}.{name}"
        return Saved(owner, self.get(name), self._find, self.lengths, self.version_of)

    def values(self, name: Name, length: int) -> Saved:
        """Return a list that must have `length` values, as a part."""
        found = self.get(name)
        if not isinstance(found, list) or len(found) != length:
            self.fail(name, found, f"a list of {length} values")
        return self.part(name)

    def members(self, name: Name) -> Saved:
        """Return a list of any length up to LONGEST_LIST, as a part."""
        found = self.get(name)
        if not isinstance(found, list) or len(found) > LONGEST_LIST:
            self.fail(name, found, f"a list of at most {LONGEST_LIST}")
        return self.part(name)

    def lists(self, name: Name, length: int) -> Iterator[Saved]:
        """Yield the members of a list, each of which is a list of `length` values."""
        members = self.members(name)
        for place in range(len(members)):
            yield members.values(place, length)

    def whole_numbers(self, name: Name, least: int = -1, most: int = LARGEST_WHOLE) -> list[int]:
        """Return a list of whole numbers."""
        members = self.members(name)
        return [members.whole(place, least, most) for place in range(len(members))]

    def flag(self, name: Name) -> bool:
        """Return True or False."""
        found = self.get(name)
        if not isinstance(found, bool):
            self.fail(name, found, "true or false")
        return found

    def whole(self, name: Name, least: int = -1, most: int = LARGEST_WHOLE) -> int:
        """Return a whole number."""
        found = self.get(name)
        if not isinstance(found, int) or isinstance(found, bool) or not least <= found <= most:
            self.fail(name, found, f"a whole number from {least} to {most}")
        return found

    def version(self, name: Name, least: int = -1) -> int:
        """Return a version, as the number that it has in this world."""
        return self.version_of(self.whole(name, least))

    def number(
        self, name: Name, least: float = -LARGEST, most: float = LARGEST, *, infinite: bool = False
    ) -> float:
        """Return a number that is no NaN, and finite unless it may be `infinite`."""
        found = self.get(name)
        if not isinstance(found, int | float) or isinstance(found, bool):
            self.fail(name, found, "a number")
        if not (least <= found <= most or (infinite and abs(found) == math.inf)):
            self.fail(name, found, f"a number from {least:g} to {most:g}")
        return float(found)

    def bytes(self, name: Name) -> bytes:
        """Return bytes, which are two letters each in the file."""
        found = self.get(name)
        try:
            return bytes.fromhex(found)
        except (TypeError, ValueError):
            self.fail(name, found, "bytes, two letters each")

    def text(self, name: Name, longest: int = 200) -> str:
        """Return a text."""
        found = self.get(name)
        if not isinstance(found, str) or len(found) > longest:
            self.fail(name, found, f"a text of at most {longest} letters")
        return found

    def array(self, name: Name, dtype: Any, shape: Sequence[int | None]) -> NDArray[Any]:
        """Return a copy of an array that must have this type and shape; a length of None may be
        any.
        """
        return self.view(name, dtype, shape).copy()

    def view(self, name: Name, dtype: Any, shape: Sequence[int | None]) -> NDArray[Any]:
        """Return an array that must have this type and shape, read-only, in the memory of the file;
        a length of None may be any.
        """
        found = self._find(self.get(name))
        kind = np.dtype(dtype)
        if found is None:
            self.fail(name, self.get(name), "an array")
        fits = len(found.shape) == len(shape) and all(
            wanted is None or length == wanted
            for length, wanted in zip(found.shape, shape, strict=True)
        )
        if not fits or found.kind != type_of(kind):
            wanted = ", ".join("any" if length is None else str(length) for length in shape)
            self.fail(
                name,
                found.shape,
                f"({wanted}) of {type_of(kind)}",
                f"an array {found.shape} of {found.kind}",
            )
        if len(found.content) != kind.itemsize * math.prod(found.shape):
            self.fail(
                name,
                found.shape,
                "as many as its shape has",
                f"an array {found.shape} of {len(found.content)} bytes",
            )
        return np.frombuffer(found.content, kind).reshape(found.shape)


def check_flags(owner: str, array: NDArray[Any]) -> None:
    """Raise ValueError where a flag, also of records, is neither 0 nor 1: compiled code may take it
    for both.
    """
    for name in array.dtype.names or ():
        check_flags(f"{owner}.{name}", array[name])
    if array.dtype.kind == "b" and array.size and int(array.view(np.uint8).max()) > 1:
        raise FieldError(owner, "", array.view(np.uint8).max(), "flags, 0 or 1")


def type_of(dtype: np.dtype[Any]) -> Any:
    """Return the type of array elements in a file: a text, or for records (name, type, shape,
    offset) of each field.
    """
    if dtype.names is None:
        return dtype.str
    fields: Any = dtype.fields or {}
    described = [
        [name, fields[name][0].base.str, list(fields[name][0].shape), fields[name][1]]
        for name in dtype.names
    ]
    return [*described, dtype.itemsize]
