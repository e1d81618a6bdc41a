"""Garbage: a game that keeps its past makes no pauses, and gives back what it kept."""

from __future__ import annotations

import gc
import weakref

import pytest

from ecs_softbody import Simulation
from ecs_softbody.play import Rewind
from ecs_softbody.play.timing import garbage
from tests.rendering.blob_garden import BlobGarden


def longer_searches() -> int:
    """How often anything but the youngest objects was searched."""
    return sum(generation["collections"] for generation in gc.get_stats()[1:])


@pytest.mark.slow
def test_no_search_but_of_the_youngest_while_a_game_keeps_its_past() -> None:
    game = BlobGarden()
    game.begin()
    past = Rewind(game)
    before = longer_searches()
    for _ in range(200):
        past.note()
    assert longer_searches() == before
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    game.close()
    garbage.search_all()
    assert gc.get_freeze_count() == 0


@pytest.mark.slow
def test_worlds_of_rounds_before_are_given_up() -> None:
    game = BlobGarden()
    game.begin()
    past = Rewind(game)
    world: weakref.ref[Simulation] = weakref.ref(game.sim)
    for _ in range(40):
        past.note()
    for _ in range(2):  # while a round begins the one before is still there
        game.begin()
        past = Rewind(game)
        past.note()
    gc.collect()  # Python's own search finds it, as nothing that is left alone holds it
    assert world() is None
    game.close()
    garbage.search_all()


class Keeper(BlobGarden):
    """Keeps its past, and refers to what keeps it."""

    def start(self) -> None:
        super().start()
        self.past = Rewind(self)


@pytest.mark.slow
def test_what_a_round_kept_is_given_up_as_soon_as_the_next_one_has_begun() -> None:
    game = Keeper()
    game.begin()
    for _ in range(3):
        game.past.note()
    moment = weakref.ref(game.past.kept[-1])
    game.begin()
    assert moment() is None
    game.close()
    garbage.search_all()
