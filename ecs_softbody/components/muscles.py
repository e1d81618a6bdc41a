"""Muscles: springs whose rest lengths are driven, by waves or towards targets."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import esper
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.components.anchors import checked_entity
from ecs_softbody.components.springs import Springs
from ecs_softbody.errors import FieldError
from ecs_softbody.indices import flatnonzero, searchsorted, unique
from ecs_softbody.storage import Column, Component, PieceRows, Value

Moved = TypeVar("Moved", bound=Component)


class Muscles(Component):
    """U muscles: they drive the rest lengths of some of the entity's Springs.

        rest_length = base · (level + amplitude · sin(2π · frequency · t + phase)), never below 0

    with the simulation's time t. `level` follows `target`, by at most `rate` in a second. A muscle
    that works keeps its body awake.

    Args:
        rows: shape (U,): rows of the Springs on the same entity, each one once. Fixed after
            creation, but they move up with their springs where others are torn.
        amplitude: shape (U,) or a scalar: height of the wave, as a share of `base`.
        frequency: shape (U,) or a scalar [Hz]. Writing it later bends the wave and does not break
            it.
        phase: shape (U,) or a scalar [rad].
        target: shape (U,) or a scalar, >= 0: where `level` goes, as a share of `base`; it starts at
            1.
        rate: shape (U,) or a scalar [1/s]: how much `level` changes in a second at most; `inf`: at
            once; 0 holds it.
        base: shape (U,) or a scalar [m]: length of the resting muscle; None takes the rest length
            when first stepped.
    """

    __slots__ = ("_owners",)
    drives = Springs

    rows = Column(dtype=np.int32, minimum=0, fixed=True, doc="rows of the entity's Springs")
    base = Column(
        dtype=np.float64, unit="m", minimum=0.0, unset=True, doc="rest length of the resting muscle"
    )
    amplitude = Column(dtype=np.float64, doc="height of the wave, as a share of base")
    frequency = Column(dtype=np.float64, unit="Hz", minimum=0.0, doc="waves in a second")
    phase = Column(dtype=np.float64, unit="rad", doc="how far the wave is at time 0")
    target = Column(dtype=np.float64, minimum=0.0, doc="where level goes, as a share of base")
    rate = Column(
        dtype=np.float64,
        unit="1/s",
        minimum=0.0,
        infinite=True,
        doc="most that level changes in a second",
    )
    level = Column(dtype=np.float64, engine=True, doc="share of base without the wave")
    ends = Column(2, dtype=np.int32, engine=True, doc="pair of the spring, -1 once it is torn")
    started = Value(dtype=np.bool_, engine=True, doc="whether the muscles have seen their springs")

    _owners: tuple[int, tuple[int, ...]] | None

    def __init__(
        self,
        rows: ArrayLike,
        *,
        amplitude: ArrayLike = 0.0,
        frequency: ArrayLike = 0.0,
        phase: ArrayLike = 0.0,
        target: ArrayLike = 1.0,
        rate: ArrayLike = math.inf,
        base: ArrayLike | None = None,
    ) -> None:
        self._owners = None
        self._fill(
            "rows",
            rows=rows,
            amplitude=amplitude,
            frequency=frequency,
            phase=phase,
            target=target,
            rate=rate,
            base=base,
        )
        check_driven_rows("Muscles", self.rows)

    def take_own(self, values: dict[str, Any]) -> None:
        """Check the entities joined by the springs."""
        owners = values.get("_owners")
        if owners is None:
            self._owners = None
            return
        try:
            entity, others = owners
            checked = tuple(
                checked_entity("Muscles", "owners", other, "entities of the current world")
                for other in others
            )
        except TypeError:
            raise FieldError("Muscles", "owners", owners, "an entity, and others") from None
        if not checked:
            raise FieldError("Muscles", "owners", owners, "one entity or more")
        self._owners = (
            checked_entity("Muscles", "owners", entity, "an entity of the current world"),
            checked,
        )

    def check_loaded(self, entity: int) -> None:
        """Look at the rows where their springs have not been found yet; others may be gone since,
        and drive nothing.
        """
        # A spring that was torn before the first step is gone.
        drives = self.ends[:, 0] >= 0
        if drives.any() and not self.value_arrays["started"][self.slot]:
            springs = driven_component("Muscles", entity, Springs)
            check_rows_exist("Muscles", entity, np.where(drives, self.rows, 0), springs)

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """Entities that the driven springs join: a muscle between two bodies belongs to both."""
        if self._owners is not None and self._owners[0] == entity:
            return self._owners[1]
        springs = esper.try_component(entity, Springs) if esper.entity_exists(entity) else None
        return (entity,) if springs is None else springs.row_owners(entity)

    def check_fit(self, entity: int) -> None:
        """Raise ValueError unless the entity has Springs with these rows; store the entities they
        join.
        """
        springs = driven_component("Muscles", entity, Springs)
        check_rows_exist("Muscles", entity, self.rows, springs)
        self._owners = None
        self._owners = entity, self.row_owners(entity)

    def follow(self, left: NDArray[np.int64]) -> None:
        """Take the new rows of the springs, after all but the rows `left` were removed.

        Muscles of removed springs drive nothing from now on. Parallel springs have the same ends,
        so afterwards nobody could tell which of them is gone.
        """
        rows = self.stage_column("rows")
        stays = np.isin(rows, left)
        rows[stays] = searchsorted(left, rows[stays])
        self.stage_column("ends")[~stays] = -1

    def of_piece(self, rows: PieceRows) -> Muscles | None:
        """Return the muscles of the springs that a fragment has."""
        return _forgetful(muscles_of_piece(self, rows.springs, rows.particles))

    def along(self, rows: NDArray[Any], before: Component, driven: Component) -> Muscles | None:
        """Return the muscles of these rows of linking Springs, now the rows of `driven`."""
        return _forgetful(muscles_along(self, rows, before, driven))


def check_driven_rows(owner: str, rows: np.ndarray) -> None:
    """Raise ValueError if a row is driven twice, or none is."""
    if not len(rows):
        raise FieldError(owner, "rows", rows, "one row or more", in_words="0 rows")
    known, counts = unique(rows, return_counts=True)
    if (counts > 1).any():
        twice = known[counts > 1][0]
        raise FieldError(owner, "rows", twice, "every row once", in_words=f"row {twice} twice")


def driven_component(owner: str, entity: int, kind: type[Component]) -> Component:
    """Return the component that is to be driven, or raise ValueError if the entity has none."""
    component = esper.try_component(entity, kind)
    if component is None:
        raise FieldError(
            owner,
            "",
            kind.__name__,
            "one on the same entity",
            wrong=f"there is no component {kind.__name__}",
            entity=entity,
        )
    return component


def check_rows_exist(owner: str, entity: int, rows: np.ndarray, driven: Component) -> None:
    """Raise ValueError unless the driven component has all of the rows."""
    bad = flatnonzero((rows < 0) | (rows >= driven.row_count))
    if len(bad):
        kind = type(driven).__name__
        raise FieldError(
            owner,
            "rows",
            rows[bad[0]],
            f"rows of its {kind}, 0 to {driven.row_count - 1}",
            entity=entity,
            row=bad[0],
        )


def _forgetful(muscles: Muscles | None) -> Muscles | None:
    """Return muscles that look up the entities joined by their springs again."""
    if muscles is not None:
        muscles._owners = None
    return muscles


def muscles_of_piece(
    muscles: Moved, new_rows: NDArray[np.int64], new_particles: NDArray[np.int64]
) -> Moved | None:
    """Return the muscles whose springs a fragment has.

    new_rows, new_particles: row in the fragment of each old row of springs and particles, -1 for
    none.
    """
    if not (new_rows >= 0).any():
        return None
    rows: NDArray[np.int32] = muscles.rows  # type: ignore[attr-defined]
    ends: NDArray[np.int32] = muscles.ends  # type: ignore[attr-defined]
    here = np.where(rows < len(new_rows), new_rows[np.minimum(rows, len(new_rows) - 1)], -1)
    kept = flatnonzero((here >= 0) & (ends[:, 0] >= 0))
    if not len(kept):
        return None
    fragment = muscles.copied(kept)
    fragment.row_arrays["rows"][:] = here[kept]
    if muscles.started:  # type: ignore[attr-defined]
        fragment.row_arrays["ends"][:] = new_particles[ends[kept]]
    return fragment


def muscles_along(
    muscles: Moved, rows: NDArray[Any], before: Component, driven: Component
) -> Moved | None:
    """Return the muscles of these rows of the springs `before`, now the rows 0, 1, 2, ... of
    `driven`.
    """
    new_row = {int(old): new for new, old in enumerate(rows)}
    here = np.array([new_row.get(int(row), -1) for row in spring_rows(muscles, before)], np.int64)
    kept = flatnonzero(here >= 0)
    if not len(kept):
        return None
    moved = muscles.copied(kept)
    moved.row_arrays["rows"][:] = here[kept]
    moved.row_arrays["ends"][:] = joined_by(driven)[here[kept]]
    return moved


def joined_by(springs: Component) -> NDArray[np.int32]:
    """Return the rows of particles that each spring joins, shape (S, 2) or (S, 3)."""
    name = "pairs" if isinstance(springs, Springs) else "triples"
    return springs.row_arrays[name][springs.row_start : springs.row_stop]


def spring_rows(muscles: Component, springs: Component) -> NDArray[np.int64]:
    """Return for each muscle the current row of its spring, -1 if the spring is gone.

    Other springs may stand in the place of the old ones: so a row counts only with the right ends,
    once the muscles have seen them, and no spring has two muscles.
    """
    rows: NDArray[np.int32] = muscles.rows  # type: ignore[attr-defined]
    ends: NDArray[np.int32] = muscles.ends  # type: ignore[attr-defined]
    joined = joined_by(springs)
    found = np.where((rows < len(joined)) & (ends[:, 0] >= 0), rows, -1).astype(np.int64)
    if not muscles.started or not len(joined):  # type: ignore[attr-defined]
        return found
    found[(joined[found] != ends).any(axis=1)] = -1
    driven = set(found.tolist())
    for muscle in flatnonzero((found < 0) & (ends[:, 0] >= 0)):
        same = flatnonzero((joined == ends[muscle]).all(axis=1))
        found[muscle] = next((row for row in same.tolist() if row not in driven), -1)
        driven.add(found[muscle])
    return found
