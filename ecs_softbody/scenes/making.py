"""Making: the components of one entity out of its specification, with every mistake told at its
field.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ecs_softbody.blueprints.calls import particles_asked
from ecs_softbody.components import Collider, Particles, StaticCollider
from ecs_softbody.elementary.rows import lengths, turned
from ecs_softbody.reading import most_of
from ecs_softbody.scenes.model.kinds import Ref
from ecs_softbody.scenes.model.parts import Part
from ecs_softbody.scenes.model.specs import EntitySpec, SceneSpec, with_material
from ecs_softbody.scenes.problems import Path as Place
from ecs_softbody.scenes.problems import field_of, in_words, shown
from ecs_softbody.scenes.skins import skin_of, skin_table
from ecs_softbody.simulation.world import described, misfit
from ecs_softbody.storage import (
    Column,
    Component,
    declared_columns,
    declared_values,
    world_that_holds,
)

MISTAKES = (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, MemoryError)
"""Exceptions raised for bad numbers."""
MOST_TRIES = 8
"""Limit of tries to make one part: after each mistake it is made without the bad field, or with a
stand-in for it, to find further mistakes.
"""
STAND_INS = {
    "center": (0.0, 0.0),
    "radius": 1.0,
    "size": 1.0,
    "start": (0.0, 0.0),
    "end": (1.0, 0.0),
}
"""Stand-ins for bad fields, used to find further errors; nothing is made with them."""


class Maker:
    """Makes the components of entities, and counts their particles."""

    def __init__(self, spec: SceneSpec) -> None:
        self.spec = spec
        self.tree = spec.tree
        self.particles = 0
        self._made_before: dict[int, Component] = {}
        """The components, which are held here so that no other one gets the identity of one."""
        self.failed = {entity.name for entity in spec.entities if entity.bad}
        """Entities that are not made as they should be."""

    def wrong(self, place: Place, said: str, *, missing: bool = False) -> None:
        """Note a mistake."""
        if place[0] == "entities":
            self.failed.add(str(place[1]))
        self.tree.wrong(place, said, missing=missing)

    def own_parts(self, entity: EntitySpec) -> list[Any]:
        """Return the components of an entity that refer to no other one, moved to where it is
        placed.
        """
        made: dict[type[Any], Any] = {}
        for part, fields in entity.parts:
            if is_link(part, fields) or made_by_link(entity, part):
                continue
            known = (
                made.get(part.makes[0]) if len(part.makes) == 1 and not part.is_blueprint else None
            )
            if known is not None:
                self._override(entity, part, fields, known)
                continue
            for component in self._made(entity, part, fields):
                if type(component) in made:
                    self.wrong(
                        (*entity.place, part.name),
                        (
                            f"{part.name} is not allowed here: the entity has "
                            f"{type(component).__name__} already"
                        ),
                    )
                made.setdefault(type(component), component)
        self._add_skin(entity, made)
        made |= {type(tiles): tiles for tiles in entity.tiles}
        # Placing is last: it moves and turns everything that was made.
        self._place(entity, made)
        return list(made.values())

    def links(self, entity: EntitySpec, numbers: Mapping[str, int]) -> list[tuple[Part, list[Any]]]:
        """Return the components of an entity that refer to others, by their numbers."""
        found: list[tuple[Part, list[Any]]] = []
        for part, fields in entity.parts:
            overrides = made_by_link(entity, part)
            if not overrides and not is_link(part, fields):
                continue
            resolved = {name: self._resolved((*entity.place, part.name, name), value, numbers)
                        for name, value in fields.items()}  # fmt: skip
            if any(_is_lost(value) for value in resolved.values()):
                continue
            if not overrides:
                found.append((part, self._made(entity, part, resolved)))
                continue
            for component in (one for _, made in found for one in made):
                if type(component) is part.makes[0]:
                    self._override(entity, part, resolved, component)
        return found

    def _resolved(self, place: Place, value: Any, numbers: Mapping[str, int]) -> Any:
        if isinstance(value, tuple | list):
            return type(value)(self._resolved(place, entry, numbers) for entry in value)
        if not isinstance(value, Ref):
            return value
        if value not in numbers:
            from ecs_softbody.validation import did_you_mean

            self.wrong(
                place, f"there is no entity {shown(str(value))}{did_you_mean(value, numbers)}"
            )
            return LOST
        return numbers[value]

    def _made(self, entity: EntitySpec, part: Part, fields: dict[str, Any]) -> list[Any]:
        place = (*entity.place, part.name)
        given = with_material(part, fields, entity.material)
        if "center" in part.required and entity.own.get("at") is not None:
            given.setdefault("center", (0.0, 0.0))
        for _, name in entity.bad:
            if (part.name, name) in entity.bad and name in part.required and name in STAND_INS:
                given.setdefault(name, STAND_INS[name])
        missing = [name for name in part.required if name not in given]
        if any((part.name, name) in entity.bad for name in [*missing, ""]):
            return []
        for name in missing:
            said = f"{name!r} is missing; expected {name} = {part.kinds[name].expected}"
            self.wrong(place, said, missing=True)
        if missing or not self._fits(place, part, given):
            return []
        for _ in range(MOST_TRIES):
            try:
                with np.errstate(all="ignore"):
                    made = part.make(**given)
            except MISTAKES as error:
                bad = self._tell(entity, part, fields, error)
                if bad not in given:
                    break
                name = bad
                if name not in part.required:
                    del given[name]
                if name in part.required:
                    if name not in STAND_INS or given.get(name) is STAND_INS[name]:
                        break
                    given[name] = STAND_INS[name]
                continue
            parts = list(made) if part.is_blueprint and isinstance(made, tuple) else [made]
            if not self._are_components(place, parts):
                return []
            self._count(place, parts)
            self._give_rest(entity, part, parts)
            return parts
        return []

    def _are_components(self, place: Place, parts: list[Any]) -> bool:
        """Refuse results of a game's blueprint that no entity can have."""
        for one in parts:
            if not isinstance(one, Component):
                said = described(one)
                allowed = misfit(one)
                if isinstance(one, list | tuple) and allowed is not None:
                    allowed = "a tuple of components"
            elif id(one) in self._made_before or world_that_holds(one) is not None:
                said = f"a {type(one).__name__} that another entity has already"
                allowed = "a new one for each entity"
            else:
                self._made_before[id(one)] = one
                continue
            if allowed is not None:
                self.wrong(place, f"what it returns, {said}, is not allowed; expected {allowed}")
                return False
        return True

    def _fits(self, place: Place, part: Part, given: Mapping[str, Any]) -> bool:
        """Refuse absurd numbers of particles before they are made."""
        count = self._asked(part, given)
        most = most_of("particles")
        if self.particles + count <= most:
            return True
        named = " × ".join(part.counts) or ("spacing" if "spacing" in part.kinds else "position")
        self.wrong(
            place, f"{named}: {count:.0f} particles are not allowed; expected at most {most} in all"
        )
        return False

    @staticmethod
    def _asked(part: Part, given: Mapping[str, Any]) -> float:
        """Return the approximate number of particles asked of a part."""
        spacing = given.get("spacing")
        if "spacing" in part.kinds and isinstance(spacing, float | int) and spacing > 0.0:
            with np.errstate(all="ignore"):
                corners = np.asarray(given.get("vertices", ()), float).reshape(-1, 2)
                return (
                    float(lengths(np.roll(corners, -1, axis=0) - corners).sum()) / spacing
                    if corners.size
                    else 0.0
                )
        if part.is_blueprint and Particles in part.makes:
            return particles_asked(part.make, given)
        return float(len(given.get("position", ()))) if part.make is Particles else 0.0

    def _count(self, place: Place, parts: list[Any]) -> None:
        self.particles += sum(one.row_count for one in parts if isinstance(one, Particles))

    def _tell(
        self, entity: EntitySpec, part: Part, fields: Mapping[str, Any], error: Exception
    ) -> str:
        """Note the error of making a part, at its field, and return the field."""
        place: Place = (*entity.place, part.name)
        name = field_of(error)
        if name in fields:
            self.wrong((*place, name), in_words(error))
        elif name in entity.material:
            self.failed.add(entity.name)
            self.wrong(("materials", entity.material_name, name), in_words(error))
        else:
            self.wrong(place, f"{name}: {in_words(error)}" if name else in_words(error))
        return name

    def _give_rest(self, entity: EntitySpec, part: Part, parts: list[Any]) -> None:
        """Set the collider values of a material that the blueprint has no arguments for."""
        for component in parts if part.is_blueprint else ():
            if isinstance(component, Collider):
                for name, value in entity.material.items():
                    if name not in part.kinds and name in declared_values(Collider):
                        setattr(component, name, value)

    def _override(
        self, entity: EntitySpec, part: Part, fields: Mapping[str, Any], component: Any
    ) -> None:
        """Write fields of a component that a blueprint has made."""
        kind = type(component)
        columns = {}
        if isinstance(component, Component):
            columns = {**declared_columns(kind), **declared_values(kind)}
        for name, value in fields.items():
            place = (*entity.place, part.name, name)
            if columns and (
                name not in columns or getattr(columns[name], "rows_of_particles", False)
            ):
                self.wrong(
                    place,
                    (
                        "this is not allowed beside a blueprint, which has made it; expected "
                        "another "
                        "field"
                    ),
                )
                continue
            try:
                setattr(component, name, value)
            except MISTAKES as error:
                self.wrong(place, in_words(error))

    def _add_skin(self, entity: EntitySpec, made: dict[type[Any], Any]) -> None:
        if entity.skin is not None:
            made[type(entity.skin)] = entity.skin.copied()
            return
        given = entity.own.get("skin")
        if given is None:
            return
        place = (*entity.place, "skin")
        if not isinstance(given, str | dict):
            self.wrong(
                place,
                (
                    f"{shown(given)} is not allowed; expected the name of a picture, or {{ image = "
                    f'"..." }}'
                ),
            )
            return
        problems: list[tuple[Place, str]] = []
        options = skin_table().read({"image": given} if isinstance(given, str) else given, problems)
        for inner, said in problems:
            self.wrong(place + inner, said)
        if not problems and "image" not in options:
            self.wrong(place, "'image' is missing; expected the name of a picture", missing=True)
        if problems or "image" not in options:
            return
        try:
            skin = skin_of(self.tree, options.pop("image"), options)
        except (*MISTAKES, OSError) as error:
            name = field_of(error)
            self.wrong((*place, name) if name in skin_table().kinds else place, in_words(error))
            return
        made[type(skin)] = skin

    def _place(self, entity: EntitySpec, made: Mapping[type[Any], Any]) -> None:
        """Rotate an entity's components about their (0, 0) by `angle`, then move them by `at`."""
        at = entity.own.get("at")
        angle = entity.own.get("angle")
        if at is None and angle is None:
            return
        if angle is not None and not (Particles in made or StaticCollider in made):
            if entity.name not in self.failed:
                self.wrong(
                    (*entity.place, "angle"),
                    "an angle is not allowed here; expected a body or a StaticCollider",
                )
            return
        shift = np.array((0.0, 0.0) if at is None else at)
        if not np.isfinite(shift).all() or not math.isfinite(angle or 0.0):
            self.wrong(
                (*entity.place, "at" if at is not None else "angle"), "expected finite numbers"
            )
            return
        moved = False
        for component in made.values():
            if isinstance(component, Component):
                moved |= self._moved(entity, component, shift, angle)
        if not moved and entity.name not in self.failed:
            self.wrong(
                (*entity.place, "at"), "a place is not allowed here; expected what has a position"
            )

    def _moved(
        self, entity: EntitySpec, component: Component, shift: Any, angle: float | None
    ) -> bool:
        """Move the points and turn the directions of a component; return whether it has
        any point.
        """
        columns = declared_columns(type(component))
        values = declared_values(type(component))
        has_point = False
        for name in placed_fields(type(component), turns=angle is not None):
            column = columns[name] if name in columns else values[name]
            is_point = column.unit == "m"
            has_point |= is_point
            with np.errstate(all="ignore"):
                found = np.array(getattr(component, name))
                if angle is not None:
                    found = turned(found, angle)
                if is_point:
                    found = found + shift
            if np.isnan(found).all() and column.unset:
                continue
            try:
                if isinstance(column, Column) or column.unset or not np.isnan(found).any():
                    setattr(component, name, found)
            except MISTAKES as error:
                self.wrong((*entity.place, "at"), in_words(error))
                return True
        return has_point


def placed_fields(kind: type[Any], *, turns: bool) -> list[str]:
    """Return the fields of a component that `at` and `angle` of its entity change: points, and
    directions where it turns.
    """
    if not issubclass(kind, Component):
        return []
    declared: dict[str, Any] = {**declared_columns(kind), **declared_values(kind)}
    return [
        name
        for name, column in declared.items()
        if not column.engine
        and column.width == 2
        and column.dtype.kind == "f"
        and (turns or column.unit == "m")
    ]


class _Lost:
    """Stands for an entity that there is not."""


LOST = _Lost()
"""In place of an entity whose name is not known: the mistake is told already."""


def _is_lost(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(_is_lost(entry) for entry in value)
    return value is LOST


def refers(value: Any) -> bool:
    """Return whether a value names an entity."""
    if isinstance(value, dict):
        return any(refers(entry) for entry in value.values())
    if isinstance(value, tuple | list):
        return any(refers(entry) for entry in value)
    return isinstance(value, Ref)


def is_link(part: Part, fields: Mapping[str, Any]) -> bool:
    """Return whether a part refers to other entities, and so is made after all of them."""
    return refers(fields) or any(name in fields for name in references(part))


def made_by_link(entity: EntitySpec, part: Part) -> bool:
    """Return whether a part has fields of a joint that a blueprint, such as an axle, has made."""
    return not part.is_blueprint and any(
        other.is_blueprint and is_link(other, fields) and set(part.makes) <= set(other.makes)
        for other, fields in entity.parts
    )


def references(part: Part) -> tuple[str, ...]:
    """Return the fields of a part that name entities."""
    return tuple(
        name for name, kind in part.kinds.items() if "the name of an entity" in kind.expected
    )
