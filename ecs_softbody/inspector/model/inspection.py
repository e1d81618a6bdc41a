"""Inspection: the inspector's view of a session and its actions, without a window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import esper
import numpy as np

from ecs_softbody.inspector.model.changes import change_of
from ecs_softbody.inspector.model.entities import Names, Tree
from ecs_softbody.inspector.model.fields import Field, fields_of, holder_of, loose_fields
from ecs_softbody.inspector.model.history import History
from ecs_softbody.inspector.model.measures import Measures
from ecs_softbody.inspector.model.spawning import Arguments, arguments, recipes, spawn
from ecs_softbody.inspector.model.time_control import RECORDED, TimeControl
from ecs_softbody.inspector.model.writing import Pending, write
from ecs_softbody.play.game import Game
from ecs_softbody.play.replay.game_snapshot import simulations_of
from ecs_softbody.play.session import Session
from ecs_softbody.rendering.screen.points import USUAL_HEIGHT
from ecs_softbody.scenes.comparing import components_of, free_name
from ecs_softbody.scenes.problems import SceneError
from ecs_softbody.scenes.scene import Scene, scene_of
from ecs_softbody.simulation import Simulation

TREE_EVERY = 10
"""Pictures from one look at all entities to the next."""
MISTAKES = (
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
    RuntimeError,
    OSError,
    SceneError,
    OverflowError,
)
"""Exceptions of invalid changes; they become messages."""
REACH_PX = 10.0
"""How near the mouse has to be to a body [points]."""


class Inspection:
    """Inspects and edits one session. Call `follow` once per picture.

    Attributes:
        session: the session.
        selected: the selected entity, None for none or for the world itself.
        message: the last message; `failed` tells whether it reports an error.
        pending: the edits that can be written to the scene file.
        worlds: the worlds of the game; the first is stepped by the session.
        tree: the lines of the tree.
        names: the names of entities.
        time: pause, step, speed, and moments to go back to.
        measures: the data of the plots.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.selected: int | None = None
        self.message = ""
        self.failed = False
        self.pending = Pending()
        self.names = Names()
        self.tree = Tree(self.names)
        history = History(
            session, lambda: (self.pending.copied(), self.names.given.copy()), self._go_back_to
        )
        self.time = TimeControl(session, self.attempt, history)
        self.measures = Measures()
        self._world = 0
        self._sim = session.game.sim
        self.worlds: list[Simulation] = simulations_of(session.game)
        self._path = self._scene_path()
        self._pictures = 0

    @property
    def game(self) -> Game:
        """The game of the session."""
        return self.session.game

    @property
    def sim(self) -> Simulation:
        """The world that is looked at."""
        chosen = self.worlds[self._world] if self._world < len(self.worlds) else self.game.sim
        return self.game.sim if chosen.closed else chosen

    @property
    def scene(self) -> Scene | None:
        """The scene that this world was loaded from, or None."""
        return scene_of(self.sim)

    def choose_world(self, number: int) -> None:
        """Look at another world of the game."""
        self._world = number
        self.selected = None
        self.tree.opened.clear()
        self.tree.refresh(self.sim)

    def follow(self, frame_ms: float = 0.0) -> None:
        """Update after the frames since the last picture: the world may be another, entities may be
        gone.
        """
        if self.game.sim is not self._sim:
            self._meet_world()
        if self.game.sim.closed:
            return
        if self._pictures % TREE_EVERY == 0:
            self.worlds = simulations_of(self.game)
        self.time.history.note()
        self.measures.note(self.sim, frame_ms)
        if self.selected is not None and not self.alive(self.selected):
            self.selected = None
        if self._pictures % TREE_EVERY == 0:
            self.tree.refresh(self.sim)
        self._pictures += 1

    def _meet_world(self) -> None:
        """Go on with the world that the game has now: pause, speed, selection and changes stay."""
        chosen = next((name for name, known in self._known().items() if known == self.selected), "")
        self._sim = self.game.sim
        self.worlds = simulations_of(self.game)
        self.selected = None
        self._pictures = 0
        self._world = 0
        self.names.given.clear()
        self.tree.opened.clear()
        self.time.meet(self._sim)
        path = self._path
        self._path = self._scene_path()
        if len(self.pending) and path != self._path:
            self._say(
                f"Another scene: {len(self.pending)} changes were not written and are gone",
                failed=True,
            )
            self.pending.clear()
        self.attempt(self._apply_pending)
        if chosen:
            self.selected = self.names.entity(self.sim, chosen)

    def _go_back_to(self, then: tuple[Pending, dict[int, str]]) -> None:
        """Restore the pending edits of a moment that the game has gone back to; its world lacks
        later ones.
        """
        self.pending = then[0].copied()
        self.names.given = then[1].copy()

    def _known(self) -> dict[str, int]:
        scene = scene_of(self._sim)
        return {} if scene is None else {name: int(scene[name]) for name in scene}

    def _scene_path(self) -> Path | None:
        scene = scene_of(self._sim)
        return None if scene is None else scene.path

    def _apply_pending(self) -> None:
        """Apply the unwritten edits to a restarted world."""
        sim = self.sim
        for name, (blueprint, given) in self.pending.spawned.items():
            self.names.given[int(spawn(sim, blueprint, given))] = name
        for name in self.pending.deleted:
            if (entity := self.names.entity(sim, name)) is not None:
                self._remove(entity)
        for change in self.pending.changes:
            entity = self.names.entity(sim, change.name) if change.kind else None
            if change.kind is None or entity is not None:
                change.apply(sim, entity)

    def _say(self, text: str, *, failed: bool = False) -> None:
        self.message = text
        self.failed = failed

    def attempt(self, action: Callable[[], None]) -> bool:
        """Do something; a mistake becomes a message."""
        before = esper.current_world
        try:
            action()
        except MISTAKES as error:
            self._say(" ".join(str(error).split()) or type(error).__name__, failed=True)
            return False
        finally:
            esper.switch_world(before)
        return True

    def _change(self, action: Callable[[], None]) -> bool:
        """Change something of the game, unless its round is recorded."""

        def guarded() -> None:
            if self.game.recorder is not None:
                raise RuntimeError(RECORDED)
            action()

        return self.attempt(guarded)

    def alive(self, entity: int) -> bool:
        """Return whether an entity is in the world that is looked at."""
        try:
            return not self.sim.closed and self.sim.exists(entity)
        except ValueError:  # of an earlier world
            return False

    # State

    def components(self, entity: int) -> list[Any]:
        """Return the components of an entity, none when it is gone."""
        return components_of(self.sim, entity) if self.alive(entity) else []

    def fields(self, component: Any) -> tuple[Field, ...]:
        """Return the fields of a component."""
        return fields_of(type(component)) or loose_fields(component)

    def reading(
        self, field: Field, component: Any, row: int | None = None, entry: int | None = None
    ) -> tuple[Any, bool]:
        """Return the value of a field, and whether its rows differ; then it is their mean.

        A row that is not there counts as all of them.
        """
        value = getattr(component, field.name, None)
        if not isinstance(value, np.ndarray):
            return value, False
        if entry is not None and field.width > 1:
            value = value[..., entry]
        if field.per_row and row is not None and row < len(value):
            value = value[row]
        if np.ndim(value) == 0:
            return value.item(), False
        if not field.per_row or value.ndim > 1 or not len(value):
            return value.tolist() if not field.per_row else f"{len(value)} rows", False
        same = bool((value == value[0]).all())
        return (value.mean() if field.shape == "number" and not same else value[0]).item(), not same

    # Actions

    def select(self, entity: int | None) -> None:
        """Choose an entity, and open its line in the tree."""
        self.selected = entity

    def pick(self, point: tuple[float, float]) -> int | None:
        """Select the entity at a point [m] and return it; None if there is none."""
        reach = REACH_PX * self.game.camera.height / USUAL_HEIGHT
        sim = self.sim
        found = sim.pick(point, radius=reach, sensors=True)
        if found is None and (near := sim.nearest_particle(point, max_distance=reach)) is not None:
            found = near.entity
        self.selected = found
        if found is not None:
            self.tree.opened.add(found)
            self.tree.refresh(sim)
        return found

    def edit(
        self, entity: int | None, kind: type[Any] | None, field: Field, value: Any,
        row: int | None = None, entry: int | None = None,
    ) -> bool:  # fmt: skip
        """Give a field a value, in the world at once; return whether it was allowed.

        `entity` None: the world.
        """

        def change() -> None:
            if field.fixed:
                raise ValueError(f"{field.owner}.{field.name} is fixed after creation")
            if entity is not None and not self.alive(entity):
                raise ValueError(f"entity {int(entity)} is gone; nothing was changed")
            holder = holder_of(self.sim, entity, kind)
            name = "" if entity is None else self.names.label(self.sim, entity)
            made = change_of(field, name, kind, value, holder, row=row, entry=entry)
            made.apply(self.sim, entity)
            if self.scene is not None and (entity is None or self.names.of(self.sim, entity)):
                self.pending.changes.note(made)
            self._say(str(made))

        return self._change(change)

    def typed(
        self, entity: int | None, kind: type[Any] | None, field: Field, text: str,
        row: int | None = None, entry: int | None = None,
    ) -> bool:  # fmt: skip
        """Give a field the value that a text stands for; return whether it was allowed."""
        found: list[Any] = []
        return self.attempt(lambda: found.append(field.parsed(text))) and self.edit(
            entity, kind, field, found[0], row, entry
        )

    def spawn(self, blueprint: str, chosen: Arguments, at: tuple[float, float]) -> int | None:
        """Make a body of a blueprint at a place [m], choose it, and return it; None if that is not
        allowed.
        """

        def make() -> None:
            given = arguments(recipes()[blueprint], chosen, at)
            entity = spawn(self.sim, blueprint, given)
            self.sim.interpolated_positions()  # packs the entity, so that misfits are reported now
            if self.scene is not None:
                taken = {*self.scene, *self.pending.spawned, *self.pending.deleted}
                number = next(
                    n for n in range(1, len(taken) + 2) if f"{blueprint}-{n}" not in taken
                )
                name = free_name(f"{blueprint}-{number}", taken)
                self.names.given[int(entity)] = name
                self.pending.spawned[name] = (blueprint, given)
            self.selected = entity
            self.tree.opened.add(entity)
            self.tree.refresh(self.sim)
            self._say(f"{self.names.label(self.sim, entity)}: a new {blueprint}")

        return self.selected if self._change(make) else None

    def delete(self, entity: int) -> bool:
        """Take an entity out of the world; return whether it was there."""

        def remove() -> None:
            if not self.alive(entity):
                raise ValueError(f"entity {int(entity)} is gone already")
            name = self.names.of(self.sim, entity)
            label = self.names.label(self.sim, entity)
            self._remove(entity)
            self.pending.changes.forget(name)
            if self.pending.spawned.pop(name, None) is None and name:
                self.pending.deleted.append(name)
            self.selected = None if self.selected == entity else self.selected
            self.tree.refresh(self.sim)
            self._say(f"{label}: deleted")

        return self._change(remove)

    def _remove(self, entity: int) -> None:
        with self.sim:
            esper.delete_entity(entity, immediate=True)
        self.session.drag.release()

    def write(self) -> bool:
        """Write the pending edits into the scene file; return whether they were written."""
        scene = self.scene

        def save() -> None:
            if scene is None:
                raise ValueError(
                    "This world was not loaded from a scene file, so there is none to write to"
                )
            count = len(self.pending)
            write(scene, self.pending)
            self.pending.clear()
            self.time.history.set_beside(
                lambda beside: (Pending(), beside[1])
            )  # written edits are not pending at earlier moments either
            self.game.scene_source.accept()
            self._say(f"{scene.path.name}: {count} change{'s' * (count != 1)} written")

        return self.attempt(save)

    def discard(self) -> None:
        """Discard the pending edits and restart the round from the file."""
        self.pending.clear()
        self.session.restart()
        self._say("The round begins anew, as the file has it")
