"""A session runs at the speed of its world: slow, fast, stopped, paused; nothing that was pressed
is lost.
"""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody.play import FRAME, Session
from tests.play.jumper import Jumper, frames


def jumper(session: Session) -> Jumper:
    assert isinstance(session.game, Jumper)
    return session.game


@pytest.mark.brief(4)
@pytest.mark.parametrize("scale", [0.1, 0.25, 0.5, 0.9, 1.0, 1.5, 2.0, 4.0])
def test_the_time_scale_of_the_world_holds_in_a_game(session: Session, scale: float) -> None:
    session.game.sim.time_scale = scale
    before = session.game.sim.frame
    frames(session, 60)
    assert session.game.sim.frame - before == pytest.approx(60 * scale, abs=1.0)
    assert set(jumper(session).updates) == {FRAME}
    assert session.game.clock.now == pytest.approx(session.game.sim.frame * FRAME)


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0])
def test_the_picture_moves_evenly_in_slow_motion(session: Session, scale: float) -> None:
    session.game.sim.time_scale = scale
    heights = []
    for _ in range(12):
        frames(session, 1)
        for alpha in (0.0, 0.5, 0.999):
            session.picture(320, 180, alpha)
            heights.append(jumper(session).seen)
    falls = -np.diff(heights)[3:]  # it falls from rest
    assert (falls >= -1e-9).all()
    assert falls.max() < 9.81 * scale * FRAME * 15 * scale * FRAME * 1.5


def test_a_paused_world_stands_while_the_game_can_still_decide(session: Session) -> None:
    game = jumper(session)
    game.sim.paused = True
    before = game.sim.frame
    now = game.clock.now
    game.updates.clear()
    frames(session, 20)
    assert (game.sim.frame, game.clock.now, game.updates) == (before, now, [0.0] * 20)
    game.sim.request_single_step()
    frames(session, 1)
    assert game.sim.frame == before + 1
    frames(session, 1, pressed={"space"})  # the game goes on
    frames(session, 10)
    assert game.sim.frame == before + 11
    assert game.jumps == 1


def test_a_hit_stop_stops_the_world_and_keeps_what_was_pressed(session: Session) -> None:
    game = jumper(session)
    before = game.sim.frame
    game.clock.hit_stop(0.1)
    frames(session, 3, pressed={"space"})
    assert (game.sim.frame, game.jumps) == (before, 0)
    frames(session, 10)
    assert game.jumps == 1
    assert game.sim.frame - before == pytest.approx(13 - 6, abs=1)


@pytest.mark.brief(4)
@pytest.mark.parametrize("scale", [0.1, 0.3, 1.0, 2.0])
def test_every_press_counts_once_at_any_speed(session: Session, scale: float) -> None:
    game = jumper(session)
    game.sim.time_scale = scale
    for _ in range(10):
        frames(session, 30, pressed={"space"})
    assert game.jumps == 10


def test_slow_motion_of_the_clock_slows_the_world(session: Session) -> None:
    before = session.game.sim.frame
    session.game.clock.slow_motion(0.25, 1.0, ease=0.0)
    frames(session, 60)
    assert session.game.sim.frame - before == pytest.approx(15, abs=1)
    frames(session, 60)
    assert session.game.sim.frame - before == pytest.approx(75, abs=1)


def test_timers_stop_with_pause_and_help(session: Session) -> None:
    game = jumper(session)
    frames(session, 20)
    frames(session, 40, pressed={"p"})
    assert (session.state, game.rings) == ("paused", 0)
    frames(session, 1, pressed={"space"})
    frames(session, 20)
    assert game.rings == 1


def test_timers_go_with_their_world(session: Session) -> None:
    game = jumper(session)
    frames(session, 20)
    game.clock.after(0.1, lambda: pytest.fail("this round is over"))
    session.restart()
    frames(session, 29)
    assert game.rings == 0
    frames(session, 1)
    assert game.rings == 1


def test_a_world_swapped_in_the_middle_is_drawn_and_heard(session: Session) -> None:
    game = jumper(session)
    frames(session, 5)
    game.start()  # without the session
    game.touched.clear()
    frames(session, 40)
    assert session.picture(320, 180).texts
    assert game.touched


def test_the_camera_begins_where_start_wants_it(session: Session) -> None:
    assert session.game.camera.height == 20.0
    game = Jumper()
    again = Session(game)
    view = session.picture(320, 180).view
    assert view.height == 20.0
    assert again.picture(320, 180, 0.0).view.center == (0.0, 4.0)
    again.close()
