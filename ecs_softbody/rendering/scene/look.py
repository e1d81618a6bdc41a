"""Look: how an entity is drawn. Pure data that a game attaches to its entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ecs_softbody.rendering.palette import Colour

Style = Literal["auto", "body", "rope", "discs", "link", "ground", "solid", "room", "platform", "line", "none"]


@dataclass(slots=True)
class Look:
    """How an entity is drawn; every field may change at any time.

    Attributes:
        fill: main colour; None takes one from the palette by the entity's number.
        outline: colour of the outline; None takes a darker shade of `fill`.
        style: `auto` decides by the components. For soft bodies: `body` (closed curve), `rope` (thick lines along
            the springs or distance limits), `discs` (one disc per particle), `link` (thin lines along them, also
            between bodies).
            For static colliders: `ground` (filled down to the bottom of the view), `solid` (closed, filled),
            `room` (closed, filled outside), `platform` (a plank hanging below the chain), `line`. `none` hides.
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
    mood: Literal["calm", "angry", "happy", "hurt"] = "calm"
    opacity: float = 1.0
    shadow: bool = True
    glow: float = 0.0
    layer_offset: int = 0
