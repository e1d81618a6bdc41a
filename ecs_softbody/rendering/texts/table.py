"""The table of texts: a key gives the words of the language that is chosen, or the English ones."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ecs_softbody.errors import FieldError

ENGLISH = "en"
LANGUAGE_VARIABLE = "ECS_SOFTBODY_LANGUAGE"
"""Environment variable with a language such as "de", which overrides the language of the system."""
VARIABLES = (LANGUAGE_VARIABLE, "LC_ALL", "LC_MESSAGES", "LANG")
"""Environment variables that name the language; the first one that is set counts."""
NAME = "language.name"
"""Key of the name of a language in that language."""


class Table:
    """Texts of several languages.

    There is one table, reached by `say`, `translated`, `add_texts`.
    """

    def __init__(self) -> None:
        self.language = ENGLISH
        self._texts: dict[str, dict[str, str]] = {ENGLISH: {}}
        self._keys: dict[str, str] = {}  # English words -> key

    @property
    def languages(self) -> dict[str, str]:
        """The name of each language in this language, by its short name; English first."""
        return {short: texts.get(NAME, short) for short, texts in self._texts.items()}

    def add(self, folder: Path | str) -> None:
        """Take the files of a folder: `en.toml`, `de.toml`; a key that is there already is
        replaced.

        Raises:
            ValueError: for a folder that is not there, and for a file that cannot be read; it names
                the file and, where it has one, the line.
        """
        if not Path(folder).is_dir():
            raise ValueError(f"texts: there is no folder {str(folder)!r} in {Path.cwd()}")
        for path in sorted(
            Path(folder).glob("*.toml"), key=lambda path: (path.stem != ENGLISH, path.stem)
        ):
            try:
                found = tomllib.loads(path.read_text(encoding="utf-8"))
            except (ValueError, OSError) as error:
                raise ValueError(f"texts: {path} cannot be read: {error}") from None
            self._texts.setdefault(path.stem, {}).update(_flat(path, found))
        self._keys = {text: key for key, text in reversed(self._texts[ENGLISH].items())}

    def use(self, language: str) -> None:
        """Set the language from now on, "" for the language of the system; English if there is no
        file for it.
        """
        short = (language or system_language()).replace("-", "_").split(".")[0]
        fitting = (name for name in (short, short.split("_")[0]) if name in self._texts)
        self.language = next(fitting, ENGLISH)

    def has(self, key: str) -> bool:
        """Return whether there is a text for a key."""
        return key in self._texts[ENGLISH]

    def all_keys(self, language: str = ENGLISH) -> tuple[str, ...]:
        """Return all keys of a language."""
        return tuple(self._texts[language])

    def text(self, key: str, language: str = ENGLISH) -> str:
        """Return the text of a key as it stands in the file."""
        return self._texts[language][key]

    def say(self, key: str, /, **values: object) -> str:
        """Return the text of a key; `values` stand where it has {name}.

        Raises:
            KeyError: when the English table has no such key.
        """
        english = self._texts[ENGLISH].get(key)
        if english is None:
            raise KeyError(f"texts: there is no text {key!r} in en.toml")
        try:
            return self._texts[self.language].get(key, english).format(**values)
        except (LookupError, ValueError, AttributeError):
            # A mistake in a translation does not stop a game.
            return english.format(**values)

    def translated(self, english: str) -> str:
        """Return the translation of an English text of the table; any other text as it is."""
        key = self._keys.get(english)
        return english if key is None else self._texts[self.language].get(key, english)


def _flat(path: Path, found: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """Return the texts of nested tables by keys with dots."""
    texts: dict[str, str] = {}
    for name, value in found.items():
        if isinstance(value, Mapping):
            texts |= _flat(path, value, f"{before}{name}.")
        elif isinstance(value, str):
            texts[f"{before}{name}"] = value
        else:
            raise FieldError("texts", f"{before}{name}", value, "a text").at(str(path))
    return texts


def system_language() -> str:
    """Return the short name of the language of the system, according to the environment."""
    found = next((os.environ[name] for name in VARIABLES if os.environ.get(name)), "")
    if not found and sys.platform == "win32":
        import locale

        found = locale.getlocale()[0] or ""
    return found


TABLE = Table()
"""The table of this process."""
TABLE.add(Path(__file__).parent)
say = TABLE.say
translated = TABLE.translated
add_texts = TABLE.add
