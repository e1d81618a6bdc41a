"""Checkpoints that share with the one before keep what there is now, whatever has come, gone or changed since."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody.state.checkpoint import Checkpoint
from ecs_softbody.state.kinds import Kind


class Thing:
    """Something with a number, an array, and others."""

    def __init__(self) -> None:
        self.number, self.others, self.friend = 0, list[Any](), None
        self.values: Any = np.zeros(4)


def described(value: Any, seen: dict[int, int]) -> Any:
    """Return what is reached from a value, with the number of the first meeting for what was met before."""
    if isinstance(value, Thing):
        if id(value) in seen:
            return seen[id(value)]
        seen[id(value)] = len(seen)
        return [described(each, seen) for each in (value.number, value.others, value.friend, value.values)]
    if isinstance(value, list):
        return [described(each, seen) for each in value]
    return (id(value), value.tolist()) if isinstance(value, np.ndarray) else value


def change(things: list[Thing], rng: random.Random) -> None:
    """Change something: a number most often, as in a world."""
    one, other = rng.choice(things), rng.choice(things)
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
    rng, things, kinds = random.Random(seed), [Thing() for _ in range(5)], dict[type[Any], Kind]()
    last: Checkpoint | None = None
    kept: list[tuple[Checkpoint, Any]] = []
    for _ in range(12):
        last = Checkpoint(things, lambda _: Kind.OBJECT, kinds=kinds, before=last)
        kept.append((last, [described(each, {}) for each in things]))
        for _ in range(changes):
            change(things, rng)
    rng.shuffle(kept)
    for checkpoint, expected in kept:
        checkpoint.restore()
        assert [described(each, {}) for each in things] == expected
        change(things, rng)
