"""Explained: wrong arguments of drawing calls, found once a call has failed.

Checking the arguments of every call would take as long as drawing small things does.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ecs_softbody.arrays import Floats
from ecs_softbody.errors import FieldError
from ecs_softbody.rendering.palette import check_colour
from ecs_softbody.validation import array_of, check_flag, check_number, check_point, wrong_call

P = ParamSpec("P")
T = TypeVar("T")
Check = Callable[[str, str, Any], object]
FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What drawing raises for arguments of a wrong type or shape."""


def explained(function: Callable[P, T]) -> Callable[P, T]:
    """Have a method name its wrong argument when it fails: FieldError, or TypeError for a call that
    does not fit; other exceptions stay as they are.
    """

    @functools.wraps(function)
    def call(*given: P.args, **options: P.kwargs) -> T:
        try:
            return function(*given, **options)
        except FAILURES:
            _check_call(function, given, options)
            raise

    return call


def check_places(owner: str, name: str, value: Any) -> Floats:
    """Return positions as a new array (..., 2); they need not be finite."""
    places = array_of(value)
    if places.shape[-1:] != (2,):
        raise FieldError(owner, name, value, "positions (x, y), shape (..., 2)")
    return places


def _check_call(
    function: Callable[..., Any], given: tuple[Any, ...], options: Mapping[str, Any]
) -> None:
    """Raise the error of the first wrong argument of a method, `given` with its instance."""
    owner = function.__qualname__
    of_instance = functools.partial(function, given[0])
    if (wrong := wrong_call(owner, of_instance, given[1:], options)) is not None:
        raise wrong from None
    signature = inspect.signature(of_instance)
    for name, value in signature.bind(*given[1:], **options).arguments.items():
        if name in CHECKS and value is not signature.parameters[name].default:
            try:
                CHECKS[name](owner, name, value)
            except FieldError as error:
                raise error from None


def _check_space(owner: str, name: str, value: Any) -> None:
    if value not in ("world", "screen"):
        raise FieldError(owner, name, value, "'world' or 'screen'")


def _check_place(owner: str, name: str, value: Any) -> None:
    check_point(owner, name, value, "m or points")


def _check_lengths(owner: str, name: str, value: Any) -> None:
    if not array_of(value).size:
        raise FieldError(owner, name, value, "a number, or one for each")


def _check_colours(owner: str, name: str, value: Any) -> None:
    if not (isinstance(value, np.ndarray) and value.ndim == 2):
        check_colour(owner, name, value)


CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(
        ("center", "at", "start", "end", "left_bottom", "right_top"), _check_place
    ),
    **dict.fromkeys(("points", "centers", "starts", "ends"), check_places),
    **dict.fromkeys(("point", "normal", "along"), check_point),
    **dict.fromkeys(("fill", "outline", "fill_top", "colour"), _check_colours),
    **dict.fromkeys(("radii",), _check_lengths),
    **dict.fromkeys(
        ("radius", "width", "outline_width", "corner", "softness", "size", "layer", "strength",
        "glow", "seconds"), check_number,
    ),
    **dict.fromkeys(("closed", "metres", "shadow", "closing"), check_flag),
    "space": _check_space,
}  # fmt: skip
"""Checks of arguments by their names, which are the same in all drawing calls."""
