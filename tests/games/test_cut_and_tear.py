"""The scene `cut-and-tear`: the mouse cuts, the ball breaks the door, the clay keeps its dent."""

from __future__ import annotations

from collections.abc import Iterator

import esper
import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import Controls, Session
from ecs_softbody_games.labs.cut_and_tear import LOOKED_AT, SHARES, CutAndTear
from tests.helpers.games import play, play_frame
from tests.helpers.starts import STARTS, ended_from_shifted_starts

pytestmark = pytest.mark.filterwarnings("ignore::ecs_softbody.StabilityWarning")


@pytest.fixture
def lab() -> Iterator[CutAndTear]:
    made = CutAndTear()
    made.start()
    run(made, 30)
    yield made
    made.close()


def run(lab: CutAndTear, frames: int, controls: Controls | None = None) -> None:
    play_frame(lab, controls or Controls())
    play(lab, frames - 1)


def slash(lab: CutAndTear, start: tuple[float, float], end: tuple[float, float]) -> None:
    run(lab, 1, Controls(held={"mouse_left"}, pressed={"mouse_left"}, pointer=start))
    run(lab, 1, Controls(held={"mouse_left"}, pointer=end))
    run(lab, 1, Controls(released={"mouse_left"}, pointer=end))


def mass(lab: CutAndTear) -> float:
    with lab.sim:
        return sum(float(body.mass.sum()) for _, body in esper.get_component(Particles))


def test_a_line_of_the_mouse_cuts_what_it_crosses(lab: CutAndTear) -> None:
    before = mass(lab)
    slash(lab, (-3.2, 1.0), (2.5, 0.8))
    assert lab.cuts == 2
    assert mass(lab) == pytest.approx(before, rel=1e-12)
    slash(lab, (-3.2, 6.0), (-3.25, 6.0))
    assert lab.cuts == 2


def test_a_click_cuts_nothing(lab: CutAndTear) -> None:
    slash(lab, (-1.9, 0.7), (-1.9, 0.7))
    assert lab.cuts == 0


@pytest.mark.slow
def test_the_anvil_falls_and_the_clay_keeps_its_dent(lab: CutAndTear) -> None:
    start = lab.center_of(lab.anvil)[1]
    height = np.ptp(lab.get(lab.clay, Particles).rest_offset[:, 1])
    slash(lab, (-5.9, 5.3), (-4.3, 5.4))
    run(lab, 180)
    assert lab.center_of(lab.anvil)[1] < start - 2.5
    assert np.ptp(lab.get(lab.clay, Particles).rest_offset[:, 1]) < height - 0.04


def test_without_the_knife_the_anvil_hangs_and_the_door_stands(lab: CutAndTear) -> None:
    start = lab.center_of(lab.anvil)[1]
    run(lab, 120)
    assert abs(lab.center_of(lab.anvil)[1] - start) < 0.3
    assert lab.tears == 0


def test_a_ball_breaks_the_door(lab: CutAndTear) -> None:
    run(lab, 1, Controls(held={"space"}, pressed={"space"}))
    run(lab, 60)
    assert lab.tears >= 1


@pytest.mark.slow
def test_the_scripted_player_shares_the_jelly_shows_the_rest_and_it_starts_anew() -> None:
    session = Session(CutAndTear(), autopilot=True)
    lab = session.game
    assert isinstance(lab, CutAndTear)
    for _ in range(500):
        session.frame()
    assert (session.state, lab.stars, lab.saves["stars"], len(lab.pieces)) == ("won", 3, 3, SHARES)
    assert lab.saves["equal"] == pytest.approx(lab.equal)
    assert f"best: {lab.equal:.0f} %" in {text.text for text in session.picture(640, 360).texts}
    assert lab.cuts >= 5
    assert lab.tears >= 1
    with lab.sim:
        assert all(np.isfinite(body.position).all() for _, body in esper.get_component(Particles))
    session.restart()
    assert (lab.cuts, lab.tears, len(lab.pieces)) == (0, 0, 1)
    session.frame()
    session.close()


@pytest.mark.brief(2)
@pytest.mark.parametrize("count", [4, 8])
def test_unequal_shares_and_too_many_lose(lab: CutAndTear, count: int) -> None:
    x, y = lab.center_of(lab.named("jelly"))
    for shift in (-0.5, 0.5, 0.0):
        slash(lab, (x + shift, y + 1.0), (x + shift, y - 1.0))
    if count == 8:
        slash(lab, (x - 1.2, y), (x + 1.2, y))
    assert (len(lab.pieces) > SHARES) == (count > SHARES)
    run(lab, 2 * LOOKED_AT)
    assert lab.outcome == "lost"
    assert "stars" not in lab.saves
    assert lab.outcome_text().startswith(
        f"{len(lab.pieces)} pieces" if count > SHARES else "The smallest"
    )


@pytest.mark.slow
def test_the_jelly_is_shared_from_shifted_starts() -> None:
    ended = ended_from_shifted_starts(
        CutAndTear, lambda lab: [lab.named("jelly")], by=0.05, late=60, frames=600
    )
    assert [lab.outcome for lab in ended] == ["won"] * STARTS
