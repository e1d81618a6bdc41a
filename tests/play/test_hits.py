"""A hit-stop begins in the frame of the hit: its step waits until the world goes on, and nothing
else is different.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.play import FRAME, Controls, Game, Recorder, ReplayPlayer, Session
from ecs_softbody.rendering import Look
from tests.play.jumper import NUMBERS, frames

STOP = 0.05
FILL = (10, 200, 30)


class Slicer(Game):
    """Cuts a blob where the player hits, and counts."""

    name = "slicer"
    actions = {}  # noqa: RUF012 - as games write it

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world=f"{self.name}-{next(NUMBERS)}")
        self.sim.spawn(StaticCollider([(-20, 0), (20, 0)]))
        self.blob = self.sim.spawn(*blueprints.blob((0.0, 2.0), 0.6), Look(fill=FILL))
        self.updates = self.steps = self.presses = 0
        self.camera.fit((-4.0, -1.0, 4.0, 5.0))

    def update(self, controls: Controls, dt: float) -> None:
        self.updates += 1
        self.presses += controls.was_pressed("x")
        if controls.was_pressed("space"):
            x, y = self.sim.center(self.blob) if self.sim.exists(self.blob) else (0.0, 1.0)
            self.sim.cut((x - 2.0, y), (x + 2.0, y + 0.1))
            self.clock.hit_stop(STOP)

    def after_step(self, dt: float) -> None:
        self.steps += 1


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Slicer)
    yield made
    made.close()


def slicer(session: Session) -> Slicer:
    assert isinstance(session.game, Slicer)
    session.state = "playing"
    return session.game


def test_the_step_of_a_hit_waits_for_the_end_of_the_stop(session: Session) -> None:
    game = slicer(session)
    frames(session, 10)
    before = game.sim.frame
    frames(session, 1, pressed={"space"})
    assert game.is_waiting
    assert (game.sim.frame, game.updates, game.steps) == (before, 11, 10)
    stood = 0
    while game.is_waiting:
        frames(session, 1, pressed={"x"} if stood == 1 else set())
        stood += 1
    assert stood == round(STOP / FRAME) + 1
    assert (game.sim.frame, game.updates, game.steps) == (before + 1, 11, 11)
    assert game.presses == 0
    frames(session, 5)
    assert (game.sim.frame, game.updates, game.steps) == (before + 6, 16, 16)
    assert game.presses == 1


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.0])
def test_every_update_has_its_step_at_any_speed(session: Session, scale: float) -> None:
    game = slicer(session)
    game.sim.time_scale = scale
    for _ in range(4):
        frames(session, 7, pressed={"space", "x"})
        assert game.updates - game.steps == game.is_waiting
    frames(session, 30)
    assert game.updates == game.steps == game.sim.frame
    assert game.presses == 4


def test_a_hit_that_waits_gives_the_same_world(session: Session) -> None:
    game = slicer(session)
    other = Slicer()
    other.begin()
    frames(session, 20)
    frames(session, 40, pressed={"space"})
    for number in range(game.sim.frame):
        other.advance(Controls(pressed={"space"} if number == 20 else set()))
    assert other.sim.state_hash() == game.sim.state_hash()
    other.close()


def test_a_round_with_hits_is_played_back(session: Session) -> None:
    game = slicer(session)
    game.recorder = Recorder()
    session.restart()
    for _ in range(3):
        frames(session, 23, pressed={"space", "x"})
    replay = game.recorder.finished()
    assert replay.frames == game.steps
    assert ReplayPlayer(Slicer, replay).verify() is None


def test_a_restart_forgets_what_waits(session: Session) -> None:
    game = slicer(session)
    frames(session, 3)
    frames(session, 1, pressed={"space"})
    assert game.is_waiting
    frames(session, 1, pressed={"r"})
    frames(session, 10)
    assert game.updates == game.steps == game.sim.frame > 0


def test_a_pause_in_a_hit_goes_on_frame_by_frame(session: Session) -> None:
    game = slicer(session)
    frames(session, 3)
    frames(session, 1, pressed={"space"})
    frames(session, 1, pressed={"p"})
    assert (session.state, game.is_waiting, game.steps) == ("paused", True, 3)
    frames(session, 1, pressed={"period"})
    assert (game.is_waiting, game.updates, game.steps) == (False, 4, 4)
    frames(session, 1, pressed={"period"})
    assert (game.updates, game.steps) == (5, 5)


def test_an_end_and_a_new_round_do_not_wait(session: Session) -> None:
    class Ending(Slicer):
        def update(self, controls: Controls, dt: float) -> None:
            super().update(controls, dt)
            if controls.was_pressed("space"):
                self.outcome = "won"

    ending = Session(Ending)
    game = slicer(ending)
    frames(ending, 1, pressed={"space"})
    assert (ending.state, game.is_waiting, game.steps) == ("won", False, 1)
    ending.close()


def test_a_hit_in_the_first_frame_of_a_round_is_seen(session: Session) -> None:
    game = slicer(session)
    frames(session, 1, pressed={"space"})
    assert game.is_waiting
    session.picture(320, 180)
    assert session.painter.colours == dict.fromkeys(game.sim.entities(Particles), FILL)


def test_the_picture_of_a_hit_shows_the_body_as_it_was(session: Session) -> None:
    game = slicer(session)
    frames(session, 10)
    session.picture(320, 180)
    assert session.painter.colours == {game.blob: FILL}
    frames(session, 1, pressed={"space"})
    assert not game.sim.exists(game.blob)
    session.picture(320, 180)
    assert session.painter.colours == {game.blob: FILL}
    frames(session, 1)
    session.picture(320, 180)
    assert session.painter.colours == dict.fromkeys(game.sim.entities(Particles), FILL)
    assert len(session.painter.colours) == 2
