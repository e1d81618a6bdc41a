"""Values of a game's own in files: each kind comes back or is not written; those of strangers are
checked.
"""

from __future__ import annotations

import collections
import enum
import itertools
import json
import pathlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, SnapshotError, blueprints, register_component
from ecs_softbody.state import container
from ecs_softbody.state.files import LENGTHS
from ecs_softbody.state.own.forms import GENERATORS


@register_component
class Keeper:
    """A component that keeps one value."""

    def __init__(self, value: Any) -> None:
        self.value = value


@register_component
class Colours(enum.Flag):
    """What may be had together."""

    RED = 1
    BLUE = 2


@register_component
class Place(NamedTuple):
    """A place and its name."""

    x: int = 1
    name: str = "here"


@register_component
@dataclass
class Bag:
    """A dataclass."""

    owner: str
    coins: int = 0
    things: list[Any] = field(default_factory=list)


SHOWN = np.arange(12.0).reshape(3, 4)
WRITTEN: dict[str, Any] = {
    "both flags": Colours.RED | Colours.BLUE,
    "no flag": Colours(0),
    "named tuple": Place(3, "there"),
    "complex": 1 + 2j,
    "range": range(3, 9, 2),
    "defaultdict": collections.defaultdict(list, {1: [2]}),
    "counter": collections.Counter("aab"),
    "ordered": collections.OrderedDict(b=1, a=2),
    "deque": collections.deque([1, 2], maxlen=2),
    "frozen": frozenset([1, (2, 3)]),
    "set": {1, (2, frozenset("ab"))},
    "count": itertools.count(5, 2),
    "count of halves": itertools.count(0.5, 0.5),
    "scalar": np.float32(1.5),
    "record": np.zeros(2, [("a", "<f8"), ("b", "<i4", (2,))])[0],
    "date": np.datetime64("2020-01-01"),
    "texts": np.array(["ab", "c"]),
    "other bytes": np.arange(3, dtype=">i4"),
    "no rows": np.zeros((0, 3)),
    "backwards": SHOWN[::-1, ::2],
    "repeated": np.broadcast_to(np.arange(3.0), (4, 3)),
    "one and a part": [SHOWN, SHOWN[1:]],
    "part of nothing": SHOWN[:0, 1:][:, :2],
    "zero": -0.0,
    "half": "\ud800",
    "classes": [Keeper, Particles],
    "dataclass": Bag("me", 3, [Bag("you")]),
}
REFUSED: dict[str, Any] = {
    "bytearray": bytearray(b"ab"),
    "long number": 10**5000,
    "number of a class": type("Money", (int,), {})(3),
    "list of a class": type("Row", (list,), {})([1]),
    "path": pathlib.PurePosixPath("/x"),
    "array of objects": np.array([1, "a"], dtype=object),
    "masked array": np.ma.masked_array([1.0, 2.0], [False, True]),
    "state of numpy": np.random.RandomState(3),
    "random numbers as a key": {random.Random(3): 1},
    "deep": None,
}
for _ in range(1000):
    REFUSED["deep"] = [REFUSED["deep"]]


@pytest.fixture
def other() -> Iterator[Simulation]:
    made = Simulation(world="other")
    yield made
    made.close()


def kept(sim: Simulation, value: Any) -> Keeper:
    """Have a value in a world, and return what keeps it."""
    keeper = Keeper(value)
    sim.spawn(*blueprints.ball((0, 1), 0.2), keeper)
    return keeper


def shown(value: Any) -> str:
    """Return what is printed of a value; of a set in any order, since that also depends on how it
    was filled.
    """
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__} {sorted(shown(item) for item in value)}"
    if type(value) is tuple:
        return f"({', '.join(shown(item) for item in value)})"
    return repr(value)


def loaded(sim: Simulation, data: bytes) -> Any:
    """Return the value of a file."""
    sim.restore(data)
    (entity,) = sim.entities(Keeper)
    return sim.get(entity, Keeper).value


@pytest.mark.brief(3)
@pytest.mark.parametrize("name", list(WRITTEN))
def test_values_come_back_as_they_were(sim: Simulation, other: Simulation, name: str) -> None:
    value = WRITTEN[name]
    kept(sim, value)
    found = loaded(other, sim.snapshot().to_bytes())
    assert (type(found), shown(found)) == (type(value), shown(value))
    assert getattr(found, "maxlen", None) == getattr(value, "maxlen", None)
    assert other.state_hash() == sim.state_hash()


def test_arrays_go_on_to_share_what_they_show(sim: Simulation, other: Simulation) -> None:
    kept(sim, [SHOWN, SHOWN[1:]])
    whole, part = loaded(other, sim.snapshot().to_bytes())
    whole[1, 0] = 7.0
    assert part[0, 0] == 7.0


def test_a_part_of_an_array_that_nobody_else_has_comes_back(
    sim: Simulation, other: Simulation
) -> None:
    keeper = kept(sim, np.arange(10.0).reshape(2, 5)[:, 1:3].T)
    snapshot = sim.snapshot()
    expected = keeper.value.copy()
    keeper.value[...] = 0.0
    assert np.array_equal(loaded(other, snapshot.to_bytes()), expected)


@pytest.mark.parametrize(
    "generator", [random.Random(3), *[np.random.Generator(bits(3)) for bits in GENERATORS.values()]]
)
def test_random_numbers_go_on(sim: Simulation, other: Simulation, generator: Any) -> None:
    kept(sim, generator)
    generator.random()
    data = sim.snapshot().to_bytes()
    assert loaded(other, data).random() == generator.random()


@pytest.mark.parametrize("step", [2, 0.5])
def test_counters_go_on_by_their_step(sim: Simulation, step: float) -> None:
    keeper = kept(sim, itertools.count(3, step))
    snapshot = sim.snapshot()
    next(keeper.value)
    sim.restore(snapshot)
    assert [next(keeper.value), next(keeper.value)] == [3, 3 + step]


def test_what_holds_itself_has_a_hash_and_comes_back(sim: Simulation, other: Simulation) -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    kept(sim, {"ring": ring, "again": ring})
    found = loaded(other, sim.snapshot().to_bytes())
    assert found["ring"][1] is found["ring"]
    assert found["again"] is found["ring"]
    assert other.state_hash() == sim.state_hash()


def test_random_numbers_of_the_system_are_no_state(sim: Simulation) -> None:
    kept(sim, random.SystemRandom())
    sim.restore(sim.snapshot())
    with pytest.raises(SnapshotError, match=r"Keeper.value: a SystemRandom cannot be written"):
        sim.snapshot().to_bytes()


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_cannot_be_read_again_is_not_written(sim: Simulation, name: str) -> None:
    kept(sim, REFUSED[name])
    with pytest.raises(SnapshotError) as told:
        sim.snapshot().to_bytes()
    assert len(str(told.value)) < 300


def test_a_text_that_is_too_long_is_not_written(sim: Simulation) -> None:
    kept(sim, "a" * container.LONGEST_TEXT)
    with pytest.raises(SnapshotError, match="letters are not allowed"):
        sim.snapshot().to_bytes()


TUPLES: list[Any] = [
    ["s", [["r", 1]]],
    *[["t", [["r", at], ["r", at]]] for at in range(2, 62)],
    ["t", [1]],
]
"""A set of a tuple of two tuples of two tuples: its hash takes 2 to the 60th power of steps."""
BAG = f"{__name__}.Bag"
HOSTILE: dict[str, list[Any]] = {
    "tuples in tuples": TUPLES,
    "tuples that nobody looks at": TUPLES[1:],
    "missing field": [["o", BAG, {"coins": 3}]],
    "another type": [["o", BAG, {"owner": "me", "coins": "3"}]],
    "method": [["o", BAG, {"owner": "me", "__init__": 3}]],
    "no attribute": [["o", BAG, {"owner": "me", "__class__": 3}]],
    "class of Python": [["o", "builtins.list", {}]],
    "unknown class": [["o", "os.system", {}]],
    "set of lists": [["s", [["r", 1]]], ["l", []]],
    "itself in a tuple": [["t", [["r", 0]]]],
    "itself in a set": [["s", [["r", 0]]]],
    "array of objects": [["a", {"array": [[1], "O", 0]}, True]],
    "array without content": [["a", {"array": [[3], "<f8", -1]}, True]],
    "more than is there": [["a", {"array": [[10**9], "<f8", "own"]}, True]],
    "view beyond": [
        ["v", ["r", 1], [100], "<f8", 0, [8], True],
        ["a", {"array": [[1], "<f8", "own"]}, True],
    ],
    "view before": [
        ["v", ["r", 1], [1], "<f8", -8, [8], True],
        ["a", {"array": [[1], "<f8", "own"]}, True],
    ],
    "large view": [
        ["v", ["r", 1], [10**9], "<f8", 0, [0], True],
        ["a", {"array": [[1], "<f8", "own"]}, True],
    ],
    "view of nothing": [
        ["v", ["r", 1], [9], "<f8", 0, [8], True],
        ["a", {"array": [[0], "<f8", "empty"]}, True],
    ],
    "rows of nothing": [
        ["v", ["r", 1], [9, 9], "<f8", 0, [0, 8], True],
        ["a", {"array": [[0], "<f8", "empty"]}, True],
    ],
    "view with strides beyond": [
        ["v", ["r", 1], [5, 2], "|u1", 0, [1 << 62, 1], True],
        ["a", {"array": [[1], "<f8", "own"]}, True],
    ],
    "random position": [
        ["R", "Generator", ["r", 1]],
        ["d", [["bit_generator", "MT19937"], ["state", ["r", 2]]]],
        ["d", [["key", ["r", 3]], ["pos", 10**6]]],
        ["a", {"array": [[1], "<f8", "own"]}, True],
    ],
    "random numbers that stay": [
        ["R", "Generator", ["r", 1]],
        [
            "d",
            [["bit_generator", "PCG64"], ["state", ["r", 2]], ["has_uint32", 0], ["uinteger", 0]],
        ],
        ["d", [["state", 0], ["inc", 0]]],
    ],
    "random numbers in a circle": [
        ["R", "Generator", ["r", 1]],
        [
            "d",
            [["bit_generator", "PCG64"], ["state", ["r", 2]], ["has_uint32", 0], ["uinteger", 0]],
        ],
        ["d", [["state", 12345], ["inc", 2**127]]],
    ],
    "random numbers of zeros": [
        ["R", "Random", ["r", 1]],
        ["t", [3, ["r", 2], None]],
        ["t", [0] * 624 + [624]],
    ],
    "random kind": [
        ["R", "Generator", ["r", 1]],
        ["d", [["bit_generator", "system"], ["state", ["r", 2]]]],
        ["d", []],
    ],
    "counter of texts": [["t", [["#", "a"]]]],
    "no entity": [["t", [["E", -1]]]],
    "no class": [["t", [["k", "os.system"]]]],
    "no member": [["t", [["e", f"{__name__}.Colours", "GREEN"]]]],
    "bytes": [["t", [["b", 3]]]],
    "unknown letter": [["?", 3]],
    "factory": [["m", [], "system"]],
}


@pytest.mark.brief(3)
@pytest.mark.parametrize("name", list(HOSTILE))
def test_values_of_strangers_are_looked_at(sim: Simulation, other: Simulation, name: str) -> None:
    kept(sim, [8])
    data = with_nodes(sim.snapshot().to_bytes(), HOSTILE[name])
    other.spawn(*blueprints.ball((0, 1), 0.2))
    before = other.state_hash()
    with pytest.raises(SnapshotError) as told:
        other.restore(data)
    assert len(str(told.value)) < 300
    assert other.state_hash() == before


def with_nodes(data: bytes, nodes: list[Any]) -> bytes:
    """Return a file where the value that is kept is the first of other nodes."""
    content = container.unpack("snapshot", data)
    (length,) = LENGTHS.unpack_from(content)
    text = json.loads(content[LENGTHS.size :][:length])
    rest = content[LENGTHS.size + length :]
    known = text["nodes"]
    next(node for node in known if node[0] == "o" and "value" in node[2])[2]["value"] = [
        "r",
        len(known),
    ]
    known += moved(nodes, len(known))
    text["blobs"] += [8, 0]
    own = len(text["blobs"]) - 2
    empty = len(text["blobs"]) - 1
    encoded = json.dumps(text).replace('"own"', str(own)).replace('"empty"', str(empty)).encode()
    return container.pack("snapshot", LENGTHS.pack(len(encoded)) + encoded + rest + bytes(8))


def moved(value: Any, by: int) -> Any:
    """Return values where all numbers of nodes are greater."""
    if isinstance(value, dict):
        return {name: moved(each, by) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) == 2 and value[0] == "r":
        return ["r", value[1] + by]
    return [moved(each, by) for each in value]
