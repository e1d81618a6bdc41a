"""Pieces: splits a component with the rows of all fragments of a body into one for each fragment.

Components are made for all fragments at once and then split: that takes less time than to make one
after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ecs_softbody.storage import UNSET, Component, held
from ecs_softbody.storage.component import own_slots

Kind = TypeVar("Kind", bound=Component)


def parted(whole: Kind, spans: Sequence[tuple[int, int]]) -> list[Kind]:
    """Return for each span [first, last) a component with these rows of `whole`, and its values.

    A row is an element of the component's columns; values are one per component. `whole` must not
    be in the world's packed tables.
    """
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
