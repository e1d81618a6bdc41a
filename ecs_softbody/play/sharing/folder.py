"""Folder of the player's pictures."""

from __future__ import annotations

import os
import time
from pathlib import Path

FOLDER_VARIABLE = "ECS_SOFTBODY_PICTURES"
"""Environment variable with a folder to use instead of the user's picture folder."""


def pictures_folder() -> Path:
    """Return the folder of all pictures and films; it may not exist yet."""
    from platformdirs import user_pictures_path

    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_pictures_path() / "ecs_softbody"


def new_file(folder: Path, name: str, ending: str) -> Path:
    """Return an unused path with the time in its name; the folder is created.

    Raises:
        OSError: if the folder cannot be created.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = time.strftime(f"{name}-%Y%m%d-%H%M%S")
    path = folder / f"{stem}{ending}"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}{ending}"
        number = number + 1
    return path
