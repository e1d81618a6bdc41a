"""Component: the base of every component class of the package, such as Particles or Springs.

It holds data only: declared columns (a row for each element) and values (an entry for the entity).
Before a simulation packs it, it has arrays of its own; afterwards it is a window into the arrays
that all components of its class share.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_softbody.errors import FieldError
from ecs_softbody.indices import flatnonzero
from ecs_softbody.storage.columns import declared_columns, declared_values, stage_view
from ecs_softbody.storage.wrong_arguments import wrong_arguments
from ecs_softbody.validation import read_only, unknown_attribute
from ecs_softbody.weak_set import WeakSet

if TYPE_CHECKING:
    from ecs_softbody.storage.store import Store

OTHER_WORDS = {
    "pos": "position", "x": "position", "y": "position", "vel": "velocity", "speed": "velocity",
    "angle": "pose", "rotation": "pose", "k": "stiffness", "length": "rest_length",
    "bounce": "restitution", "elasticity": "restitution", "points": "vertices",
    "friction_coefficient": "friction", "layer": "category", "fixed": "pinned",
}  # fmt: skip
"""Names of fields in other libraries, with the name of the same field here."""
COLOURS = ("color", "colour", "fill", "image")
"""Names of fields in other libraries for the look of a body, which is its Look here."""
UNSET = object()
"""Stands for an attribute that is not there."""
NOTHING: Mapping[str, NDArray[Any]] = {}
"""No columns."""
OWN_SLOTS = (
    "holder",
    "row_arrays",
    "row_start",
    "row_stop",
    "slot",
    "table",
    "value_arrays",
    "views",
)
"""Slots of every component."""


@dataclass(frozen=True)
class PieceRows:
    """Which rows a fragment of a cut body has: P particles, of a body of N.

    `particles`, `springs` and `angular_springs` have an entry for each row of the body: its row in
    the fragment, or -1.
    """

    particles: NDArray[np.int64]
    sources: NDArray[np.int64]
    """(P,) for each particle of the fragment the row of the body that it is most like: a new one,
    on the cut, has no row of its own in the body.
    """
    springs: NDArray[np.int64]
    angular_springs: NDArray[np.int64]
    weights: NDArray[np.float64]
    """(P, N) for each particle of the fragment the weight of each row of the body: a new particle
    is a weighted mean of some.
    """


class ComponentType(type):
    """Makes `dir` and `help` list only what users of a component need; for Component itself,
    everything.
    """

    def __dir__(cls) -> list[str]:
        names = super().__dir__()
        return (
            list(names)
            if cls.__name__ == "Component"
            else [name for name in names if is_for_users(name)]
        )


def is_for_users(name: str) -> bool:
    """Return whether an attribute of a component is for users, not for authors of components."""
    if name.startswith("_"):
        return name == "__init__"
    return name == "row_count" or (name not in vars(Component) and name != "loose")


class Component(metaclass=ComponentType):
    """A set of columns (one row per element) and values (one per entity), owned by one entity.

    Until a simulation packs it, a component has small arrays of its own. Packing moves the rows
    into the buffer shared by all entities of the class, and the attributes become views into it. A
    float array obtained before such a move is filled with NaN, so that stale reads are noticed:
    read the attribute again after spawning. A bad value raises ValueError naming the field, the
    value and the allowed values.
    """

    __slots__ = ("__weakref__", *OWN_SLOTS)

    types: ClassVar[list[type[Component]]] = []
    """Every component class, in the order of definition: the storage packs them all."""
    needs_particles: ClassVar[bool] = True
    """Whether the entity must also have Particles."""
    cost_per_point: ClassVar[float] = 0.0
    """Cost of each point that a field acts on in a frame, in tests of a point against an edge (2 to
    10 ns): files may not ask for too much.
    """
    is_elastic: ClassVar[bool] = False
    """Whether it keeps the form of its body: it rests while the body is mended."""
    drives: ClassVar[type[Component] | None] = None
    """The component of the same entity that this one writes to; a link that goes takes its drive
    along.
    """
    is_one_anchor: ClassVar[bool] = False
    """Whether all its rows are one unit: if their particles separate, the component is removed; a
    column with `owned_by` implies the same.
    """
    loose: ClassVar[WeakSet[Component]]
    """Instances that no simulation has packed, without the instances of closed simulations: if
    empty, no component was replaced.
    """

    holder: tuple[str, int]
    """World and entity that it was given to last; not there before that."""
    row_arrays: dict[str, NDArray[Any]]
    """Columns by name: its own arrays, or, once packed, the arrays of the whole table."""
    value_arrays: dict[str, NDArray[Any]]
    """Values by name, in the same way: (slots, ...)."""
    row_start: int
    row_stop: int
    """It has the rows [row_start, row_stop) of `row_arrays`."""
    slot: int
    """Its entry in `value_arrays`."""
    table: Any
    """The Table that it is packed in, or None."""
    views: dict[str, NDArray[Any] | None]
    """Views that attributes have handed out since packing and that are still valid; before packing,
    only their names.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.loose = WeakSet()
        Component.types.append(cls)

    if not TYPE_CHECKING:

        def __new__(cls, *given: Any, **options: Any) -> Self:
            """Say how the component is made where it is made with arguments that it
            does not have.
            """
            if (given or options) and (wrong := wrong_arguments(cls, given, options)) is not None:
                raise wrong
            return object.__new__(cls)

        def __setattr__(self, name: str, value: Any) -> None:
            """Suggest the attribute that was meant if there is none of this name."""
            try:
                object.__setattr__(self, name, value)
            except AttributeError as error:
                member = inspect.getattr_static(type(self), name, None)
                if member is None:
                    raise no_attribute(self, name) from error
                if hasattr(member, "__set__") and getattr(member, "fset", member) is not None:
                    raise  # its own reason
                raise read_only(type(self).__name__, name) from None

        def __getattr__(self, name: str) -> Any:
            """Name the attribute that was meant."""
            raise no_attribute(self, name)

    def _fill(self, leading: str | None, **given: ArrayLike | None) -> None:
        """Check and copy the constructor's arguments; `leading` names the column that sets the row
        count.

        Columns written by the engine have no array yet: their rows are zero, as in the buffers.
        """
        columns = declared_columns(type(self))
        values = declared_values(type(self))
        rows = columns[leading].coerce(given[leading], None) if leading else np.zeros(0)
        self.row_arrays = {}
        for name, column in columns.items():
            shape = (len(rows), *column.tail)
            if not column.engine:
                self.row_arrays[name] = (
                    rows if name == leading else column.coerce(given[name], shape)
                )
        self.value_arrays = {}
        for name, value in values.items():
            if not value.engine:
                self.value_arrays[name] = value.coerce(given[name], value.tail)[None]
        self.row_start = 0
        self.row_stop = len(rows)
        self.slot = 0
        self.table = None
        self.views = {}
        type(self).loose.add(self)

    @classmethod
    def of_arrays(
        cls, rows: dict[str, NDArray[Any]], values: dict[str, NDArray[Any]], count: int
    ) -> Self:
        """Return a component that has these arrays, of `count` rows and one slot, unchecked."""
        made = object.__new__(cls)
        # This avoids the `__setattr__` of the class, which looks for misspelt names and takes
        # longer.
        put = object.__setattr__
        put(made, "row_arrays", rows)
        put(made, "value_arrays", values)
        put(made, "row_start", 0)
        put(made, "row_stop", count)
        put(made, "slot", 0)
        put(made, "table", None)
        put(made, "views", {})
        cls.loose.add(made)
        return made

    def with_rows(self, **rows: NDArray[Any]) -> Self:
        """Return a new component with the values of this one and with these rows, unchecked.

        Columns and values written by the engine are reset, as in a newly constructed component.
        """
        own = self.value_arrays
        slot = slice(self.slot, self.slot + 1)
        values = {
            name: own[name][slot].copy()
            for name, value in declared_values(type(self)).items()
            if not value.engine
        }
        return type(self).of_arrays(rows, values, len(next(iter(rows.values()))))

    def __dir__(self) -> list[str]:
        return dir(type(self))

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.row_stop - self.row_start

    def stage_column(self, name: str) -> NDArray[Any]:
        """Return a live view of a column by name, also of a private column of a stage
        (`add_stage_columns`).

        For stages, which may write to their own columns.
        """
        return stage_view(self, name)

    def row_owners(self, entity: int) -> tuple[int, ...]:
        """Return the owners: entities whose Particles the columns marked `rows_of_particles` count.

        By default it is the entity itself. A component that joins bodies has several; see `Column`
        for which row or entry counts which owner's particles.
        """
        return (entity,)

    def check_fit(self, entity: int) -> None:
        """Raise ValueError where the component cannot sit on the entity as it is; called before it
        is packed.
        """

    def copied(
        self, rows: NDArray[Any] | None = None, given: Mapping[str, NDArray[Any]] = NOTHING
    ) -> Self:
        """Return a new component with copies of these rows, also of columns written by the engine.

        rows: counted from its first one; None: all. given: columns by name that it takes instead of
        copies, unchecked.
        """
        columns = declared_columns(type(self))
        values = declared_values(type(self))
        arrays = self.row_arrays
        span = slice(self.row_start, self.row_stop)
        count, taken = (
            (self.row_count, None) if rows is None else (len(rows), self.row_start + rows)
        )
        row_arrays = {
            name: given[name]
            if name in given
            else (arrays[name][span].copy() if taken is None else arrays[name][taken])
            if name in arrays
            # This column has not been written yet.
            else np.zeros((count, *column.tail), column.dtype)
            for name, column in columns.items()
        }
        own = self.value_arrays
        slot = slice(self.slot, self.slot + 1)
        value_arrays = {
            name: own[name][slot].copy() if name in own else np.zeros((1, *value.tail), value.dtype)
            for name, value in values.items()
        }
        copy = type(self).of_arrays(row_arrays, value_arrays, count)
        for name in own_slots(type(self)):
            if held(self, name, UNSET) is not UNSET:
                setattr(copy, name, held(self, name))
        for name, extra in held(self, "__dict__", {}).items():
            setattr(copy, name, extra)
        return copy

    def own_values(self) -> dict[str, Any]:
        """Return its attributes besides columns and values, by name, for saving to a file."""
        names = [*own_slots(type(self)), *held(self, "__dict__", {})]
        return {name: held(self, name) for name in names if held(self, name, UNSET) is not UNSET}

    def take_own(self, values: dict[str, Any]) -> None:
        """Set attributes from the `own_values` of a file; a class with more than plain data
        validates them here.

        Raises:
            ValueError: for an unknown name, or an invalid value.
        """
        slots = own_slots(type(self))
        for name, value in values.items():
            if name not in slots and (hasattr(type(self), name) or held(self, "__dict__") is None):
                raise FieldError(
                    type(self).__name__, name, value, "none", in_words="a value from a file"
                )
            object.__setattr__(self, name, value)

    def check_loaded(self, entity: int) -> None:
        """Raise ValueError where a component that came from a file does not fit its entity; by
        default `check_fit`.
        """
        self.check_fit(entity)

    def __copy__(self) -> Self:
        """Return a component of its own with the same numbers, for another entity."""
        return self.copied()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Do the same: it holds nothing but arrays and numbers."""
        return self.copied()

    def arguments(self) -> dict[str, Any]:
        """Return the constructor arguments that make the same component; scene files are written
        with it.

        By default the attribute of each argument's name. Override it where an argument is kept in
        another form.
        """
        kind: type[Component] = type(self)
        found: dict[str, Any] = {}
        columns: dict[str, Any] = {**declared_columns(kind), **declared_values(kind)}
        for name in inspect.signature(kind.__init__).parameters:
            value: Any = held(self, name) if name != "self" else None
            unset = name in columns and columns[name].unset and np.isnan(value).all()
            if value is not None and not unset:
                found[name] = value
        return found

    def of_piece(self, rows: PieceRows) -> Self | None:
        """Return this component for a fragment of the entity's body when it is cut, or None.

        By default columns of particle rows are renumbered, and rows about particles of other
        fragments left out. Without such columns, as many rows as particles are one for each of
        them, and any others stay as they are. Override it where rows count something else.
        """
        columns = declared_columns(type(self))
        indices = {
            name: getattr(self, name)
            for name, column in columns.items()
            if column.rows_of_particles
        }
        if indices and self.row_count:
            here = {name: rows.particles[old] for name, old in indices.items()}
            whole = np.all(
                [(new >= 0).reshape(self.row_count, -1).all(axis=1) for new in here.values()],
                axis=0,
            )
            together = self.is_one_anchor or any(
                getattr(columns[name], "owned_by", None) for name in indices
            )
            if not (whole.all() if together else whole.any()):
                return None
            fragment = self.copied(flatnonzero(whole))
            for name, new in here.items():
                fragment.row_arrays[name][:] = new[whole]
            return fragment
        if self.row_count and self.row_count == len(rows.particles):
            return self.copied(rows.sources)
        return self.copied()

    def along(self, rows: NDArray[Any], before: Component, driven: Component) -> Self | None:
        """For classes that drive a link (`drives`), after a cut: return the component that drives
        the link `driven`, which has these rows of the link `before`; or None.
        """
        return self.copied()

    def refer_to(self, owners: tuple[int, ...]) -> None:
        """Make these entities the owners, in the order of `row_owners`; for a copy that is not
        packed yet.

        By default it changes the attribute `between`, or `entity`, where the component has one.
        """
        others = held(self, "between")
        following = map(int, owners)
        if others is not None:
            given = tuple(None if one is None else next(following) for one in others)
            setattr(self, "between", given)  # noqa: B010
        elif held(self, "entity", UNSET) is not UNSET:
            setattr(self, "entity", next(following))  # noqa: B010

    def complete(self, particles: Store) -> None:
        """Fill unset values (NaN) that depend on the packed particles, such as rest lengths.

        Called whenever the component or its Particles are packed: values that are already set must
        stay.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.row_count} rows)"


def held(component: Component, name: str, other: Any = None) -> Any:
    """Return an attribute, or `other` if it does not exist: `getattr` without the search for
    similar names that makes the error of a component.
    """
    try:
        return object.__getattribute__(component, name)
    except AttributeError:
        return other


def no_attribute(component: Component, name: str) -> AttributeError:
    """Return the error for an attribute that a component does not have."""
    kind = type(component)
    if name in Component.__slots__:
        return AttributeError(
            f"{kind.__name__} is not made yet: its __init__ has to call _fill first"
        )
    if name in COLOURS:
        return AttributeError(
            f"{kind.__name__} has no attribute {name!r}: how an entity is drawn is its Look"
        )
    declared = {**declared_columns(kind), **declared_values(kind)}
    if name in declared and declared[name].stage:
        return AttributeError(
            f"{kind.__name__}.{name} belongs to {declared[name].stage}, and is only to be read: "
            f"stage_column({name!r})"
        )
    public = [
        *(other for other, entry in declared.items() if not entry.stage),
        *(other for other in dir(kind) if is_for_users(other)),
    ]
    words = {word: right for word, right in OTHER_WORDS.items() if right in public}
    return unknown_attribute(kind.__name__, name, public, words)


@functools.cache
def own_slots(kind: type[Component]) -> list[str]:
    """Return the slots of a component class, without the slots of Component."""
    slots = [name for owner in kind.__mro__ for name in vars(owner).get("__slots__", ())]
    return [name for name in slots if name not in Component.__slots__]
