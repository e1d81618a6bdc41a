"""The inspector in a real window, with a scripted mouse and keys."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, scenes
from ecs_softbody.play.screens.menu import Choice, Menu
from tests.helpers.internals import show_screen
from tests.inspector.rooms import room, session_of
from tests.inspector.scripted import Hand

pytestmark = pytest.mark.window


@pytest.fixture
def hand(tmp_path: Path) -> Iterator[Hand]:
    made = Hand(session_of(room(tmp_path)))
    yield made
    made.close()


def entity(hand: Hand, name: str) -> int:
    found = hand.inspection.names.entity(hand.inspection.sim, name)
    assert found is not None
    return int(found)


def shown_panel(hand: Hand) -> float:
    """Return how different the panel's part of the picture is from the game below it."""
    hand.window.draw(hand.session)
    with_panel = hand.window.pixels().astype(int)
    hand.inspector.shown = False
    hand.window.draw(hand.session)
    without = hand.window.pixels().astype(int)
    hand.inspector.shown = True
    return float(np.abs(with_panel - without).mean())


def test_it_lies_over_the_picture_and_hides_on_a_key(hand: Hand) -> None:
    assert shown_panel(hand) > 5.0
    hand.key("F2")
    assert not hand.inspector.shown
    hand.window.draw(hand.session)
    without = hand.window.pixels()
    hand.key("F2")
    assert hand.inspector.shown
    hand.window.draw(hand.session)
    assert (hand.window.pixels()[:, -200:] != without[:, -200:]).any(axis=2).mean() > 0.5


@pytest.mark.slow
def test_a_slider_changes_the_world_and_the_game_sees_no_click(hand: Hand) -> None:
    hero = entity(hand, "hero")
    hand.inspection.select(hero)
    hand.ticks(2)
    # fold them: what is below comes up
    for name in ("Particles", "Springs", "PressureBody"):
        hand.click(name, 0.02)
        hand.ticks(2)
    hand.drag("Collider.friction.None/##slider", 0.3, 0.8)
    friction = hand.inspection.sim.get(hero, Collider).friction
    assert 1.0 < friction < 2.0
    assert f"hero.Collider.friction = {friction:.6g}" in hand.inspection.pending.lines()
    assert not hand.session.drag.holding
    assert hand.inspection.selected == hero


@pytest.mark.slow
def test_gravity_turned_over_lifts_what_lies(hand: Hand) -> None:
    hero = entity(hand, "hero")
    hand.ticks(60)
    low = hand.inspection.sim.center(hero)[1]
    hand.inspection.select(None)
    hand.ticks(2)
    hand.drag("gravity.y.None/##slider", 0.33, 0.9)
    assert hand.inspection.sim.gravity[1] > 10.0
    hand.ticks(30)
    assert hand.inspection.sim.center(hero)[1] > low + 0.5


def test_a_click_in_the_world_picks_a_body_and_marks_it(hand: Hand) -> None:
    crate = entity(hand, "crate")
    hero = entity(hand, "hero")
    hand.inspection.select(crate)
    hand.inspection.time.pause(True)
    hand.ticks(2)
    hand.window.draw(hand.session)
    before = hand.window.pixels()
    x, y = hand.world(*hand.inspection.sim.center(hero))
    hand.click_at(x, y)
    assert hand.inspection.selected == hero
    hand.window.draw(hand.session)
    around = (slice(720 - y - 90, 720 - y + 90), slice(x - 90, x + 90))
    assert (hand.window.pixels()[around].astype(int) != before[around]).any(axis=2).sum() > 300
    assert any(row.kind is Particles for row in hand.inspection.tree.rows)
    hand.click_at(*hand.world(-6.0, 5.0))
    assert hand.inspection.selected is None


@pytest.mark.slow
def test_a_click_on_a_component_in_the_tree_shows_its_values(hand: Hand) -> None:
    hero = entity(hand, "hero")
    hand.click_at(*hand.world(*hand.inspection.sim.center(hero)))
    hand.ticks(3)
    friction = "Collider.friction.None/friction"
    assert friction not in hand.recording.places
    hand.click(f"{hero}/Collider")
    hand.ticks(2)
    assert friction in hand.recording.places
    hand.click(friction, 0.1)
    hand.type("0.9")
    hand.key("ENTER")
    assert hand.inspection.sim.get(hero, Collider).friction == 0.9


@pytest.mark.slow
def test_what_is_typed_does_not_reach_the_game(hand: Hand) -> None:
    hero = entity(hand, "hero")
    sim = hand.session.game.sim
    hand.inspection.select(hero)
    hand.ticks(2)
    box = "Particles.radius.None/radius m"
    hand.click(box, 0.1)
    hand.type("rpmh")  # in the game: restart, pause, sound, help
    hand.key("ENTER")
    assert hand.inspection.message == "Particles.radius: 'rpmh' is not allowed; expected a number"
    assert hand.inspection.failed
    assert hand.session.game.sim is sim
    assert hand.session.state == "playing"
    assert not hand.session.help_shown
    hand.click(box, 0.1)
    hand.type("0.25")
    hand.key("ENTER")
    assert (sim.get(hero, Particles).radius == 0.25).all()
    hand.click_at(*hand.world(-6.0, 5.0))
    hand.key("P")
    assert hand.session.state == "paused"


@pytest.mark.slow
def test_a_key_that_the_game_has_down_is_let_go_there(hand: Hand) -> None:
    from pyglet.window import key

    hand.window.handle.dispatch_event("on_key_press", key.D, 0)
    hand.ticks()
    assert hand.window.holds(key.D, True)
    hand.inspection.select(entity(hand, "hero"))
    hand.ticks(2)
    hand.click("Particles.mass.None/mass kg", 0.1)
    hand.window.handle.dispatch_event("on_key_release", key.D, 0)
    hand.ticks()
    assert not hand.window.holds(key.D, True)


def test_values_are_written_to_the_file_with_the_mouse(hand: Hand) -> None:
    path = hand.inspection.scene.path
    hand.inspection.select(None)
    hand.ticks(2)
    hand.click("substeps.None/substeps", 0.1)
    hand.type("16")
    hand.key("ENTER")
    assert hand.session.game.sim.substeps == 16
    hand.ticks(2)
    hand.click("write 1 to room.toml")
    assert hand.inspection.message == "room.toml: 1 change written"
    assert "substeps = 16" in path.read_text()
    assert not scenes.check(path)
    read = scenes.open(path)
    assert read.sim.substeps == 16
    read.sim.close()


@pytest.mark.slow
def test_pause_one_step_and_back(hand: Hand) -> None:
    hand.ticks(60)
    hand.click("pause")
    frame = hand.session.game.sim.frame
    hand.click("one step")
    hand.ticks(2)
    assert hand.session.game.sim.frame == frame + 1
    hand.drag("back", 0.6, 0.1)
    assert hand.session.game.sim.frame < frame - 30
    hand.click("go on")
    hand.ticks(5)
    assert not hand.session.game.sim.paused
    hand.drag("speed", 0.5, 0.25)
    assert 0.2 < hand.session.game.sim.time_scale < 0.8


@pytest.mark.slow
def test_new_bodies_and_deleting(hand: Hand) -> None:
    count = len(hand.session.game.sim.entities())
    hand.click("New body", 0.3)
    hand.ticks(2)
    hand.click("make it")
    assert len(hand.session.game.sim.entities()) == count + 1
    assert hand.inspection.names.label(hand.inspection.sim, hand.inspection.selected) == "blob-1"
    hand.click("where I click", 0.1)
    hand.click_at(*hand.world(-5.0, 4.0))
    made = hand.inspection.selected
    assert hand.inspection.sim.center(made) == pytest.approx((-5.0, 4.0), abs=0.3)
    assert not hand.session.drag.holding
    hand.click("delete")
    assert not hand.inspection.alive(made)
    hand.click("Plots", 0.3)
    hand.ticks(10)
    assert hand.inspection.measures.series["kinetic energy [J]"].max() > 0.0


@pytest.mark.slow
def test_small_windows_other_sizes_and_fine_screens(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, height in ((400, 240), (1100, 700), (640, 720)):
        hand.window.handle.set_size(width, height)
        hand.ticks(4)
        left, top, wide, high = hand.inspector.bounds
        size = hand.window.size_px
        assert left >= 0.0
        assert top >= 0.0
        assert left + wide <= size[0] + 1.0
        assert top + high <= size[1] + 1.0
        assert shown_panel(hand) > 2.0
    small = hand.recording.places["pause"]
    monkeypatch.setattr(type(hand.window.handle), "scale", 2.0)
    hand.ticks(3)
    large = hand.recording.places["pause"]
    assert large[3] - large[1] == pytest.approx(2.0 * (small[3] - small[1]), rel=0.2)


def test_another_round_a_menu_and_another_game(hand: Hand, tmp_path: Path) -> None:
    hand.inspection.select(entity(hand, "hero"))
    hand.session.restart()
    hand.ticks(3)
    assert hand.inspection.selected == entity(hand, "hero")
    menu = Menu([Choice("a", "A", "b")])
    hand.inspector.meet(menu)
    show_screen(hand.window, menu)
    hand.ticks(3)
    assert hand.inspection is None
    other = session_of(room(tmp_path))
    hand.inspector.meet(other)
    show_screen(hand.window, other)
    hand.ticks(3)
    assert hand.inspection.session is other
    assert "pause" in hand.recording.places
    hand.inspector.meet(hand.session)
    show_screen(hand.window, hand.session)
    other.close()
    hand.ticks(1)


def test_an_entity_that_goes_while_it_is_shown_is_no_matter(hand: Hand) -> None:
    hero = entity(hand, "hero")
    hand.inspection.select(hero)
    hand.ticks(2)
    x, y = hand.place("Particles.mass.None/##slider", 0.2)
    hand.move(x, y)
    hand.press()
    hand.session.game.sim.despawn(hero)
    hand.session.game.sim.step()
    hand.move(x + 50, y, buttons=1)
    hand.release()
    hand.ticks(2)
    assert hand.inspection.selected is None


@pytest.mark.slow
def test_only_lines_that_are_seen_are_drawn(hand: Hand) -> None:
    from ecs_softbody import blueprints

    sim = hand.session.game.sim
    for number in range(30):
        sim.spawn(*blueprints.ball((-7.0 + 0.45 * number, 4.0), 0.2))
    hand.ticks(12)
    few = len(hand.recording.places)
    for row, column in itertools.product(range(9), range(30)):
        sim.spawn(*blueprints.ball((-7.0 + 0.45 * column, 5.0 + 0.5 * row), 0.2))
    hand.ticks(12)
    assert hand.inspection.tree.count == 304
    assert len(hand.recording.places) <= few
