"""Calls: what a blueprint says when it is called with arguments that it does not have."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ecs_softbody.validation import wrong_call

Given = ParamSpec("Given")
Parts = TypeVar("Parts")

COLOURS = {"color", "colour", "fill", "outline", "eyes"}
PICTURES = {"image", "picture", "skin", "sprite", "texture"}
SHAPES = {"position": "center", "pos": "center", "size": "radius", "width": "radius", "weight": "mass"}


def blueprint(make: Callable[Given, Parts]) -> Callable[Given, Parts]:
    """Have a blueprint name the argument that was meant where it is called with another one."""
    name = make.__name__

    @functools.wraps(make)
    def checked(*args: Given.args, **options: Given.kwargs) -> Parts:
        try:
            return make(*args, **options)
        except TypeError as error:
            hint = ""
            for option in options:
                if option in PICTURES:
                    hint = f'; that is a Skin: sim.spawn(*blueprints.{name}(...), Skin("cat.png"))'
                elif option in COLOURS:
                    hint = f"; that is in its Look: sim.spawn(*blueprints.{name}(...), Look(fill=(90, 200, 120)))"
                elif option in SHAPES:
                    hint = f" (did you mean {SHAPES[option]}?)"
            if (wrong := wrong_call(name, make, args, options, hint)) is not None:
                raise wrong from None
            raise error

    return checked
