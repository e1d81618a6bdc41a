"""Calls: errors of blueprints called with unknown arguments or with values too extreme to compute
with.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ecs_softbody.errors import FieldError
from ecs_softbody.reading import MOST_PARTICLES
from ecs_softbody.validation import is_whole, wrong_call

Given = ParamSpec("Given")
Parts = TypeVar("Parts")

COLOURS = {"color", "colour", "fill", "outline", "eyes"}
"""Names of arguments in other libraries that belong to the Look of a body."""
PICTURES = {"image", "picture", "skin", "sprite", "texture"}
"""Names of arguments in other libraries that belong to the Skin of a body."""
SHAPES = {
    "position": "center",
    "pos": "center",
    "size": "radius",
    "width": "radius",
    "weight": "mass",
}
"""Names of arguments in other libraries, with the names that most blueprints have for them."""


FAR = 66
"""Exponent of 2 that corresponds to 1e20."""
NO_COUNTS = ("category", "mask")
"""Whole numbers of blueprints that are no numbers of particles."""


@functools.cache
def counts_of(make: Callable[..., Any]) -> dict[str, Any]:
    """Return the arguments of a blueprint whose product is the number of its particles, with their
    defaults.
    """
    known = inspect.signature(make).parameters.values()
    return {
        one.name: one.default
        for one in known
        if one.annotation in (int, "int") and one.name not in NO_COUNTS
    }


def particles_asked(make: Callable[..., Any], options: Mapping[str, Any]) -> float:
    """Return the approximate number of particles asked of a blueprint; non-numbers count as one."""
    return math.prod(
        _count(options.get(name, default)) for name, default in counts_of(make).items()
    )


def _count(given: Any) -> float:
    return float(min(abs(given), 10**9)) if isinstance(given, float) or is_whole(given) else 1.0


def _check_size(make: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise ValueError if a blueprint is asked for too many particles, before memory is spent."""
    counts = [name for name in counts_of(make) if name in options]
    if counts:
        most = max(counts, key=lambda name: _count(options[name]))
        check_particles(make.__name__, most, options[most], particles_asked(make, options))


def check_particles(owner: str, field: str, value: object, count: float) -> None:
    """Raise ValueError for an argument of a blueprint that asks for too many particles."""
    if count > MOST_PARTICLES:
        allowed = f"at most {MOST_PARTICLES} particles in one body"
        raise FieldError(owner, field, value, allowed)


def blueprint(make: Callable[Given, Parts]) -> Callable[Given, Parts]:
    """Have a blueprint name the argument that was meant where it is called with another one, or
    with too much.
    """
    name = make.__name__

    @functools.wraps(make)
    def checked(*args: Given.args, **options: Given.kwargs) -> Parts:
        try:
            _check_size(make, options)
            return make(*args, **options)
        except (ArithmeticError, TypeError, ValueError) as error:
            wrong = wrong_call(name, make, args, options, _hint(name, options))
            if wrong is not None:
                raise wrong from None
            given = inspect.signature(make).bind(*args, **options).arguments
            if isinstance(error, FieldError) and error.field in given:
                if error.owner != name and _is_passed_on(error.value, given[error.field]):
                    error.of(name)
                if error.owner == name:
                    raise
            is_plain = isinstance(error, TypeError) and not isinstance(error, FieldError)
            if is_plain or all(_distance(value) < FAR for value in given.values()):
                raise
            raise _beyond(name, given) from error

    return checked


def _hint(name: str, options: Iterable[str]) -> str:
    """Return what follows on an unknown argument of a blueprint: the likely place of it."""
    hint = ""
    for option in options:
        if option in PICTURES:
            hint = f'; that is a Skin: sim.spawn(*blueprints.{name}(...), Skin("cat.png"))'
        elif option in COLOURS:
            hint = (
                f"; that is in its Look: sim.spawn(*blueprints.{name}(...), "
                "Look(fill=(90, 200, 120)))"
            )
        elif option in SHAPES:
            hint = f" (did you mean {SHAPES[option]}?)"
    return hint


def _is_passed_on(refused: Any, given: Any) -> bool:
    """Return whether a component refused the argument itself, or a number of it, and not what the
    blueprint computed from it.
    """
    if refused is given:
        return True
    try:
        return bool(np.isclose(refused, given, rtol=1e-6, atol=0.0, equal_nan=True).any())
    except (TypeError, ValueError):
        return False


def _beyond(name: str, given: Mapping[str, Any]) -> FieldError:
    """Return the error for numbers too extreme to compute with, naming the one furthest from 1."""
    field = max(given, key=lambda each: _distance(given[each]))
    return FieldError(name, field, given[field], "numbers from 1e-20 to 1e20")


def _distance(value: Any) -> float:
    """Return the largest absolute exponent of 2 of a value or its entries; 0 for non-numbers."""
    try:
        sizes = np.abs(np.asarray(value, np.float64))
    except OverflowError:
        return math.inf
    except (TypeError, ValueError):
        return 0.0
    sizes = sizes[(sizes > 0.0) & np.isfinite(sizes)]
    return float(np.abs(np.frexp(sizes)[1]).max(initial=0))
