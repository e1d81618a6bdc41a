"""Reading: files of a limited size, JSON of a limited depth, and packages that are an extra."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

from ecs_softbody.files import note_read

PACKAGES = ("contourpy", "pytiled_parser", "shapely", "svgelements", "zstandard")
"""Those of the extra `import`; a packaged game takes those along that are installed."""
LARGEST_FILE = 16_000_000
"""Bytes of a map or drawing at most."""
LARGEST_NUMBER = 1e9
"""Beyond this no place [pixels] makes sense."""


class Unreadable(ValueError):  # noqa: N818 - a sentence for the user
    """A file that cannot be imported; the message names the file and what is wrong."""


def package(name: str) -> Any:
    """Import a package of the extra `import`.

    Raises:
        RuntimeError: where it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError:
        raise RuntimeError(
            f"this needs {name.partition('.')[0]}, which is in the extra `import`: pip install 'ecs-softbody[import]'"
        ) from None


def path_of(owner: str, source: Any) -> Path:
    """Return the path of a file that is there and not too large."""
    if not isinstance(source, str | os.PathLike):
        raise Unreadable(f"{owner}: {source!r} is not allowed; expected the path of a file")
    path = Path(source)
    try:
        there, size = path.is_file(), path.stat().st_size if path.is_file() else 0
    except (OSError, ValueError):
        there, size = False, 0
    try:
        note_read(path)
    except ValueError as error:
        raise Unreadable(f"{owner}: the file {error}") from None
    if not there:
        raise Unreadable(f"{owner}: there is no file {str(path)!r}")
    if size > LARGEST_FILE:
        raise Unreadable(f"{owner}: {path.name} is larger than {LARGEST_FILE // 10**6} MB, which is not allowed")
    return path


def text_of(owner: str, path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise Unreadable(f"{owner}: {path.name} is no text in UTF-8") from None


def json_of(owner: str, path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds."""
    try:
        found = json.loads(text_of(owner, path), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        if isinstance(error, Unreadable):
            raise
        said = str(error) if isinstance(error, json.JSONDecodeError) else "it is nested too deeply or has no numbers"
        raise Unreadable(f"{owner}: {path.name} is no JSON: {said}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{owner}: {path.name} holds {type(found).__name__}; expected a JSON object")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(name)


def beside(owner: str, path: Path, name: Any) -> Path:
    """Return the path of a file that another one names, which has to lie in the same folder or near it."""
    if not isinstance(name, str) or not name or "\0" in name or Path(name).is_absolute() or "://" in name:
        raise Unreadable(f"{owner}: {path.name} names the file {name!r}; expected one relative to it")
    try:
        found = (path.parent / name).resolve()
    except (OSError, ValueError, RuntimeError):
        raise Unreadable(f"{owner}: {path.name} names the file {name!r}, which cannot be") from None
    if not found.is_file():
        note_read(found)
        raise Unreadable(f"{owner}: there is no file {name[:300]!r}")
    return path_of(owner, found)


def number_of(owner: str, name: str, value: Any, *, default: float | None = None) -> float:
    """Return a number that a file holds."""
    if value is None and default is not None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST_NUMBER:
        raise Unreadable(f"{owner}: {name} is {shortened(value)}; expected a number")
    return float(value)


def whole_of(owner: str, name: str, value: Any, low: int, high: int) -> int:
    """Return a whole number from `low` to `high` that a file holds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise Unreadable(f"{owner}: {name} is {shortened(value)}; expected a whole number from {low} to {high}")
    return value


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


def shortened(value: Any) -> str:
    """Return a value as it is shown in a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
