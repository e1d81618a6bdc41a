"""Pieces: splits a component of all fragments of a body into one component per fragment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ecs_softbody.storage import UNSET, Component, held
from ecs_softbody.storage.component import own_slots

Kind = TypeVar("Kind", bound=Component)


def parted(whole: Kind, spans: Sequence[tuple[int, int]]) -> list[Kind]:
    """Split an unpacked component into components with its rows [first, last) and its values."""
    kind = type(whole)
    rows = whole.row_arrays.items()
    values = whole.value_arrays.items()
    extras = [
        (name, held(whole, name))
        for name in own_slots(kind)
        if held(whole, name, UNSET) is not UNSET
    ]
    extras += list(held(whole, "__dict__", {}).items())
    pieces = []
    for first, last in spans:
        own = {name: array[first:last] for name, array in rows}
        piece = kind.of_arrays(own, {name: value.copy() for name, value in values}, last - first)
        for name, extra in extras:
            setattr(piece, name, extra)
        pieces.append(piece)
    return pieces
