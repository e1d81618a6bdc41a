"""Backdrop: the calm gradient behind everything, with soft hills that move slower than the world."""

from __future__ import annotations

import numpy as np

from ecs_softbody.rendering import palette
from ecs_softbody.rendering.layers import Layer
from ecs_softbody.rendering.palette import rgba
from ecs_softbody.rendering.picture import Picture

HILLS = ((0.12, 0.40, 0.055, 0.40), (0.24, 0.27, 0.075, 0.72))
"""(share of the camera's movement, height, size of the waves, share of the hill colour), far ones first."""


def draw_backdrop(picture: Picture) -> None:
    """Fill the picture with the sky and two rows of far hills."""
    corner, sky = (picture.width, picture.height), palette.SKY_TOP
    picture.rectangle((0, 0), corner, palette.SKY_BOTTOM, fill_top=sky, layer=Layer.BACKGROUND, space="screen")
    x_camera, y_camera = picture.view.center
    across = np.linspace(-0.02, 1.02, 48) * picture.width_px
    for share, height, waves, strength in HILLS:
        position = across / picture.height_px + share * x_camera / picture.view.height * 4.0
        crest = height + waves * (np.sin(2.1 * position + 9 * share) + 0.5 * np.sin(4.7 * position + 31 * share))
        top = (crest - 0.10 * share * y_camera / picture.view.height) * picture.height_px
        crests, feet = np.column_stack((across, top)), np.column_stack((across, np.zeros_like(across)))
        near = rgba(palette.mixed(palette.SKY_BOTTOM, palette.FAR, strength))
        far = rgba(palette.mixed(palette.SKY_BOTTOM, palette.FAR, 0.25 * strength))
        picture.mesh(Layer.BACKGROUND + 1).add_band(crests, feet, near, far)
