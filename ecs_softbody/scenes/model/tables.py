"""Tables: the allowed fields of a scene file's tables, with their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ecs_softbody.scenes.model.kinds import Kind
from ecs_softbody.scenes.problems import MOST_PROBLEMS, Path, in_words, shown
from ecs_softbody.validation import did_you_mean


class Table:
    """The fields of one kind of table; any may be missing, since prefabs and materials give the
    rest.

    Args:
        name: its title in JSON Schema.
        kinds: its fields and their kinds.
        doc: a description in one line.
    """

    def __init__(self, name: str, kinds: Mapping[str, Kind], doc: str = "") -> None:
        self.name = name
        self.kinds = kinds
        self.doc = doc

    @property
    def schema(self) -> dict[str, Any]:
        """The same as JSON Schema."""
        described = {"description": self.doc} if self.doc else {}
        fields = {name: dict(kind.schema) for name, kind in self.kinds.items()}
        return {
            "title": self.name, **described, "type": "object", "properties": fields,
            "additionalProperties": False,
        }  # fmt: skip

    def read(self, table: Any, problems: list[tuple[Path, str]]) -> dict[str, Any]:
        """Return the converted fields of a table; invalid fields are left out and added to
        `problems`.
        """
        if not isinstance(table, dict):
            problems.append(((), f"{shown(table)} is not allowed; expected a table"))
            return {}
        found = {}
        for name, value in table.items():
            if len(problems) >= MOST_PROBLEMS:
                break
            try:
                found[name] = self._kind_of(name).check(value)
            except ValueError as problem:
                problems.append(((name,), in_words(problem)))
        return found

    def _kind_of(self, name: str) -> Kind:
        if name not in self.kinds:
            near = did_you_mean(str(name), self.kinds)
            raise ValueError(
                f"there is no such field{near}; expected one of {', '.join(sorted(self.kinds))}"
            )
        return self.kinds[name]
