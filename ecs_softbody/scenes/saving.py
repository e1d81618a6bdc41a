"""Saving: writes a world as a scene file; a loaded scene is written back with its changes only."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import esper
import numpy as np

from ecs_softbody.components import AngularMuscles, Muscles, Particles, StaticCollider
from ecs_softbody.components.muscles import spring_rows
from ecs_softbody.errors import FieldError, FieldTypeError
from ecs_softbody.files import write_atomically
from ecs_softbody.indices import arange, flatnonzero
from ecs_softbody.scenes.comparing import (
    are_equal,
    can_be_given,
    completed_fields,
    components_of,
    copy_of,
    different_fields,
    free_name,
    is_default,
    is_placed_at,
    is_plain,
    is_topology,
    maker_of,
    plain_value,
    without_repeats,
)
from ecs_softbody.scenes.importers import is_skin
from ecs_softbody.scenes.loading import LATER, check, prepare_tree, start
from ecs_softbody.scenes.making import Maker, placed_fields, references
from ecs_softbody.scenes.model.kinds import WORLD
from ecs_softbody.scenes.model.parts import Part, Parts
from ecs_softbody.scenes.model.specs import EntitySpec
from ecs_softbody.scenes.scene import Scene, scene_of
from ecs_softbody.scenes.skins import are_same, table_of
from ecs_softbody.scenes.text.json_text import REMOVED
from ecs_softbody.scenes.text.reading import SUFFIXES
from ecs_softbody.scenes.text.writing import Edit, check_size, edited
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
        ValueError: for an ending that is neither .toml nor .json, no file to write to, more than
            can be opened, or a change that a scene file cannot take; the old file stays.
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
        _write(target, edited("" if toml else "{}", {}, edits, toml=toml).encode(), parts)
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
    _write(target, raw, [*scene.own_parts, *parts])


def _write(target: Path, raw: bytes, parts: Iterable[Any]) -> None:
    """Write a scene file, unless it could not be opened: a good file is never replaced by one that
    is lost.
    """
    check_size(target, raw)
    trial = target.with_name(f".{target.stem}.trial{target.suffix}")
    try:
        write_atomically(trial, raw)
        problems = check(trial, parts)
    finally:
        trial.unlink(missing_ok=True)
    if problems:
        problem = str(problems[0]).replace(trial.name, target.name)
        raise ValueError(f"scenes.save: {target.name} was not written: {problem}")
    write_atomically(target, raw)


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
            ([copy_of(one) for one in (*own, *links)], {type(one) for one in links})
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

    def _against(self, base: Scene, fresh: list[tuple[list[Any], set[type]]]) -> Iterable[Edit]:
        """Yield the edits of a scene that was loaded from a file.

        base: what its file makes. fresh: the same before it was packed: of each entity all
        components, and the classes of those that refer to others.
        """
        scene = self.scene
        assert scene is not None
        numbers = {int(base[name]): int(scene[name]) for name in scene}
        known = set(numbers.values())
        main = scene.main.tree.get("entities", {})
        # What the file does not have, such as a fragment that a link goes on at, is elsewhere than
        # in the file, too.
        self._moved_entities = {int(entity) for entity in self.alive} - known
        self._moved_entities |= {
            int(scene[spec.name]) for spec, (own, _) in zip(scene.spec.entities, fresh, strict=True)
            if int(scene[spec.name]) in self.names and self._has_moved(scene[spec.name], own)
        }  # fmt: skip
        yield from self._camera(main=scene.main.tree)
        for spec, (own, linked) in zip(scene.spec.entities, fresh, strict=True):
            entity = scene[spec.name]
            if int(entity) not in self.names:
                if spec.name not in main:
                    raise self._elsewhere("entities", spec.name)
                yield ("entities", spec.name), REMOVED
                continue
            was = {type(one): one for one in components_of(base.sim, base[spec.name])}
            yield from self._changes(
                spec, entity, was, {type(one): one for one in own}, linked, numbers
            )
        for entity in self.alive:
            if int(entity) not in known:
                yield ("entities", self.names[int(entity)]), self._whole(entity)

    def _camera(self, main: Mapping[str, Any]) -> Iterable[Edit]:
        """Have the camera follow nothing where its entity is gone, or has no body any more."""
        assert self.scene is not None
        name = self.scene.spec.camera.get("follow")
        if name is None:
            return
        entity = self.scene[name]
        if int(entity) not in self.names or not self.sim.has(entity, Particles):
            if "follow" not in main.get("camera", {}):
                raise self._elsewhere("camera.follow", name)
            yield ("camera", "follow"), REMOVED

    def _elsewhere(self, field: str, name: str) -> FieldError:
        """Return the error of a change that only an included file could take."""
        return FieldError(
            "scenes.save",
            field,
            name,
            "a change in the file that the scene includes, where this is given",
            wrong=f"{name!r} is gone, or has lost a part",
        )

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
        linked: set[type],
        numbers: dict[int, int],
    ) -> Iterable[Edit]:
        """Return the changes of one entity; linked: its components that refer to others."""
        assert self.scene is not None
        now = {type(one): one for one in self._now(entity)}
        place = ("entities", spec.name)
        table = self.scene.main.tree.get("entities", {}).get(spec.name, {})
        skins = [
            next((one for one in kinds.values() if is_skin(one)), None) for kinds in (was, fresh)
        ]
        has_lost_skin = skins[0] is not None and self._skin_of(entity) is None
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
        makers = {kind: maker_of(spec, kind) for kind in {*was, *now}}
        gone = {part.name for kind, part in makers.items() if part is not None and kind not in now}
        anew = {
            part.name
            for kind, part in makers.items()
            if part is not None
            and part.is_blueprint
            and (kind not in now or any(is_topology(kind, name) for name in changed.get(kind, ())))
        }
        # The table of the entity cannot take away what a prefab or another file gives.
        lost = {*gone, *anew, *(["skin"] if has_lost_skin else [])}
        if not lost <= table.keys():
            if "prefab" not in table:
                raise self._elsewhere("entities", spec.name)
            yield from self._without_prefab(spec, table, entity)
            return
        own = [
            kind
            for kind in now
            if not (kind in linked if kind in was else references(self._part(kind)))
        ]
        if (moved := self._moved(spec, now, changed, own)) is not None:
            yield (*place, "at"), moved
            changed = {
                kind: names for kind, names in changed.items() if not PLACES.issuperset(names)
            }
        elif (
            placed := self._placed_anew(spec, was, changed, own, has_lost=bool(lost))
        ) is not None:
            for kind, names in placed.items():
                changed[kind] = list(dict.fromkeys([*changed.get(kind, []), *names]))
            yield from self._at_origin(spec, table, own, is_anew=bool(anew))
        yield from self._changed_skin(
            place, entity, *skins, deformed=moved is None and entity in self._moved_entities
        )
        # Moved particles no longer yield the values derived from former positions, so they are
        # written.
        elsewhere = self._moved_entities - ({int(entity)} if moved is not None else set())
        for kind, one in now.items():
            owners = one.row_owners(entity) if isinstance(one, Component) else ()
            if kind in was and not elsewhere.isdisjoint(owners):
                names = completed_fields(one, fresh.get(kind))
                changed[kind] = list(dict.fromkeys([*changed.get(kind, []), *names]))
        for name in sorted({*gone, *anew}):
            yield (*place, name), REMOVED
        for kind, one in now.items():
            part = makers[kind]
            if (
                kind not in was
                or (part is not None and part.name in anew)
                or (anew and changed.get(kind))
            ):
                yield (*place, self._part(kind).name), self._brief(one)
            elif changed.get(kind):
                yield from self._changed_fields(place, kind, one, changed[kind], part)

    def _placed_anew(
        self,
        spec: EntitySpec,
        was: Mapping[type, Any],
        changed: Mapping[type, list[str]],
        own: list[type],
        *,
        has_lost: bool,
    ) -> dict[type, list[str]] | None:
        """Return the fields of `own` components that `at` and `angle` of the entity change, if one
        of them is to be written: a place in the world would be moved once more. None where the
        entity may stay at its place of the file.

        has_lost: whether a part has gone, or is written as raw components.
        """
        if not {"at", "angle"} & spec.own.keys():
            return None
        fields = {kind: placed_fields(kind, turns="angle" in spec.own) for kind in own}
        is_written = has_lost or any(
            names and (kind not in was or set(names) & set(changed.get(kind, ())))
            for kind, names in fields.items()
        )
        return {kind: fields[kind] for kind in own if kind in was} if is_written else None

    def _at_origin(
        self, spec: EntitySpec, table: Mapping[str, Any], own: list[type], *, is_anew: bool
    ) -> Iterable[Edit]:
        """Return an entity's `at` and `angle` that move nothing; a blueprint may need `at` for its
        center. They go where raw components are written, or nothing is left that has a place.
        """
        is_needed = {
            "at": any(placed_fields(kind, turns=False) for kind in own),
            "angle": not {Particles, StaticCollider}.isdisjoint(own),
        }
        for name, origin in (("at", [0.0, 0.0]), ("angle", 0.0)):
            if name in spec.own:
                is_kept = (is_needed[name] and not is_anew) or name not in table
                yield ("entities", spec.name, name), origin if is_kept else REMOVED

    def _without_prefab(
        self, spec: EntitySpec, table: Mapping[str, Any], entity: int
    ) -> Iterable[Edit]:
        """Return the entity made of raw components, as it is now, in place of its prefab."""
        place = ("entities", spec.name)
        whole = self._whole(entity)
        kept = ("tags", "data")
        for name in table:
            if name not in whole and name not in kept:
                yield (*place, name), REMOVED
        for name in kept:
            if name in spec.own and name not in table:
                yield (*place, name), spec.own[name]
        for name, value in whole.items():
            yield (*place, name), value

    def _changed_skin(
        self, place: tuple[str, ...], entity: int, was: Any, fresh: Any, *, deformed: bool
    ) -> Iterable[Edit]:
        """Return the table of another skin than the file has; of one on a deformed body, where the
        picture lies.
        """
        now = self._skin_of(entity)
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
        self,
        spec: EntitySpec,
        now: Mapping[type, Any],
        changed: Mapping[type, list[str]],
        own: list[type],
    ) -> Any:
        """Return the new `at` of an entity that was moved as a whole and nothing else, or None.

        own: its components that are no links.
        """
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
                    kind in made and is_placed_at(now[kind], made[kind], field)
                    for kind in own
                    for field in placed_fields(kind, turns=False)
                ):
                    return at.tolist()
        finally:
            esper.switch_world(before)
        return None

    def _whole(self, entity: int) -> dict[str, Any]:
        """Return the table of an entity made of raw components."""
        found = {self._part(type(one)).name: self._brief(one) for one in self._now(entity)}
        skin = self._skin_of(entity)
        return found if skin is None else {**found, "skin": table_of(skin, self.folder)}

    def _skin_of(self, entity: int) -> Any:
        """Return the skin of an entity, or None."""
        return next((one for one in components_of(self.sim, entity) if is_skin(one)), None)

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
        found = {name: plain_value(getattr(one, name)) for name in part.kinds}
        for name, value in found.items():
            if not is_plain(value):
                allowed = "text, numbers, truth values, and lists and tables of these"
                raise FieldTypeError(type(one).__name__, name, value, allowed, hint=" in a file")
        return {name: value for name, value in found.items() if value is not None}

    def _now(self, entity: int) -> list[Any]:
        """Return the components of an entity, but muscles without a spring, its skin, and tiles of
        an imported map. Links to deleted entities go with the next step; they are left out.
        """
        found = [
            one
            for one in components_of(self.sim, entity)
            if not is_skin(one)
            and one not in self._imported
            and not (
                isinstance(one, Component)
                and any(int(owner) not in self.names for owner in one.row_owners(entity))
            )
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
