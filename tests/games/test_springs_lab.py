"""The springs lab as one uses it: keys, mouse and controller turn pages and move sliders; a throw
stops the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from ecs_softbody.play import Controls, Session
from ecs_softbody_games.springs_lab import SpringsLab
from ecs_softbody_games.springs_lab.look import lay_out, place_view
from ecs_softbody_games.springs_lab.pages import PAGES
from ecs_softbody_games.springs_lab.pages.side_by_side import SideBySide


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(SpringsLab())
    made.frame(Controls(pressed={"space"}))
    yield made
    made.close()


def lab_of(session: Session) -> SpringsLab:
    assert isinstance(session.game, SpringsLab)
    return session.game


def press(session: Session, *keys: str) -> None:
    session.frame(Controls(held=set(keys), pressed=set(keys)))
    session.frame(Controls(released=set(keys)))


def texts(session: Session, size: tuple[int, int] = (640, 360)) -> list[str]:
    return [text.text for text in session.picture(*size).texts]


@pytest.mark.parametrize("keys", [("e", "q"), ("pad_rb", "pad_lb")])
def test_keys_and_a_controller_turn_the_pages(session: Session, keys: tuple[str, str]) -> None:
    lab = lab_of(session)
    press(session, keys[0])
    press(session, keys[0])
    assert lab.number == 2
    assert lab.page.title in texts(session)
    press(session, keys[1])
    assert lab.number == 1
    press(session, keys[1])
    press(session, keys[1])
    assert lab.number == len(PAGES) - 1, "before the first one is the last one"


def test_a_slider_moved_by_keys_begins_the_page_anew(session: Session) -> None:
    lab = lab_of(session)
    for _ in range(30):
        session.frame(Controls())
    before = lab.page["mass"]
    sim = lab.sim
    press(session, "right")
    assert lab.page["mass"] == pytest.approx(before + 0.1)
    assert lab.sim is not sim
    assert lab.sim.frame <= 2
    press(session, "down")
    press(session, "pad_right")
    assert lab.page["stiffness"] == 45.0
    press(session, "space")
    assert lab.page["stiffness"] == 45.0, "to begin anew keeps what was set"
    session.restart()
    assert lab.page["stiffness"] == 40.0


def test_the_list_of_pages_is_chosen_from_by_keys_and_by_mouse(session: Session) -> None:
    lab = lab_of(session)
    press(session, "i")
    assert {page.title for page in lab.pages} <= {text.split("  ")[-1] for text in texts(session)}
    press(session, "down")
    press(session, "down")
    press(session, "space")
    assert lab.number == 2
    assert not lab.list_shown
    session.picture(640, 360)
    left, bottom, right, top = lab.panels.buttons["pages"]
    click = Controls(
        pressed={"mouse_left"}, held={"mouse_left"}, pointer_screen=(left + 2, bottom + 2)
    )
    session.frame(click)
    assert lab.list_shown
    session.picture(640, 360)
    left, bottom, right, top = lab.panels.buttons["page 6"]
    place = (0.5 * (left + right), 0.5 * (bottom + top))
    session.frame(Controls(pressed={"mouse_left"}, held={"mouse_left"}, pointer_screen=place))
    assert (lab.number, lab.list_shown) == (6, False)


def test_a_mass_that_is_held_stops_the_numbers_until_the_page_begins_anew(session: Session) -> None:
    lab = lab_of(session)
    session.picture(1280, 720)
    for _ in range(60):
        session.frame(Controls())
    place = lab.page.body().position[1]
    screen = tuple(float(value) for value in lab.camera.world_to_screen(place))
    mouse = {"pointer": (float(place[0]), float(place[1])), "pointer_screen": screen}
    session.frame(Controls(**mouse))  # type: ignore[arg-type]
    session.frame(Controls(held={"mouse_left"}, pressed={"mouse_left"}, **mouse))  # type: ignore[arg-type]
    for _ in range(5):
        session.frame(Controls(held={"mouse_left"}, **mouse))  # type: ignore[arg-type]
    assert lab.page.touched
    noted = len(lab.page.times)
    for _ in range(10):
        session.frame(Controls())
    assert len(lab.page.times) == noted
    assert any(text.startswith("touched") for text in texts(session, (1280, 720)))
    press(session, "space")
    assert not lab.page.touched


def test_the_mouse_on_a_panel_takes_hold_of_nothing(session: Session) -> None:
    lab = lab_of(session)
    session.picture(1280, 720)
    left, _, right, top = lab.panels.layout.side
    place = (0.5 * (left + right), top - 40.0)
    mouse = {"pointer": (0.0, -1.5), "pointer_screen": place}
    session.frame(Controls(**mouse))  # type: ignore[arg-type]
    session.frame(Controls(held={"mouse_left"}, pressed={"mouse_left"}, **mouse))  # type: ignore[arg-type]
    assert not session.drag.holding


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [(320, 180), (405, 720), (800, 600), (1280, 720), (3440, 1440), (3840, 2160)]
)
def test_everything_fits_into_a_window_of_any_size(session: Session, size: tuple[int, int]) -> None:
    """Boxes do not overlap, letters are large enough, and nothing is written beyond the edge of its
    box.
    """
    lab = lab_of(session)
    layout = lay_out(720.0 * size[0] / size[1], size[1])
    assert layout.unit * size[1] / 720.0 >= 8.9
    boxes = [layout.head, layout.world, layout.plot, layout.side]
    for number, first in enumerate(boxes):
        assert first[0] < first[2]
        assert first[1] < first[3]
        for second in boxes[number + 1 :]:
            apart = (
                first[2] <= second[0]
                or second[2] <= first[0]
                or first[3] <= second[1]
                or second[3] <= first[1]
            )
            assert apart
    for number in range(len(PAGES)):
        lab.turn_to(number)
        picture = session.picture(*size)
        shown = [text for text in picture.texts if text.layer < 88]
        for text in shown:
            assert -1.0 <= text.place[0] <= picture.width
        words = {text.text for text in shown}
        assert lab.page.title in words
        assert "measured" in words
        assert lab.page.formula[0] in words


@given(wide=some.integers(40, 8000), high=some.integers(40, 4400))
def test_the_world_has_room_in_a_window_of_any_shape(wide: int, high: int) -> None:
    """However small or narrow a window is, its boxes are not empty and a camera can show the world
    in its box.
    """
    width = 720.0 * wide / high
    layout = lay_out(width, high)
    for left, bottom, right, top in (layout.head, layout.world, layout.plot, layout.side):
        assert left < right
        assert bottom < top
    height, centre = place_view((-3.0, -4.0, 5.0, 1.0), layout.world, width)
    assert 0.0 < height < np.inf
    assert np.isfinite(centre).all()


@pytest.mark.slow
def test_the_scripted_player_shows_one_page_after_the_other() -> None:
    session = Session(SpringsLab(), autopilot=True)
    lab = lab_of(session)
    seen = {0}
    start = lab.page["mass"]
    for frame in range(1000):
        session.frame()
        seen.add(lab.number)
        if frame == 300:
            assert lab.page["mass"] > start
    assert seen == {0, 1, 2}
    session.close()


def test_a_player_finds_the_sliders_as_they_are_meant_after_the_demo() -> None:
    session = Session(SpringsLab())
    lab = lab_of(session)
    for _ in range(300):
        session.frame()
    session.frame(Controls(pressed={"space"}))
    assert (lab.number, lab.page["mass"]) == (0, 2.0)
    session.close()


def test_the_page_that_was_open_last_is_kept(session: Session) -> None:
    lab = lab_of(session)
    press(session, "e")
    session.restart()
    assert lab.number == 1
    lab.saves["page"] = 99
    session.restart()
    assert lab.number == 0


@pytest.mark.slow
def test_all_scenes_of_the_pages_are_right_and_finite(session: Session) -> None:
    lab = lab_of(session)
    for number in range(len(PAGES)):
        lab.turn_to(number)
        for _ in range(5):
            session.frame(Controls())
        assert np.isfinite(lab.page.trace).all()


@pytest.mark.brief(2)
@pytest.mark.parametrize("title", ["One spring, three solvers", "One rope, three solvers"])
def test_what_has_blown_up_stands_where_it_began_with_words_below_it(
    session: Session, title: str
) -> None:
    lab = lab_of(session)
    lab.turn_to([page.title for page in PAGES].index(title))
    for _ in range(14):
        press(session, "right")
    for _ in range(120):
        session.frame()
    page = lab.page
    assert isinstance(page, SideBySide)
    assert page.blown_up
    body = page.bodies[0]
    assert np.array_equal(body.position, page.explicit.start)
    picture = session.picture(1280, 720)
    words = next(text for text in picture.texts if text.text == "blown up, stopped")
    left, bottom, right, top = lab.page.view
    low = picture.to_pixels(body.position)[:, 1].min() / picture.point
    assert 0.0 < words.place[1] < low
    assert left < body.position[:, 0].mean() < right
    assert bottom < body.position[:, 1].min() < top
