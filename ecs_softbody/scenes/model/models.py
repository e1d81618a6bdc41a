"""Models: the tables of a scene file as pydantic models, and a quick pass that takes what is right without them.

Both ask the same kinds. pydantic is imported, and models made, when something is wrong, for `check` and the schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from ecs_softbody.scenes.model.kinds import Kind
from ecs_softbody.scenes.problems import Path, shown
from ecs_softbody.validation import did_you_mean

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

PREFIX = "field_"
"""Of the names inside a model: a field of a file may be called as a method of pydantic's is."""


class Table:
    """The fields of one kind of table.

    Args:
        name: of the model.
        kinds: its fields, and what they may be.
        doc: what it is, in one line.
    """

    def __init__(self, name: str, kinds: Mapping[str, Kind], doc: str = "") -> None:
        self.name, self.kinds, self.doc = name, kinds, doc
        self._model: type[BaseModel] | None = None

    @property
    def model(self) -> type[BaseModel]:
        """The pydantic model. Every field may be missing: prefabs and materials give the rest."""
        if self._model is None:
            from pydantic import ConfigDict, Field, PlainValidator, WithJsonSchema, create_model

            fields: dict[str, Any] = {}
            for field, kind in self.kinds.items():
                annotation = Annotated[Any, PlainValidator(kind.check), WithJsonSchema(kind.schema)]
                fields[f"{PREFIX}{field}"] = (annotation, Field(default=None, alias=field))
            config = ConfigDict(extra="forbid")
            self._model = create_model(self.name, __config__=config, __doc__=self.doc, **fields)
        return self._model

    def read(self, table: Any, problems: list[tuple[Path, str]], *, thorough: bool = False) -> dict[str, Any]:
        """Return the fields of a table as they are taken; what is wrong is added to `problems`, and left out."""
        if isinstance(table, dict) and not thorough:
            try:
                return {name: self.kinds[name].check(value) for name, value in table.items()}
            except (KeyError, ValueError):
                pass  # the model tells all that is wrong
        return checked(self.model, table, problems)


def checked(model: type[BaseModel], table: Any, problems: list[tuple[Path, str]]) -> dict[str, Any]:
    """Return the fields of a table as they are taken; what is wrong is added to `problems`, and left out."""
    if not isinstance(table, dict):
        problems.append(((), f"{shown(table)} is not allowed; expected a table"))
        return {}
    from pydantic import ValidationError

    try:
        made = model.model_validate(table)
    except ValidationError as error:
        bad: set[Any] = set()
        for place, said in _told(error, table, [one.alias or "" for one in model.model_fields.values()]):
            problems.append((place, said))
            bad.add(place[0] if place else None)
        if None in bad:
            return {}
        rest = {key: value for key, value in table.items() if key not in bad}
        made = model.model_validate(rest)
    return {name.removeprefix(PREFIX): getattr(made, name) for name in made.model_fields_set}


def _told(error: ValidationError, table: dict[str, Any], known: list[str]) -> Iterator[tuple[Path, str]]:
    """Yield the place of each error and what is said about it."""
    for one in error.errors(include_url=False, include_input=False):
        place = one["loc"][:1]
        if one["type"] == "extra_forbidden":
            name = str(place[0])
            yield (
                place,
                f"there is no such field{did_you_mean(name, known)}; expected one of {', '.join(sorted(known))}",
            )
        elif "ctx" in one and "error" in one["ctx"]:
            yield place, str(one["ctx"]["error"])
        else:
            value = table.get(str(place[0])) if place else table
            yield place, f"{shown(value)} is not allowed: {one['msg']}"
