"""Resource: state of a world besides its entities, such as the order of contacts, or the touching
pairs; and the kinds of fields that such state is declared by.

A class declares in `saved` each field that one step passes to the next: its name, type, shape,
limits, unit and meaning. By this declaration it is saved to a snapshot file, loaded with checks
(`Saved` is the part of a file that has its fields), and described in docs/snapshot_format.md. All
its other attributes are settings and caches, which it recomputes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ecs_softbody.storage.saved import Name, Saved, check_flags

Length = int | str
"""A length in the shape of an array: a number, or a name. A name stands for a count in the world,
or for the length that the first array with this name has; all others must have the same.
"""
Made = TypeVar("Made")


class Field:
    """A named value of a file: an attribute, or the last attribute of a path such as
    `bounds.box`.
    """

    form = shape = limits = ""
    """Its type, shape and allowed values, for the documentation page."""

    def __init__(
        self,
        path: str,
        doc: str = "",
        *,
        unit: str = "",
        optional: bool = False,
        check: Callable[[Any], Any] | None = None,
        name: str = "",
    ) -> None:
        """path: of the attribute, from the object that declares the field. doc, unit: for the page.

        optional: it may be missing, and is None then.
        check: converts a value to the form of the attribute, or raises ValueError.
        name: in files, if it differs from the attribute.
        """
        self.path = path
        self.doc = doc
        self.unit = unit
        self.optional = optional
        self._check = check
        self.name = name or path.rpartition(".")[2]

    def read(self, saved: Saved, name: Name) -> Any:
        """Return the value that a part of a file has under a name; raise ValueError where it is not
        allowed.
        """
        raise NotImplementedError

    def get(self, saved: Saved) -> Any:
        """Return it from a file, under its own name."""
        if self.optional and not saved.has(self.name):
            return None
        found = self.read(saved, self.name)
        return found if self._check is None else self._check(found)

    def load(self, owner: Any, saved: Saved) -> None:
        """Give it to its owner."""
        put(owner, self.path, self.get(saved))


class Array(Field):
    """An array. Of whole numbers, each must be at least `least` and below `below`, which may be one
    limit for each column; flags must be 0 or 1.

    Without `below` any content is allowed: kernels can compute with all of it.
    """

    def __init__(
        self,
        path: str,
        shape: Length | tuple[Length, ...],
        doc: str,
        *,
        dtype: Any = np.float64,
        least: int = 0,
        below: Length | tuple[Length, ...] = (),
        in_place: bool = False,
        **declared: Any,
    ) -> None:
        """shape: its lengths. in_place: the content is copied into the present array of its owner,
        since others hold that very array.
        """
        super().__init__(path, doc, **declared)
        self.lengths = _as_tuple(shape)
        self.dtype = np.dtype(dtype)
        self._in_place = in_place
        self._least = least
        self._below = _as_tuple(below)
        self.form = "records" if self.dtype.names else self.dtype.name
        self.shape = f"({', '.join(map(str, self.lengths))}{',' if len(self.lengths) == 1 else ''})"
        self.limits = (
            f"least {least}, below {' and '.join(map(str, self._below))}" if self._below else ""
        )

    def read(self, saved: Saved, name: Name) -> NDArray[Any]:
        """Return the array from a file; it defines all named lengths that are not known yet."""
        known = saved.lengths
        wanted = [known.get(each) if isinstance(each, str) else each for each in self.lengths]
        found = saved.array(name, self.dtype, wanted)
        for each, length in zip(self.lengths, found.shape, strict=True):
            known.setdefault(str(each), length)
        check_flags(f"{saved.owner}.{name}", found)
        if self._below:
            below = [known[each] if isinstance(each, str) else each for each in self._below]
            bad = found[(found < self._least) | (found >= np.array(below))]
            if bad.size:
                allowed = " and ".join(f"from {self._least} to {each - 1}" for each in below)
                saved.fail(name, bad.flat[0], f"whole numbers {allowed}")
        return found

    def load(self, owner: Any, saved: Saved) -> None:
        """Give it to its owner."""
        if self._in_place:
            attrgetter(self.path)(owner)[...] = self.get(saved)
        else:
            super().load(owner, saved)


class Plain(Field):
    """A single value that a method of Saved reads: `read`, with the limits that are given."""

    def __init__(
        self, path: str, doc: str = "", *, form: str, read: Callable[..., Any], **declared: Any
    ) -> None:
        limits = {
            name: declared.pop(name) for name in ("least", "most", "infinite") if name in declared
        }
        super().__init__(path, doc, **declared)
        self.form = form
        self.limits = ", ".join(f"{name} {value}" for name, value in limits.items())
        self._read = partial(read, **limits)

    def read(self, saved: Saved, name: Name) -> Any:
        """Return it from a file."""
        return self._read(saved, name)


WholeArray = partial(Array, dtype=np.int64)
FlagArray = partial(Array, dtype=np.bool_)
Number = partial(Plain, form="number", read=Saved.number)
Whole = partial(Plain, form="whole number, not below -1", read=Saved.whole)
Version = partial(Plain, form="whole number, not below -1", read=Saved.version)
"""A number of `Replaced.new_version`: equal ones in a file are equal ones in the world."""
Flag = partial(Plain, form="flag", read=Saved.flag)
Text = partial(Plain, form="text", read=Saved.text)
Bytes = partial(Plain, form="bytes in hexadecimal", read=Saved.bytes)


class Row(Field):
    """A list of fixed length, with its own kind for each value."""

    def __init__(self, path: str, doc: str, *fields: Field, **declared: Any) -> None:
        super().__init__(path, doc, **declared)
        self.fields = fields
        self.form = f"[{', '.join(field.path or field.form for field in fields)}]"

    def read(self, saved: Saved, name: Name) -> tuple[Any, ...]:
        """Return the values from a file."""
        values = saved.values(name, len(self.fields))
        return tuple(field.read(values, place) for place, field in enumerate(self.fields))


class Members(Field):
    """A list of any length with values of one kind; `kind` is the container that it is made into,
    such as set.
    """

    def __init__(self, path: str, doc: str, field: Field, kind: type[Any], **declared: Any) -> None:
        super().__init__(path, doc, **declared)
        self.field = field
        self._kind = kind
        self.form = f"list of {field.form}"

    def read(self, saved: Saved, name: Name) -> Any:
        """Return the values from a file."""
        members = saved.members(name)
        return self._kind(self.field.read(members, place) for place in range(len(members)))


class Part(Field):
    """A resource in a resource, or a record. A resource exists and loads itself; a record (a
    NamedTuple or dataclass) is constructed of its fields.
    """

    form = "part"

    def __init__(
        self,
        path: str,
        doc: str,
        kind: type[Any],
        fields: tuple[Field, ...] | None = None,
        **declared: Any,
    ) -> None:
        """fields: of a NamedTuple, which cannot have an attribute `saved`."""
        super().__init__(path, doc, **declared)
        self.kind = kind
        self.fields: tuple[Field, ...] = kind.saved if fields is None else fields

    def read(self, saved: Saved, name: Name) -> Any:
        """Return a record from a file."""
        return load_record(self.kind, saved.part(name), self.fields)

    def load(self, owner: Any, saved: Saved) -> None:
        """Give it to its owner."""
        if issubclass(self.kind, Resource):
            attrgetter(self.path)(owner).load(saved.part(self.name))
        else:
            super().load(owner, saved)


class Resource:
    """An object with state, such as a stage; it is saved and loaded as `saved` declares.

    A moment in memory (a snapshot that is restored in the same process) keeps the same fields, and
    those in `made` and `bound`.
    """

    saved: ClassVar[tuple[Field, ...]] = ()
    made: ClassVar[tuple[str, ...]] = ()
    """Attributes that follow from columns and fields, and take a while to find: moments in memory
    keep them, files do not.
    """
    bound: ClassVar[tuple[str, ...]] = ()
    """Attributes of which moments keep the object, not its content: arrays that kernels are bound
    to, and workspace.
    """

    def load(self, saved: Saved) -> None:
        """Load the fields from a file; raise ValueError for a missing or invalid field."""
        load_fields(self, saved, self.saved)


def load_fields(owner: Any, saved: Saved, fields: Iterable[Field]) -> None:
    """Give an object some of its fields."""
    for field in fields:
        field.load(owner, saved)


def load_record(kind: type[Made], saved: Saved, fields: Iterable[Field]) -> Made:
    """Return a tuple or a dataclass made from these fields of a file."""
    return kind(**{field.name: field.get(saved) for field in fields})


def put(owner: Any, path: str, value: Any) -> None:
    """Set an attribute of an object, or the last one of a path such as "bounds.box"; a NamedTuple
    on the way is replaced.
    """
    name, _, rest = path.partition(".")
    if rest:
        part = getattr(owner, name)
        if not hasattr(part, "_replace"):
            put(part, rest, value)
            return
        value = part._replace(**{rest: value})
    setattr(owner, name, value)


def _as_tuple(lengths: Length | tuple[Length, ...]) -> tuple[Length, ...]:
    return lengths if isinstance(lengths, tuple) else (lengths,)
