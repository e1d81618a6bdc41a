"""Doors: what other rooms add to scene files: readers of other formats, and pictures on bodies."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

Importer = Callable[[Path], dict[str, Any]]
"""Reads a file and returns the tables of a scene: {"entities": {name: {...}}}. It raises ValueError or OSError."""
Skinner = Callable[[Path, dict[str, Any]], Any]
"""Makes the component of a picture and the further fields of a `skin` table. It raises ValueError or OSError."""

_importers: dict[str, Importer | str] = {}
_skinner: list[Skinner | str] = []


def add_importer(suffix: str, importer: Importer | str) -> None:
    """Let scenes `import` files with an ending such as ".tmj".

    Args:
        suffix: the ending, with its dot.
        importer: reads such a file; or where it is, as "package.module:name", imported when a file needs it.
    """
    _importers[suffix.lower()] = importer


def set_skinner(skinner: Skinner | str) -> None:
    """Let entities of scenes have a `skin`; it is given as importers are."""
    _skinner[:] = [skinner]


def import_file(path: Path) -> dict[str, Any]:
    """Return the tables of a file of another format.

    Raises:
        ValueError: where there is no importer for it, or what the importer says.
        OSError: where the file cannot be read.
    """
    found = _importers.get(path.suffix.lower())
    if found is None:
        known = ", ".join(sorted(_importers)) or "none is known"
        raise ValueError(f"the ending {path.suffix!r} is not allowed; expected one of: {known}")
    made: dict[str, Any] = _loaded(found)(path)
    return made


def make_skin(path: Path, options: dict[str, Any]) -> Any:
    """Return the component of a picture.

    Raises:
        ValueError: where no skins are known, or what the picture is wrong with.
        OSError: where the file cannot be read.
    """
    if not _skinner:
        raise ValueError("a skin is not allowed: this version has no pictures on bodies")
    return _loaded(_skinner[0])(path, options)


def _loaded(found: Any) -> Any:
    if not isinstance(found, str):
        return found
    module, _, name = found.partition(":")
    return getattr(import_module(module), name)
