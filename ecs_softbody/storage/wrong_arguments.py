"""Wrong arguments: the error for a component that is made with arguments that it does not have.

Component.__new__ calls it ahead of `__init__`, so that the message can say how the component is
made, instead of Python's own.
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
    """Stands for the names of arguments where an `__init__` takes any (`**options`)."""

    def issuperset(self, other: Iterable[object]) -> bool:
        """Return True: every name is one of them."""
        return True
