"""Every short scene goes through start screen, round, restart, pause and help, and shows its keys and numbers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from ecs_softbody import Particles, StabilityWarning
from ecs_softbody.rendering import RESERVED_KEYS, Controls, Session
from ecs_softbody_games.jelly_car import JellyCar
from ecs_softbody_games.labs.lab import Lab
from ecs_softbody_games.labs.muscles import MusclesLab
from ecs_softbody_games.labs.rope_bridge import RopeBridge

SCENES: tuple[type[Lab], ...] = (JellyCar, MusclesLab, RopeBridge)


def positions(lab: Lab) -> np.ndarray:
    return np.asarray(lab.sim.interpolated_positions(1.0))


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_scene_from_the_start_screen_to_a_restart(scene: type[Lab]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StabilityWarning)
        session = Session(scene())
        lab = session.game
        assert isinstance(lab, Lab)
        for _ in range(20):
            session.frame()
        assert {lab.title, lab.tagline} <= {text.text for text in session.picture(640, 360).texts}
        session.frame(Controls(pressed={"space"}))
        assert session.state == "playing"
        first = positions(lab)
        for _ in range(30):
            session.frame(Controls(held={"right"}))
        shown = {text.text for text in session.picture(640, 360).texts}
        assert {meaning for _, meaning in lab.keys} <= shown
        assert {label for label, _ in lab.numbers()} <= shown
        session.frame(Controls(pressed={"p"}))
        session.frame(Controls(pressed={"h"}))
        session.picture(640, 360, 0.5)
        session.frame(Controls(pressed={"h"}))
        session.frame(Controls(pressed={"space"}))
        session.frame(Controls(pressed={"r"}))
        session.restart()
        session.frame()
        assert np.array_equal(positions(lab), first)
        session.close()


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_the_demo_of_a_scene_stays_finite_and_uses_its_own_keys(scene: type[Lab]) -> None:
    session = Session(scene(), autopilot=True)
    lab = session.game
    assert isinstance(lab, Lab)
    for frame in range(720):
        session.frame()
        if frame % 60 == 0:
            session.picture(640, 360, 0.5)
            assert np.isfinite(lab.sim.buffers[Particles].rows["position"]).all()
    for act in lab.script:
        assert not set(act.keys.split()) & RESERVED_KEYS
        assert act.first < act.last <= 720
    session.close()


def test_names_are_different_and_short() -> None:
    names = [scene.name for scene in SCENES]
    assert len(set(names)) == len(names)
    for scene in SCENES:
        assert scene.name == scene.name.lower()
        assert 5 < len(scene.tagline) < 60
