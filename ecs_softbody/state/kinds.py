"""Kinds: how a checkpoint keeps a value of each type.

A checkpoint follows references from the stages on. Of a Resource (storage/resource.py) it keeps the
attributes that its class declares in `saved`, `made` and `bound`; of other objects that it follows,
all attributes. How it keeps a value depends on the type: a list is copied and its members are
followed, an array is copied, a number needs neither. The types are listed here.
"""

from __future__ import annotations

import inspect
import itertools
import random
from collections import OrderedDict, defaultdict, deque
from enum import Enum, IntEnum
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from ecs_softbody.parallel.prepared import Binding, PreparedCall
from ecs_softbody.parallel.thread_choice import ThreadChoice
from ecs_softbody.parallel.workers import Workers
from ecs_softbody.storage import Component
from ecs_softbody.storage.resource import Resource
from ecs_softbody.storage.store import Replaced, Store
from ecs_softbody.storage.table import Table


class Kind(IntEnum):
    """How a value is kept."""

    LEAF = 0
    """It never changes, or is no state: the reference is enough."""
    ARRAY = 1
    """Its content is copied."""
    LIST = 2
    """Its members are kept in a copy, and followed; so for DICT, SET and DEQUE."""
    DICT = 3
    SET = 4
    TUPLE = 5
    """Its members are followed; it never changes itself."""
    OBJECT = 6
    """Its attributes are kept and followed."""
    COUNT = 7
    """A counter, kept by its owner."""
    RANDOM = 8
    """Its state is kept: a generator of random numbers."""
    DEQUE = 9
    REPLACED = 10
    """The counter of replaced arrays: it counts on when a moment is restored."""
    STORE = 11
    """Kept by the structure of its world."""
    FUNCTION = 12
    """The variables that it shares with other functions are kept."""
    ONE_ATTRIBUTE = 13
    """One of its attributes is state, see `nodes/objects.py`."""


LEAVES: tuple[type[Any], ...] = (
    type(None), bool, int, float, complex, str, bytes, frozenset, range, type, Enum, np.generic,
    np.dtype, ref, FunctionType, BuiltinFunctionType, MethodType, ModuleType, MappingProxyType,
    GetSetDescriptorType, MemberDescriptorType, Component, Binding, Workers,
    ThreadChoice, random.SystemRandom,
)  # fmt: skip
"""Components are kept with the structure of their world; a call is bound to other arrays by another
object; the random numbers of the system have no state.
"""
KINDS: tuple[tuple[tuple[type[Any], ...], Kind], ...] = (
    ((Replaced,), Kind.REPLACED),
    ((Store,), Kind.STORE),
    ((Table, PreparedCall), Kind.ONE_ATTRIBUTE),
    ((np.ndarray,), Kind.ARRAY),
    ((list,), Kind.LIST),
    ((deque,), Kind.DEQUE),
    ((defaultdict, OrderedDict, dict), Kind.DICT),
    ((set,), Kind.SET),
    ((tuple,), Kind.TUPLE),
    ((itertools.count,), Kind.COUNT),
    ((random.Random, np.random.Generator), Kind.RANDOM),
)
"""Classes of each kind; the first entry with a base of a class counts."""


def kind_of(cls: type[Any]) -> Kind | None:
    """Return how values of a class are kept, None for user-defined classes."""
    if issubclass(cls, LEAVES) and not issubclass(cls, Store):
        return Kind.LEAF
    return next((kind for classes, kind in KINDS if issubclass(cls, classes)), None)


_slots: dict[type[Any], tuple[str, ...]] = {}


def slots_of(cls: type[Any]) -> tuple[str, ...]:
    """Return the names of the slots of a class and its bases."""
    if cls not in _slots:
        names: list[str] = []
        for base in cls.__mro__:
            own = vars(base).get("__slots__", ())
            hidden = f"_{base.__name__.lstrip('_')}"
            for name in (own,) if isinstance(own, str) else own:
                names.append(
                    hidden + name if name.startswith("__") and not name.endswith("__") else name
                )
        _slots[cls] = tuple(
            name for name in dict.fromkeys(names) if name not in ("__dict__", "__weakref__")
        )
    return _slots[cls]


_descriptors: dict[type[Any], tuple[Any, ...]] = {}


def descriptors_of(cls: type[Any]) -> tuple[Any, ...]:
    """Return the descriptors of the slots of a class, in the order of `slots_of`."""
    if cls not in _descriptors:
        _descriptors[cls] = tuple(inspect.getattr_static(cls, name) for name in slots_of(cls))
    return _descriptors[cls]


def declared_by(cls: type[Any]) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Return the attributes that a resource class declares, and those among them of which only the
    object is put back, not its content. For other classes the first is None: all are kept.
    """
    if not issubclass(cls, Resource):
        return None, frozenset()
    fields = {field.path.partition(".")[0] for field in cls.saved}
    bound = frozenset(cls.bound)
    return bound | fields | set(cls.made), bound


class Facts(NamedTuple):
    """The facts about a class that a checkpoint needs."""

    kept: frozenset[str] | None
    """The attributes that it declares; None: all of them."""
    bound: frozenset[str]
    """Those among them of which only the object is put back, not its content."""
    has_dict: bool
    """Whether its objects have a `__dict__`."""
    read: tuple[Any, ...]
    """The descriptors of its slots, see `descriptors_of`."""


_facts: dict[type[Any], Facts] = {}


def facts_of(cls: type[Any]) -> Facts:
    """Return the facts about a class, found once."""
    if cls not in _facts:
        read = descriptors_of(cls) if cls.__module__ != "builtins" else ()
        _facts[cls] = Facts(*declared_by(cls), bool(cls.__dictoffset__), read)
    return _facts[cls]
