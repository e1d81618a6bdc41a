from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import FRAME, Controls, Session
from ecs_softbody.play.screens.overlays import draw_title
from ecs_softbody.play.sound.recipes import SOUND_NAMES
from ecs_softbody.play.sound.waves import synthesised
from ecs_softbody.rendering import Layer, Picture
from tests.rendering.blob_garden import BlobGarden


def press(session: Session, *keys: str) -> None:
    session.frame(Controls(held=set(keys), pressed=set(keys)))


def texts(session: Session) -> set[str]:
    return {text.text for text in session.picture(640, 360).texts}


def garden(session: Session) -> BlobGarden:
    assert isinstance(session.game, BlobGarden)
    return session.game


def test_the_start_screen_names_the_game_and_its_keys(session: Session) -> None:
    assert {"Blob garden", "Push the blob", "push", "hop", "SPACE", "Press SPACE to play"} <= texts(
        session
    )


@pytest.mark.parametrize("key", ["space", "enter", "mouse_left"])
def test_it_starts_with_a_key_or_a_click(session: Session, key: str) -> None:
    press(session, key)
    assert session.state == "playing"
    assert "Press SPACE to play" not in texts(session)


def test_the_key_that_starts_does_not_play(session: Session) -> None:
    press(session, "space")
    session.frame()
    assert not any("space" in controls.pressed for controls in garden(session).seen)


def test_playing_steps_once_per_frame(session: Session) -> None:
    press(session, "space")
    before = session.game.sim.frame
    for _ in range(30):
        session.frame(Controls(held={"right"}))
    assert session.game.sim.frame - before == 30
    assert session.game.sim.time == pytest.approx(session.game.sim.frame * FRAME)


@pytest.mark.parametrize("key", ["p", "escape"])
def test_pause_stops_the_world_and_space_goes_on(session: Session, key: str) -> None:
    press(session, "space")
    press(session, key)
    frame = session.game.sim.frame
    for _ in range(5):
        session.frame()
    assert (session.state, session.game.sim.frame) == ("paused", frame)
    assert "Paused" in texts(session)
    press(session, "period")
    assert session.game.sim.frame == frame + 1
    press(session, "space")
    assert session.state == "playing"
    assert not session.exit_requested


def test_escape_twice_leaves(session: Session) -> None:
    press(session, "space")
    press(session, "escape")
    press(session, "escape")
    assert session.exit_requested


def test_restart_builds_a_fresh_world(session: Session) -> None:
    press(session, "space")
    for _ in range(20):
        session.frame(Controls(held={"right"}))
    starts = garden(session).starts
    press(session, "r")
    assert garden(session).starts == starts + 1
    assert garden(session).place[0] == pytest.approx(-1.0, abs=0.05)


def test_slow_motion_runs_a_fifth_of_the_frames(session: Session) -> None:
    press(session, "space")
    press(session, "comma")
    before = session.game.sim.frame
    for _ in range(50):
        session.frame()
    assert session.game.sim.frame - before == pytest.approx(10, abs=1)
    assert "slow motion" in texts(session)


def test_help_lists_all_keys_and_stops_the_world(session: Session) -> None:
    press(session, "space")
    press(session, "h")
    frame = session.game.sim.frame
    session.frame()
    assert session.game.sim.frame == frame
    assert {"Keys", "push", "hop", "slow motion", "save a picture"} <= texts(session)
    press(session, "escape")
    assert not session.help_shown
    assert session.state == "playing"


def test_the_debug_picture_shows_numbers(session: Session) -> None:
    press(session, "space")
    press(session, "tab")
    assert {"bodies", "particles", "springs", "contacts"} <= texts(session)


def test_mute_is_shown(session: Session) -> None:
    press(session, "m")
    assert session.game.sounds.muted
    assert "sound off" in texts(session)


@pytest.mark.parametrize(("key", "headline"), [("w", "You won!"), ("l", "Game over")])
def test_the_end_is_shown_and_space_plays_again(session: Session, key: str, headline: str) -> None:
    press(session, "space")
    press(session, key)
    assert {headline, "Seven points"} <= texts(session)
    press(session, "space")
    assert session.state in ("won", "lost"), "a key held from the game must not skip the end"
    for _ in range(60):
        session.frame()
    press(session, "space")
    assert session.state == "playing"
    assert session.game.outcome is None


def test_the_mouse_throws_a_body(session: Session) -> None:
    press(session, "space")
    x, y = garden(session).place
    session.frame(Controls(held={"mouse_left"}, pressed={"mouse_left"}, pointer=(x, y)))
    assert session.drag.holding
    for step in range(24):
        session.frame(Controls(held={"mouse_left"}, pointer=(x, y + 0.12 * step)))
    high = garden(session).place[1]
    session.picture(320, 180)
    session.frame(Controls(released={"mouse_left"}, pointer=(x, y + 3.0)))
    assert not session.drag.holding
    for _ in range(6):
        session.frame()
    assert high > y + 1.0
    assert garden(session).place[1] > high + 0.1, "it flies on"
    assert np.isfinite(garden(session).place).all()


def test_autopilot_plays_by_itself() -> None:
    session = Session(BlobGarden(), autopilot=True)
    before = garden(session).place[0]
    for _ in range(40):
        session.frame()
    assert garden(session).place[0] > before + 0.3
    session.close()


def test_hard_impacts_splash_and_sound(session: Session) -> None:
    press(session, "space")
    for frame in range(150):
        session.frame(Controls(pressed={"space"} if frame == 40 else set()))
    assert "bounce" in session.game.sounds.played


def test_the_picture_between_two_frames_lies_between_them(session: Session) -> None:
    press(session, "space")
    for _ in range(5):
        session.frame(Controls(held={"right"}))
    heights = []
    for alpha in (0.0, 0.5, 1.0):
        picture = session.picture(640, 360, alpha)
        heights.append(picture.mesh(40).vertices[:, :2].astype(float).copy())
    np.testing.assert_allclose(heights[1], 0.5 * (heights[0] + heights[2]), atol=0.3)
    assert not np.allclose(heights[0], heights[2])


@pytest.mark.parametrize("name", SOUND_NAMES)
def test_every_sound_is_short_and_within_range(name: str) -> None:
    wave = synthesised(name).samples  # type: ignore[arg-type]
    assert 0.03 < len(wave) / 22050 < 2.0
    assert 0.05 < np.abs(wave).max() <= 1.0


def test_an_unknown_sound_is_refused(session: Session) -> None:
    with pytest.raises(ValueError, match="'moo' is not allowed; expected squish, hop"):
        session.game.sounds.play("moo")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 6, 9, 14])
def test_the_start_screen_has_room_for_all_keys_and_they_can_be_read(count: int) -> None:
    picture = Picture(1280, 720)
    draw_title(
        picture, "Title", "Tagline", [("space", f"thing {number}") for number in range(count)], 0.5
    )
    rows = [text for text in picture.texts if text.text.startswith("thing")]
    (call,) = (text for text in picture.texts if text.text.startswith("Press"))
    assert len(rows) == count
    assert min(text.size for text in rows) > 15.0
    assert min(text.place[1] for text in rows) > 40.0
    assert max(text.place[1] for text in rows) < call.place[1] - 40.0
    assert all(40.0 < text.place[0] < 1240.0 for text in rows)


def test_the_debug_picture_shows_where_the_time_goes(session: Session) -> None:
    press(session, "space")
    press(session, "f3")
    session.frame()
    assert session.game.sim.profiler.enabled
    assert {"frame of physics, ms", "collision", "the rest"} <= texts(session)
    session.restart()
    session.frame()
    assert session.game.sim.profiler.enabled  # of the fresh world as well
    press(session, "f3")
    assert not session.game.sim.profiler.enabled


def test_the_debug_picture_leaves_the_profiler_of_a_game_on(session: Session) -> None:
    session.game.sim.profiler.enabled = True
    press(session, "f3")
    press(session, "f3")
    assert session.game.sim.profiler.enabled


def test_the_first_picture_shows_the_bodies(session: Session) -> None:
    first = session.picture(640, 360).mesh(40).vertices
    assert len(first) > 50
    press(session, "space")
    assert len(first) == pytest.approx(len(session.picture(640, 360).mesh(40).vertices), rel=0.2)


@pytest.mark.brief(7)
@pytest.mark.parametrize(
    "size", [(450, 900), (500, 690), (320, 180), (2560, 1080), (1280, 720), (300, 900)]
)
@pytest.mark.parametrize("screen", ["title", "playing", "paused", "help", "won", "lost"])
def test_every_screen_fits_into_every_window(
    session: Session, size: tuple[int, int], screen: str
) -> None:
    press(session, *(["space"] if screen != "title" else []))
    if screen == "help":
        press(session, "h")
    elif screen != "title":
        session.state = screen  # type: ignore[assignment]
    picture = session.picture(*size)
    for layer in range(Layer.SCREEN - 1, Layer.SCREEN + 3):
        corners = picture.mesh(layer).vertices[:, :2]
        if len(corners):
            assert corners.min() >= -3.0
            assert corners[:, 0].max() <= size[0] + 3.0
            assert corners[:, 1].max() <= size[1] + 3.0


def test_the_scripted_player_plays_behind_the_start_screen_and_keeps_nothing() -> None:
    class Attracts(BlobGarden):
        def autopilot(self) -> Controls:
            return Controls(held={"right"})

        def after_step(self, dt: float) -> None:
            self.sounds.play("coin")
            self.saves["coins"] = self.saves.get("coins", 0) + 1
            if self.sim.frame > 40:
                self.outcome = "lost"

        def draw(self, picture: Picture, alpha: float) -> None:
            picture.text("coins: 3", (20, 680))

    session = Session(Attracts())
    places = []
    for _ in range(100):
        session.frame()
        places.append(float(session.game.place[0]))  # type: ignore[attr-defined]
    assert session.state == "title"
    assert max(places) > places[0] + 0.2
    assert session.game.sim.frame < 41
    assert session.game.sounds.played == []
    assert "coins" not in session.game.saves
    assert "coins: 3" not in texts(session)
    press(session, "space")
    assert session.game.sim.frame <= 1
    session.frame()
    assert session.game.saves["coins"] >= 1
    assert "coin" in session.game.sounds.played
    assert "coins: 3" in texts(session)
    session.close()
