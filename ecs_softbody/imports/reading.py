"""Reading: files of a limited size, JSON of a limited depth, and packages that are an extra."""

from __future__ import annotations

import codecs
import importlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ecs_softbody.errors import FieldError, ShapeError, refusal
from ecs_softbody.imports.budget import Budget, Missing, Unreadable
from ecs_softbody.reading import is_nested, named_file, read_file, reading_within
from ecs_softbody.validation import is_whole

PACKAGES = ("contourpy", "shapely", "svgelements", "zstandard")
"""Packages of the extra `import`; a packaged game includes the installed ones."""
LARGEST_FILE = 16_000_000
"""Bytes of a map or drawing at most."""
DEEPEST = 100
"""Maximum nesting depth of lists and objects, or of elements."""
MOST_REMARKS = 10_000
"""In an XML file, and other marks that are no elements."""
MOST_ATTRIBUTES = 400_000
"""Limit of the attributes of an XML file."""
ENCODING = re.compile(r"""\s*<\?xml[^>]*?encoding=["']([\w.-]{1,20})["']""")
"""The word for the encoding of an XML file."""
KNOWN_ENCODINGS = re.compile(
    r"(?i:utf-?8|us-ascii|iso-8859-\d+|windows-125\d|shift_jis"
    r"|gb\d*k?|gb2312|big5|euc-(jp|kr)|koi8-[ru])"
)
"""Encodings of texts that are read."""
OF_ONE = {
    "finite numbers": "a number",
    "a finite number": "a number",
    "numbers": "a number",
    "whole numbers": "a whole number",
}
"""Beginnings of allowed values, with the words for one property, which is always finite."""
COLOURS = ("fill", "outline")
"""Properties that are colours."""
LONGEST = 400
"""Approximate maximum length of a message [characters]."""
LARGEST_NUMBER = 1e9
"""Beyond this no place [pixels] makes sense."""


def package(name: str) -> Any:
    """Import a package of the extra `import`.

    Raises:
        RuntimeError: if it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise RuntimeError(
            f"this needs {name.partition('.')[0]}, which is in the extra `import`: pip "
            "install 'ecs-softbody[import]'"
        ) from None


@contextmanager
def opened(owner: str, source: Any, *, above: int = 0) -> Iterator[Path]:
    """Yield the path of a file to import: the door of every import.

    Files that it references must lie in its folder, or `above` folders higher, with links resolved,
    and its memory and time are limited (`ecs_softbody.reading`). Any exception of a parser package
    becomes one sentence here: these packages trust their input, and none documents all exceptions
    that it may raise.

    Raises:
        ValueError: if there is no such file, or it cannot be read.
        RuntimeError: without the extra `import`.
    """
    path = path_of(owner, source)
    folder = path.absolute().parent.resolve()
    for _ in range(above):
        folder = folder.parent
    try:
        with reading_within(folder, path):
            yield path
    except Unreadable as error:
        if error.names_file:
            raise
        raise Unreadable(f"{owner}: {path.name}: {error}") from None
    except Exception as error:
        if type(error) is RuntimeError:  # a package is not installed
            raise
        said = (
            "something in it is beyond what such files hold; save it anew with the program "
            "that made it"
        )
        if isinstance(error, FieldError):  # our own words, of a bad option
            said = shortened(" ".join(str(error).split()))
        raise Unreadable(f"{owner}: {path.name} cannot be read: {said}") from error


def path_of(owner: str, source: Any) -> Path:
    """Return the path of an existing file."""
    if not isinstance(source, str | os.PathLike):
        raise Unreadable(f"{owner}: {source!r} is not allowed; expected the path of a file")
    path = Path(source)
    try:
        there = path.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise Unreadable(f"{owner}: there is no file {shortened(str(path), 300)}")
    return path


def text_of(owner: str, path: Path) -> str:
    """Return the text of a file; XML may declare another encoding than UTF-8."""
    encoding = "utf-8-sig"
    try:
        found = read_file(path, LARGEST_FILE)
        said = ENCODING.match(found[:200].decode("latin-1"))
        if found.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        elif (
            said is not None
            and KNOWN_ENCODINGS.fullmatch(said[1])
            and not found.startswith(codecs.BOM_UTF8)
        ):
            encoding = said[1]
        return found.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        raise Unreadable(
            f"{owner}: {path.name} is no text in {encoding.removesuffix('-sig').upper()}"
        ) from None
    except ValueError as error:
        raise Unreadable(f"{owner}: the file {error}") from None


def xml_of(owner: str, text: str, most: int) -> ElementTree.Element:
    """Return the root of an XML file of at most `most` elements."""
    if "<!ENTITY" in text.upper():
        raise Unreadable(f"{owner} declares entities, which is not allowed")
    if text.count("<") > 2 * most + MOST_REMARKS or text.count("=") > MOST_ATTRIBUTES:
        raise Unreadable(
            f"{owner} has more than {most} elements, or too many attributes, which is not allowed"
        )
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise Unreadable(f"{owner} is no XML: line {line}, column {column + 1} is broken") from None
    except (ValueError, LookupError):
        raise Unreadable(
            f"{owner} is no XML: it says that it is in an encoding that is not known"
        ) from None
    if depth_of(root) > DEEPEST:
        raise Unreadable(f"{owner} has elements that are nested too deeply")
    return root


def depth_of(root: ElementTree.Element) -> int:
    """Return how deeply elements are nested, up to one more than is allowed."""
    deepest = 0
    rows = [root]
    while rows and deepest <= DEEPEST:
        rows = [child for one in rows for child in one]
        deepest += 1
    return deepest


def json_of(owner: str, path: Path, budget: Budget) -> dict[str, Any]:
    """Return the object that a JSON file holds."""
    return json_in(owner, path.name, text_of(owner, path), budget)


def json_in(owner: str, name: str, text: str, budget: Budget) -> dict[str, Any]:
    """Return the object that the text of a JSON file, of this name, holds."""
    budget.spend("letters", len(text))
    if is_nested(text, DEEPEST):
        raise Unreadable(f"{owner}: {name} is nested too deeply")
    try:
        found = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"{owner}: {name} is no JSON: line {error.lineno}, column {error.colno} is broken"
        ) from None
    except ValueError:
        raise Unreadable(f"{owner}: {name} is no JSON: it holds what is no number") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{owner}: {name} holds {type(found).__name__}; expected a JSON object")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(name)


def beside(owner: str, path: Path, name: Any) -> Path:
    """Return the path of a file that another one names: in the folder that is allowed,
    and there.
    """
    try:
        found = named_file(path.parent, name)
        if "\\" in name and not found.is_file():
            # Some programs on Windows write backslashes.
            found = named_file(path.parent, name.replace("\\", "/"))
    except ValueError as error:
        by = "it" if path.name in owner else path.name
        raise Unreadable(f"{owner}: {by} names a file: {error}") from None
    if not found.is_file():
        by = "" if path.name in owner else f", which {path.name} names"
        raise Missing(owner, f"there is no file {shortened(name, 300)}{by}")
    return found


def number_of(owner: str, name: str, value: Any, *, default: float | None = None) -> float:
    """Return a number that a file holds."""
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable(f"{owner}: {name} {_as_is(value)}; expected a number")
    if not abs(value) <= LARGEST_NUMBER:
        most = f"{LARGEST_NUMBER:.0f}"
        raise Unreadable(
            f"{owner}: {name} {_as_is(value)}; expected a number from -{most} to {most}"
        )
    return float(value)


def _as_is(value: Any) -> str:
    """Return the wording for an invalid value."""
    return "is missing" if value is None else f"is {shortened(value)}"


def whole_of(owner: str, name: str, value: Any, low: int, high: int) -> int:
    """Return a whole number from `low` to `high` that a file holds."""
    # Some programs write 4.0 for 4.
    whole = is_whole(value) or (isinstance(value, float) and value.is_integer())
    if not whole or not low <= value <= high:
        raise Unreadable(
            f"{owner}: {name} {_as_is(value)}; expected a whole number from {low} to {high}"
        )
    return int(value)


def list_of(owner: str, name: str, value: Any) -> list[Any]:
    """Return a list that a file holds; nothing is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise Unreadable(f"{owner}: {name} is {shortened(value)}; expected a list")
    return value


def dicts_of(owner: str, name: str, value: Any) -> list[dict[str, Any]]:
    """Return a list of objects that a file holds."""
    found = list_of(owner, name, value)
    for entry in found:
        if not isinstance(entry, dict):
            raise Unreadable(f"{owner}: {name} holds {shortened(entry)}; expected objects")
    return found


def shortened(value: Any, most: int = 60) -> str:
    """Return the text of a value for messages."""
    if isinstance(value, dict | list):
        return type(value).__name__ if len(value) > most else repr(value)[:most]
    text = repr(value[: most + 1] if isinstance(value, str) else value)
    return text if len(text) <= most else text[: most - 3] + "..."


def in_plain_words(error: Exception) -> str:
    """Return an error about a property in words for authors of maps and drawings, not
    programmers.
    """
    if not isinstance(error, FieldError) or error.wrong:
        return str(error)
    said = error.in_words
    allowed = error.allowed
    if isinstance(error.value, bool):
        said = said.lower()
    for many, one in OF_ONE.items():
        if allowed.startswith(many):
            allowed = f"{one}{allowed.removeprefix(many)}"
            break
    if isinstance(error, ShapeError):
        if len(error.shape) == 1:
            said = f"a list of {error.shape[0]} numbers"
        allowed = "two numbers (x, y)" if error.wanted[-1:] == (2,) else "one number"
    elif error.owner == "Look" and error.field in COLOURS:
        allowed = "a colour"
    elif allowed == "True or False":
        allowed = "true or false"
    reason = refusal(said, allowed, error.hint, error.place.row)
    return f"{error.field}: {reason}" if error.field else reason


def cut(said: str) -> str:
    """Return a message on one line, with the middle of a long one cut out."""
    line = " ".join(said.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"
