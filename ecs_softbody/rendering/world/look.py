"""Look: how an entity is drawn. Pure data that a game attaches to its entities."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from ecs_softbody.errors import FieldError
from ecs_softbody.rendering.palette import Colour, check_colour
from ecs_softbody.state.components import register_component
from ecs_softbody.validation import check_flag, check_number, did_you_mean, is_whole

Style = Literal[
    "auto", "body", "rope", "discs", "link", "ground", "solid", "room", "platform", "line", "none"
]
Mood = Literal["calm", "angry", "happy", "hurt"]
OTHER_WORDS = {
    "color": "fill", "colour": "fill", "stroke": "outline", "border": "outline", "alpha": "opacity",
    "shape": "style", "kind": "style", "visible": "style", "layer": "layer_offset", "face": "mood",
}  # fmt: skip
"""Names in other libraries, with the name here."""
PICTURES = ("image", "picture", "sprite", "texture")
"""Names in other libraries for the picture on a body, which is its Skin here."""


@dataclass(slots=True)
class Look:
    """How an entity is drawn; every field may change at any time.

    A bad value raises ValueError that names the field, the value and the allowed values.

    Attributes:
        fill: main colour; None takes one from the palette by the entity's number.
        outline: colour of the outline; None takes a darker shade of `fill`.
        style: `auto` decides by the components. For soft bodies: `body` (closed curve), `rope`
            (thick lines along the springs or distance limits), `discs` (one disc per particle),
            `link` (thin lines along them, also between bodies). For static colliders: `ground`
            (filled down to the bottom of the view), `solid` (closed, filled), `room`
            (closed, filled outside), `platform` (a plank hanging below the chain), `line`. `none`
            hides.
        eyes: 0 to 2 eyes that look where the body moves, and blink. True means two.
        eye_size: radius of an eye as a share of the body's radius.
        mood: `calm`, `angry` (slanted lids), `happy` or `hurt`: shapes the eyes.
        opacity: 0 to 1.
        shadow: whether a soft shadow falls on the ground below.
        glow: 0 to 1, extra light (a power-up, a hit).
        layer_offset: added to the layer; larger is nearer.
    """

    fill: Colour | None = None
    outline: Colour | None = None
    style: Style = "auto"
    eyes: int | bool = 0
    eye_size: float = 0.24
    mood: Mood = "calm"
    opacity: float = 1.0
    shadow: bool = True
    glow: float = 0.0
    layer_offset: int = 0

    if not TYPE_CHECKING:

        def __new__(cls, *given: Any, **options: Any) -> Self:
            """Refuse unknown fields, and suggest the one that was meant."""
            for name in options.keys() - _names():
                raise TypeError(_unknown(name))
            return object.__new__(cls)

        def __setattr__(self, name: str, value: Any) -> None:
            """Check a field, and set it."""
            if name not in CHECKS:
                raise AttributeError(_unknown(name))
            object.__setattr__(self, name, CHECKS[name](name, value))

        def __copy__(self) -> Self:
            """Return a copy, without repeating the checks."""
            made = object.__new__(type(self))
            for name in CHECKS:
                object.__setattr__(made, name, getattr(self, name))
            return made

        def __getattr__(self, name: str) -> Any:
            """Suggest the field that was meant; copying and pickling look up special names."""
            raise AttributeError(name if name.startswith("__") else _unknown(name))


def _saved(look: Look) -> dict[str, Any]:
    """Return all fields, which a snapshot keeps: one from a file is made by the class, and so
    checked.
    """
    return {name: getattr(look, name) for name in CHECKS}


register_component(Look, save=_saved, load=lambda saved: Look(**saved))
Look.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what help() shows
    list(inspect.signature(Look.__init__).parameters.values())[1:]
)


def _names() -> set[str]:
    return {field.name for field in fields(Look)}


def _unknown(name: str) -> str:
    """Return the error message for an unknown field."""
    if name in PICTURES:
        return (
            f"Look has no {name!r}: a picture is a component of its own: sim.spawn(*body, "
            'Skin("cat.png"))'
        )
    return f"Look has no field {name!r}{did_you_mean(name, _names(), OTHER_WORDS)}"


def _colour(name: str, value: Any) -> Colour | None:
    return None if value is None else check_colour("Look", name, value, ", or None")


def _style(name: str, value: Any) -> Any:
    return _one_of(name, value, get_args(Style))


def _mood(name: str, value: Any) -> Any:
    return _one_of(name, value, get_args(Mood))


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> Any:
    if value not in allowed:
        near = did_you_mean(value, allowed)
        raise FieldError("Look", name, value, f"one of {', '.join(allowed)}", hint=near)
    return value


def _eyes(name: str, value: Any) -> int | bool:
    if isinstance(value, bool):
        return value
    if not is_whole(value) or not 0 <= value <= 2:
        raise FieldError("Look", "eyes", value, "0, 1 or 2, or True for two")
    return int(value)


def _share(name: str, value: Any) -> float:
    if not 0.0 <= (number := check_number("Look", name, value)) <= 1.0:
        raise FieldError("Look", name, value, "a number from 0 to 1")
    return number


def _size(name: str, value: Any) -> float:
    return check_number("Look", name, value, minimum=0.0)


def _flag(name: str, value: Any) -> bool:
    return check_flag("Look", name, value)


def _whole(name: str, value: Any) -> int:
    if not is_whole(value):
        raise FieldError("Look", name, value, "a whole number")
    return int(value)


CHECKS = {
    "fill": _colour, "outline": _colour, "style": _style, "eyes": _eyes, "eye_size": _size,
    "mood": _mood, "opacity": _share, "shadow": _flag, "glow": _share, "layer_offset": _whole,
}  # fmt: skip
"""Checks of the values of fields; each returns the value in its own type."""
