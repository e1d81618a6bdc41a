"""What a maker met in the first hour and what happens now, where no other file of this folder shows
it.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, StaticCollider, blueprints
from ecs_softbody.play import Axis, Button, Controls, Game, Pads, Session, Sounds
from ecs_softbody.rendering import Look

ROOT = Path(__file__).parents[2]
WORLDS = itertools.count()


class Hop(Game):
    """A maker's game of two levels: firm and soft, a timer, a handler, a best result."""

    name = "hop"
    title = "Hop"
    actions: ClassVar = {
        "roll": Axis("left a", "right d", "stick_x"),
        "hop": Button("space", "pad_a"),
    }
    keys: ClassVar = [("roll", "roll"), ("hop", "hop")]
    levels = ("jelly", "wood")

    def __init__(self) -> None:
        super().__init__()
        self.rolled = 0.0
        self.hops = 0
        self.ticks = 0
        self.touched = 0
        self.on("contact_begin", lambda event: setattr(self, "touched", self.touched + 1))

    def start(self) -> None:
        self.close()
        self.sim = Simulation(world="hop")
        self.sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
        self.hero = self.sim.spawn(
            *blueprints.blob((0, 0.6), 0.5, material=self.current_level), Look(eyes=2)
        )
        self.clock.every(0.1, self.tick)
        self.camera.fit((-7, -1, 7, 6))

    def tick(self) -> None:
        self.ticks += 1

    def update(self, controls: Controls, dt: float) -> None:
        self.rolled = controls.axis("roll")
        if controls.was_pressed("hop"):
            self.hops += 1
            self.saves.keep_best("hops", self.hops)


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(Hop())
    made.frame(Controls(pressed={"space"}))
    yield made
    made.close()


def hop(session: Session) -> Hop:
    assert isinstance(session.game, Hop)
    return session.game


def world() -> Simulation:
    sim = Simulation(world=f"frictions {next(WORLDS)}")
    sim.spawn(StaticCollider([(-9, 0), (9, 0)]))
    return sim


def frames_to_sleep(sim: Simulation, entity: int, most: float = 15.0) -> float:
    """Return how long a body takes to fall asleep [s]."""
    for frame in range(int(60 * most)):
        sim.step()
        if sim.is_asleep(entity):
            return frame / 60
    return math.inf


@pytest.mark.parametrize(
    "asked", [{"frequency": 300.0}, {"stiffness": 1e6}, {"firmness": 300.0}], ids=str
)
def test_stiffer_is_not_softer(asked: dict[str, float]) -> None:
    sim = world()
    parts = blueprints.blob((0, 0.5), 0.5, **asked)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim.spawn(*parts)
        for _ in range(240):
            sim.step()
    assert 0.92 < np.ptp(parts[0].position[:, 1]) + 2 * parts[0].radius[0] < 1.01


def test_the_time_of_a_world_is_that_of_its_game(session: Session) -> None:
    game = hop(session)
    begun = game.sim.time
    game.sim.time_scale = 0.25
    for _ in range(40):
        session.frame()
    assert game.sim.time - begun == pytest.approx(10 / 60, abs=1.5 / 60)
    begun = game.sim.time
    game.sim.paused = True
    for _ in range(10):
        session.frame()
    assert game.sim.time == begun
    game.sim.paused = False
    session.frame()
    assert game.sim.time > begun


def test_a_controller_plays_it_without_a_line_of_code(session: Session) -> None:
    class Wire:
        def open(self) -> None: ...

        def push_handlers(self, **handlers: object) -> None:
            vars(self).update(handlers)

    pads = Pads()
    pad = Wire()
    pads.controls = Controls()
    pads.connect(pad)  # type: ignore[arg-type]
    pad.on_stick_motion(pad, "leftstick", (-1.0, 0.0))  # type: ignore[attr-defined]
    pad.on_button_press(pad, "a")  # type: ignore[attr-defined]
    session.frame(pads.controls)
    assert (hop(session).rolled, hop(session).hops) == (-1.0, 1)


def test_the_view_begins_where_start_fits_it_above_the_keys(session: Session) -> None:
    left, bottom, right, top = session.game.camera.visible
    assert left <= -7 + 1e-6
    assert right >= 7 - 1e-6
    assert bottom <= -1 + 1e-6
    assert top >= 6 - 1e-6


def test_nothing_of_the_session_covers_the_top(session: Session) -> None:
    session.frame(Controls(pressed={"comma", "m"}))  # slow motion, sound off
    session.frame()
    shown = session.picture(1280, 720).texts
    assert any("slow motion" in text.text for text in shown)
    assert all(text.place[1] < 100 for text in shown)


def test_sounds_and_music_of_ones_own() -> None:
    sounds = Sounds()
    sounds.add("laser", 0.3 * np.sin(np.arange(2000) / 5.0))
    sounds.play("laser", pitch=1.2)
    assert sounds.played == ["laser"]
    with pytest.raises(ValueError, match=r"Sounds.name: 'lasr' .* \(did you mean laser\?\)"):
        sounds.play("lasr")


def test_levels_timers_handlers_and_the_best_come_along(session: Session) -> None:
    game = hop(session)
    for number in range(2):
        assert game.level_number == number
        game.touched = game.ticks = 0
        session.frame(Controls(pressed={"hop"}))
        for _ in range(30):
            session.frame()
        assert game.touched >= 1
        assert 4 <= game.ticks <= 6
        game.next_level()
        session.frame()
    assert session.state == "won"
    assert repr(game.saves["hops"]) == "2"  # whole, as it was given


@pytest.mark.parametrize("crate", [{"shape_stiffness": 1e6}, {"material": "wood"}], ids=str)
def test_a_crate_warns_of_nothing(crate: dict[str, object]) -> None:
    sim = world()
    sim.spawn(*blueprints.box((0, 1.0), 1.0, **crate))  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(60):
            sim.step()


@pytest.mark.parametrize(("fall", "most"), [(0.0, 5.0), (2.0, 8.0)])
def test_a_blob_falls_asleep_in_seconds(fall: float, most: float) -> None:
    sim = world()
    assert frames_to_sleep(sim, sim.spawn(*blueprints.blob((0, 0.5 + fall), 0.5))) < most


def test_a_body_grows_by_being_replaced() -> None:
    sim = world()
    small = sim.spawn(*blueprints.blob((0, 3), 0.3, material="jelly", velocity=(1, 0)))
    sim.step()
    center = sim.center(small)
    velocity = sim.get(small, Particles).pose().velocity
    sim.despawn(small)
    large = sim.spawn(*blueprints.blob(center, 0.6, material="jelly", velocity=velocity))
    sim.step()
    assert not sim.exists(small)
    assert sim.center(large)[0] > center[0]


def test_no_table_of_the_docs_is_broken_by_an_empty_line() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        broken = re.findall(
            r"^\|.*\|\n\n\| `\w+`.*\|$", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert broken == [], page.name


def test_there_are_pages_for_windows_levels_controllers_friends_and_firmness() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in ("window", "levels", "controllers", "camera_and_sound", "friends", "firmness"):
        assert f"{page}.md" in nav
        assert (ROOT / "docs" / f"{page}.md").exists()
