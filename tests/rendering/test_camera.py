from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from ecs_softbody.rendering import Camera


def test_world_and_screen_are_inverse() -> None:
    camera = Camera((3.0, -2.0), 7.0)
    points = np.array([(0.0, 0.0), (3.0, -2.0), (-5.5, 4.25)])
    np.testing.assert_allclose(
        camera.screen_to_world(camera.world_to_screen(points)), points, atol=1e-12
    )


def test_the_centre_is_in_the_middle_and_up_is_up() -> None:
    camera = Camera((3.0, -2.0), 7.2)
    np.testing.assert_allclose(
        camera.world_to_screen([(3.0, -2.0), (3.0, -1.0)]), [(640, 360), (640, 460)]
    )


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
    half = camera.view(100, 100, 0.5)
    whole = camera.view(100, 100, 1.0)
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


@pytest.mark.parametrize("aspect", [0.5, 1.0, 4 / 3, 16 / 9, 3.0])
@pytest.mark.parametrize(
    "rectangle", [(-7.0, -1.0, 7.0, 6.0), (10.0, 5.0, 11.0, 25.0), (-0.1, -0.1, 0.1, 0.1)]
)
@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_a_fitted_rectangle_is_seen_above_the_key_bar_as_large_as_it_goes(
    aspect: float, rectangle: tuple[float, float, float, float], margin: float
) -> None:
    camera = Camera(limits=(-1.0, -1.0, 1.0, 1.0))  # what is asked for counts more
    camera.fit(rectangle, margin=margin)
    camera.aspect = aspect  # the window is made, or changes, afterwards
    seen = camera.visible
    wished = np.add(rectangle, (-margin, -margin, margin, margin))
    room = np.array(
        (wished[0] - seen[0], wished[1] - seen[1], seen[2] - wished[2], seen[3] - wished[3])
    )
    assert (room > -1e-9).all()
    assert min(room[0] + room[2], room[1] + room[3]) == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(room[:2], room[2:], atol=1e-9)


@pytest.mark.parametrize(
    "rectangle",
    [(0, 0, 0, 1), (1, 0, 0, 1), (0, 2, 1, 1), (0, 0, 1), (0, 0, float("nan"), 1), "here", None],
)
def test_a_rectangle_without_a_size_is_refused(rectangle: object) -> None:
    with pytest.raises(ValueError, match="expected left, bottom, right, top"):
        Camera().fit(rectangle)  # type: ignore[arg-type]


def test_a_camera_that_is_sent_elsewhere_is_not_fitted_any_more() -> None:
    for send in (
        lambda camera: camera.jump_to((50, 0)),
        lambda camera: camera.follow((50, 0), dt=9.0),
    ):
        camera = Camera()
        camera.fit((-7, -1, 7, 6))
        send(camera)
        camera.aspect = 1.0
        assert camera.center[0] == pytest.approx(50.0)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("dt", [None, 1 / 60])
def test_several_bodies_are_seen(count: int, dt: float | None) -> None:
    camera = Camera()
    bodies = [
        np.array([(3.0 * number, number), (3.0 * number + 1, number - 1)])
        for number in range(count)
    ]
    for _ in range(1 if dt is None else 300):
        camera.advance()
        camera.fit_bodies(
            [*bodies, np.full((2, 2), np.nan), np.zeros((0, 2))], margin=0.5, least=4.0, dt=dt
        )
    left, bottom, right, top = camera.visible
    points = np.concatenate(bodies)
    assert (points > (left + 0.4, bottom + 0.4)).all()
    assert (points < (right - 0.4, top - 0.4)).all()
    assert top - bottom >= 4.0 - 1e-3


def test_no_bodies_leave_the_camera_alone() -> None:
    camera = Camera((3.0, 4.0), 7.0)
    camera.fit_bodies([])
    assert (camera.center, camera.height) == ((3.0, 4.0), 7.0)


@pytest.mark.parametrize("room", [0.0, 0.5, 2.0])
def test_inside_of_the_dead_zone_the_camera_stays(room: float) -> None:
    camera = Camera(lead=0.0, smoothing=0.01, dead_zone=(room, room))
    camera.jump_to((0.0, 0.0))
    places = []
    for x in np.concatenate((np.zeros(5), np.linspace(0.0, 5.0, 60), np.linspace(5.0, 0.0, 60))):
        camera.follow((x, 0.0))
        places.append(camera.center[0])
    moved = np.array(places[5:65])
    xs = np.linspace(0.0, 5.0, 60)
    assert np.abs(moved[xs < room]).max(initial=0.0) < 1e-6
    assert places[64] == pytest.approx(5.0 - room, abs=0.15)
    assert places[-1] == pytest.approx(room, abs=0.15)


def test_settled_it_is_where_it_was_sent() -> None:
    camera = Camera()
    camera.zoom_to(20.0)
    camera.follow((30.0, 5.0))
    camera.shake(1.0)
    camera.settle()
    for alpha in (0.0, 0.5, 1.0):
        view = camera.view(160, 90, alpha)
        assert (view.center, view.height) == ((30.0, 5.0), 20.0)
    camera.advance()
    assert camera.height == 20.0


def test_height_that_is_set_stays() -> None:
    camera = Camera()
    camera.height = 14.0
    for _ in range(60):
        camera.advance()
    assert camera.height == 14.0
    with pytest.raises(ValueError, match=r"Camera\.height: -3"):
        camera.height = -3


def test_visible_is_what_is_above_the_bar() -> None:
    camera = Camera((0.0, 0.0), 7.2)
    assert camera.visible == pytest.approx((-6.4, -3.6 + 0.46, 6.4, 3.6))


@pytest.mark.parametrize("speed", [-6.0, 2.0, 6.0])
def test_the_lead_is_what_it_says_while_the_target_moves(speed: float) -> None:
    camera = Camera()
    x = 0.0
    for _ in range(400):
        camera.follow((x, 0.0), (speed, 0.0))
        x += speed / 60.0
    assert camera.center[0] - x == pytest.approx(speed * camera.lead, abs=0.2)


def test_a_kick_goes_its_way_and_comes_back() -> None:
    camera = Camera()
    camera.kick((3.0, 0.0))
    x, y = camera.view(160, 90).center
    assert x > 0.1
    assert y == 0.0
    for _ in range(60):
        camera.advance()
    assert np.hypot(*camera.view(160, 90).center) < 1e-3


def test_a_push_in_shows_less_about_a_place_and_goes_when_nobody_asks_for_it() -> None:
    camera = Camera((0.0, 0.0), 9.0)
    whole = camera.view(160, 90)
    for _ in range(120):
        camera.push_in((5.0, 2.0))
        camera.advance()
    near = camera.view(160, 90)
    assert 0.8 * whole.height < near.height < 0.92 * whole.height
    assert near.center[0] > 0.3
    assert near.center[1] > 0.1
    for low, high in zip(whole.bounds[:2], near.bounds[:2], strict=True):
        assert low <= high + 1e-9
    for high, low in zip(whole.bounds[2:], near.bounds[2:], strict=True):
        assert low <= high + 1e-9
    for _ in range(240):
        camera.advance()
    assert camera.view(160, 90).height == pytest.approx(9.0, abs=0.01)


NONE_TO_LOOK_AT = [
    (np.nan, 1.0),
    (np.inf, 0.0),
    "x",
    None,
    (1.0, 2.0, 3.0),
    [(1, 2), (3,)],
    10**400,
]
CALLS: dict[str, Callable[[Camera, Any], object]] = {
    "target": lambda camera, value: camera.follow(value),
    "velocity": lambda camera, value: camera.follow((0.0, 0.0), value),
    "dt": lambda camera, value: camera.follow((0.0, 0.0), dt=value),
    "center": lambda camera, value: camera.jump_to(value),
    "direction": lambda camera, value: camera.kick(value),
    "place": lambda camera, value: camera.push_in(value),
    "strength": lambda camera, value: camera.shake(value),
    "height": lambda camera, value: camera.zoom_to(value),
    "margin": lambda camera, value: camera.fit((0, 0, 1, 1), margin=value),
    "rectangle": lambda camera, value: camera.fit(value),
    "limits": lambda camera, value: setattr(camera, "limits", value or (0, 0)),
    "smoothing": lambda camera, value: setattr(camera, "smoothing", value),
    "lead": lambda camera, value: setattr(camera, "lead", value),
    "dead_zone": lambda camera, value: setattr(camera, "dead_zone", value),
}


@pytest.mark.parametrize("field", CALLS)
def test_what_is_no_place_or_number_is_refused_by_name_and_the_view_stays(field: str) -> None:
    camera = Camera()
    for value in NONE_TO_LOOK_AT:
        is_of_a_frozen_body = (
            field in ("target", "velocity") and isinstance(value, tuple) and len(value) == 2
        )
        with nullcontext() if is_of_a_frozen_body else pytest.raises(ValueError, match=field):
            CALLS[field](camera, value)
    camera.advance()
    assert camera.view(100, 100) == Camera().view(100, 100)
