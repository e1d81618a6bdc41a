"""GameSnapshot: a moment of a game to go back to, for Rewind and for seeking in replays.

It has a Snapshot of each world of the game, a Checkpoint of all else that the game's attributes
refer to, and the state of the global random numbers.
"""

from __future__ import annotations

import dataclasses
import random
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ecs_softbody.rendering.camera import Camera
from ecs_softbody.simulation import Simulation
from ecs_softbody.state.archives.archive import Parts, Whole
from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.kinds import Kind
from ecs_softbody.state.snapshot import Snapshot

if TYPE_CHECKING:
    from ecs_softbody.play.game import Game

FOLLOWED = (
    "ecs_softbody.play.timing.game_clock",
    "ecs_softbody.play.mouse_drag",
    "ecs_softbody.play.feel.effects",
    "ecs_softbody.play.feel.impacts",
    "ecs_softbody.play.feel.iris",
    "ecs_softbody.play.feel.particles",
    "ecs_softbody.rendering.jolts",
)
"""Modules of this package whose objects are part of a game's state."""
OUTSIDE = frozenset(
    [
        "sounds",
        "bindings",
        "saves",
        "pads",
        "_controls",
        "_handlers",
        "_heard_in",
        "recorder",
        "rewinds",
        "scene_source",
        "wrappers",
    ]
)
"""Attributes of a game that are not part of a snapshot: the player's choices, saves and sounds."""

WITHOUT_WORLDS = frozenset([float, int, bool, str, type(None), np.ndarray])
"""Types of attributes that are not searched for worlds."""

GAME, ATTRIBUTE = -1, "attribute"
"""Keys of parts in an archive are (owner, role, name). The owner is the number of a world, from 0,
or GAME; ATTRIBUTE is the role of the game's attributes.
"""


class GameSnapshot:
    """The state of a game at one moment of a round: its world, attributes, timers, random numbers
    and camera.

    References are followed to objects of the game's own package, dataclasses, arrays and
    containers. `before` is an earlier snapshot of the same game: unchanged parts are shared with
    it.
    """

    def __init__(self, game: Game, *others: Any, before: GameSnapshot | None = None) -> None:
        """others: further objects to keep, such as a mouse joint of the player."""
        self._game = game
        self.sim = game.sim
        self._worlds = [(sim, sim.snapshot()) for sim in simulations_of(game)]
        version, numbers, gauss = random.getstate()
        name, words, *rest = np.random.get_state()  # noqa: NPY002 - a game may use it
        self._chance: list[tuple[tuple[Any, ...], Any]] = [
            ((version, gauss), np.array(numbers, np.uint32)),
            ((name, *rest), words),
        ]
        """The states of random numbers, each as its other values and its words."""
        packages = {base.__module__.partition(".")[0] for base in type(game).__mro__} - {
            "ecs_softbody",
            "builtins",
        }
        attributes = {name: value for name, value in vars(game).items() if name not in OUTSIDE}
        self._attributes = attributes
        roots = [value for value in attributes.values() if not isinstance(value, Simulation)]
        kept = frozenset[int]().union(*(snapshot.structure.arrays for _, snapshot in self._worlds))
        shared = before if before is not None and before._game is game else None
        self._kinds: dict[type[Any], Kind] = {} if shared is None else shared._kinds
        decide = partial(_decide, packages=packages) if shared is None else shared._own.decide
        self._own: Checkpoint = Checkpoint(
            [*roots, *others], decide, kept, functions=True, kinds=self._kinds,
            before=None if shared is None else shared._own,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Size of its arrays [bytes]."""
        return sum(snapshot.nbytes for _, snapshot in self._worlds) + self._own.nbytes

    def taken_apart(self) -> Parts:
        """Return its parts, for an archive."""
        parts = Parts({}, {})
        for number, (sim, snapshot) in enumerate(self._worlds):
            parts.objects[number, "sim", 0] = sim
            snapshot.take_apart(number, parts)
        self._own.take_apart(GAME, parts)
        parts.objects.update(
            {(GAME, ATTRIBUTE, name): each for name, each in self._attributes.items()}
        )
        for number, (rest, words) in enumerate(self._chance):
            parts.arrays[GAME, "chance", number] = words
            parts.objects[GAME, "chances", number] = rest
        return parts

    @classmethod
    def put_together(cls, game: Game, whole: Whole) -> GameSnapshot:
        """Return the snapshot of a game from its parts."""
        found = cls.__new__(cls)
        objects = whole.objects
        numbers = sorted(owner for owner, kind, _ in objects if kind == "sim")
        sims = [objects[number, "sim", 0] for number in numbers]
        found._game = game
        found.sim = sims[0]
        found._worlds = [
            (sim, Snapshot.put_together(number, whole))
            for number, sim in zip(numbers, sims, strict=True)
        ]
        found._attributes = {
            name: each for (_, kind, name), each in objects.items() if kind == ATTRIBUTE
        }
        found._chance = [
            (objects[GAME, "chances", number], whole.array((GAME, "chance", number)))
            for number in range(2)
        ]
        found._own = Checkpoint.put_together(GAME, whole)
        found._kinds = found._own.kinds
        return found

    def restore(self) -> None:
        """Restore this state of the game.

        Raises:
            ValueError: if the game has begun another round since.
        """
        if self._game.sim is not self.sim or any(sim.closed for sim, _ in self._worlds):
            raise ValueError(
                "GameSnapshot.restore: the game has begun anew since; its world is another one"
            )
        for sim, snapshot in self._worlds:
            sim.restore(snapshot)
        ((version, gauss), numbers), ((name, *others), words) = self._chance
        random.setstate((version, tuple(numbers.tolist()), gauss))
        np.random.set_state((name, words, *others))  # noqa: NPY002
        present = vars(self._game)
        for name in present.keys() - self._attributes.keys() - OUTSIDE:
            del present[name]
        present.update(self._attributes)
        self._own.restore()


def simulations_of(game: Game) -> list[Simulation]:
    """Return the game's world first, then other simulations in its attributes or in containers
    there.
    """
    found: dict[int, Simulation] = {id(game.sim): game.sim}
    waiting = list(vars(game).values())
    seen: set[int] = set()  # a container may hold itself
    while waiting:
        value = waiting.pop()
        if type(value) in WITHOUT_WORLDS or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Simulation):
            found[id(value)] = value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
    return [sim for sim in found.values() if not sim.closed]


def _decide(cls: type[Any], packages: set[str]) -> Kind:
    """Follow objects of the game's own packages, of the modules FOLLOWED, cameras and dataclasses;
    of other objects only the reference is kept.
    """
    if issubclass(cls, Camera) or cls.__module__ in FOLLOWED:
        return Kind.OBJECT
    package = cls.__module__.partition(".")[0]
    if package in packages or (dataclasses.is_dataclass(cls) and package != "ecs_softbody"):
        return Kind.LEAF if issubclass(cls, np.generic) else Kind.OBJECT
    return Kind.LEAF
