from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.rendering import Camera


def test_world_and_screen_are_inverse() -> None:
    camera = Camera((3.0, -2.0), 7.0)
    points = np.array([(0.0, 0.0), (3.0, -2.0), (-5.5, 4.25)])
    np.testing.assert_allclose(camera.screen_to_world(camera.world_to_screen(points)), points, atol=1e-12)


def test_the_centre_is_in_the_middle_and_up_is_up() -> None:
    camera = Camera((3.0, -2.0), 7.2)
    np.testing.assert_allclose(camera.world_to_screen([(3.0, -2.0), (3.0, -1.0)]), [(640, 360), (640, 460)])


def test_following_comes_near_the_target_and_looks_ahead() -> None:
    camera = Camera((0.0, 0.0), 9.0)
    for _ in range(300):
        camera.follow((10.0, 0.0), (4.0, 0.0))
    assert camera.center[0] == pytest.approx(10.0 + 4.0 * camera.lead, abs=0.05)


def test_limits_keep_the_view_inside() -> None:
    camera = Camera((0.0, 0.0), 9.0, limits=(0.0, 0.0, 40.0, 20.0))
    camera.jump_to((-100.0, 100.0))
    left, bottom, right, top = camera.view(1600, 900).bounds
    assert (left, top) == pytest.approx((0.0, 20.0))
    assert bottom >= 0.0
    assert right <= 40.0


def test_a_world_smaller_than_the_view_is_centred() -> None:
    camera = Camera(height=9.0, limits=(0.0, 0.0, 2.0, 2.0))
    camera.jump_to((50.0, 50.0))
    assert camera.center == (1.0, 1.0)


def test_views_between_two_frames_lie_between_them() -> None:
    camera = Camera((0.0, 0.0))
    camera.jump_to((0.0, 0.0))
    camera.advance()
    camera.follow((8.0, 0.0))
    half, whole = camera.view(100, 100, 0.5), camera.view(100, 100, 1.0)
    assert half.center[0] == pytest.approx(0.5 * whole.center[0])


def test_a_shake_moves_the_view_and_dies_out() -> None:
    camera = Camera()
    camera.shake(1.0)
    moved = []
    for _ in range(90):
        camera.advance()
        moved.append(float(np.hypot(*camera.view(160, 90).center)))
    assert max(moved[:20]) > 0.01
    assert moved[-1] < 1e-4


def test_zoom_glides() -> None:
    camera = Camera(height=9.0)
    camera.zoom_to(4.5)
    camera.advance()
    assert 4.5 < camera.height < 9.0
    for _ in range(120):
        camera.advance()
    assert camera.height == pytest.approx(4.5, abs=0.05)


def test_a_height_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Camera\.height: 0"):
        Camera(height=0)
