"""The base of the short scenes, on a scene of one box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from ecs_softbody import Particles, blueprints
from ecs_softbody.play import FRAME, Controls, Session
from ecs_softbody.rendering import Look, palette
from ecs_softbody.rendering.camera import STEP
from ecs_softbody_games.labs.lab import Act, Lab


class OneBox(Lab):
    name = "one-box"
    title = "One box"
    keys = (("space", "jump"),)  # type: ignore[assignment]
    script = (
        Act(0, 30),
        Act(30, 32, "space"),
        Act(100, 160, "mouse_left right", (0.0, 0.5), (3.0, 3.0)),
    )

    def build(self) -> None:
        self.jumps = 0
        self.box = self.add(*blueprints.box((0.0, 0.6), 1.0), Look(fill=palette.TEAL))

    def play(self, controls: Controls, dt: float) -> None:
        if controls.was_pressed("space"):
            self.jumps += 1
            self.get(self.box, Particles).velocity[:, 1] += 5.0

    def numbers(self) -> Sequence[tuple[str, str]]:
        return [("height", f"{self.center_of(self.box)[1]:.1f} m"), ("jumps", str(self.jumps))]


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(OneBox(), autopilot=True)
    yield made
    made.close()


def test_the_script_presses_holds_and_lets_go() -> None:
    lab = OneBox()
    lab.start()
    seen = [lab.autopilot() for _ in range(170)]
    assert [frame for frame, controls in enumerate(seen) if controls.was_pressed("space")] == [30]
    assert [frame for frame, controls in enumerate(seen) if controls.is_held("space")] == [30, 31]
    assert seen[32].was_released("space")
    assert seen[100].pointer == (0.0, 0.5)
    assert seen[159].pointer == seen[165].pointer == (3.0, 3.0)
    lab.close()


def test_the_scripted_player_plays_with_keys_and_mouse(session: Session) -> None:
    lab = session.game
    assert isinstance(lab, OneBox)
    heights = []
    for _ in range(100):
        session.frame()
        heights.append(lab.center_of(lab.box)[1])
    assert lab.jumps == 1
    assert max(heights) > 1.3
    for _ in range(60):
        session.frame()
    assert session.drag.holding
    assert np.linalg.norm(lab.center_of(lab.box) - (3.0, 3.0)) < 1.0
    shown = {text.text for text in session.picture(640, 360).texts}
    assert {"height", "jumps", "1"} <= shown


def test_starting_again_is_the_same_start(session: Session) -> None:
    lab = session.game
    assert isinstance(lab, OneBox)
    for _ in range(60):
        session.frame()
    first = lab.get(lab.box, Particles).position.copy()
    session.restart()
    assert lab.jumps == 0
    for _ in range(60):
        session.frame()
    assert np.array_equal(lab.get(lab.box, Particles).position, first)


@pytest.mark.parametrize("size", [(1280, 720), (600, 600), (1600, 500)])
def test_all_of_the_view_is_seen_above_the_key_bar(session: Session, size: tuple[int, int]) -> None:
    session.picture(*size)
    view = session.game.camera.view(*size)
    left, bottom, right, top = session.game.view  # type: ignore[attr-defined]
    low = view.to_pixels((left, bottom))
    high = view.to_pixels((right, top))
    step = 0.5 * STEP + 1e-6  # a camera moves by steps of a part of a pixel
    assert low[0] >= -step
    assert low[1] >= 46.0 * size[1] / 720.0 - step
    assert high[0] <= size[0] + step
    assert high[1] <= size[1] + step
    assert FRAME == 1.0 / 60.0


def test_what_a_scene_draws_moves_with_the_bodies_pictures(session: Session) -> None:
    lab = session.game
    assert isinstance(lab, OneBox)
    for _ in range(20):
        session.frame()
    box = lab.get(lab.box, Particles)
    before = box.position.copy()
    session.frame()
    assert lab.seen_at(box, 0.0) == pytest.approx(before)
    assert lab.seen_at(box, 1.0) == pytest.approx(box.position)
    assert lab.seen_at(box, 0.5) == pytest.approx(0.5 * (before + box.position))
