"""Checks of single arguments: each returns the value in its own type, or raises FieldError.

Columns of components check themselves (`storage/declared.py`).
"""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError, FieldTypeError

ALL_CATEGORIES = 0xFFFFFFFF
"""The mask of all 32 collision categories."""
MOST_SUBSTEPS = 10_000
"""As many as a warning of stability may advise; with more a frame would take minutes."""
MOST_THREADS = 1024
MOST_PIXELS = 8192
"""The longest side of a picture."""
FASTEST_TIME = 1000.0
"""Beyond this many seconds in one second of real time nothing could be seen."""
NO_NUMBERS = (bool, np.bool_, str, bytes, bytearray)
"""Types that `float` accepts, but that are never meant as a number."""
KINDS_OF_NUMBERS = "biuf"
"""numpy's kinds of numeric arrays; text is excluded, although numpy converts it to numbers."""
LONGEST_FRAME = 3600.0
"""In longer frames [s] squares of lengths and times leave the range of numbers."""
FARTHEST = 1e30
"""Lengths, speeds and accelerations beyond this leave the range of numbers where they are
multiplied, and take other bodies along.
"""
LIGHTEST, HEAVIEST = 1e-50, 1e50
"""Smaller masses have no inverse, and forces on larger ones leave the range of numbers; infinite
ones are fixed.
"""


MOST_NEAR, LONGEST_NEAR = 2000, 100
"""Maximum number of known names, and of characters of a name, compared with a wrong name, as
comparing is slow.
"""
NO_WORDS: Mapping[str, str] = {}


def did_you_mean(
    name: object,
    known: Iterable[str],
    other_words: Mapping[str, str] = NO_WORDS,
    *,
    alike: float = 0.6,
    prefix: str = "",
) -> str:
    """Return " (did you mean NAME?)" for the known public name that is most like `name`, or an
    empty string.

    other_words: names in other libraries, with the name meant. alike: least similarity, 0 to 1.
    prefix: begins the name that is suggested.
    """
    if not isinstance(name, str) or len(name) > LONGEST_NEAR:
        return ""
    public = [
        other
        for other in islice(known, MOST_NEAR)
        if not other.startswith("_") and len(other) <= LONGEST_NEAR
    ]
    if name in other_words:
        near = [name]
    else:
        near = [other for other in public if _letters(other) == _letters(name)]
        near = near or difflib.get_close_matches(name, [*public, *other_words], 1, alike)
    return f" (did you mean {prefix}{other_words.get(near[0], near[0])}?)" if near else ""


def _letters(name: str) -> str:
    """Return a name without underscores and capitals."""
    return name.lower().replace("_", "")


def unknown_attribute(
    owner: str, name: str, known: Iterable[str], other_words: Mapping[str, str] = NO_WORDS
) -> AttributeError:
    """Return the error for an attribute that an owner does not have, with the name meant."""
    hint = did_you_mean(name, known, other_words)
    return AttributeError(f"{owner} has no attribute {name!r}{hint}")


def read_only(owner: str, name: str) -> AttributeError:
    """Return the error for an attribute that cannot be set."""
    return AttributeError(f"{owner}.{name} is only to be read")


PLACES = ("point", "start", "center", "low", "position", "vertices")
"""Arguments that are a point or points, for which two numbers are often given."""


def wrong_call(
    name: str,
    function: Callable[..., Any],
    given: tuple[Any, ...],
    options: Mapping[str, Any],
    hint: str = "",
) -> TypeError | None:
    """Return the error of a call that does not fit the signature of a function; None if it fits.

    The message shows how the function is called, the argument meant, and that a point is one pair.
    """
    signature = inspect.signature(function)
    try:
        signature.bind(*given, **options)
    except TypeError as error:
        known = signature.parameters
        first = next(iter(known), "")
        unknown = [option for option in options if option not in known]
        if unknown:
            said = f"there is no argument {unknown[0]!r}{hint or did_you_mean(unknown[0], known)}"
        elif (
            first in PLACES
            and len(given) > 1
            and all(isinstance(value, int | float) for value in given[:2])
        ):
            said = f"{error}; {first} is one pair: {name}({given[:2]}, ...)"
        else:
            said = f"{error}{hint}"
        return TypeError(f"{name}: {said}. It is called as {name}({_names(known)})")
    return None


def _names(parameters: Mapping[str, inspect.Parameter]) -> str:
    """Return the names of parameters as in a call: with a default as `name=`."""
    shown = []
    for name, parameter in parameters.items():
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        shown.append(
            f"{stars}{name}" if parameter.default is inspect.Parameter.empty else f"{name}="
        )
    return ", ".join(shown)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer; True and False are not, nor are times, which numpy
    takes for integers.
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def check_number(
    owner: str,
    name: str,
    value: float,
    *,
    minimum: float = -math.inf,
    above: float = -math.inf,
    maximum: float = math.inf,
) -> float:
    """Return a finite number that is at least `minimum`, greater than `above` and at most
    `maximum`.
    """
    try:
        number = math.nan if isinstance(value, NO_NUMBERS) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= minimum and above < number <= maximum):
        limit = (
            f" >= {minimum:g}"
            if minimum > -math.inf
            else f" > {above:g}"
            if above > -math.inf
            else ""
        )
        limit += f"{' and' if limit else ''} <= {maximum:g}" if maximum < math.inf else ""
        raise FieldError(owner, name, value, f"a finite number{limit}")
    return number


def check_distance(owner: str, name: str, value: float) -> float:
    """Return a number >= 0, which may be infinite."""
    return (
        math.inf
        if isinstance(value, float) and value == math.inf
        else check_number(owner, name, value, minimum=0.0)
    )


def check_count(
    owner: str, name: str, value: int, *, minimum: int = 1, maximum: int | None = None
) -> int:
    """Return a whole number from `minimum` to `maximum`."""
    if not is_whole(value) or value < minimum or (maximum is not None and value > maximum):
        allowed = f">= {minimum}{'' if maximum is None else f' and <= {maximum}'}"
        raise FieldError(owner, name, value, f"a whole number {allowed}")
    return int(value)


def check_flag(owner: str, name: str, value: bool) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise FieldError(owner, name, value, "True or False")
    return bool(value)


def check_text(owner: str, name: str, value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise FieldTypeError(owner, name, value, "a text")
    return value


def array_of(value: ArrayLike) -> Floats:
    """Return numbers as a new array; an empty one for values that are not numbers."""
    try:
        array = np.array(value)
    except ValueError:  # rows of unequal length
        return np.zeros(0)
    return array.astype(np.float64) if array.dtype.kind in KINDS_OF_NUMBERS else np.zeros(0)


def check_point(owner: str, name: str, value: ArrayLike, unit: str = "m") -> Floats:
    """Return two finite numbers, not beyond FARTHEST, as a new array (2,)."""
    point = array_of(value)
    if point.shape != (2,) or not (np.abs(point) <= FARTHEST).all():
        size = (
            f" of at most {FARTHEST:g} in size"
            if point.shape == (2,) and np.isfinite(point).all()
            else ""
        )
        raise FieldError(owner, name, value, f"two finite numbers (x, y){size} [{unit}]")
    return point


def check_coordinates(owner: str, name: str, value: ArrayLike) -> tuple[float, float]:
    """Return two finite numbers [m] as floats."""
    x, y = check_point(owner, name, value).tolist()
    return x, y


def check_path(owner: str, name: str, value: object) -> Path:
    """Return a path as systems take it."""
    if not isinstance(value, str | Path):
        raise FieldTypeError(owner, name, value, "the path of a file")
    if "\0" in str(value):
        raise FieldError(owner, name, str(value), "the path of a file, without zero characters")
    return Path(value)


def check_size(
    owner: str, name: str, value: object, *, minimum: int = 1, maximum: int = MOST_PIXELS
) -> tuple[int, int]:
    """Return a width and a height in whole pixels."""
    sides = list(value) if isinstance(value, tuple | list | np.ndarray) else []
    if len(sides) != 2 or not all(is_whole(side) and minimum <= side <= maximum for side in sides):
        in_words = (
            "x".join(map(str, sides)) if len(sides) == 2 and all(map(is_whole, sides)) else ""
        )
        allowed = f"a width and a height of {minimum} to {maximum} pixels a side"
        raise FieldError(owner, name, value, allowed, in_words=in_words)
    return int(sides[0]), int(sides[1])


def check_mask(owner: str, name: str, value: int) -> int:
    """Return the bits of collision categories, 32 at most."""
    if not is_whole(value) or not 0 <= value <= ALL_CATEGORIES:
        raise FieldError(owner, name, value, f"a whole number from 0 to {ALL_CATEGORIES:#x}")
    return int(value)


def check_entities(owner: str, name: str, value: int | Iterable[int]) -> tuple[int, ...]:
    """Return one entity or several; they need not exist."""
    try:
        entities = tuple([value] if isinstance(value, int | np.integer) else value)
        if all(is_whole(entity) for entity in entities):
            return entities
    except TypeError:  # not iterable
        pass
    raise FieldError(owner, name, value, "an entity or several")


SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "gravity": lambda value: check_point("Simulation", "gravity", value, "m/s²"),
    "substeps": lambda value: check_count("Simulation", "substeps", value, maximum=MOST_SUBSTEPS),
    "threads": lambda value: check_count("Simulation", "threads", value, maximum=MOST_THREADS),
    "sleeping": lambda value: check_flag("Simulation", "sleeping", value),
    "speed_limit": lambda value: check_number(
        "Simulation", "speed_limit", value, above=0.0, maximum=FARTHEST
    ),
    "time_scale": lambda value: check_number(
        "Simulation", "time_scale", value, minimum=0.0, maximum=FASTEST_TIME
    ),
    "time": lambda value: check_number("Simulation", "time", value),
    "frame": lambda value: check_count("Simulation", "frame", value, minimum=0),
    "alpha": lambda value: check_number("Simulation", "alpha", value, minimum=0.0),
    "paused": lambda value: check_flag("Simulation", "paused", value),
    "frame_dt": lambda value: check_number(
        "Simulation", "frame_dt", value, above=0.0, maximum=LONGEST_FRAME
    ),
}
"""Allowed settings of a Simulation, for programs and files."""
