"""Views: the arrays that an attribute of a component hands out, and their handling after its body
is removed.

Rows of a removed body are reused for the next one of its size. A game may still hold arrays of the
removed body, or parts of them; they must not write to the new one. Each view is made through a
window object of its own, so numpy has every array derived from it refer to it: its reference count
tells whether it is still held. If so when a body is removed, the column moves to other memory. The
row indices stay the same, so results do not depend on the views that a game holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from sys import getrefcount
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

OF_STAGE = "for a stage: "
"""Before the name of a column where the view is one for the stage that writes it."""


class Placed(Protocol):
    """A component: where its rows are, and the views that were handed out of them."""

    views: dict[str, NDArray[Any] | None]
    table: Any
    row_start: int
    slot: int


class FixedArray(np.ndarray[Any, Any]):
    """A read-only array whose errors say why; arrays derived from it are ordinary arrays."""

    why: ClassVar[str] = ""

    def _check(self) -> None:
        """Raise ValueError with the reason if the array is read-only."""
        if not self.flags.writeable:
            raise ValueError(self.why)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write to a copy; on the array itself, raise ValueError with the reason."""
        self._check()
        super().__setitem__(key, value)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return the result of a calculation as an ordinary array; numpy calls this."""
        return array[()] if return_scalar else array

    def __reduce__(self) -> Any:
        """Be pickled as an ordinary array."""
        return np.asarray(self).__reduce__()

    def __deepcopy__(self, memo: dict[int, Any] | None) -> Any:
        """Be copied as an ordinary array, which can be written to."""
        return np.array(self)

    def copy(self, order: Any = "C") -> Any:
        """Return a copy that can be written to."""
        return np.array(self, order=order)


def _refusing(name: str) -> Callable[..., Any]:
    """Return a method that calls the ndarray method, or raises an error with the reason."""
    original = getattr(np.ndarray, name)

    def method(self: FixedArray, *given: Any, **options: Any) -> Any:
        self._check()
        return original(self, *given, **options)

    method.__name__ = name
    method.__doc__ = original.__doc__
    return method


for _name in ("add sub mul truediv floordiv mod pow and or xor lshift rshift matmul").split():  # noqa: SIM905
    setattr(FixedArray, f"__i{_name}__", _refusing(f"__i{_name}__"))
for _name in ("fill", "sort", "partition", "put"):
    setattr(FixedArray, _name, _refusing(_name))


class Window:
    """Describes the memory of a view to numpy by `__array_interface__`.

    numpy sets the `base` of an array derived from a view to the array that owns the memory. A view
    of a Window counts as the owner, since a Window is no array: so everything derived from the view
    refers to the view, and its reference count tells whether anything is held.
    """

    __slots__ = ("__array_interface__", "array")

    def __init__(
        self, array: NDArray[Any], start: int, shape: tuple[int, ...], *, read_only: bool
    ) -> None:
        self.array = array
        begin = array.__array_interface__["data"][0] + start * array.strides[0]
        self.__array_interface__ = {
            "shape": shape, "typestr": array.dtype.str, "data": (begin, read_only), "version": 3,
        }  # fmt: skip


def view_of(
    kind: type[np.ndarray[Any, Any]], array: NDArray[Any], start: int, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Return a view of an array from row `start` on, read-only for a FixedArray."""
    window = Window(array, start, shape, read_only=kind is not np.ndarray)
    view = np.asarray(window)
    # An array made of the window itself would refer to no view.
    del window.__array_interface__
    return view if kind is np.ndarray else view.view(kind)


def memory_of(array: NDArray[Any]) -> NDArray[Any]:
    """Return the base array of an array, itself if it is no view."""
    owner = array
    base = array.base
    while isinstance(base, Window | np.ndarray):
        owner = base.array if isinstance(base, Window) else base
        base = owner.base
    return owner


def references(views: Iterable[NDArray[Any]]) -> list[int]:
    """Return the reference count of each array; references made by this call itself are
    constant.
    """
    return [getrefcount(view) for view in views]


UNHELD = references([np.empty(0)])[0]
"""Reference count, as `references` returns it, of an array held only by the list given to it."""


class Handed:
    """Views of one table that are still held after their components replaced them or were
    removed.
    """

    def __init__(self) -> None:
        self._held: list[tuple[Placed, str, NDArray[Any], tuple[int, int]]] = []
        """(component, key of the view, view, first row and slot of the component then)."""

    def take_back(self, component: Placed) -> None:
        """Have a component make new views, and remember the old ones that are still held."""
        known = {name: view for name, view in component.views.items() if view is not None}
        component.views = {}
        if not known:
            return
        names = list(known)
        views = list(known.values())
        known.clear()
        place = component.row_start, component.slot
        for name, view, count in zip(names, views, references(views), strict=True):
            if count > UNHELD and view.flags.writeable:
                self._held.append((component, name, view, place))

    def endangering(self, table: object, array_of: Callable[[str], NDArray[Any]]) -> set[str]:
        """Return the columns of a table that old views, of rows of removed or moved components,
        could still write to. array_of: returns a column by its name.
        """
        if not self._held:
            return set()
        counts = references([view for _, _, view, _ in self._held])
        self._held = [
            held for held, count in zip(self._held, counts, strict=True) if count > UNHELD + 1
        ]
        columns = set[str]()
        # A view does no harm while its component still has the same rows.
        for component, key, view, place in self._held:
            name = key.removeprefix(OF_STAGE)
            is_there = component.table is table and (component.row_start, component.slot) == place
            if not is_there and np.may_share_memory(view, array_of(name)):
                columns.add(name)
        return columns
