"""Values of save files: finite numbers, texts, True, False, None, and lists and dicts of them."""

from __future__ import annotations

import json
import reprlib
import stat
import sys
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from ecs_softbody.errors import FieldError, FieldTypeError

LARGEST = sys.float_info.max
MOST_DIGITS = 400
DEEPEST = 64
"""Maximum nesting of lists and dicts: whether Python can read deeper ones depends on the remaining
stack.
"""
LARGEST_FILE = 1 << 24
"""Maximum size of a file [bytes]: one of 54 million took six seconds."""


def read_values(path: Path) -> dict[str, Any]:
    """Return the values in a file; infinite and other invalid numbers become None.

    Raises:
        FileNotFoundError: if the file does not exist.
        OSError: if it cannot be read, is no regular file, or is too large.
        ValueError, RecursionError: if it is damaged.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_FILE:
        raise OSError(f"it is no file of at most {LARGEST_FILE} bytes")
    values = json.loads(path.read_text(encoding="utf-8-sig"), parse_int=_whole)
    if not isinstance(values, dict):
        raise ValueError("it holds no names")
    return {key: tidied(value) for key, value in values.items()}


def tidied(value: Any, room: int = DEEPEST) -> Any:
    """Return a value with None for numbers that are not finite or beyond the range of floats, and
    for parts nested too deeply.
    """
    if isinstance(value, dict):
        return {key: tidied(item, room - 1) for key, item in value.items()} if room else None
    if isinstance(value, list):
        return [tidied(item, room - 1) for item in value] if room else None
    return None if isinstance(value, int | float) and not abs(value) <= LARGEST else value


def encoded(value: Any) -> bytes:
    """Return values encoded for a file; lone surrogates, which UTF-8 lacks, are escaped as in
    JSON.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        errors="backslashreplace"
    )


def content_of(values: dict[str, Any]) -> bytes:
    """Return the content of a file with these values, one on each line.

    Raises:
        OSError: if it would be too large to be read again.
    """
    lines = (encoded(key) + b": " + encoded(value) for key, value in values.items())
    content = b"{\n" + b",\n".join(lines) + b"\n}\n"
    if len(content) > LARGEST_FILE:
        raise OSError(f"{len(content)} bytes are more than {LARGEST_FILE}")
    return content


def plain(key: str, value: Any) -> Any:
    """Return a value as it would be read back from a file.

    Raises:
        TypeError, ValueError: for a value that a file cannot hold.
    """

    def of_numpy(item: Any) -> Any:
        if isinstance(item, np.ndarray | np.generic):
            return item.tolist()
        raise FieldTypeError(
            f"saves[{key!r}]", "", item, "numbers, texts, True, False, None, lists, dicts"
        )

    try:
        made = json.loads(json.dumps(value, default=of_numpy, allow_nan=False))
        if made != tidied(made):
            raise ValueError("too large or too deep")
    except FieldTypeError:
        raise
    except (ValueError, RecursionError) as error:
        # Python refuses to write a number of thousands of digits.
        huge = isinstance(value, int) and abs(value) > LARGEST
        shown = "a number beyond those of floats" if huge else reprlib.repr(value)
        raise FieldError(
            f"saves[{key!r}]",
            "",
            value,
            f"finite numbers, and lists at most {DEEPEST} deep",
            in_words=shown,
        ) from error
    return made


def copied(value: Any) -> Any:
    """Return an independent copy of a value."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def is_number(value: Any, low: float = -LARGEST, high: float = LARGEST) -> TypeGuard[int | float]:
    """Return whether a value is a number from `low` to `high`; True and False do not count."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def is_text(value: Any) -> TypeGuard[str]:
    """Return whether a value is a displayable text: without lone surrogates."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _whole(digits: str) -> int | None:
    """Return an integer from a file; Python refuses to parse one of thousands of digits."""
    return int(digits) if len(digits) <= MOST_DIGITS else None
