"""Advice on bodies that are strained by more than half: their weight or load is more than they were made for.

A rope of springs of 2 m that holds 100 kg hangs down 20 m, a blob in pixels under a gravity in pixels lies flat: both
are right for such bodies, and neither is what was meant.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from ecs_softbody.components import Collider, Muscles, Particles, Springs
from ecs_softbody.components.healing import Healing
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.geometry.polygon import signed_area
from ecs_softbody.processors.stage import Frame
from ecs_softbody.storage import PackedBuffers, packed_rows

STRAINED = 0.5
"""Strain of a body from which it is told: that of its springs, or the share of its area that is pressed out of it."""
FRAMES, KEPT = 60, 0.6
"""Frames between two looks, and the share of a look that is left in the mean at the next one: a load that swings on a
rope counts, a crash does not."""
MOST_MESSAGES = 5
"""Warnings that are given; of a crowd, the rest is not told."""


class StrainWarning(UserWarning):
    """The weight or the load of a body strains it by more than half, for seconds; it is simulated as it was made."""


class StrainAdviser:
    """Looks once in `FRAMES` frames, and warns once of each entity."""

    transient = ("_means", "_told")

    def __init__(self, buffers: PackedBuffers, frame: Frame) -> None:
        self._buffers, self._frame = buffers, frame
        self._means: dict[int, float] = {}
        self._told: set[int] = set()

    def look(self) -> None:
        """Warn of those that are strained."""
        if self._frame.number % FRAMES or not self._buffers[Springs].bound or len(self._told) >= MOST_MESSAGES:
            return
        means: dict[int, float] = {}
        for entity, strain, words in (*self._stretched(), *self._pressed()):
            mean = KEPT * self._means.get(entity, 0.0) + (1.0 - KEPT) * strain
            means[entity] = max(means.get(entity, 0.0), mean)
            if mean > STRAINED and entity not in self._told and len(self._told) < MOST_MESSAGES:
                self._told.add(entity)
                warnings.warn(_message(entity, words), StrainWarning, stacklevel=2)
        self._means = means

    def _stretched(self) -> Iterator[tuple[int, float, str]]:
        """Yield the entities with springs, the mean strain of these, and what to say."""
        springs, position = self._buffers[Springs], self._buffers[Particles].rows["position"]
        slots = springs.active_slots
        first, last = (springs.values[name][slots].astype(np.int64) for name in ("first", "last"))
        count = last - first
        owner = np.repeat(np.arange(len(slots)), count)
        rows = np.arange(len(owner)) + (first - np.cumsum(count) + count)[owner]
        pairs, rest = springs.rows["packed_pairs"][rows], springs.rows["rest_length"][rows]
        ratio = lengths(position[pairs[:, 1]] - position[pairs[:, 0]]) / np.where(rest > 0.0, rest, 1.0)
        ratio[rest <= 0.0] = 1.0
        each = np.maximum(count, 1)
        strains = np.bincount(owner, np.abs(ratio - 1.0), len(slots)) / each
        ratios = np.bincount(owner, ratio, len(slots)) / each
        for k in np.flatnonzero(strains > 0.1):
            entity = int(springs.values["entity"][slots[k]])
            if entity not in self._buffers[Muscles].bound and entity not in self._buffers[Healing].bound:
                yield entity, float(strains[k]), f"its springs are {ratios[k]:.3g} times as long as at rest"

    def _pressed(self) -> Iterator[tuple[int, float, str]]:
        """Yield the entities with a closed outline, the share of the area that it has lost, and what to say."""
        particles, colliders = self._buffers[Particles].rows, self._buffers[Collider]
        for slot in colliders.active_slots:
            entity = int(colliders.values["entity"][slot])
            collider = colliders.bound.get(entity)
            if not isinstance(collider, Collider) or collider.row_count < 3 or not collider.closed:
                continue
            ring = packed_rows(collider, "outline")
            rest = abs(signed_area(particles["rest_offset"][ring]))
            share = abs(signed_area(particles["position"][ring])) / rest if rest > 0.0 else 1.0
            if share < 1.0 and entity not in self._buffers[Healing].bound:
                yield entity, 1.0 - share, f"its area is {share:.2g} of that at rest"


def _message(entity: int, words: str) -> str:
    return (
        f"entity {entity}: under its weight and load, {words}. A higher firmness or stiffness, or a smaller mass, "
        "holds it; DistanceLimits hold a length under any load. Lengths are meters: bodies in pixels are far too heavy."
    )
