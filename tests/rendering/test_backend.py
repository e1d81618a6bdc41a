"""What any back end does: the rasterizer's here, that of OpenGL in a window."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import Session
from ecs_softbody.rendering.backend.backend import Backend
from ecs_softbody.rendering.backend.raster_backend import RasterBackend
from ecs_softbody.rendering.backend.rasterizer import draw_image
from ecs_softbody.rendering.backend.shaders import OPENGL, WEBGL, shaders
from tests.rendering.blob_garden import needs_compiled_pixels


@needs_compiled_pixels
def test_what_was_drawn_last_is_read(session: Session) -> None:
    backend: Backend = RasterBackend()
    assert not backend.read(64, 36).any()
    backend.draw(session.picture(320, 180))
    picture = session.picture(160, 90)
    seen = draw_image(picture)
    backend.draw(picture)
    np.testing.assert_array_equal(backend.read(160, 90), seen)
    picture.clear(160, 90)
    np.testing.assert_array_equal(backend.read(160, 90), seen)
    assert backend.read_small((160, 90), (40, 22)).shape == (22, 40, 3)
    # the window is wider and lower now, and nothing was drawn since
    corner = backend.read(200, 60)
    np.testing.assert_array_equal(corner[:, :160], seen[30:])
    assert not corner[:, 160:].any()


@pytest.mark.parametrize("first", [OPENGL, WEBGL])
def test_a_shader_says_its_version_in_its_first_line_and_nowhere_else(first: str) -> None:
    for source in shaders(first):
        assert source.startswith(first)
        assert source.count("#version") == 1
