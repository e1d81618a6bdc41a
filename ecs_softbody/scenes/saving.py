"""Saving: a world as a scene file; what was loaded from one is written back with what has changed, and nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import esper
import numpy as np

from ecs_softbody.components import Particles
from ecs_softbody.files import write_atomically
from ecs_softbody.scenes.kinds import WORLD
from ecs_softbody.scenes.loading import LATER, prepare_tree, start
from ecs_softbody.scenes.making import Maker
from ecs_softbody.scenes.parts import Part, Parts
from ecs_softbody.scenes.plans import EntityPlan
from ecs_softbody.scenes.reading import SUFFIXES
from ecs_softbody.scenes.scene import Scene, scene_of
from ecs_softbody.scenes.writing import REMOVED, Edit, edited
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import Column, Component, declared_columns, declared_values

DEFAULTS = {"substeps": 8, "sleeping": True, "threads": 1, "time_scale": 1.0, "solver": "saturated"}
"""Settings of a world that a file need not name."""
PLACES = frozenset({"position", "vertices", "pivot"})
"""What changes when a body is moved as a whole."""


def save(world: Simulation | Scene, path: str | Path = "", parts: Iterable[Any] = ()) -> None:
    """Write a world as a scene file, .toml or .json.

    A world that was loaded from a scene is written as that file, with what has changed since: values, entities that
    came and went, settings. Comments and order stay; without a change the file is the same, byte for byte. A body that
    was moved as a whole gets another `at`. What is saved is what components declare, not what the engine keeps beside
    it: a scene is a beginning, and in the midst of a game rest shapes are taken anew from where the particles are.

    Args:
        world: a simulation, or a scene of it.
        path: the file; without one that which the scene was loaded from.
        parts: blueprints, components and dataclasses of a game's own, as for `load`.

    Raises:
        ValueError: for an ending that is neither .toml nor .json, or no file to write to.
        TypeError: for a component of a class that no file can have; name it in `parts` if it is a dataclass.
        OSError: where the file cannot be written; the old one stays.
    """
    scene = world if isinstance(world, Scene) else scene_of(world)
    if not path and scene is None:
        raise ValueError("scenes.save: no file is not allowed here: the world was loaded from none; expected a name")
    target = Path(path) if path or scene is None else scene.path
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"scenes.save: {str(path)!r} is not allowed; expected a name that ends in .toml or .json")
    toml = target.suffix.lower() == ".toml"
    if scene is None:
        assert isinstance(world, Simulation)
        edits = list(_Differences(world, Parts(parts)).of_all())
        write_atomically(target, edited("" if toml else "{}", {}, edits, toml=toml).encode())
        return
    source = scene.main
    edits = list(_Differences(scene.sim, scene.parts_with(parts), scene).of_all())
    if (source.path.suffix.lower() == ".toml") == toml:
        text = edited(source.text, source.tree, edits, toml=toml) if edits else source.text
        raw = text.encode() if edits else source.raw
    else:
        raw = edited("" if toml else "{}", {}, [*_leaves(source.tree), *edits], toml=toml).encode()
    write_atomically(target, raw)


def _leaves(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterable[Edit]:
    for key, value in tree.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


class _Differences:
    """Finds what a world has that its scene file does not say."""

    def __init__(self, sim: Simulation, parts: Parts, scene: Scene | None = None) -> None:
        self.sim, self.parts, self.scene = sim, parts, scene
        self.alive = sim.entities()
        known = {int(scene[name]): name for name in scene} if scene is not None else {}
        self.names: dict[int, str] = {}
        taken = set(known.values())
        self._holders: dict[Any, int] = {}
        for entity in self.alive:
            self._holders |= {one: entity for one in _components(sim, entity) if isinstance(one, Component)}
            name = known.get(int(entity)) or _free(f"entity-{int(entity)}", taken)
            taken.add(name)
            self.names[int(entity)] = name

    def of_all(self) -> Iterable[Edit]:
        """Return what has to be changed in the file."""
        if self.scene is None:
            yield from self._settings(None)
            for entity in self.alive:
                yield ("entities", self.names[int(entity)]), self._whole(entity)
            return
        made = prepare_tree(self.scene.plan.tree, self.scene.own_parts)
        fresh = [[_copy(one) for one in (*own, *links)] for own, links in zip(made.components, made.links, strict=True)]
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
        main = scene.main.tree.get("entities", {})
        self._moved_entities = {
            int(scene[plan.name]) for plan, own in zip(scene.plan.entities, fresh, strict=True)
            if int(scene[plan.name]) in self.names and self._has_moved(scene[plan.name], own)
        }  # fmt: skip
        for plan, own in zip(scene.plan.entities, fresh, strict=True):
            entity = scene[plan.name]
            if int(entity) not in self.names:
                if plan.name not in main:
                    raise ValueError(
                        f"scenes.save: entity {plan.name!r} is gone, but it is in a file that the scene includes; "
                        "take it out there"
                    )
                yield ("entities", plan.name), REMOVED
                continue
            was = {type(one): one for one in _components(base.sim, base[plan.name])}
            yield from self._changes(plan, entity, was, {type(one): one for one in own}, numbers)
        known = {int(scene[name]) for name in scene}
        for entity in self.alive:
            if int(entity) not in known:
                yield ("entities", self.names[int(entity)]), self._whole(entity)

    def _has_moved(self, entity: int, fresh: list[Any]) -> bool:
        """Return whether the particles of an entity are elsewhere than in the file."""
        was = next((one for one in fresh if isinstance(one, Particles)), None)
        now = self.sim.get(entity, Particles) if self.sim.has(entity, Particles) else None
        return (was is None) != (now is None) or (
            was is not None and now is not None and not _equal(was.position, now.position)
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
        self, plan: EntityPlan, entity: int, was: Mapping[type, Any], fresh: Mapping[type, Any], numbers: dict[int, int]
    ) -> Iterable[Edit]:
        """Return the changes of one entity."""
        now = {type(one): one for one in self._now(entity)}
        place = ("entities", plan.name)
        changed = {
            kind: names for kind, one in now.items()
            if kind in was and (names := _different(one, was[kind], fresh.get(kind), numbers))
        }  # fmt: skip
        changed |= {
            kind: ["rows"] for kind, one in now.items() if isinstance(one, Component) and self._driving(one) is not one
        }
        if (moved := self._moved(plan, now, changed)) is not None:
            yield (*place, "at"), moved
            changed = {kind: names for kind, names in changed.items() if not PLACES.issuperset(names)}
        for kind, one in now.items():  # what was taken from where the particles were, they no longer tell
            owners = set(one.row_owners(entity)) if isinstance(one, Component) else set()
            if moved is not None:
                owners.discard(int(entity))
            if self._moved_entities & owners and kind in was and (names := _completed(one, fresh.get(kind))):
                changed[kind] = list(dict.fromkeys([*changed.get(kind, []), *names]))
        makers = {kind: _maker(plan, kind) for kind in {*was, *now}}
        anew = {
            part.name for kind, part in makers.items()
            if part is not None and part.is_blueprint
            and (kind not in now or any(_is_topology(kind, name) for name in changed.get(kind, ())))
        }  # fmt: skip
        for name in sorted(anew):
            yield (*place, name), REMOVED
        if anew and {"at", "angle"} & plan.own.keys():
            yield from (((*place, name), REMOVED) for name in ("at", "angle") if name in plan.own)
        for kind, one in now.items():
            part = makers[kind]
            if kind not in was or (part is not None and part.name in anew) or (anew and kind in changed):
                yield (*place, self._part(kind).name), self._brief(one)
            elif kind in changed:
                yield from self._changed_fields(place, kind, one, changed[kind], part)
        for kind in was:
            part = makers[kind]
            if kind not in now and part is not None and not part.is_blueprint:
                yield (*place, part.name), REMOVED

    def _changed_fields(
        self, place: tuple[str, ...], kind: type, one: Any, names: list[str], part: Part | None
    ) -> Iterable[Edit]:
        """Return the fields that differ; of a raw component as its arguments, beside a blueprint as columns."""
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

    def _moved(self, plan: EntityPlan, now: Mapping[type, Any], changed: Mapping[type, list[str]]) -> Any:
        """Return the new `at` of an entity that was moved as a whole and nothing else, or None."""
        changed = {kind: names for kind, names in changed.items() if issubclass(kind, Component)}
        placed = "at" in plan.own or any(part.is_blueprint for part, _ in plan.parts)
        if not changed or not placed or any(not PLACES.issuperset(names) for names in changed.values()):
            return None
        kind = next(iter(changed))
        name = "vertices" if "vertices" in changed[kind] else changed[kind][0]
        assert self.scene is not None
        before = esper.current_world
        esper.switch_world("ecs_softbody scene")
        try:
            old = np.array(plan.own.get("at", (0.0, 0.0)), float)
            made = {type(one): one for one in Maker(self.scene.plan).own_parts(plan)}
            if kind not in made:
                return None
            by = np.reshape(getattr(now[kind], name) - getattr(made[kind], name), (-1, 2))[0]
            for at in (np.round(old + by, 9), old + by):
                trial = dataclasses.replace(plan, own={**plan.own, "at": tuple(at.tolist())})
                made = {type(one): one for one in Maker(self.scene.plan).own_parts(trial)}
                if all(_near(getattr(now[one], field), getattr(made[one], field)) for one in changed
                       for field in changed[one]):  # fmt: skip
                    return at.tolist()
        finally:
            esper.switch_world(before)
        return None

    def _whole(self, entity: int) -> dict[str, Any]:
        """Return the table of an entity made of raw components."""
        return {self._part(type(one)).name: self._brief(one) for one in self._now(entity)}

    def _brief(self, one: Any) -> dict[str, Any]:
        """Return what a component is made of, without what it has by default."""
        defaults = self._part(type(one)).defaults
        return {name: value for name, value in self._fields(one).items()
                if not (name in defaults and _is_default(value, defaults[name]))}  # fmt: skip

    def _part(self, kind: type) -> Part:
        part = self.parts.of_class(kind)
        if part is None:
            raise TypeError(
                f"scenes.save: {kind.__name__} is not allowed in a file; expected components of the library, or "
                f"dataclasses that are named: save(sim, path, parts=[{kind.__name__}])"
            )
        return part

    def _fields(self, one: Any) -> dict[str, Any]:
        """Return what a component is made of, as a file has it."""
        part = self._part(type(one))
        if isinstance(one, Component):
            one = self._driving(one)
            given = {name: value for name, value in one.arguments().items() if _can_be_given(one, name, value)}
            return {name: self._plain(part, one, name, value) for name, value in given.items()}
        found = {name: getattr(one, name) for name in part.kinds}
        return {name: _plain(value) for name, value in found.items() if value is not None}

    def _now(self, entity: int) -> list[Any]:
        """Return the components of an entity, but muscles without a spring."""
        found = _components(self.sim, entity)
        return [one for one in found if not isinstance(one, Component) or type(one).drives is None
                or not one.row_count or self._driving(one).row_count]  # fmt: skip

    def _driving(self, one: Component) -> Component:
        """Return muscles without those whose springs were torn in the last step."""
        rows = getattr(one, "rows", None)
        driven = type(one).drives
        if rows is None or driven is None or one not in self._holders:
            return one
        here = self.sim.get(self._holders[one], driven).row_count
        return one if (rows < here).all() else one.copied(np.flatnonzero(rows < here))

    def _plain(self, part: Part, one: Component, name: str, value: Any) -> Any:
        if "the name of an entity" in part.kinds[name].expected:
            return self._named(value)
        column = declared_columns(type(one)).get(name)
        if column is not None and isinstance(value, np.ndarray) and name not in part.required:
            value = _constant(value, column)
        return _plain(value)

    def _named(self, value: Any) -> Any:
        if isinstance(value, tuple | list):
            return [self._named(entry) for entry in value]
        return WORLD if value is None else self.names[int(value)]


def _components(sim: Simulation, entity: int) -> list[Any]:
    with sim:
        return sorted(esper.components_for_entity(entity), key=lambda one: _rank(type(one)))


def _rank(kind: type) -> tuple[int, str]:
    """Return where a component stands: in the order of their declaration, Particles before what is on them."""
    known = {one: number for number, one in enumerate(Component.types)}
    first = -1 if kind.__name__ == "Particles" else 0
    return (first or known.get(kind, len(known)), kind.__name__)


def _copy(one: Any) -> Any:
    return one.copied() if isinstance(one, Component) else one


def _maker(plan: EntityPlan, kind: type) -> Part | None:
    """Return the part that made a component: the blueprint where there is one."""
    return next((part for part, _ in plan.parts if kind in part.makes), None)


def _is_topology(kind: type, name: str) -> bool:
    """Return whether a field cannot be written beside a blueprint."""
    columns: dict[str, Any] = {**declared_columns(kind), **declared_values(kind)}
    return name not in columns or bool(getattr(columns[name], "rows_of_particles", False))


def _different(now: Any, was: Any, fresh: Any, numbers: Mapping[int, int]) -> list[str]:
    """Return the fields of a component that are others than in the file, packed or as they were made."""
    if not isinstance(now, Component):
        names = [one.name for one in dataclasses.fields(now)] if dataclasses.is_dataclass(now) else []
        return [name for name in names if getattr(now, name) != getattr(was, name)]
    found = []
    columns: dict[str, Any] = {**declared_columns(type(now)), **declared_values(type(now))}
    for name, column in columns.items():
        if column.engine:
            continue
        value = getattr(now, name)
        if not any(one is not None and _equal(value, getattr(one, name)) for one in (was, fresh)):
            found.append(name)
    if now.row_owners(-1) != tuple(numbers.get(owner, owner) for owner in was.row_owners(-1)):
        found.append("between" if hasattr(now, "between") else "entity")
    return found


def _can_be_given(one: Component, name: str, value: Any) -> bool:
    """Return whether a value is one that the class takes; what the engine has found may be beyond it, as no area."""
    columns: dict[str, Any] = {**declared_columns(type(one)), **declared_values(type(one))}
    if name not in columns or not columns[name].unset:
        return True
    try:
        columns[name].coerce(value, None if isinstance(columns[name], Column) else columns[name].tail)
    except ValueError:
        return False
    return True


def _completed(now: Component, fresh: Any) -> list[str]:
    """Return the fields that a file leaves to the places of particles, and that have been found from these."""
    columns: dict[str, Any] = {**declared_columns(type(now)), **declared_values(type(now))}
    return [
        name for name, column in columns.items()
        if column.unset and not column.engine and fresh is not None and np.isnan(getattr(fresh, name)).any()
        and not np.isnan(getattr(now, name)).any()
    ]  # fmt: skip


def _equal(first: Any, second: Any) -> bool:
    """Return whether two values have the same bits; nan is nan."""
    a, b = np.asarray(first), np.asarray(second)
    return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def _is_default(value: Any, default: Any) -> bool:
    """Return whether a value, or every entry of a list, has the bits of a default number."""
    if isinstance(default, str | tuple) or default is None:
        return bool(value == (list(default) if isinstance(default, tuple) else default))
    entries, one = np.asarray(value), np.asarray(default)
    same = entries.dtype == one.dtype and entries.size > 0 and one.ndim == 0
    return same and entries.tobytes() == np.full(entries.shape, one).tobytes()


def _near(first: Any, second: Any) -> bool:
    """Return whether two lists of places are the same but for the rounding of a sum."""
    return np.shape(first) == np.shape(second) and bool(np.allclose(first, second, rtol=1e-13, atol=1e-13))


def _constant(value: np.ndarray, column: Column[Any]) -> Any:
    """Return one entry where all rows of a column are the same."""
    same = len(value) > 0 and value.tobytes() == np.broadcast_to(value[:1], value.shape).tobytes()
    return value[0] if same and not (column.width > 1 and len(value) == column.width) else value


def _plain(value: Any) -> Any:
    """Return a value as files have it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return value


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-2"
    return name
