"""MagnetProcessor: the forces between the poles of every Magnet.

A magnet is on a body or at a position. Its poles are particles of that body (some rows, or all), or
the one position. Every pole acts on all poles of other bodies within reach; strengths of one sign
repel each other (the law is at `components.Magnet`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.arrays import Floats
from ecs_softbody.components import Magnet, Particles
from ecs_softbody.elementary.rows import lengths
from ecs_softbody.indices import arange, full, nonzero
from ecs_softbody.kernels.forces.magnet import MagnetLaw, Poles, accumulate_magnet_force
from ecs_softbody.kernels.groups import Motion
from ecs_softbody.processors.order import Order
from ecs_softbody.processors.stage import Box, Circle, Force, Mark, Spawn, Spot, StageContext
from ecs_softbody.storage import Component, packed_rows

NOWHERE: Box = (np.inf, np.inf, -np.inf, -np.inf)
"""A box that overlaps nothing: a magnet on a body acts on no fixed region."""


class MagnetProcessor(Force):
    """Adds the forces between magnetic poles to Particles.force. Runs at Order.MAGNETS."""

    order = Order.MAGNETS
    components = (Magnet,)
    fields = (Magnet,)
    reads = ("Particles",)
    writes = ("Particles.force",)

    def __init__(self, context: StageContext) -> None:
        self._buffers = context.buffers
        self._magnets = context.buffers[Magnet]
        self._particles = context.buffers[Particles]
        self._version = -1
        # All poles, for the version of the buffers above; poles on bodies first.
        self._poles = _poles_at([], -1, -1)
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        """(K,) row of each pole in the columns of Magnet, which have its polarity; -1 for a pole
        without a row of its own.
        """

    @classmethod
    def example(cls, spawn: Spawn) -> None:
        """Two poles on bodies that attract each other, and one at a position."""
        for strength in (0.1, -0.1):
            spawn(Particles([(strength, 7.0)]), Magnet(strength=strength))
        spawn(Magnet(position=(0.0, 7.2), strength=0.1))

    def process(self, dt: float) -> None:
        """Add the forces of magnets at a position and of magnets on awake bodies."""
        poles = self._current_poles()
        # Magnets, by slot, whose poles take part.
        acts = np.zeros(self._magnets.values.count, np.bool_)
        acts[self._magnets.active_slots] = True
        acts[poles.magnet[poles.particle < 0]] = True
        law = self._magnets.values.group(MagnetLaw)
        motion = self._particles.rows.group(Motion)
        accumulate_magnet_force(poles, acts, law, motion, dt)

    def region_of(self, field: Component) -> Box:
        """Return the square in reach of a magnet at a position; one on a body wakes others by
        `stirred_bodies`.
        """
        assert isinstance(field, Magnet)
        if field.on_body:
            return NOWHERE
        (x, y) = field.position.tolist()
        reach = field.reach
        return x - reach, y - reach, x + reach, y + reach

    def marks_of(self, field: Component) -> Sequence[Mark]:
        """Return the poles of a magnet, and the reach of one at a position."""
        assert isinstance(field, Magnet)
        if not field.on_body:
            return Spot(field.position, field.strength < 0.0), Circle(field.position, field.reach)
        poles = self._poles_on_bodies()
        own = poles.magnet == field.slot
        places = self._particles.rows["position"][poles.particle[own]]
        south = field.strength * poles.polarity[own] < 0.0
        return [Spot(place, bool(is_south)) for place, is_south in zip(places, south, strict=True)]

    def watched_values(self, field: Component, entity: int) -> list[str]:
        """Return the watched values of a magnet at a position; a magnet on a body is watched with
        the body.
        """
        assert isinstance(field, Magnet)
        return [] if field.on_body else super().watched_values(field, entity)

    def joined_bodies(self) -> NDArray[np.int64]:
        """Return the pairs of bodies whose poles act on each other."""
        poles = self._poles_on_bodies()
        first, second = nonzero(np.triu(self._acts_on(poles), 1))
        return np.column_stack((poles.body[first], poles.body[second]))

    def stirred_bodies(self, asleep: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the sleeping bodies with a pole in reach of an awake one."""
        poles = self._poles_on_bodies()
        sleeps = asleep[poles.body]
        stirred: NDArray[np.int64] = poles.body[sleeps & self._acts_on(poles)[~sleeps].any(axis=0)]
        return stirred

    def _acts_on(self, poles: Poles) -> NDArray[np.bool_]:
        """Return which of these poles on bodies are near enough to act on each other, (K, K)."""
        law = self._magnets.values.group(MagnetLaw)
        position: Floats = self._particles.rows["position"][poles.particle]
        distance = lengths(position[:, None] - position[None])
        reach = law.reach[poles.magnet]
        strength = law.strength[poles.magnet] * poles.polarity
        near: NDArray[np.bool_] = distance < np.minimum.outer(reach, reach)
        near &= (np.multiply.outer(strength, strength) != 0.0) & (
            poles.body[:, None] != poles.body[None]
        )
        return near

    def _current_poles(self) -> Poles:
        """Return the poles, listed again after anything came, went or moved, with their polarity as
        it is now.
        """
        if self._version != self._buffers.version:
            self._version = self._buffers.version
            self._list_poles()
        given = self._rows >= 0
        self._poles.polarity[given] = self._magnets.rows["polarity"][self._rows[given]]
        return self._poles

    def _poles_on_bodies(self) -> Poles:
        """Return the poles that are particles; they are the first ones."""
        poles = self._current_poles()
        count = np.count_nonzero(poles.particle >= 0)
        return Poles._make(column[:count] for column in poles)

    def _list_poles(self) -> None:
        """List the poles of all magnets, those on bodies first."""
        bodies = self._particles.bound
        lists = [_poles_at([], -1, -1)]
        rows = [np.zeros(0, np.int64)]
        magnets = sorted(
            self._buffers.components(Magnet).items(),
            key=lambda entry: (not entry[1].on_body, entry[0]),
        )
        for entity, magnet in magnets:
            body = bodies[entity] if magnet.on_body else None
            if body is None:
                particles: ArrayLike = [-1]
            elif magnet.row_count:
                particles = packed_rows(magnet, "rows")
            else:
                particles = arange(body.row_start, body.row_stop)
            lists.append(_poles_at(particles, -1 if body is None else body.slot, magnet.slot))
            own = arange(magnet.row_start, magnet.row_stop)
            rows.append(own if len(own) else full(len(lists[-1].particle), -1))
        self._poles = Poles(*(np.concatenate(columns) for columns in zip(*lists, strict=True)))
        self._rows = np.concatenate(rows)


def _poles_at(particles: ArrayLike, body: int, magnet: int) -> Poles:
    """Return the poles of the magnet with this slot, of polarity 1, at these packed rows of the
    body with this slot; -1 stands for none.
    """
    rows = np.asarray(particles, np.int64)
    count = len(rows)
    return Poles(rows, full(count, body), full(count, magnet), np.ones(count), full(count, count))
