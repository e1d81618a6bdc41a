"""Files that are tampered with: each array and each number of a snapshot file in turn, with the
checksum made right.
"""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ecs_softbody import Character, Simulation, SnapshotError, StaticCollider, blueprints
from ecs_softbody.state import container
from ecs_softbody.state.files import LENGTHS
from tests.snapshots.full_world import run, spawn_everything

Case = tuple[str, Callable[[], bytes]]
"""What is changed, and what makes the file."""
NUMBERS = {
    "f": [1e300, -1e300, -1.0, 0.0, 5e-324, math.nan, math.inf, -math.inf],
    "i": [-1, 0, 5, 1000],
    "u": [0, 5, 1000],
    "b": [1, 255],
}
"""What all elements of an array become, or one of them; and the largest number of its type."""
VALUES: list[Any] = [
    None, True, -1, 0, 5, 2**40, 10**30, 1e308, math.nan, "os.system", [], {}, [["r", 0]],
    ["r", 10**9], ["k", "os.system"], {"array": [[3], "<f8", 0]}, {"array": [[-1], "<f8", 0]},
    {"array": [[1], "O", 0]},
]  # fmt: skip


def small_world(sim: Simulation) -> None:
    """A blob, a box and a ball come to a floor."""
    sim.spawn(StaticCollider([(-5, 0), (5, 0)]))
    sim.spawn(*blueprints.blob((0, 0.6), 0.5))
    sim.spawn(*blueprints.box((1.2, 0.6), 0.8))
    sim.spawn(*blueprints.ball((0, 2), 0.2))
    for _ in range(30):
        sim.step()


def sleeping_world(sim: Simulation) -> None:
    """A heap sleeps; a game hears who touches."""
    sim.on("contact_begin", lambda event: None)
    sim.spawn(StaticCollider([(-3, 4), (-3, 0), (3, 0), (3, 4)]))
    for k in range(3):
        sim.spawn(*blueprints.blob((-2 + 1.6 * k, 0.6), 0.5))
    sim.spawn(*blueprints.box((2.3, 0.6), 0.8, material="wood"))
    for _ in range(400):
        sim.step()
    assert sim.asleep_count == 4


def world_of_a_hero(sim: Simulation) -> None:
    """A hero runs below a one-way wall, beside a rope."""
    sim.spawn(StaticCollider([(-5, 4), (-5, 0), (5, 0), (5, 4)]))
    hero = sim.spawn(*blueprints.blob((0, 0.6), 0.5), Character())
    sim.spawn(*blueprints.rope((2, 3), (4, 3), pin_start=True))
    sim.spawn(StaticCollider([(-4, 2), (-2, 2)], one_way=(0, 1)))
    sim.spawn(*blueprints.blob((-3, 2.7), 0.4))
    for _ in range(60):
        sim.get(hero, Character).move = 1.0
        sim.step()


def full_world(sim: Simulation) -> None:
    """A world with every component, just after bodies were cut."""
    run(sim, spawn_everything(sim), range(45))


def full_world_before_a_search(sim: Simulation) -> None:
    """The same, with a body that no step has seen."""
    full_world(sim)
    sim.spawn(*blueprints.blob((0.0, 9.0), 0.3))


WORLDS = {
    each.__name__: each
    for each in (
        small_world,
        sleeping_world,
        world_of_a_hero,
        full_world,
        full_world_before_a_search,
    )
}


def file_of(name: str, solver: str) -> bytes:
    """Return a snapshot file of a world."""
    sim = Simulation(world="tampered with", substeps=2, solver=solver)
    WORLDS[name](sim)
    data = sim.snapshot().to_bytes()
    sim.close()
    return data


class Parts:
    """The text of a file and its blobs, to be put together again."""

    def __init__(self, data: bytes) -> None:
        content = container.unpack("snapshot", data)
        (length,) = LENGTHS.unpack_from(content)
        at = LENGTHS.size + length
        self.text: Any = json.loads(content[LENGTHS.size : at])
        self.blobs = []
        for size in self.text["blobs"]:
            self.blobs.append(content[at : at + size])
            at += size

    def with_value(self, path: tuple[Any, ...], value: Any, *more: bytes) -> bytes:
        """Return the file with another value at a place of its text, and more blobs."""
        text = copy.deepcopy(self.text)
        blobs = [*self.blobs, *more]
        place = text
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        text["blobs"] = [len(blob) for blob in blobs]
        encoded = json.dumps(text).encode()
        return container.pack("snapshot", LENGTHS.pack(len(encoded)) + encoded + b"".join(blobs))

    def with_array(
        self, path: tuple[Any, ...], shape: list[int], kind: Any, content: bytes
    ) -> bytes:
        """Return the file with another array at a place of its text."""
        return self.with_value(path, {"array": [shape, kind, len(self.blobs)]}, content)


def cases_of(data: bytes, seed: int) -> list[Case]:
    """Return all changes of a file: of every array many, of every other value a few."""
    parts = Parts(data)
    found: list[Case] = []
    for path, value in values_in(parts.text):
        if path[0] == "blobs":
            continue
        name = ".".join(map(str, path))
        chance = random.Random(f"{seed} {path}")
        if isinstance(value, dict):
            found += [
                (f"{name}: {what}", make)
                for what, make in cases_of_array(parts, path, value["array"], chance)
            ]
            continue
        for other in chance.sample(VALUES, 3):
            found.append(
                (
                    f"{name} = {other!r}",
                    lambda path=path, other=other: parts.with_value(path, other),
                )
            )  # type: ignore[misc]
    return found


def values_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield each number, text, list and array of a text, with its place."""
    if path and not (isinstance(value, dict) and value.keys() != {"array"}):
        yield path, value
    if isinstance(value, list) or (isinstance(value, dict) and value.keys() != {"array"}):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from values_in(each, (*path, key))


def cases_of_array(
    parts: Parts, path: tuple[Any, ...], described: list[Any], chance: random.Random
) -> Iterator[Case]:
    """Yield the changes of one array."""
    shape, kind, blob = described
    content = parts.blobs[blob]
    count = math.prod(shape)
    size = kind[-1] if isinstance(kind, list) else np.dtype(kind).itemsize
    row = size * math.prod(shape[1:])
    yield "no rows", lambda: parts.with_array(path, [0, *shape[1:]], kind, b"")
    yield (
        "a row more",
        lambda: parts.with_array(path, [shape[0] + 1, *shape[1:]], kind, content + bytes(row)),
    )
    yield "fewer bytes", lambda: parts.with_array(path, shape, kind, content[: len(content) // 2])
    yield (
        "another type",
        lambda: parts.with_array(path, shape, "<f4" if kind == "<f8" else "<f8", content),
    )
    if not count:
        return
    if isinstance(kind, list):
        for what, other in (
            ("255", bytes([255]) * len(content)),
            ("chance", chance.randbytes(len(content))),
        ):
            yield f"all {what}", lambda other=other: parts.with_array(path, shape, kind, other)  # type: ignore[misc]
        return
    dtype = np.dtype(kind)
    largest = [int(np.iinfo(dtype).max)] if dtype.kind in "iu" else []
    for number in [*NUMBERS[dtype.kind], *largest]:
        for where in (slice(None), chance.randrange(count)):
            array = np.frombuffer(content, np.uint8 if dtype.kind == "b" else dtype).copy()
            array[where] = np.array(number).astype(array.dtype)
            what = f"{'all' if isinstance(where, slice) else f'number {where}'} {number}"
            yield what, lambda array=array: parts.with_array(path, shape, kind, array.tobytes())  # type: ignore[misc]


def try_all(cases: list[Case], solver: str, steps: int) -> dict[str, str]:
    """Try cases in processes of their own; return what is wrong with each that is not refused and
    does not go on.
    """
    wrong: dict[str, str] = {}
    waiting = list(cases)
    while waiting:
        done, broken = _in_a_process(waiting, solver, steps)
        wrong |= broken
        if done < len(waiting):
            wrong[waiting[done][0]] = "ends the process"
        waiting = waiting[done + 1 :]
    return wrong


def _in_a_process(cases: list[Case], solver: str, steps: int) -> tuple[int, dict[str, str]]:
    """Return how many of the cases a process lived through,
    and what was wrong with some of them.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as out:
            for what, make in cases:
                pickle.dump((what, try_one(make, solver, steps)), out)
                out.flush()
        os._exit(0)
    os.close(writing)
    done = 0
    wrong = {}
    with os.fdopen(reading, "rb") as answers:
        while True:
            try:
                what, answer = pickle.load(answers)
            except EOFError:
                break
            done += 1
            if answer:
                wrong[what] = answer
    os.waitpid(child, 0)
    return done, wrong


def try_one(make: Callable[[], bytes], solver: str, steps: int) -> str:
    """Return what is wrong, an empty text where the file is refused and nothing has changed, or the
    world goes on.
    """
    sim = Simulation(world="receives", substeps=2, solver=solver)
    try:
        sim.spawn(*blueprints.blob((0, 3), 0.5))
        sim.step()
        before = sim.state_hash()
        mark = sim.snapshot()
        sim.step()
        after = sim.state_hash()
        sim.restore(mark)
        data = make()
        try:
            sim.restore(data)
        except SnapshotError as error:
            said = str(error)
            if sim.state_hash() != before or len(said) > 300 or len(said.splitlines()) > 1:
                return f"refused, with a world that has changed or too many words: {said[:300]}"
            sim.step()
            return (
                "" if sim.state_hash() == after else f"refused, and goes on otherwise: {said[:300]}"
            )
        for _ in range(steps):
            sim.step()
        sim.state_hash(), sim.snapshot(), len(sim.contacts), len(sim.touching)
        sim.restore(mark)
        return "" if sim.state_hash() == before else "what was there before does not come back"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    finally:
        sim.close()
