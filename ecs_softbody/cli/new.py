"""New: creates the folder of a small game that runs and passes its tests as it is."""

from __future__ import annotations

import importlib.util
import keyword
import re
from importlib.resources import files
from pathlib import Path

from ecs_softbody.errors import FieldError

FILES = {
    "pyproject.toml": "pyproject.toml", "README.md": "README.md", "gitignore": ".gitignore",
    "__init__.py": "{package}/__init__.py", "__main__.py": "{package}/__main__.py",
    "scene.py": "{package}/scene.py", "game.py": "{package}/game.py",
    "test_game.py": "tests/test_game.py",
}  # fmt: skip
"""Source names in the folder `template`, without `.txt`, and their destinations."""


def make_game(folder: Path) -> list[str]:
    """Write a game into a new folder, and return the messages for its maker, line by line.

    Raises:
        ValueError: if the name is no valid package name, or the folder exists and is not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{str(folder)!r} is there already, and not empty; expected a new name")
    package = package_name(folder.name)
    words = re.split("[_-]+", package)
    names = {
        "package": package,
        "project": package.replace("_", "-"),
        "title": " ".join(words).capitalize(),
        "Class": "".join(word.capitalize() for word in words),
    }
    for source, target in FILES.items():
        text = (
            files("ecs_softbody.cli")
            .joinpath("template", f"{source}.txt")
            .read_text(encoding="utf-8")
        )
        for name, value in names.items():
            text = text.replace("{{" + name + "}}", value)
        path = folder / target.format(package=package)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [
        f"{folder} is made: a game, its scene and its tests. Next:",
        f'  cd "{folder}"' if " " in str(folder) else f"  cd {folder}",
        f"  ecs-softbody play {package}",
        "  python -m pytest              (once: pip install pytest)",
        f"Change {package}/scene.py first; README.md says what is where.",
    ]


def package_name(name: str) -> str:
    """Return the package name for a game's name, or raise ValueError."""
    package = name.replace("-", "_").replace(" ", "_").lower()
    if (
        not package.isidentifier()
        or not package.isascii()
        or keyword.iskeyword(package)
        or package.startswith("_")
    ):
        allowed = "letters, digits and dashes, with a letter first: my-game"
        raise FieldError("", "", name, allowed)
    # A plain folder of this name is no module: it has no origin.
    found = importlib.util.find_spec(package)
    if package == "tests" or (found is not None and found.origin is not None):
        hint = ": there is a module of this name already"
        raise FieldError("", "", name, "another one", hint=hint)
    return package
