"""Forwarding: methods and attributes of a Simulation that one of its parts has.

`spawn = forwarded("_world", World.spawn)` makes `sim.spawn(...)` call `sim._world.spawn(...)`, and
`time = Forwarded("_clock", ...)` makes `sim.time` read and write `sim._clock.time`. Methods keep
the signature and the documentation that they have in the part.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from ecs_softbody.validation import SETTINGS, wrong_call

Given = ParamSpec("Given")
Result = TypeVar("Result")
Value = TypeVar("Value")


def forwarded(
    part: str, method: Callable[Concatenate[Any, Given], Result]
) -> Callable[Concatenate[Any, Given], Result]:
    """Return a method that calls `method` of the part with this name; it has its signature and its
    documentation.
    """
    part_of = attrgetter(part)
    name = method.__name__

    @functools.wraps(method)
    def call(whole: Any, /, *args: Given.args, **options: Given.kwargs) -> Result:
        bound = getattr(part_of(whole), name)
        try:
            result: Result = bound(*args, **options)
        except TypeError as error:
            if (
                wrong := wrong_call(f"{type(whole).__name__}.{name}", bound, args, options)
            ) is not None:
                raise wrong from None
            raise error
        return result

    return call


class Forwarded(Generic[Value]):
    """A descriptor: an attribute whose value is an attribute of a part, of the same name or of
    `name`. Assigned values are checked as SETTINGS says for the public name.
    """

    def __init__(self, part: str, doc: str, *, name: str = "", read_only: bool = False) -> None:
        """part: name of the attribute that holds the part."""
        self._part = part
        self._name = name
        self._read_only = read_only
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._public = name
        self._name = self._name or name

    @overload
    def __get__(self, whole: None, owner: type) -> Forwarded[Value]: ...
    @overload
    def __get__(self, whole: object, owner: type) -> Value: ...
    def __get__(self, whole: object, owner: type) -> Forwarded[Value] | Value:
        if whole is None:
            return self
        value: Value = getattr(getattr(whole, self._part), self._name)
        return value

    def __set__(self, whole: object, value: Value) -> None:
        if self._read_only:
            raise AttributeError(f"{type(whole).__name__}.{self._public} cannot be set")
        check = SETTINGS.get(self._public)
        setattr(getattr(whole, self._part), self._name, value if check is None else check(value))
