"""Loading: a checked scene becomes entities of a world; until all is known to be right, nothing
there changes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import esper

from ecs_softbody.components import Particles
from ecs_softbody.crowding import check_crowding
from ecs_softbody.errors import FieldTypeError
from ecs_softbody.reading import most_of, reading_within
from ecs_softbody.scenes.importers import can_be_imported
from ecs_softbody.scenes.making import MISTAKES, Maker
from ecs_softbody.scenes.model.parts import Part, Parts
from ecs_softbody.scenes.model.specs import EntitySpec, SceneSpec, make_spec
from ecs_softbody.scenes.problems import Problem, SceneError, field_of, in_words, shown
from ecs_softbody.scenes.scene import Scene
from ecs_softbody.scenes.source_tree import SourceTree, read_tree, resolve_prefabs
from ecs_softbody.simulation import Simulation
from ecs_softbody.storage import Component, PackedBuffers
from ecs_softbody.validation import SETTINGS, check_path, did_you_mean

LATER = ("substeps", "gravity", "sleeping", "threads", "speed_limit", "time_scale")
"""World settings that can be changed at any time."""
SCRATCH = "ecs_softbody scene"
"""World in which scenes are made and checked; it is gone afterwards."""

WORLD_NUMBERS = itertools.count(1)
"""Of scenes that were opened."""


@dataclass
class Made:
    """All components of a scene, made and checked; numbers of entities count from 0 in the order of
    the file.
    """

    spec: SceneSpec
    components: list[list[Any]]
    links: list[list[Any]]
    """Of each entity, the components that refer to others."""

    @property
    def contents(self) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """The components of every entity by its name, without links, and the table `data`."""
        names = [entity.name for entity in self.spec.entities]
        return dict(zip(names, self.components, strict=True)), dict(self.spec.top.get("data", {}))


def prepare(path: str | Path, parts: Iterable[Any] = (), asked: str = "scenes.open") -> Made:
    """Read and check a scene, and make its components; no world changes. `asked` names the function
    for errors.

    Raises:
        SceneError: with all problems.
    """
    path = check_path(asked, "path", path)
    own = Parts(parts)
    # The importers limit the files that a map, drawing or picture may reference.
    with reading_within(None if can_be_imported(path) else path.absolute().parent, path):
        tree = read_tree(path)
        resolve_prefabs(tree)
        if tree.partial:
            make_spec(tree, own)
            tree.finish()
        return prepare_tree(tree, own.own)


def prepare_tree(tree: SourceTree, parts: Iterable[Any] = ()) -> Made:
    """Check a tree whose prefabs are resolved, and make its components; it can be done again.

    Raises:
        SceneError: with all problems.
    """
    spec = make_spec(tree, Parts(parts))
    _check_settings(spec)
    if len(spec.entities) > most_of("entities"):
        tree.wrong(
            ("entities",),
            (
                f"{len(spec.entities)} entities are not allowed; expected at most "
                f"{most_of('entities')}"
            ),
        )
        tree.finish()
    made = _make(spec)
    tree.finish()
    return made


def _make(spec: SceneSpec) -> Made:
    """Make everything in a world of its own, which is gone afterwards, and check it there."""
    before = esper.current_world
    esper.switch_world(SCRATCH)
    try:
        return _make_here(spec)
    finally:
        esper.switch_world(before)
        esper.delete_world(SCRATCH)


def _make_here(spec: SceneSpec) -> Made:
    maker = Maker(spec)
    tree = spec.tree
    components = []
    numbers = {}
    for entity in spec.entities:
        found = maker.own_parts(entity)
        components.append(found)
        numbers[entity.name] = esper.create_entity(*found)
    # Links follow all entities, which they may name in either direction.
    links: list[list[Any]] = []
    for entity, known in zip(spec.entities, components, strict=True):
        links.append([])
        kinds = {type(component) for component in known}
        for part, made in maker.links(entity, numbers):
            for component in made:
                if type(component) in kinds:
                    tree.wrong(
                        (*entity.place, part.name),
                        f"the entity has {type(component).__name__} already",
                    )
                    continue
                kinds.add(type(component))
                esper.add_component(numbers[entity.name], component)
                links[-1].append(component)
    buffers = PackedBuffers(Particles)
    failed = {numbers[name] for name in maker.failed if name in numbers}
    for entity, own, others in zip(spec.entities, components, links, strict=True):
        number = numbers[entity.name]
        for component in [*own, *others]:
            if isinstance(component, Component) and failed.isdisjoint(
                (number, *component.row_owners(number))
            ):
                _check_fit(tree, entity, number, component, buffers)
    try:
        check_crowding(components, names=[entity.name for entity in spec.entities])
    except ValueError as error:
        tree.wrong(("entities",), str(error))
    _check_followed(spec, numbers, components)
    # This is last: the checks above look links up by the numbers of this world, which is gone
    # afterwards.
    places = {number: index for index, number in enumerate(numbers.values())}
    for component in itertools.chain.from_iterable(links):
        _count_from_zero(component, places)
    return Made(spec, components, links)


def _check_followed(spec: SceneSpec, numbers: dict[str, int], components: list[list[Any]]) -> None:
    """Report a camera that follows a missing entity or one without particles."""
    followed = spec.camera.get("follow")
    if followed is None:
        return
    if followed not in numbers:
        near = did_you_mean(followed, numbers)
        spec.tree.wrong(("camera", "follow"), f"there is no entity {shown(followed)}{near}")
        return
    place = [*numbers].index(followed)
    has_body = any(isinstance(one, Particles) for one in components[place])
    if not (has_body or spec.entities[place].bad or spec.tree.problems):
        spec.tree.wrong(
            ("camera", "follow"),
            f"{shown(followed)} is not allowed; expected an entity with a body",
        )


def _check_fit(
    tree: SourceTree, entity: EntitySpec, number: int, component: Component, buffers: PackedBuffers
) -> None:
    """Run the checks of a step: rows of Particles exist, muscles have springs."""
    try:
        if type(component).check_fit is not Component.check_fit:
            component.copied().check_fit(number)  # a copy: it may remember the entity
        buffers.check_rows(number, component)
    except MISTAKES as error:
        kind = type(component)
        own = next((part for part, _ in entity.parts if part.make is kind), None)
        by = own or _maker_of(entity.parts, kind)
        place = (*entity.place, by.name) if by is not None else entity.place
        name = field_of(error)
        if by is not None and name in by.kinds:
            place = (*place, name)
            name = ""
        tree.wrong(place, f"{name}: {in_words(error)}" if name else in_words(error))


def _maker_of(parts: Sequence[tuple[Part, Any]], kind: type[Any]) -> Part | None:
    return next((part for part, _ in parts if kind in part.makes), None)


def _count_from_zero(component: Component, places: dict[int, int]) -> None:
    """Have a link refer to entities by their places in the file."""
    component.refer_to(tuple(places[owner] for owner in component.row_owners(-1)))


def spawn(sim: Simulation, made: Made) -> Scene:
    """Spawn the components of a scene in a world, and return the Scene.

    Raises:
        SceneError: if the scene requires another solver than the simulation has.
        RuntimeError: if the simulation is closed.
    """
    if sim.closed:
        raise RuntimeError(
            f"the simulation of world {sim.world!r} is closed; load a scene into an open one"
        )
    spec = made.spec
    world = made.spec.world
    solver = world.get("solver", sim.solver)
    if solver != sim.solver:
        spec.tree.wrong(
            ("world", "solver"),
            (
                f"{solver!r} is not allowed here: the simulation has {sim.solver!r}; "
                "scenes.open(path) makes one that fits"
            ),
        )
        spec.tree.finish()
    for name in LATER:
        if name in world:
            setattr(sim, name, world[name])
    numbers = [sim.spawn(*components) for components in made.components]
    with sim:
        for number, links in zip(numbers, made.links, strict=True):
            for component in links:
                component.refer_to(tuple(numbers[place] for place in component.row_owners(-1)))
                esper.add_component(number, component)
    return Scene(sim, spec, numbers)


def _check_settings(spec: SceneSpec) -> None:
    """Report settings that no Simulation accepts."""
    if not spec.world:
        return
    for key, value in spec.world.items():
        try:
            if key != "solver":
                SETTINGS[key](value)
        except MISTAKES as error:
            spec.tree.wrong(("world", key), in_words(error))


def load(sim: Simulation, path: str | Path, parts: Iterable[Any] = ()) -> Scene:
    """Add the entities of a scene file to a simulation, and apply the file's world settings.

    Args:
        sim: the simulation.
        path: a .toml or .json file.
        parts: blueprints, components and dataclasses of a game's own that the file may use.

    Raises:
        SceneError: with all problems of the file; the simulation stays unchanged.
        RuntimeError: if the simulation is closed.
    """
    if not isinstance(sim, Simulation):
        raise FieldTypeError("scenes.load", "sim", sim, "a Simulation")
    return spawn(sim, prepare(path, parts, "scenes.load"))


def read(
    path: str | Path, parts: Iterable[Any] = ()
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the components of every entity of a file by its name, and its table `data`; there is
    no world.

    For levels that a game builds its own world of. Links between entities are left out.

    Args:
        path: a .toml or .json file.
        parts: as in `load`.

    Raises:
        SceneError: with everything that is wrong in the file.
    """
    return prepare(path, parts, "scenes.read").contents


def open_scene(path: str | Path, parts: Iterable[Any] = (), *, world: str = "") -> Scene:
    """Make a simulation from a scene file; `scene.sim` is the simulation.

    Args:
        path: a .toml or .json file.
        parts: as in `load`.
        world: name of its esper world; without one it is a new one.

    Raises:
        SceneError: with all problems of the file; the simulation stays unchanged.
    """
    return start(prepare(path, parts), world)


def start(made: Made, world: str, solver: str = "") -> Scene:
    """Make a simulation and spawn a prepared scene in it; `solver` overrides the file's solver.

    Raises:
        ValueError: if there is no such solver.
    """
    asked = solver or made.spec.world.get("solver", "saturated")
    sim = Simulation(world=world or f"scene {next(WORLD_NUMBERS)}", solver=asked)
    made.spec.world["solver"] = asked
    return spawn(sim, made)


def check(path: str | Path, parts: Iterable[Any] = ()) -> tuple[Problem, ...]:
    """Return all problems of a scene file; nothing is loaded."""
    try:
        prepare(path, parts, "scenes.check")
    except SceneError as error:
        return error.problems
    return ()
