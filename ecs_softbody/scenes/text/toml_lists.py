"""TOML lists: lists as tomlkit writes them, in time that grows as their length; its own take the
square of that.
"""

from __future__ import annotations

from typing import Any

import tomlkit
from tomlkit.items import Array, Trivia


class WrittenList(Array):
    """A list that is only to be written.

    Args:
        value: its entries.
        in_lines: whether each has a line.
    """

    def __init__(self, value: list[Any], *, in_lines: bool) -> None:
        super().__init__([], Trivia())
        self.texts = [_text(one) for one in value]
        self.in_lines = in_lines

    def as_string(self) -> str:
        """Return the list as a file has it."""
        if not self.in_lines:
            return f"[{', '.join(self.texts)}]"
        indent = self.trivia.indent
        return "".join(("[\n", *(f"{indent}    {text},\n" for text in self.texts), indent, "]"))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    # A table becomes one line only in a list in a list.
    return str(tomlkit.item([[value]]).as_string()[2:-2])
