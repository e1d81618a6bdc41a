"""Backdrop: the calm gradient behind everything, with soft hills that move slower than the world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import Colour, check_colour, rgba
from ecs_softbody.rendering.picture import Picture

HILLS = ((0.12, 0.40, 0.055, 0.40), (0.24, 0.27, 0.075, 0.72))
"""(share of the camera's movement, height, size of the waves, share of the hill colour), far ones first."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of what is behind everything.

    Attributes:
        sky_top: the sky at the upper edge of the picture.
        sky_bottom: the sky at the horizon.
        hills: the far hills; the sky is mixed into them.
    """

    sky_top: Colour = palette.SKY_TOP
    sky_bottom: Colour = palette.SKY_BOTTOM
    hills: Colour = palette.FAR

    def __post_init__(self) -> None:
        """Check the colours.

        Raises:
            ValueError: naming the field, the value and what is allowed.
        """
        for name in ("sky_top", "sky_bottom", "hills"):
            object.__setattr__(self, name, check_colour(f"Theme.{name}", getattr(self, name)))


def draw_backdrop(picture: Picture, theme: Theme | None = None) -> None:
    """Fill the picture with the sky and two rows of far hills."""
    theme = theme or Theme()
    corner = (picture.width, picture.height)
    picture.rectangle((0, 0), corner, theme.sky_bottom, fill_top=theme.sky_top, layer=Layer.BACKGROUND, space="screen")
    x_camera, y_camera = picture.view.center
    across = np.linspace(-0.02, 1.02, 48) * picture.width_px
    for share, height, waves, strength in HILLS:
        position = across / picture.height_px + share * x_camera / picture.view.height * 4.0
        crest = height + waves * (np.sin(2.1 * position + 9 * share) + 0.5 * np.sin(4.7 * position + 31 * share))
        top = (crest - 0.10 * share * y_camera / picture.view.height) * picture.height_px
        crests, feet = np.column_stack((across, top)), np.column_stack((across, np.zeros_like(across)))
        near = rgba(palette.mixed(theme.sky_bottom, theme.hills, strength))
        far = rgba(palette.mixed(theme.sky_bottom, theme.hills, 0.25 * strength))
        picture.mesh(Layer.BACKGROUND + 1).add_band(crests, feet, near, far)
