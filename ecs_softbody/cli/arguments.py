"""Types of arguments on the command line, each with the reason for what it refuses."""

from __future__ import annotations

import argparse
from pathlib import Path

LARGEST_PORT = 65535


def path(text: str) -> Path:
    """Return a path; an empty text would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("'' is not allowed; expected a path")
    return Path(text)


def port_number(text: str) -> int:
    """Return the number of a port."""
    if not text.isdecimal() or not 1 <= int(text[:9]) <= LARGEST_PORT:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not allowed; expected a whole number from 1 to {LARGEST_PORT}"
        )
    return int(text)
