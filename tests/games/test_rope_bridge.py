"""The rope bridge: it carries, breaks once where it says, and each round is won with ropes, planks
and care.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ecs_softbody import Attachment, Particles, Springs
from ecs_softbody.play import Session
from ecs_softbody.rendering import Layer, Picture
from ecs_softbody_games.rope_bridge import RopeBridge
from ecs_softbody_games.rope_bridge.bridge import FAILURES, PLANKS
from ecs_softbody_games.rope_bridge.drawing import radius_of
from ecs_softbody_games.rope_bridge.game import ARRIVED, DECK, LEFT, RIGHT, ROPE_DAMPING, STRENGTH
from tests.helpers.games import play
from tests.helpers.starts import STARTS


@pytest.fixture
def bridge() -> Iterator[RopeBridge]:
    made = RopeBridge()
    made.start()
    yield made
    made.close()


def gaps(bridge: RopeBridge) -> list[float]:
    """How far the two sides of each joint are apart [m]."""
    found = []
    for joint in bridge.joints:
        if bridge.has_joint(joint):
            held = bridge.get(joint, Attachment)
            if held.between[1] is not None:
                ends = [
                    bridge.get(entity, Particles)
                    .position[held.rows[held.side == side]]
                    .mean(axis=0)
                    for side, entity in enumerate(held.between)
                    if entity is not None
                ]
                found.append(float(np.hypot(*(ends[0] - ends[1]))))
    return found


@pytest.mark.slow
def test_it_hangs_between_the_cliffs_and_comes_to_rest(bridge: RopeBridge) -> None:
    play(bridge, 500)
    assert bridge.broken == 0
    assert max(gaps(bridge)) < 1e-3
    assert bridge.strongest < 0.6 * STRENGTH
    assert max(np.abs(bridge.velocity_of(plank)).max() for plank in bridge.planks) < 0.03


@pytest.mark.slow
def test_it_carries_a_weight_sags_under_it_and_hands_it_over(bridge: RopeBridge) -> None:
    play(bridge, 200)
    middle = bridge.center_of(bridge.planks[PLANKS // 2])[1]
    force = bridge.strongest
    play(bridge, 1, "space")
    while bridge.ahead < 0.0:
        play(bridge, 1)
    assert bridge.load == 12.0
    assert bridge.center_of(bridge.planks[PLANKS // 2])[1] < middle - 0.03
    assert bridge.strongest > 1.2 * force
    assert max(gaps(bridge)) < 2e-3
    play(bridge, 480)
    assert (bridge.across, bridge.broken, bridge.weights) == (12.0, 0, [])


@pytest.mark.slow
def test_a_weight_waits_until_the_bank_is_free(bridge: RopeBridge) -> None:
    play(bridge, 1, "space")
    play(bridge, 2)
    play(bridge, 1, "space")
    assert len(bridge.weights) == 1
    play(bridge, 120)
    play(bridge, 1, "space")
    assert len(bridge.weights) == 2


@pytest.mark.slow
def test_it_breaks_where_it_says_and_both_halves_swing_on() -> None:
    session = Session(RopeBridge(), autopilot=True)
    bridge = session.game
    assert isinstance(bridge, RopeBridge)
    bridge.solution = [["send", -9.0]] * 3
    for _ in range(900):
        session.frame()
        if bridge.broken:
            break
    assert bridge.broken
    assert bridge.best >= 20.0
    assert bridge.broke_place is not None
    assert abs(bridge.broke_place[0]) < 2.5  # in the middle, where the weights are
    for _ in range(300):
        session.frame()
    assert bridge.outcome == "lost"
    assert bridge.outcome_text() == f"Broke at {bridge.broke_at:.0f} kg"
    assert f"broke at {bridge.broke_at:.0f} kg" in {
        text.text for text in session.picture(640, 360).texts
    }
    held = [joint for joint in bridge.joints if bridge.has_joint(joint)]
    assert len(held) == len(bridge.joints) - bridge.broken
    first, last = (bridge.get(bridge.planks[end], Particles).position for end in (0, -1))
    assert np.hypot(*(first - (LEFT, DECK)).T).min() < 0.3
    assert np.hypot(*(last - (RIGHT, DECK)).T).min() < 0.3
    low = [bridge.center_of(plank)[1] for plank in bridge.planks]
    assert min(low) < 2.0
    assert np.isfinite(low).all()
    session.close()


def test_the_numbers_are_on_the_screen(bridge: RopeBridge) -> None:
    session = Session(bridge, autopilot=True)
    for _ in range(60):
        session.frame()
    shown = {text.text for text in session.picture(640, 360).texts}
    assert {"on the bridge", "worst joint"} <= shown


def play_to_the_end(bridge: RopeBridge) -> None:
    for _ in range(4000):
        if bridge.outcome is not None:
            return
        bridge.advance(bridge.autopilot())
    raise AssertionError("the round does not end")


@pytest.mark.slow
def test_the_first_round_is_won_by_sending_one_weight_after_the_other(bridge: RopeBridge) -> None:
    play_to_the_end(bridge)
    assert (bridge.outcome, bridge.stars, bridge.used) == ("won", 3, 0)
    assert bridge.saves["stars 1"] == 3


def loaded(ropes: list[float]) -> tuple[float, float]:
    """Return the most strain under 12 kg in the middle, and how far the tightest rope is from
    pushing [m].
    """
    bridge = RopeBridge()
    bridge.start()
    bridge.ropes = len(ropes)
    for bridge.aim in ropes:
        bridge.hang_rope()
    play(bridge, 120)
    play(bridge, 1, "space")
    slack = -np.inf
    strain = 0.0
    while bridge.ahead < 1.0:
        play(bridge, 1)
        slack = max([slack, *(rest - length for rest, length in lengths_of_ropes(bridge))])
        strain = max(strain, bridge.strain if bridge.ahead > -1.0 else 0.0)
    assert not bridge.broken
    bridge.close()
    return strain, slack


def lengths_of_ropes(bridge: RopeBridge) -> list[tuple[float, float]]:
    """Return the rest length of each rope and its length [m]."""
    found = []
    for entity in bridge.sim.entities(Springs):
        rope = bridge.get(entity, Springs)
        if rope.between is not None:
            ends = [
                bridge.get(end, Particles).position[row]
                for end, row in zip(rope.between, rope.pairs[0], strict=True)
            ]
            found.append((float(rope.rest_length[0]), float(np.hypot(*(ends[1] - ends[0])))))
    return found


@pytest.mark.slow
def test_every_further_rope_takes_load_off_the_bridge_and_stays_taut() -> None:
    strains = []
    for ropes in ([], [0.5, -0.5], [0.5, -0.5, 2.4, -2.4]):
        strain, slack = loaded(ropes)
        strains.append(strain)
        assert slack < 0.0
    assert strains == sorted(strains, reverse=True)
    assert strains[-1] < 0.85 * strains[0]


@pytest.mark.filterwarnings("error")
def test_a_joint_carries_all_ropes_as_they_are(bridge: RopeBridge) -> None:
    bridge.ropes = 5
    bridge.aim = 0.4
    for _ in range(5):
        play(bridge, 2, "up")
    (ropes,) = bridge.hung.values()
    damping = [float(bridge.get(rope, Springs).damping[0]) for rope in ropes]
    assert damping == [ROPE_DAMPING / 5] * 5


def test_a_doubled_plank_carries_more_and_is_counted(bridge: RopeBridge) -> None:
    bridge.ropes = 1
    bridge.mends = 1
    bridge.aim = 0.5
    play(bridge, 1, "up")
    strength = dict(bridge.strength)
    play(bridge, 1, "down")
    stronger = [joint for joint, force in bridge.strength.items() if force > 1.5 * strength[joint]]
    assert len(stronger) == 2
    assert all(
        bridge.get(joint, Attachment).break_force == bridge.strength[joint] for joint in stronger
    )
    assert (bridge.ropes, bridge.mends, bridge.used, bridge.stars) == (0, 0, 2, 1)
    play(bridge, 1, "up")
    assert bridge.used == 2


@pytest.mark.slow
def test_a_weight_that_falls_beside_the_bridge_loses(bridge: RopeBridge) -> None:
    play(bridge, 1, "space")
    play(bridge, 60)
    bridge.get(bridge.weights[0], Particles).position[0] = (0.0, 1.5)
    play(bridge, 240)
    assert (bridge.broken, bridge.outcome) == (0, "lost")
    assert bridge.outcome_text() == "Only 0 of 34 kg"


@pytest.mark.slow
def test_who_has_failed_twice_is_shown_what_to_do_next(bridge: RopeBridge) -> None:
    session = Session(bridge, autopilot=True)
    for failure in range(FAILURES):
        assert not bridge.is_helped, failure
        bridge.begin()
        bridge.solution = [["send", -9.0]] * 3
        play_to_the_end(bridge)
        assert bridge.outcome == "lost"
    assert bridge.outcome_text() == f"{bridge.broke_at:.0f} kg. Now the game shows you how"
    bridge.begin()
    assert "send a weight" in {text.text for text in session.picture(640, 360).texts}
    play(bridge, 1, "space")
    assert bridge.hint == ("send", 5.2)
    play(bridge, 5)
    assert "wait until it is here" in {text.text for text in session.picture(640, 360).texts}
    bridge.step_of_solution = 1
    play_to_the_end(bridge)
    assert bridge.outcome == "won"
    session.close()


@pytest.mark.slow
def test_all_rounds_open_and_their_bridges_hold_themselves() -> None:
    for number in range(len(RopeBridge.levels)):
        bridge = RopeBridge()
        bridge.level_number = number
        bridge.begin()
        play(bridge, 150)
        assert bridge.broken == 0
        assert bridge.goal == sum(bridge.weights_left)
        bridge.close()


def round_with(number: int, solution: list[list[Any]] | None = None) -> RopeBridge:
    """Return a round that has begun, with the steps that the scripted player takes."""
    bridge = RopeBridge()
    bridge.level_number = number
    bridge.begin()
    bridge.solution = bridge.solution if solution is None else solution
    return bridge


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("number", range(len(RopeBridge.levels)))
def test_every_round_is_won_from_shifted_starts(number: int) -> None:
    outcomes = []
    for seed in range(STARTS):
        bridge = round_with(number)
        rng = np.random.default_rng(seed)
        bridge.solution = [
            [what, x if what == "send" else float(np.clip(x + rng.uniform(-0.15, 0.15), -3.6, 3.6))]
            for what, x in bridge.solution
        ]
        play(bridge, int(rng.integers(0, 61)))
        play_to_the_end(bridge)
        outcomes.append(bridge.outcome)
        bridge.close()
    assert outcomes == ["won"] * STARTS


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("number", range(len(RopeBridge.levels)))
def test_every_round_is_lost_at_once_or_without_tools(number: int) -> None:
    bridge = round_with(number)
    sends = [step for step in bridge.solution if step[0] == "send"]
    bridge.close()
    for careless in ([["send", -9.0]] * len(sends), sends)[: 1 if number == 0 else 2]:
        bridge = round_with(number, careless)
        play_to_the_end(bridge)
        assert bridge.outcome == "lost"
        bridge.close()


def test_a_weight_that_arrives_pushes_the_others_on_and_lies_on_none(bridge: RopeBridge) -> None:
    bridge.arrived = [12.0]
    bridge.stopped = ARRIVED
    play(bridge, 1, "space")
    body = bridge.get(bridge.weights[0], Particles)
    before: dict[float, float] = {}
    for x in np.linspace(ARRIVED - 1.2, ARRIVED + 0.02, 40):
        body.position[:] = body.frame_position[:] = (x, DECK + float(body.radius[0]))
        body.velocity[:] = 0.0
        places = weight_places(bridge)
        for (one, r_one), (other, r_other) in itertools.pairwise(places):
            assert other - one > r_one + r_other - 1e-6, x
        now = dict(places)
        assert not before or np.abs(np.subtract(sorted(now), sorted(before))).max() < 0.05
        before = now
    play(bridge, 1)  # it is taken off, and stays where it was
    assert len(bridge.arrived) == 2
    assert (
        np.abs(np.subtract(sorted(x for x, _ in weight_places(bridge)), sorted(before))).max()
        < 0.05
    )


def weight_places(bridge: RopeBridge) -> list[tuple[float, float]]:
    """Return middles and radii of the weights on the right bank as they are drawn, from left to
    right [m].
    """
    picture = Picture(1280, 720, bridge.camera.view(1280, 720))
    bridge.draw(picture, 1.0)
    found = []
    for text in picture.texts:
        if text.layer == Layer.EFFECTS and text.text.isdigit():
            size = picture.text_width(text.text, text.size)
            x = picture.view.to_world(((text.place[0] + 0.5 * size) * picture.point, 0.0))[0]
            if x > 0.0:
                found.append((float(x), radius_of(float(text.text))))
    return sorted(found)
