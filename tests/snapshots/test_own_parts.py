"""Snapshots of what a game has of its own: components, processors, arrays, looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import esper
import numpy as np
import pytest

from ecs_softbody import Simulation, SnapshotError, blueprints, register_component
from ecs_softbody.rendering import Look, Skin


@register_component
@dataclass
class Hero:
    """A component of a game."""

    coins: int = 0
    bag: list[str] = field(default_factory=list)
    places: np.ndarray = field(default_factory=lambda: np.zeros(3))


class Wallet:
    """A component that cannot be written by itself."""

    def __init__(self, money: int) -> None:
        self.open = lambda: self.money
        self.money = money


class Counter(esper.Processor):
    """A processor of a game that keeps something."""

    def __init__(self) -> None:
        self.count = 0
        self.seen = np.zeros(4)

    def process(self, dt: float) -> None:
        self.count += 1
        self.seen[self.count % 4] += dt


def test_components_and_processors_of_a_game_come_back(sim: Simulation, tmp_path: Path) -> None:
    counter = Counter()
    sim.add_processor(counter)
    hero = Hero(coins=2, bag=["key"])
    entity = sim.spawn(*blueprints.blob((0, 3), 0.5), hero)
    sim.step()
    snapshot = sim.snapshot()
    counted = counter.count
    before = sim.state_hash()
    path = snapshot.save(tmp_path / "hero.snapshot")
    hero.coins = 9
    hero.bag.append("sword")
    hero.places[1] = 7.0
    sim.step()
    assert sim.state_hash() != before
    sim.restore(snapshot)
    assert (hero.coins, hero.bag, hero.places[1], counter.count) == (2, ["key"], 0.0, counted)
    other = Simulation(world="heroes")
    with pytest.raises(SnapshotError, match=r"needs the processor .*Counter"):
        other.restore(path)
    other.add_processor(Counter())
    other.restore(path)
    assert other.get(int(entity), Hero).bag == ["key"]
    assert other.state_hash() == before
    other.close()


class Fixed(esper.Processor):
    """A processor that keeps arrays that cannot be written to."""

    def __init__(self, first: float) -> None:
        self.own = np.arange(first, first + 6.0)
        self.content = np.frombuffer(np.arange(first, first + 3.0).tobytes())
        self.part = self.own[1:4]
        self.shown = np.arange(first, first + 4.0)[::2]
        self.own.flags.writeable = self.part.flags.writeable = self.shown.flags.writeable = False

    def process(self, dt: float) -> None:
        self.shown.base[:] += dt

    def values(self) -> list[list[float]]:
        return [each.tolist() for each in (self.own, self.content, self.part, self.shown)]


@pytest.mark.parametrize("is_kept_in_a_file", [True, False])
def test_arrays_that_cannot_be_written_to_come_back(
    sim: Simulation, tmp_path: Path, is_kept_in_a_file: bool
) -> None:
    kept = Fixed(3.0)
    sim.add_processor(kept)
    sim.step()
    expected = kept.values()
    snapshot = sim.snapshot()
    sim.step()
    assert kept.values() != expected
    if not is_kept_in_a_file:
        sim.restore(snapshot)
        assert kept.values() == expected
        return
    other = Simulation(world="fixed", substeps=4)
    copied = Fixed(0.0)
    other.add_processor(copied)
    other.restore(snapshot.save(tmp_path / "fixed.snapshot"))
    assert copied.values() == expected
    assert not copied.own.flags.writeable
    assert not copied.part.flags.writeable
    other.close()


def test_a_component_that_is_not_registered_is_named(sim: Simulation) -> None:
    sim.spawn(*blueprints.blob((0, 3), 0.5), Wallet(3))
    snapshot = sim.snapshot()
    with pytest.raises(SnapshotError, match=r"register_component\(Wallet\)"):
        snapshot.to_bytes()


def greet() -> str:
    """Stand for what a component of a game calls."""
    return "hello"


@register_component
@dataclass
class Guard:
    """A component with a function by default."""

    called: Callable[[], object] = greet
    things: list[object] = field(default_factory=list)


@register_component
class Bell:
    """Something in a component."""

    def __init__(self) -> None:
        self.rung = lambda: 1


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        (Guard(called=lambda: 3), r"Guard.called: a function <lambda> cannot be written; say with"),
        (Guard(things=[1, open]), r"Guard.things: a builtin_function_or_method open cannot be"),
        (Guard(things=[{"a": greet}]), r"Guard.things: a function greet cannot"),
        (Guard(things=[Wallet]), r"Guard.things: a type Wallet cannot"),
        (Guard(things=[Bell()]), r"Guard: Bell.rung: a function <lambda> cannot"),
        (Guard(things=[Wallet(3)]), r"Guard.things: a Wallet cannot be written; register its"),
        (Guard(things=[np.dtype(float)]), r"Guard.things: a Float64DType cannot"),
    ],
)
def test_a_component_with_code_is_not_written_without_it(
    sim: Simulation, guard: Guard, said: str
) -> None:
    entity = sim.spawn(guard)
    moment = sim.snapshot()
    with pytest.raises(SnapshotError, match=f"^snapshot: {said}"):
        moment.to_bytes()
    sim.restore(moment)  # in memory all is kept
    assert sim.get(entity, Guard) is guard


def test_what_save_returns_is_data(sim: Simulation) -> None:
    class Horn(Wallet):
        """One that tries to keep a function."""

    register_component(Horn, save=lambda horn: {"open": horn.open}, load=Horn)
    sim.spawn(Horn(3))
    with pytest.raises(SnapshotError, match=r"^snapshot: .*Horn: what save returns: a function <l"):
        sim.snapshot().to_bytes()


def test_a_function_that_is_a_default_comes_back(sim: Simulation) -> None:
    entity = sim.spawn(Guard(things=[3]))
    sim.restore(sim.snapshot().to_bytes())
    assert sim.get(entity, Guard) == Guard(things=[3])
    assert sim.get(entity, Guard).called() == "hello"


def test_save_and_load_of_a_registered_component(sim: Simulation) -> None:
    class Purse(Wallet):
        """One that says what to keep."""

    register_component(Purse, save=lambda purse: purse.money, load=Purse)
    entity = sim.spawn(*blueprints.blob((0, 3), 0.5), Purse(3))
    data = sim.snapshot().to_bytes()
    sim.get(entity, Purse).money = 8
    sim.restore(data)
    assert sim.get(entity, Purse).money == 3


def test_what_save_returns_may_hold_arrays_and_lists(sim: Simulation) -> None:
    class Bag(Wallet):
        """One whose content is made when it is saved."""

    register_component(
        Bag,
        save=lambda bag: {"coins": np.full(3, bag.money), "names": [["a"], ("b",)]},
        load=lambda saved: Bag(int(saved["coins"].sum()) + len(saved["names"])),
    )
    entity = sim.spawn(*blueprints.blob((0, 3), 0.5), Bag(3))
    sim.restore(sim.snapshot().to_bytes())
    assert sim.get(entity, Bag).money == 11


def test_looks_and_skins_come_back_from_a_file(sim: Simulation) -> None:
    picture = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    entity = sim.spawn(
        *blueprints.blob((0, 3), 0.5), Look(fill=(1, 2, 3), eyes=2), Skin(picture, tile=0.5)
    )
    data = sim.snapshot().to_bytes()
    pixels = sim.get(entity, Skin).picture.pixels.copy()
    sim.get(entity, Look).eyes = 1
    sim.restore(data)
    assert (sim.get(entity, Look).eyes, sim.get(entity, Look).fill) == (2, (1, 2, 3))
    assert (sim.get(entity, Skin).picture.pixels == pixels).all()
    assert sim.get(entity, Skin).repeats
