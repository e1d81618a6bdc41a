"""Saving: writes a world as a scene file; a loaded scene is written back with its changes only."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import esper
import numpy as np

from ecs_softbody.components import AngularMuscles, Muscles, Particles
from ecs_softbody.components.muscles import spring_rows
from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.scenes.comparing import (
    are_equal,
    are_near,
    can_be_given,
    completed_fields,
    components_of,
    copy_of,
    different_fields,
    free_name,
    is_default,
    is_topology,
    maker_of,
    plain_value,
    without_repeats,
)
from ecs_softbody.scenes.importers import is_skin
from ecs_softbody.scenes.loading import LATER, prepare_tree, start
from ecs_softbody.scenes.making import Maker
from ecs_softbody.scenes.model.kinds import WORLD
from ecs_softbody.scenes.model.parts import Part, Parts
from ecs_softbody.scenes.model.specs import EntitySpec
from ecs_softbody.scenes.scene import Scene, scene_of
from ecs_softbody.scenes.skins import are_same, table_of
from ecs_softbody.scenes.text.json_text import REMOVED
from ecs_softbody.scenes.text.reading import SUFFIXES
from ecs_softbody.scenes.text.writing import Edit, edited, write_scene
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import Component, declared_columns
from ecs_softbody.validation import check_path

DEFAULTS = {"substeps": 8, "sleeping": True, "threads": 1, "time_scale": 1.0, "solver": "saturated"}
"""Settings of a world that a file need not name."""
PLACES = frozenset({"position", "vertices", "pivot"})
"""Columns that change when a body is moved as a whole."""


def save(world: Simulation | Scene, path: str | Path = "", parts: Iterable[Any] = ()) -> None:
    """Write a world as a scene file, .toml or .json.

    A world loaded from a scene is written as its file with the later changes: values, new and
    deleted entities, settings. Comments and order are preserved; without changes the file stays
    identical, byte for byte. A body moved as a whole gets a new `at`. Only declared columns and
    values of components are saved, not the engine's internal state: a scene is a starting point,
    and a world saved during a game takes its rest shapes from the current positions of the
    particles.

    Args:
        world: a simulation, or a scene of it.
        path: the file; by default the file that the scene was loaded from.
        parts: blueprints, components and dataclasses of a game's own, as for `load`.

    Raises:
        ValueError: for an ending that is neither .toml nor .json, no file to write to, or more than
            can be opened.
        TypeError: for a component of a class that files do not support; name it in `parts` if it is
            a dataclass.
        OSError: if the file cannot be written; the old one stays.
    """
    if not isinstance(world, Simulation | Scene):
        raise FieldTypeError("scenes.save", "world", world, "a Simulation, or a Scene of one")
    scene = world if isinstance(world, Scene) else scene_of(world)
    if not path and scene is None:
        raise FieldError(
            "scenes.save",
            "",
            path,
            "a name",
            in_words="no file",
            hint=" here: the world was loaded from none",
        )
    target = check_path("scenes.save", "path", path) if path or scene is None else scene.path
    if target.suffix.lower() not in SUFFIXES:
        raise FieldError("scenes.save", "", str(target), "a name that ends in .toml or .json")
    toml = target.suffix.lower() == ".toml"
    if scene is None:
        assert isinstance(world, Simulation)
        edits = list(_Differences(world, Parts(parts), target.absolute().parent).of_all())
        write_scene(target, edited("" if toml else "{}", {}, edits, toml=toml).encode())
        return
    save_with(scene, target, (), parts)


def save_with(scene: Scene, target: Path, first: Iterable[Edit], parts: Iterable[Any] = ()) -> None:
    """Write a scene as `save` does, with the edits `first` before the changes of its world."""
    toml = target.suffix.lower() == ".toml"
    source = scene.main
    found = _Differences(
        scene.sim, scene.parts_with(parts), target.absolute().parent, scene
    ).of_all()
    edits = [*first, *found]
    if (source.path.suffix.lower() == ".toml") == toml:
        raw = (
            source.with_text(edited(source.text, source.tree, edits, toml=toml))
            if edits
            else source.raw
        )
    else:
        raw = edited("" if toml else "{}", {}, [*_leaves(source.tree), *edits], toml=toml).encode()
    write_scene(target, raw)


def _leaves(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterable[Edit]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


class _Differences:
    """Finds the differences between a world and its scene file."""

    def __init__(
        self, sim: Simulation, parts: Parts, folder: Path, scene: Scene | None = None
    ) -> None:
        self.sim = sim
        self.parts = parts
        self.folder = folder
        self.scene = scene
        self.alive = sim.entities()
        known = {int(scene[name]): name for name in scene} if scene is not None else {}
        self._imported = (
            [] if scene is None else [tiles for spec in scene.spec.entities for tiles in spec.tiles]
        )
        self.names: dict[int, str] = {}
        taken = set(known.values())
        self._holders: dict[Any, int] = {}
        for entity in self.alive:
            self._holders |= {
                one: entity for one in components_of(sim, entity) if isinstance(one, Component)
            }
            name = known.get(int(entity)) or free_name(f"entity-{int(entity)}", taken)
            taken.add(name)
            self.names[int(entity)] = name

    def of_all(self) -> Iterable[Edit]:
        """Yield the edits of the file."""
        if self.scene is None:
            yield from self._settings(None)
            for entity in self.alive:
                yield ("entities", self.names[int(entity)]), self._whole(entity)
            return
        # The file is made once more, in a world of its own: a difference from that is a change.
        made = prepare_tree(self.scene.spec.tree, self.scene.own_parts)
        fresh = [
            [copy_of(one) for one in (*own, *links)]
            for own, links in zip(made.components, made.links, strict=True)
        ]
        base = start(made, f"{self.sim.world} as it was")
        try:
            with base.sim:
                base.sim.buffers.synchronise()
            yield from self._settings(base.sim)
            yield from self._against(base, fresh)
        finally:
            base.sim.close()
            self.sim.activate()

    def _against(self, base: Scene, fresh: list[list[Any]]) -> Iterable[Edit]:
        scene = self.scene
        assert scene is not None
        numbers = {int(base[name]): int(scene[name]) for name in scene}
        known = set(numbers.values())
        main = scene.main.tree.get("entities", {})
        # What the file does not have, such as a fragment that a link goes on at, is elsewhere than
        # in the file, too.
        self._moved_entities = {int(entity) for entity in self.alive} - known
        self._moved_entities |= {
            int(scene[spec.name]) for spec, own in zip(scene.spec.entities, fresh, strict=True)
            if int(scene[spec.name]) in self.names and self._has_moved(scene[spec.name], own)
        }  # fmt: skip
        for spec, own in zip(scene.spec.entities, fresh, strict=True):
            entity = scene[spec.name]
            if int(entity) not in self.names:
                if spec.name not in main:
                    raise ValueError(
                        f"scenes.save: entity {spec.name!r} is gone, but it is in a file that the "
                        "scene includes; "
                        "take it out there"
                    )
                yield ("entities", spec.name), REMOVED
                continue
            was = {type(one): one for one in components_of(base.sim, base[spec.name])}
            yield from self._changes(spec, entity, was, {type(one): one for one in own}, numbers)
        for entity in self.alive:
            if int(entity) not in known:
                yield ("entities", self.names[int(entity)]), self._whole(entity)

    def _has_moved(self, entity: int, fresh: list[Any]) -> bool:
        """Return whether the particles of an entity are elsewhere than in the file."""
        was = next((one for one in fresh if isinstance(one, Particles)), None)
        now = self.sim.get(entity, Particles) if self.sim.has(entity, Particles) else None
        return (was is None) != (now is None) or (
            was is not None and now is not None and not are_equal(was.position, now.position)
        )

    def _settings(self, base: Simulation | None) -> Iterable[Edit]:
        for name in (*LATER, "solver"):
            value = getattr(self.sim, name)
            value = value.tolist() if isinstance(value, np.ndarray) else value
            if base is None:
                if name == "speed_limit" or value == DEFAULTS.get(name):
                    continue
            elif np.array_equal(getattr(base, name), value):
                continue
            yield ("world", name), value

    def _changes(
        self,
        spec: EntitySpec,
        entity: int,
        was: Mapping[type, Any],
        fresh: Mapping[type, Any],
        numbers: dict[int, int],
    ) -> Iterable[Edit]:
        """Return the changes of one entity."""
        now = {type(one): one for one in self._now(entity)}
        place = ("entities", spec.name)
        skins = [
            next((one for one in kinds.values() if is_skin(one)), None) for kinds in (was, fresh)
        ]
        was = {kind: one for kind, one in was.items() if not is_skin(one)}
        changed = {
            kind: names for kind, one in now.items()
            if kind in was and (names := different_fields(one, was[kind], fresh.get(kind), numbers))
        }  # fmt: skip
        changed |= {
            kind: ["rows"]
            for kind, one in now.items()
            if isinstance(one, Component) and self._driving(one) is not one
        }
        if (moved := self._moved(spec, now, changed)) is not None:
            yield (*place, "at"), moved
            changed = {
                kind: names for kind, names in changed.items() if not PLACES.issuperset(names)
            }
        yield from self._changed_skin(
            place, entity, *skins, deformed=moved is None and entity in self._moved_entities
        )
        # Moved particles no longer yield the values derived from former positions, so they are
        # written.
        for kind, one in now.items():
            owners = set(one.row_owners(entity)) if isinstance(one, Component) else set()
            if moved is not None:
                owners.discard(int(entity))
            if (
                self._moved_entities & owners
                and kind in was
                and (names := completed_fields(one, fresh.get(kind)))
            ):
                changed[kind] = list(dict.fromkeys([*changed.get(kind, []), *names]))
        makers = {kind: maker_of(spec, kind) for kind in {*was, *now}}
        anew = {
            part.name for kind, part in makers.items()
            if part is not None and part.is_blueprint
            and (kind not in now or any(is_topology(kind, name) for name in changed.get(kind, ())))
        }  # fmt: skip
        for name in sorted(anew):
            yield (*place, name), REMOVED
        if anew and {"at", "angle"} & spec.own.keys():
            yield from (((*place, name), REMOVED) for name in ("at", "angle") if name in spec.own)
        for kind, one in now.items():
            part = makers[kind]
            if (
                kind not in was
                or (part is not None and part.name in anew)
                or (anew and kind in changed)
            ):
                yield (*place, self._part(kind).name), self._brief(one)
            elif kind in changed:
                yield from self._changed_fields(place, kind, one, changed[kind], part)
        for kind in was:
            part = makers[kind]
            if kind not in now and part is not None and not part.is_blueprint:
                yield (*place, part.name), REMOVED

    def _changed_skin(
        self, place: tuple[str, ...], entity: int, was: Any, fresh: Any, *, deformed: bool
    ) -> Iterable[Edit]:
        """Return the table of another skin than the file has; of one on a deformed body, where the
        picture lies.
        """
        now = next((one for one in components_of(self.sim, entity) if is_skin(one)), None)
        if now is None:
            if was is not None:
                yield (*place, "skin"), REMOVED
        elif was is None or not are_same(now, was) or (deformed and not fresh.row_count):
            yield (*place, "skin"), table_of(now, self.folder)

    def _changed_fields(
        self, place: tuple[str, ...], kind: type, one: Any, names: list[str], part: Part | None
    ) -> Iterable[Edit]:
        """Return the fields that differ; of a raw component as its arguments, beside a blueprint as
        columns.
        """
        fields = self._fields(one)
        if part is None or not part.is_blueprint:
            arguments = {name for name in names if name in fields} or set(fields)
            if "rows" in names or any(name not in fields for name in names):
                arguments = set(fields)
        else:
            arguments = set(names)
        for name in fields:
            if name in arguments:
                yield (*place, kind.__name__, name), fields[name]

    def _moved(
        self, spec: EntitySpec, now: Mapping[type, Any], changed: Mapping[type, list[str]]
    ) -> Any:
        """Return the new `at` of an entity that was moved as a whole and nothing else, or None."""
        changed = {kind: names for kind, names in changed.items() if issubclass(kind, Component)}
        placed = "at" in spec.own or any(part.is_blueprint for part, _ in spec.parts)
        if (
            not changed
            or not placed
            or any(not PLACES.issuperset(names) for names in changed.values())
        ):
            return None
        kind = next(iter(changed))
        name = "vertices" if "vertices" in changed[kind] else changed[kind][0]
        assert self.scene is not None
        before = esper.current_world
        esper.switch_world("ecs_softbody scene")
        try:
            old = np.array(spec.own.get("at", (0.0, 0.0)), float)
            made = {type(one): one for one in Maker(self.scene.spec).own_parts(spec)}
            if kind not in made:
                return None
            by = np.reshape(getattr(now[kind], name) - getattr(made[kind], name), (-1, 2))[0]
            for at in (np.round(old + by, 9), old + by):
                trial = dataclasses.replace(spec, own={**spec.own, "at": tuple(at.tolist())})
                made = {type(one): one for one in Maker(self.scene.spec).own_parts(trial)}
                if all(
                    are_near(getattr(now[one], field), getattr(made[one], field))
                    for one in changed
                    for field in changed[one]
                ):
                    return at.tolist()
        finally:
            esper.switch_world(before)
        return None

    def _whole(self, entity: int) -> dict[str, Any]:
        """Return the table of an entity made of raw components."""
        found = {self._part(type(one)).name: self._brief(one) for one in self._now(entity)}
        skins = [
            table_of(one, self.folder) for one in components_of(self.sim, entity) if is_skin(one)
        ]
        return {**found, **({"skin": skins[0]} if skins else {})}

    def _brief(self, one: Any) -> dict[str, Any]:
        """Return the fields of a component, without default values."""
        defaults = self._part(type(one)).defaults
        return {name: value for name, value in self._fields(one).items()
                if not (name in defaults and is_default(value, defaults[name]))}  # fmt: skip

    def _part(self, kind: type) -> Part:
        part = self.parts.of_class(kind)
        if part is None:
            if kind.__name__ == "Tiles":
                raise FieldTypeError(
                    "scenes.save",
                    "",
                    kind,
                    "a scene that imports their map",
                    in_words="Tiles",
                    hint=" in a file",
                )
            raise FieldTypeError(
                "scenes.save",
                "",
                kind,
                "components of the library, or dataclasses that are named: "
                f"save(sim, path, parts=[{kind.__name__}])",
                in_words=kind.__name__,
                hint=" in a file",
            )
        return part

    def _fields(self, one: Any) -> dict[str, Any]:
        """Return the fields of a component, in the form of a file."""
        part = self._part(type(one))
        if isinstance(one, Component):
            one = self._driving(one)
            given = {
                name: value
                for name, value in one.arguments().items()
                if can_be_given(one, name, value)
            }
            return {name: self._plain(part, one, name, value) for name, value in given.items()}
        found = {name: getattr(one, name) for name in part.kinds}
        return {name: plain_value(value) for name, value in found.items() if value is not None}

    def _now(self, entity: int) -> list[Any]:
        """Return the components of an entity, but muscles without a spring, its skin, and tiles of
        an imported map.
        """
        found = [
            one
            for one in components_of(self.sim, entity)
            if not is_skin(one) and one not in self._imported
        ]
        return [one for one in found if not isinstance(one, Component) or type(one).drives is None
                or not one.row_count or self._driving(one).row_count]  # fmt: skip

    def _driving(self, one: Component) -> Component:
        """Return muscles with the current rows of their springs, without those that have none."""
        if not isinstance(one, Muscles | AngularMuscles) or one not in self._holders:
            return one
        here = components_of(self.sim, self._holders[one])
        springs = next((other for other in here if type(other) is one.drives), None)
        if springs is None:
            return one.copied(arange(0))
        rows = spring_rows(one, springs)
        if (rows == one.rows).all():
            return one
        kept = flatnonzero(rows >= 0)
        return one.copied(kept, {"rows": rows[kept].astype(np.int32)})

    def _plain(self, part: Part, one: Component, name: str, value: Any) -> Any:
        if "the name of an entity" in part.kinds[name].expected:
            return self._named(value)
        column = declared_columns(type(one)).get(name)
        single = column is not None and not column.rows_of_particles and name not in part.required
        if column is not None and single and isinstance(value, np.ndarray):
            value = without_repeats(value, column)
        return plain_value(value)

    def _named(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return [self._named(entry) for entry in value]
        return WORLD if value is None else self.names[int(value)]
