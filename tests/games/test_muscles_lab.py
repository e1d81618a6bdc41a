"""The scene `muscles`: it crawls, jumps and breathes by keys alone, to seven meals before night."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Particles
from ecs_softbody.play import Controls, Session
from ecs_softbody.rendering import Layer
from ecs_softbody_games.labs.muscles import DUSK, FAST, LEARNT, NIGHT, MusclesLab
from ecs_softbody_games.labs.toy import FAILURES, POINTED
from tests.helpers.games import play, play_frame
from tests.helpers.starts import STARTS, ended_from_shifted_starts


@pytest.fixture
def lab() -> Iterator[MusclesLab]:
    made = MusclesLab()
    made.start()
    play(made, 61)
    yield made
    made.close()


@pytest.mark.brief(4)
@pytest.mark.parametrize(("key", "sign"), [("right", 1.0), ("left", -1.0)])
def test_the_worm_crawls_where_it_is_told_to_and_stops(
    lab: MusclesLab, key: str, sign: float
) -> None:
    play(lab, 2)
    lab.get(lab.worm, Particles).position[:, 0] += 2.0
    start = lab.center_of(lab.worm)
    play(lab, 180, key, released=True)
    there = lab.center_of(lab.worm)
    assert sign * (there[0] - start[0]) > 1.2
    assert lab.get(lab.worm, Particles).position[:, 1].max() < 1.2
    play(lab, 61)
    stopped = lab.center_of(lab.worm)
    play(lab, 61)
    assert np.abs(lab.center_of(lab.worm) - stopped).max() < 0.02


@pytest.mark.brief(4)
@pytest.mark.parametrize("turned", [0, 90, 180, -90])
def test_the_frog_crouches_and_jumps_where_it_aims_on_its_side_too(
    lab: MusclesLab, turned: int
) -> None:
    frog = lab.get(lab.frog, Particles)
    (x, y) = lab.center_of(lab.frog)
    cosine = np.cos(np.radians(turned))
    sine = np.sin(np.radians(turned))
    frog.position = (frog.position - (x, y)) @ np.array([(cosine, sine), (-sine, cosine)]) + (
        x,
        y + 0.1,
    )
    play(lab, 90)
    tall = np.ptp(frog.position[:, 1])
    for frame in range(40):
        play_frame(lab, Controls(held={"space"}, pressed={"space"} if frame == 0 else set()))
    assert np.ptp(frog.position[:, 1]) < 0.85 * tall
    start = lab.center_of(lab.frog)
    play_frame(lab, Controls(held={"right"}, released={"space"}))
    best = 0.0
    for _ in range(120):
        play(lab, 1)
        best = max(best, float(frog.position[:, 1].min()))
    assert best > 1.0
    assert lab.center_of(lab.frog)[0] > start[0] + 0.3


@pytest.mark.slow
def test_the_balloon_lifts_the_chick_and_lets_it_down(lab: MusclesLab) -> None:
    low = lab.center_of(lab.chick)[1]
    small = lab.gas.area
    play(lab, 240, "up", released=True)
    assert lab.gas.area > 3.0 * small
    assert lab.center_of(lab.chick)[1] > low + 0.6
    size = lab.gas.area
    play(lab, 61)
    assert lab.gas.area == pytest.approx(size, rel=0.05)
    play(lab, 300, "down", released=True)
    assert lab.pump.level == 0.0
    assert lab.center_of(lab.chick)[1] < low
    play(lab, 90, "up", released=True)
    assert lab.gas.area > small


@pytest.mark.slow
def test_whatever_is_not_driven_falls_asleep(lab: MusclesLab) -> None:
    play(lab, 901)
    with lab.sim:
        assert lab.sim.is_asleep(lab.worm)
        assert lab.sim.is_asleep(lab.frog)
    play(lab, 2, "right", released=True)
    assert not lab.sim.is_asleep(lab.worm)


def finish(lab: MusclesLab) -> None:
    """Let the scripted player play to the end."""
    while lab.outcome is None:
        lab.advance(lab.autopilot())


@pytest.mark.slow
def test_the_scripted_player_gets_all_seven_meals_in_time_and_its_time_is_kept() -> None:
    session = Session(MusclesLab(), autopilot=True)
    lab = session.game
    assert isinstance(lab, MusclesLab)
    sizes = []
    eaters = set()
    while session.state == "playing":
        eaters |= {meal.eater for meal in lab.left_over()}
        session.frame()
        sizes.append(lab.gas.area)
    assert eaters == {"worm", "frog", "chick"}
    assert (session.state, lab.stars, lab.saves["stars"]) == ("won", 3, 3)
    assert lab.saves["time"] == lab.result < FAST[0]
    assert lab.highest > 1.0
    assert max(sizes) > 2.0 * sizes[0]
    for entity in (lab.worm, lab.frog, lab.balloon, lab.chick):
        assert np.isfinite(lab.center_of(entity)).all()
        assert np.abs(lab.center_of(entity)[0]) < 7.0
    best = lab.result
    session.restart()
    assert len(lab.left_over()) == len(lab.meals) == 7
    session.frame()
    assert f"best: {best:.1f} s" in {text.text for text in session.picture(640, 360).texts}
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize(("later", "stars"), [(0.0, 3), (FAST[0], 2), (FAST[1], 1)])
def test_the_later_the_fewer_stars(later: float, stars: int) -> None:
    lab = MusclesLab()
    lab.begin()
    for meal in lab.left_over("frog"):
        meal.eaten = True
    play(lab, round(60 * later) + 1)
    finish(lab)
    assert (lab.outcome, lab.saves["stars"]) == ("won", stars)
    lab.close()


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize(
    "keys", ["", "left", "right", "up", "down", "space", "right up", "left space"]
)
def test_who_only_holds_keys_is_still_hungry_at_night(keys: str) -> None:
    lab = MusclesLab()
    lab.begin()
    while lab.outcome is None:
        lab.advance(Controls(held=set(keys.split())))
    assert lab.outcome == "lost"
    assert lab.sim.time == pytest.approx(NIGHT, abs=0.1)
    assert "stars" not in lab.saves
    assert str(len(lab.left_over())) in lab.outcome_text()
    lab.close()


@pytest.mark.slow
def test_who_jumps_without_aiming_and_never_breathes_loses() -> None:
    lab = MusclesLab()
    lab.begin()
    while lab.outcome is None:
        turn = lab.sim.frame % 600 < 300
        jumps = {"space"} if lab.sim.frame % 60 < 20 else set()
        lab.advance(
            Controls(held={"left" if turn else "right"} | jumps, released={"space"} - jumps)
        )
    assert lab.outcome == "lost"
    assert {meal.eater for meal in lab.left_over()} >= {"chick"}
    lab.close()


@pytest.mark.slow
def test_all_meals_are_eaten_from_shifted_starts() -> None:
    ended = ended_from_shifted_starts(
        MusclesLab, lambda lab: lab.sim.entities(Particles), by=0.02, late=90, frames=100 * 60
    )
    assert [(lab.outcome, lab.stars >= 2) for lab in ended] == [("won", True)] * STARTS


def polygons(session: Session) -> int:
    return len(session.picture(640, 360).triangles()[1])


@pytest.mark.slow
def test_it_gets_dark_and_who_has_failed_twice_is_shown_the_next_meal() -> None:
    session = Session(MusclesLab())
    session.frame(Controls(pressed={"space"}))
    lab = session.game
    assert isinstance(lab, MusclesLab)
    while lab.sim.frame <= POINTED:
        session.frame()
    unhelped = polygons(session)
    lab.failures = FAILURES
    assert polygons(session) > unhelped
    lab.failures = 0
    for _ in range(FAILURES):
        assert not lab.is_helped
        lab.sim.step()
        lab.finish(0)
        lab.finish(0)
        session.restart()
    assert lab.is_helped
    lab.finish(3, 20.0)
    assert not lab.is_helped
    session.close()


def test_dusk_comes_before_night() -> None:
    lab = MusclesLab()
    lab.begin()
    assert FAST[0] < DUSK < NIGHT
    assert FAST[1] < NIGHT
    place = lab.goal_place()
    assert place == lab.meals[0].place
    lab.meals[0].eaten = True
    assert lab.goal_place() == lab.meals[1].place
    lab.close()


def test_the_key_that_moves_a_creature_stands_above_it_until_the_player_has_used_it() -> None:
    session = Session(MusclesLab())
    session.frame(Controls(pressed={"space"}))
    lab = session.game
    assert isinstance(lab, MusclesLab)

    def keys() -> dict[str, tuple[float, float]]:
        picture = session.picture(1280, 720)
        wanted = {"← →": lab.worm, "SPACE": lab.frog, "↑ ↓": lab.chick}
        shown = {
            text.text: text
            for text in picture.texts
            if text.text in wanted and text.layer < Layer.HUD
        }
        for key, text in shown.items():
            x, y = picture.to_pixels(lab.center_of(wanted[key])) / picture.point
            assert abs(text.place[0] + 0.5 * picture.text_width(key, text.size) - x) < 5.0, key
            assert y < text.place[1] < y + 120.0, key
        return {key: text.place for key, text in shown.items()}

    session.picture(1280, 720)
    session.frame()
    assert keys().keys() == {"← →", "SPACE", "↑ ↓"}
    for _ in range(LEARNT):
        session.frame(Controls(held={"left"}))
    assert keys().keys() == {"SPACE", "↑ ↓"}
    for _ in range(LEARNT):
        session.frame(Controls(held={"space", "up"}))
    assert not keys()
    lab.failures = FAILURES
    assert len(keys()) == 3
    session.close()
