"""A set that keeps nothing alive, and runs no Python when a member dies."""

from __future__ import annotations

import sys
from types import FrameType

from ecs_softbody.weak_set import WeakSet


class Thing:
    """Anything that may die."""


def test_members_come_and_go() -> None:
    first = Thing()
    second = Thing()
    third = Thing()
    things = WeakSet[Thing]()
    assert not things
    things.update([first, second, first])
    assert set(things) == {first, second}
    assert first in things
    assert third not in things
    things.discard(first)
    things.discard(third)
    assert list(things) == [second]


def test_members_die_while_they_are_looked_at() -> None:
    members = [Thing() for _ in range(5)]
    things = WeakSet[Thing]()
    things.update(members)
    seen = 0
    for thing in things:
        seen += 1
        del thing
        members.clear()
    assert seen == 1
    assert not things


def test_no_python_runs_when_a_member_dies() -> None:
    """Python would drop what a handler of a signal raises in there."""
    things = WeakSet[Thing]()
    calls = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            calls.append(frame.f_code.co_name)

    member = Thing()
    things.add(member)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        del member
    finally:
        sys.setprofile(before)
    assert not things
    assert not calls
