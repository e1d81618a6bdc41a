"""Writing: writes the inspector's edits, and nothing else, into the scene file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import esper

from ecs_softbody.inspector.model.changes import Changes
from ecs_softbody.scenes.loading import prepare_tree, start
from ecs_softbody.scenes.saving import save_with
from ecs_softbody.scenes.scene import Scene
from ecs_softbody.scenes.source_tree import read_tree, resolve_prefabs

WORLD = "inspector: the scene as it is in its file"
"""Name of the world in which the scene is made from its file, to compare with."""


@dataclass
class Pending:
    """The edits of a scene's entities that are not written to its file yet.

    Attributes:
        changes: values.
        spawned: new entities by name: their blueprint and its arguments.
        deleted: names of entities that are gone.
    """

    changes: Changes = field(default_factory=Changes)
    spawned: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.changes) + len(self.spawned) + len(self.deleted)

    def lines(self) -> list[str]:
        """Return the edits in words, one line each."""
        return [
            *(str(change) for change in self.changes),
            *(f"{name}: a new {blueprint}" for name, (blueprint, _) in self.spawned.items()),
            *(f"{name}: deleted" for name in self.deleted),
        ]

    def clear(self) -> None:
        """Forget all of it."""
        self.changes.clear()
        self.spawned.clear()
        self.deleted.clear()

    def copied(self) -> Pending:
        """Return the same, to be kept with a moment of the world."""
        return Pending(self.changes.copied(), dict(self.spawned), list(self.deleted))


def write(scene: Scene, pending: Pending) -> None:
    """Apply the pending edits to the current file of a scene on disk.

    The running world is ignored: bodies that have moved by themselves keep their positions of the
    file.

    Raises:
        SceneError: with all errors of the file, before or after the edits; it is not written.
        ValueError: for an edit that does not fit the current file.
        OSError: if the file cannot be written; the old one stays.
    """
    tree = read_tree(scene.path)
    tree.finish()
    for name, (blueprint, given) in pending.spawned.items():
        tree.graft({"entities": {name: {blueprint: dict(given)}}}, (), tree.sources[0], ())
    resolve_prefabs(tree)
    before = esper.current_world
    fresh = start(prepare_tree(tree, scene.own_parts), WORLD)
    try:
        # This call packs the world: values derived from positions are computed before these change.
        fresh.sim.interpolated_positions()
        for change in pending.changes:
            fresh_entity = _named(fresh, change.name) if change.kind is not None else None
            change.apply(fresh.sim, fresh_entity)
        for name in pending.deleted:
            fresh.sim.despawn(_named(fresh, name))
        fresh.sim.interpolated_positions()
        save_with(fresh, scene.path, _tables(pending.spawned))
    finally:
        fresh.sim.close()
        esper.switch_world(before)


def _named(fresh: Scene, name: str) -> int:
    if name not in fresh:
        raise ValueError(
            f"{name}: there is no such entity in {fresh.path.name} now; discard its changes"
        )
    return fresh[name]


def _tables(
    spawned: Mapping[str, tuple[str, dict[str, Any]]],
) -> Iterable[tuple[tuple[str, ...], Any]]:
    return [
        (("entities", name), {blueprint: dict(given)})
        for name, (blueprint, given) in spawned.items()
    ]
