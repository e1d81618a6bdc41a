"""Elasticity: converts a material into regular arguments of each blueprint.

Firmness F, the pressure that a body withstands over the pressure of its own weight, gives
frequencies f by

    (2π f)² = c F g / size

so a body looks the same at any size. Springs and gas carry the load up to the limit of a substep of
2 ms; the rest shape carries the remainder.
"""

from __future__ import annotations

import functools
import inspect
import math
import typing
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from ecs_softbody.blueprints.mass_and_springs import DENSITY, EARTH
from ecs_softbody.blueprints.materials import Material, material_of
from ecs_softbody.blueprints.options import DEFAULTS
from ecs_softbody.components import ShapeMatching
from ecs_softbody.validation import check_number

Given = ParamSpec("Given")
Parts = TypeVar("Parts")
Options = dict[str, Any]
Elasticity = Callable[[Mapping[str, Any], float, float], Options]
"""From the arguments of a call, firmness and damping ratio to arguments of the blueprint."""

INSTEAD = {
    "mass": "density",
    "stiffness": "frequency",
    "damping": "damping_ratio",
    "shape_stiffness": "shape_frequency",
}
"""Given arguments, and the material's arguments that they replace."""


def made_of(
    elasticity: Elasticity | None, *, density: float = DENSITY, **defaults: float
) -> Callable[[Callable[Given, Parts]], Callable[Given, Parts]]:
    """Let `material` and `firmness` set the other arguments of a blueprint, unless given, and give
    it the defaults of all options.

    density: its default [kg/m² or kg/m]. defaults: of options, where they differ from DEFAULTS.
    """

    def wrap(make: Callable[Given, Parts]) -> Callable[Given, Parts]:
        signature = inspect.signature(make)
        *own, _ = signature.parameters.values()
        shared = _shared_options(make, defaults)
        parameters = sorted([*shared.values(), *own], key=lambda parameter: parameter.kind)
        signature = signature.replace(parameters=parameters)
        usual: Any = {name: parameter.default for name, parameter in shared.items()}

        @functools.wraps(make)
        def made(*args: Given.args, **options: Given.kwargs) -> Parts:
            if not options.keys() <= signature.parameters.keys():
                raise TypeError(f"{make.__name__}() has no such argument")
            if options.get("material") is None and options.get("firmness") is None:
                return make(*args, **{**usual, **options})
            call = signature.bind(*args, **options)
            call.apply_defaults()
            try:
                chosen = _chosen(make.__name__, call.arguments, elasticity, density / DENSITY)
            except (TypeError, ValueError, ArithmeticError):
                plain: Any = {
                    name: value
                    for name, value in options.items()
                    if name not in ("material", "firmness")
                }
                # If another argument is wrong, the blueprint raises its error.
                make(*args, **{**usual, **plain})
                raise
            for given, other in INSTEAD.items():
                if options.get(given) is not None:
                    chosen.pop(other, None)
            chosen |= {
                name: value
                for name, value in options.items()
                if value is not None or name not in chosen
            }
            return make(*args, **{**usual, **chosen})

        made.__signature__ = signature  # type: ignore[attr-defined]
        return made

    return wrap


def _shared_options(
    make: Callable[..., Any], defaults: Mapping[str, float]
) -> dict[str, inspect.Parameter]:
    """Return the parameters that `**options: Unpack[...]` of a blueprint stands for."""
    (kind,) = typing.get_args(typing.get_type_hints(make)["options"])
    values = {**DEFAULTS, **defaults}
    return {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=values.get(name),
            annotation=hint.__forward_arg__,
        )
        for name, hint in kind.__annotations__.items()
    }


def _chosen(
    owner: str, call: Mapping[str, Any], elasticity: Elasticity | None, heavier: float
) -> Options:
    """Return the arguments that material and firmness of a call stand for."""
    material = Material() if call["material"] is None else material_of(owner, call["material"])
    chosen: Options = {}
    if call["material"] is not None:
        chosen = {
            name: getattr(material, name) for name in ("friction", "restitution") if name in call
        }
        chosen["density"] = heavier * material.density
    if elasticity is not None:
        firmness = material.firmness
        if call["firmness"] is not None:
            firmness = check_number(owner, "firmness", call["firmness"], above=0.0)
        chosen |= elasticity(call, firmness, material.damping_ratio)
    return chosen


def hertz(firmness: float, size: float) -> float:
    """Return √(F g / size) / 2π [Hz] for a firmness [1] and a size [m]."""
    return math.sqrt(firmness * EARTH / size) / (2.0 * math.pi)


def carried(frequency: float, damping_ratio: float, *, hertz: float, damped: float) -> Options:
    """Return frequency and damping ratio of springs, no more of either than given: of the second
    times Hz.
    """
    frequency = min(frequency, hertz)
    return {"frequency": frequency, "damping_ratio": min(damping_ratio, damped / frequency)}


def rest_shape(owner: str, mass: float, frequency: float, damping_ratio: float) -> ShapeMatching:
    """Return the ShapeMatching of particles of a mean mass [kg] for a frequency [Hz]."""
    swing = 2.0 * math.pi * check_number(owner, "shape_frequency", frequency, minimum=0.0)
    ratio = check_number(owner, "shape_damping_ratio", damping_ratio, minimum=0.0)
    return ShapeMatching(stiffness=mass * swing**2, damping=2.0 * ratio * mass * swing)
