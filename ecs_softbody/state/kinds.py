"""Kinds: how each type of value that holds state is kept.

Everything that a stage reaches through its attributes is state. Workspace, written before it is
read in every step, is listed by each class in `scratch`; types that hold no state are listed here.
There is no list of the state to keep, so nothing can be missing from it.
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
from ecs_softbody.storage.store import Replaced, Store
from ecs_softbody.storage.table import Table


class Kind(IntEnum):
    """How a value is kept."""

    LEAF = 0
    """It never changes, or is no state: the reference is enough."""
    ARRAY = 1
    """Its content is copied."""
    LIST = 2
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


_named: dict[tuple[type[Any], str], frozenset[str]] = {}


def scratch_of(cls: type[Any]) -> frozenset[str]:
    """Return the attributes of a class whose content is workspace: `scratch` of the class and its
    bases.
    """
    return _named_by(cls, "scratch")


def transient_of(cls: type[Any]) -> frozenset[str]:
    """Return the attributes of a class that are no state, and stay as they are: `transient` of it
    and its bases.
    """
    return _named_by(cls, "transient")


class Facts(NamedTuple):
    """The facts about a class that a checkpoint needs."""

    transient: frozenset[str]
    scratch: frozenset[str]
    has_dict: bool
    read: tuple[Any, ...]
    """See `descriptors_of`."""


_facts: dict[type[Any], Facts] = {}


def facts_of(cls: type[Any]) -> Facts:
    """Return them."""
    if cls not in _facts:
        read = descriptors_of(cls) if cls.__module__ != "builtins" else ()
        _facts[cls] = Facts(transient_of(cls), scratch_of(cls), bool(cls.__dictoffset__), read)
    return _facts[cls]


def _named_by(cls: type[Any], attribute: str) -> frozenset[str]:
    key = cls, attribute
    if key not in _named:
        _named[key] = frozenset(
            name for base in cls.__mro__ for name in vars(base).get(attribute, ())
        )
    return _named[key]
