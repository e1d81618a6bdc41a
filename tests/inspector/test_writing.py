"""What was changed goes into the scene file, and nothing else does."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

import esper
import pytest

from ecs_softbody import Collider, Particles, Springs, scenes
from ecs_softbody.cli.main import main
from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.inspector.model.spawning import recipes
from ecs_softbody.play import Session
from ecs_softbody.rendering import Look
from tests.inspector.rooms import ROOM, Small, field, room, session_of, value


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return room(tmp_path)


@pytest.fixture
def inspection(path: Path) -> Iterator[Inspection]:
    session = session_of(path)
    made = Inspection(session)
    for _ in range(40):  # bodies fall: where they are now is not for the file
        session.frame()
        made.follow()
    yield made
    session.close()


def entity(inspection: Inspection, name: str) -> int:
    found = inspection.names.entity(inspection.sim, name)
    assert found is not None
    return found


def new_lines(path: Path) -> tuple[list[str], list[str]]:
    """Return the lines that went and that came."""
    changes = list(difflib.ndiff(ROOM.splitlines(), path.read_text().splitlines()))
    return [line[2:] for line in changes if line[:2] == "- "], [
        line[2:] for line in changes if line[:2] == "+ "
    ]


def test_only_the_changed_value_changes_in_the_file(inspection: Inspection, path: Path) -> None:
    assert inspection.edit(entity(inspection, "floor"), *_friction("floor"), 0.3)
    world = esper.current_world
    assert inspection.write(), inspection.message
    assert esper.current_world == world
    assert new_lines(path) == (
        ["friction = 0.8         # rough"],
        ["friction = 0.3         # rough"],
    )
    assert inspection.message == "room.toml: 1 change written"
    assert not len(inspection.pending)
    assert main(["check", str(path)]) == 0
    before = path.read_bytes()
    assert inspection.write()
    assert path.read_bytes() == before


def _friction(name: str) -> tuple[type, object]:
    from ecs_softbody import StaticCollider

    kind = StaticCollider if name == "floor" else Collider
    return kind, field(kind, "friction")


def test_what_was_written_is_read_again(inspection: Inspection, path: Path) -> None:
    hero = entity(inspection, "hero")
    crate = entity(inspection, "crate")
    assert inspection.edit(hero, *_friction("hero"), 0.9)
    assert inspection.edit(crate, Particles, field(Particles, "gravity_scale"), 0.5)
    assert inspection.edit(hero, Look, field(Look, "eyes"), 1)
    assert inspection.edit(entity(inspection, "link"), Springs, field(Springs, "stiffness"), 35.0)
    assert inspection.edit(None, None, field(None, "gravity"), -3.0, entry=1)
    assert inspection.edit(None, None, field(None, "substeps"), 12)
    scales = inspection.sim.get(hero, Springs).stiffness.copy()
    springs = field(Springs, "stiffness")
    assert inspection.edit(
        hero,
        Springs,
        springs,
        1.5 * inspection.reading(springs, inspection.sim.get(hero, Springs))[0],
    )
    assert len(inspection.pending) == 7
    assert inspection.write(), inspection.message
    read = scenes.open(path)
    sim = read.sim
    assert sim.get(read["hero"], Collider).friction == pytest.approx(0.9)
    assert sim.get(read["crate"], Particles).gravity_scale == 0.5
    assert sim.get(read["hero"], Look).eyes == 1
    assert sim.get(read["link"], Springs).stiffness[0] == 35.0
    assert sim.get(read["hero"], Springs).stiffness == pytest.approx(1.5 * scales)
    assert sim.gravity.tolist() == [0.0, -3.0]
    assert sim.substeps == 12
    assert sim.center(read["hero"]) == pytest.approx((0.0, 2.0))
    sim.close()
    text = path.read_text()
    assert "radius = 0.8           # large" in text
    assert "# as on Earth" in text


def test_a_body_that_was_moved_gets_another_place(inspection: Inspection, path: Path) -> None:
    crate = entity(inspection, "crate")
    now = inspection.sim.get(crate, Particles).position[:, 0].mean()
    assert inspection.edit(
        crate, Particles, field(Particles, "position"), float(now) + 2.0, entry=0
    )
    assert inspection.write(), inspection.message
    read = scenes.open(path)
    assert read.sim.center(read["crate"]) == pytest.approx((5.0, 1.0))
    read.sim.close()
    gone, _ = new_lines(path)
    assert "at = [3, 1]" in gone


def test_new_bodies_are_written_as_blueprints_and_deleted_ones_go(
    inspection: Inspection, path: Path
) -> None:
    made = inspection.spawn("ball", {**recipes()["ball"].first, "material": "rubber"}, (-4.0, 3.0))
    assert made is not None
    assert inspection.edit(made, Particles, field(Particles, "gravity_scale"), 0.25)
    other = inspection.spawn("rope", recipes()["rope"].first, (-4.0, 5.0))
    assert other is not None
    assert inspection.delete(other)
    assert inspection.delete(entity(inspection, "link"))
    assert inspection.write(), inspection.message
    assert "[entities.ball-1.ball]" in path.read_text()
    assert "rope" not in path.read_text()
    read = scenes.open(path)
    assert list(read) == ["floor", "hero", "crate", "ball-1"]
    assert read.sim.center(read["ball-1"]) == pytest.approx((-4.0, 3.0))
    assert read.sim.get(read["ball-1"], Particles).gravity_scale == 0.25
    read.sim.close()
    assert inspection.edit(made, Particles, field(Particles, "gravity_scale"), 0.75)
    assert inspection.write(), inspection.message
    read = scenes.open(path)
    assert read.sim.get(read["ball-1"], Particles).gravity_scale == 0.75
    read.sim.close()


def test_writing_does_not_begin_the_round_anew_and_a_change_from_outside_does(
    inspection: Inspection, path: Path
) -> None:
    session = inspection.session
    sim = inspection.sim
    assert inspection.edit(entity(inspection, "hero"), *_friction("hero"), 0.9)
    assert inspection.write()
    for _ in range(40):
        session.frame()
    assert session.game.sim is sim
    assert inspection.edit(entity(inspection, "crate"), *_friction("crate"), 0.2)
    path.write_text(path.read_text().replace("radius = 0.8", "radius = 0.6"))
    os.utime(path, ns=(1, 1))
    for _ in range(40):
        session.frame()
        inspection.follow()
    assert session.game.sim is not sim
    assert value(inspection, "hero", Collider, "friction") == pytest.approx(0.9)
    assert value(inspection, "crate", Collider, "friction") == pytest.approx(0.2)
    assert inspection.pending.lines() == ["crate.Collider.friction = 0.2"]
    assert inspection.write()
    assert "radius = 0.6" in path.read_text()


def test_a_restart_keeps_what_is_pending_pause_speed_and_the_choice(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    inspection.select(hero)
    inspection.edit(hero, *_friction("hero"), 0.9)
    made = inspection.spawn("ball", recipes()["ball"].first, (-4.0, 3.0))
    inspection.delete(entity(inspection, "link"))
    inspection.select(hero)
    inspection.time.set_speed(0.5)
    inspection.time.pause(True)
    inspection.session.restart()
    inspection.follow()
    assert inspection.sim.paused
    assert inspection.sim.time_scale == 0.5
    assert inspection.selected == entity(inspection, "hero")
    assert value(inspection, "hero", Collider, "friction") == pytest.approx(0.9)
    assert made is not None
    assert inspection.names.entity(inspection.sim, "ball-1") is not None
    assert inspection.names.entity(inspection.sim, "link") is None
    inspection.discard()
    inspection.follow()
    assert value(inspection, "hero", Collider, "friction") == pytest.approx(0.5)
    assert inspection.names.entity(inspection.sim, "ball-1") is None
    assert inspection.names.entity(inspection.sim, "link") is not None


@pytest.mark.slow
def test_a_file_that_is_wrong_or_has_gone_is_told_and_nothing_is_lost(
    inspection: Inspection, path: Path
) -> None:
    assert inspection.edit(entity(inspection, "hero"), *_friction("hero"), 0.9)
    right = path.read_text()
    path.write_text(right + "\n[entities.bad.blobb]\n")
    assert not inspection.write()
    assert "blobb" in inspection.message
    path.unlink()
    assert not inspection.write()
    assert "no file" in inspection.message
    path.write_text(
        right.replace("entities.hero", "entities.heroine").replace('"hero"', '"heroine"')
    )
    assert not inspection.write()
    assert "hero" in inspection.message
    path.write_text(right)
    assert len(inspection.pending) == 1
    assert inspection.write()


def test_scenes_in_json_and_with_included_files(tmp_path: Path) -> None:
    (tmp_path / "ground.toml").write_text(
        "[entities.ground.StaticCollider]\nvertices = [[-5, 0], [5, 0]]\n"
    )
    path = tmp_path / "level.json"
    path.write_text(
        '{\n  "include": "ground.toml",\n  "entities": {"ball": {"ball": {"center": [0, '
        '2], "radius": 0.5}}}\n}\n'
    )
    session = session_of(path)
    inspection = Inspection(session)
    from ecs_softbody import StaticCollider

    assert inspection.edit(
        entity(inspection, "ground"), StaticCollider, field(StaticCollider, "friction"), 0.1
    )
    assert inspection.edit(entity(inspection, "ball"), *_friction("ball"), 0.2)
    assert inspection.write(), inspection.message
    assert "friction" not in (tmp_path / "ground.toml").read_text()
    read = scenes.open(path)
    assert read.sim.get(read["ground"], StaticCollider).friction == pytest.approx(0.1)
    assert read.sim.get(read["ball"], Collider).friction == pytest.approx(0.2)
    read.sim.close()
    session.close()


def test_a_world_without_a_file_says_so() -> None:
    session = Session(Small())
    inspection = Inspection(session)
    ball = session.game.ball  # type: ignore[attr-defined]
    assert inspection.edit(ball, *_friction("ball"), 0.2)
    assert inspection.message == "entity 1.Collider.friction = 0.2"
    assert not len(inspection.pending)
    assert not inspection.write()
    assert "scene file" in inspection.message
    session.close()
