"""Checkpoints that share with the one before keep what there is now, whatever has come, gone or
changed since.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody import Simulation, StaticCollider, Wind, blueprints
from ecs_softbody.state import checkpoint
from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.kinds import Kind
from ecs_softbody.state.nodes.node import Node
from ecs_softbody.state.nodes.watch import Watch


class Thing:
    """Something with a number, an array, and others."""

    def __init__(self) -> None:
        self.number = 0
        self.others = list[Any]()
        self.friend = None
        self.values: Any = np.zeros(4)


def described(value: Any, seen: dict[int, int]) -> Any:
    """Return what is reached from a value, with the number of the first meeting for what was met
    before.
    """
    if isinstance(value, Thing):
        if id(value) in seen:
            return seen[id(value)]
        seen[id(value)] = len(seen)
        return [
            described(each, seen)
            for each in (value.number, value.others, value.friend, value.values)
        ]
    if isinstance(value, list):
        return [described(each, seen) for each in value]
    return (id(value), value.tolist()) if isinstance(value, np.ndarray) else value


def change(things: list[Thing], rng: random.Random) -> None:
    """Change something: a number most often, as in a world."""
    one = rng.choice(things)
    other = rng.choice(things)
    match rng.randrange(8):
        case 0 | 1 | 2:
            one.number += 1
        case 3:
            one.values[rng.randrange(4)] = rng.random()
        case 4:
            one.values = np.full(4, rng.random())
        case 5:
            one.friend = rng.choice([None, other, Thing()])  # type: ignore[assignment]
        case 6:
            one.others.append(other)
        case 7:
            one.others = one.others[1:]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_what_is_shared_with_the_one_before_comes_back(seed: int, changes: int) -> None:
    rng = random.Random(seed)
    things = [Thing() for _ in range(5)]
    kinds = dict[type[Any], Kind]()
    last: Checkpoint | None = None
    kept: list[tuple[Checkpoint, Any]] = []
    for _ in range(12):
        last = Checkpoint(things, lambda _: Kind.OBJECT, kinds=kinds, before=last)
        kept.append((last, [described(each, {}) for each in things]))
        for _ in range(changes):
            change(things, rng)
    rng.shuffle(kept)
    for one, expected in kept:
        one.restore()
        assert [described(each, {}) for each in things] == expected
        change(things, rng)


def test_who_may_write_to_an_array_is_looked_at_each_time() -> None:
    thing = Thing()
    kinds = dict[type[Any], Kind]()
    whole = thing.values
    thing.values = thing.values[:2]
    for array in (whole, thing.values):
        array.flags.writeable = False
    last = Checkpoint([thing], lambda _: Kind.OBJECT, kinds=kinds)
    whole.flags.writeable = True
    last = Checkpoint([thing], lambda _: Kind.OBJECT, kinds=kinds, before=last)
    whole[0] = 1.0
    thing.number += 1
    last.restore()
    assert (thing.number, whole[0]) == (0, 0.0)


def test_what_is_new_since_is_found_where_all_else_is_as_before() -> None:
    things = [Thing() for _ in range(3)]
    kinds = dict[type[Any], Kind]()
    friend = Thing()
    late = np.zeros(3)
    last: Checkpoint | None = None
    for step in range(1, 9):
        things[0].number = late[0] = step
        if step in (3, 7):
            things[1].friend = friend if step == 3 else None  # type: ignore[assignment]
        if step == 5:
            things[2].late = late  # type: ignore[attr-defined]
        last = Checkpoint(things, lambda _: Kind.OBJECT, kinds=kinds, before=last)
        content = last.array_of(late)
        assert last.follows(friend) == (3 <= step < 7)
        assert content is None if step < 5 else content is not None and content[0] == step


def test_a_set_is_kept_anew_only_where_something_else_is_in_it() -> None:
    thing = Thing()
    kinds = dict[type[Any], Kind]()
    pairs: Any = {("a", 1), ("b", 2)}
    thing.friend = pairs
    first = Checkpoint([thing], lambda _: Kind.OBJECT, kinds=kinds)
    second = Checkpoint([thing], lambda _: Kind.OBJECT, kinds=kinds, before=first)
    assert second.content_of(pairs) is first.content_of(pairs)
    pairs.remove(("a", 1))
    pairs.add(("a", 1.0))  # equal, but another one
    third = Checkpoint([thing], lambda _: Kind.OBJECT, kinds=kinds, before=second)
    assert third.content_of(pairs) is not first.content_of(pairs)
    pairs.clear()
    third.restore()
    assert sorted(map(repr, pairs)) == ["('a', 1.0)", "('b', 2)"]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets a number whenever a checkpoint follows all objects."""
    found = list[int]()

    class NotedWatch(Watch):
        """Made where objects are followed; else the one before is renewed."""

        def __init__(self, nodes: dict[int, Node]) -> None:
            super().__init__(nodes)
            found.append(len(nodes))

    monkeypatch.setattr(checkpoint, "Watch", NotedWatch)
    return found


def test_other_arrays_are_kept_without_following_all_objects_anew(looks: list[int]) -> None:
    things = [Thing() for _ in range(3)]
    kinds = dict[type[Any], Kind]()
    root = np.zeros(2)
    last = None
    kept = list[tuple[Checkpoint, Any, Any]]()
    for step in range(4):
        things[1].values = np.full(3, 1.0 + step)
        root = np.full(2, 5.0 + step)
        last = Checkpoint([*things, root], lambda _: Kind.OBJECT, kinds=kinds, before=last)
        kept.append((last, things[1].values, root))
    assert len(looks) == 1
    for step, (one, values, root) in enumerate(kept):
        values[:] = root[:] = 0.0
        one.restore()
        assert things[1].values is values
        assert (values.tolist(), root.tolist()) == ([1.0 + step] * 3, [5.0 + step] * 2)
        assert one.array_of(kept[step - 1][1]) is None


def test_a_world_goes_on_without_its_objects_being_followed_anew(looks: list[int]) -> None:
    """Discs alone, a wall that is open from one side, and a field, which is looked at in every
    frame.
    """
    sim = Simulation(sleeping=False)
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    sim.spawn(StaticCollider([(-1, 1), (1, 1)], one_way=(0, 1)))
    sim.spawn(Wind((1.0, 0.0)))
    for number in range(6):
        sim.spawn(*blueprints.ball((0.3 * number - 0.8, 0.5 + 0.5 * number), 0.1))
    for _ in range(5):
        sim.step()
    sim.snapshot()
    looks.clear()
    for _ in range(30):
        sim.step()
        sim.snapshot()
    assert len(looks) <= 2, "a kernel may be called for the first time"
