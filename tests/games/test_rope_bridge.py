"""The rope bridge: it carries, breaks once, and both halves go on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ecs_softbody import Attachment, Particles
from ecs_softbody.play import Session
from ecs_softbody_games.labs.rope_bridge import DECK, LEFT, PLANKS, RIGHT, STRENGTH, RopeBridge
from tests.helpers.games import play


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
                    bridge.get(entity, Particles).position[held.rows[held.side == side]].mean(axis=0)
                    for side, entity in enumerate(held.between)
                    if entity is not None
                ]
                found.append(float(np.hypot(*(ends[0] - ends[1]))))
    return found


def test_it_hangs_between_the_cliffs_and_comes_to_rest(bridge: RopeBridge) -> None:
    play(bridge, 500)
    assert bridge.broken == 0
    assert max(gaps(bridge)) < 1e-3
    assert bridge.strongest < 0.6 * STRENGTH
    assert max(np.abs(bridge.velocity_of(plank)).max() for plank in bridge.planks) < 0.03


def test_it_carries_some_crates_and_sags(bridge: RopeBridge) -> None:
    play(bridge, 500)
    middle, force = bridge.center_of(bridge.planks[PLANKS // 2])[1], bridge.strongest
    for _ in range(3):
        play(bridge, 1, "space")
        play(bridge, 70)
    play(bridge, 240)
    assert bridge.broken == 0
    assert bridge.load == 9.0
    assert bridge.center_of(bridge.planks[PLANKS // 2])[1] < middle - 0.03
    assert bridge.strongest > 1.2 * force
    assert max(gaps(bridge)) < 2e-3


def test_it_breaks_once_and_both_halves_swing_on() -> None:
    session = Session(RopeBridge(), autopilot=True)
    bridge = session.game
    assert isinstance(bridge, RopeBridge)
    for _ in range(720):
        session.frame()
        if bridge.broken:
            break
    assert bridge.broken == 1
    assert bridge.best >= 12.0
    for _ in range(240):
        session.frame()
    assert bridge.broken == 1
    held = [joint for joint in bridge.joints if bridge.has_joint(joint)]
    assert len(held) == len(bridge.joints) - 1
    first, last = (bridge.get(bridge.planks[end], Particles).position for end in (0, -1))
    assert np.hypot(*(first - (LEFT, DECK)).T).min() < 0.3
    assert np.hypot(*(last - (RIGHT, DECK)).T).min() < 0.3
    low = [bridge.center_of(plank)[1] for plank in bridge.planks]
    assert min(low) < 2.0
    assert np.isfinite(low).all()
    assert max(gaps(bridge)) < 5e-3
    session.close()


def test_the_numbers_are_on_the_screen(bridge: RopeBridge) -> None:
    session = Session(bridge, autopilot=True)
    for _ in range(60):
        session.frame()
    shown = {text.text for text in session.picture(640, 360).texts}
    assert {"on the bridge", "largest force", "of its limit"} <= shown
