"""Wrong arguments: error messages for components constructed with arguments that they do not
have.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ecs_softbody.validation import wrong_call


def wrong_arguments(
    kind: type[Any], given: tuple[Any, ...], options: dict[str, Any]
) -> TypeError | None:
    """Return the error of constructing a component with these arguments; None if they fit."""
    most, known = _arguments(kind.__init__)
    if len(given) <= most and known.issuperset(options):
        return None
    hint = ""
    if len(given) > most == 1 and all(np.shape(value) == (2,) for value in given):
        hint = (
            "; several points are one list: "
            f"{kind.__name__}([{', '.join(str(value) for value in given)}])"
        )
    return wrong_call(kind.__name__, functools.partial(kind.__init__, None), given, options, hint)


@functools.cache
def _arguments(make: Callable[..., Any]) -> tuple[int, frozenset[str]]:
    """Return how many arguments an `__init__` takes by place, and the names of all of them."""
    parameters = list(inspect.signature(make).parameters.values())[1:]
    by_place = [
        one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters):
        return sys.maxsize, _Anything()
    return len(by_place), frozenset(one.name for one in parameters)


class _Anything(frozenset[str]):
    """The names of a class that takes any."""

    def issuperset(self, other: Iterable[object]) -> bool:
        return True
