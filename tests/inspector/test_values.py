"""What of a world is shown and changed, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody import Collider, Particles, PressureBody, Springs, StaticCollider
from ecs_softbody.components import ALL
from ecs_softbody.inspector.model.entities import Row
from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.play import Recorder, Session
from ecs_softbody.rendering import Look
from ecs_softbody.storage import Component
from tests.inspector.rooms import Small, TwoWorlds, field, room, session_of, value


@pytest.fixture
def inspection(tmp_path: Path) -> Iterator[Inspection]:
    session = session_of(room(tmp_path))
    session.frame()
    made = Inspection(session)
    made.follow()
    yield made
    session.close()


def entity(inspection: Inspection, name: str) -> int:
    found = inspection.names.entity(inspection.sim, name)
    assert found is not None
    return found


def test_the_tree_has_the_names_of_the_file_and_opens_to_components(inspection: Inspection) -> None:
    tree = inspection.tree
    sim = inspection.sim
    assert [inspection.names.label(sim, row.entity) for row in tree.rows] == [
        "floor",
        "hero",
        "crate",
        "link",
    ]
    hero = entity(inspection, "hero")
    tree.opened.add(hero)
    tree.refresh(sim)
    kinds = [row.kind for row in tree.rows if row.entity == hero]
    assert kinds[0] is None
    assert {Particles, Springs, PressureBody, Collider, Look} == set(kinds[1:])
    tree.text = "pressure"
    tree.refresh(sim)
    assert {row.entity for row in tree.rows} == {hero}
    assert "PressureBody" in tree.summary(sim, hero)
    assert Row(hero) in tree.rows
    assert tree.count == 4


@pytest.mark.parametrize("kind", Component.types)
def test_every_component_has_the_fields_that_it_declares(kind: type[Component]) -> None:
    from ecs_softbody.inspector.model.fields import fields_of

    assert fields_of(kind)
    for one in fields_of(kind):
        low, high = one.span(1.0)
        assert low < high
        assert one.doc
        assert one.shape in ("number", "whole", "flag")


def test_a_range_is_the_declared_one_or_reaches_beyond_the_value() -> None:
    assert field(Collider, "restitution").span(0.5) == (0.0, 1.0)
    assert field(Springs, "stiffness").span(90.0) == (0.0, 500.0)
    assert field(Springs, "stiffness").span(0.0) == (0.0, 10.0)
    assert field(Particles, "velocity").span(-3.0) == (-10.0, 10.0)
    assert field(Particles, "velocity").span(30.0) == (-100.0, 100.0)
    assert field(Particles, "mass").span(np.inf) == (0.0, 10.0)
    assert field(Particles, "gravity_scale").span(1.0) == (-10.0, 10.0)


def test_a_changed_value_takes_effect_in_the_world(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    assert inspection.edit(hero, Collider, field(Collider, "friction"), 0.9)
    assert inspection.sim.get(hero, Collider).friction == pytest.approx(0.9)
    assert inspection.edit(None, None, field(None, "gravity"), 5.0, entry=1)
    assert inspection.sim.gravity.tolist() == [0.0, 5.0]
    before = inspection.sim.center(hero)[1]
    for _ in range(30):
        inspection.session.frame()
    assert inspection.sim.center(hero)[1] > before + 0.3
    assert inspection.pending.lines() == ["hero.Collider.friction = 0.9", "World.gravity.y = 5"]


def test_rows_that_differ_keep_their_proportions(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    springs = field(Springs, "stiffness")
    before = inspection.sim.get(hero, Springs).stiffness.copy()
    mean, mixed = inspection.reading(springs, inspection.sim.get(hero, Springs))
    assert mixed
    assert mean == pytest.approx(before.mean())
    assert inspection.edit(hero, Springs, springs, 2.0 * mean)
    assert inspection.edit(hero, Springs, springs, 3.0 * mean)
    np.testing.assert_allclose(inspection.sim.get(hero, Springs).stiffness, 3.0 * before)
    assert inspection.pending.lines() == ["hero.Springs.stiffness × 3"]
    assert inspection.edit(hero, Springs, springs, 7.0, row=4)
    assert inspection.sim.get(hero, Springs).stiffness[4] == 7.0
    assert inspection.reading(springs, inspection.sim.get(hero, Springs), 4) == (7.0, False)
    assert len(inspection.pending.changes) == 2


def test_a_body_moves_as_a_whole(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    before = inspection.sim.get(hero, Particles).position.copy()
    assert inspection.edit(
        hero, Particles, field(Particles, "position"), before[:, 0].mean() + 2.0, entry=0
    )
    np.testing.assert_allclose(
        inspection.sim.get(hero, Particles).position - before, [[2.0, 0.0]] * 24
    )


@pytest.mark.parametrize(
    ("kind", "name", "text", "said"),
    [
        (
            Collider,
            "friction",
            "rough",
            "Collider.friction: 'rough' is not allowed; expected a number",
        ),
        (Collider, "friction", "-1", "Collider.friction"),
        (Collider, "friction", "nan", "Collider.friction"),
        (Collider, "friction", "1e400", "Collider.friction"),
        (Collider, "restitution", "3", "Collider.restitution"),
        (Collider, "category", "1.5", "expected a whole number"),
        (Collider, "category", "9" * 30, "Collider.category"),
        (Look, "eyes", "7", "Look.eyes"),
        (Look, "fill", "[1, 2", "Look.fill"),
        (Look, "fill", "[900, 0, 0]", "Look.fill"),
        (Look, "style", "wild", "wild"),
        (Springs, "pairs", "3", "fixed"),
        (Particles, "mass", "0", "Particles.mass"),
    ],
)
def test_a_bad_value_gives_a_message_and_changes_nothing(
    inspection: Inspection, kind: type, name: str, text: str, said: str
) -> None:
    hero = entity(inspection, "hero")
    before = inspection.sim.state_hash()
    look = repr(inspection.sim.get(hero, Look))
    assert not inspection.typed(hero, kind, field(kind, name), text)
    assert inspection.failed
    assert said in inspection.message
    assert inspection.sim.state_hash() == before
    assert repr(inspection.sim.get(hero, Look)) == look
    assert not len(inspection.pending)
    assert inspection.typed(hero, Collider, field(Collider, "friction"), "0.25")
    assert not inspection.failed


def test_texts_and_colours_are_typed(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    assert inspection.typed(hero, Look, field(Look, "fill"), "[90, 200, 120]")
    assert inspection.typed(hero, Look, field(Look, "style"), "discs")
    assert inspection.edit(hero, Look, field(Look, "shadow"), False)
    assert inspection.typed(hero, Look, field(Look, "outline"), "none")
    look = inspection.sim.get(hero, Look)
    assert (look.fill, look.style, look.shadow, look.outline) == (
        (90, 200, 120),
        "discs",
        False,
        None,
    )
    assert field(Look, "style").choices[0] == "auto"


def test_an_edit_of_an_entity_that_has_gone_only_says_so(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    inspection.sim.despawn(hero)
    inspection.session.frame()
    before = inspection.sim.state_hash()
    assert not inspection.edit(hero, Collider, field(Collider, "friction"), 0.9)
    assert "gone" in inspection.message
    assert inspection.failed
    assert not inspection.delete(hero)
    inspection.selected = hero
    inspection.follow()
    assert inspection.selected is None
    assert inspection.sim.state_hash() == before
    assert inspection.components(hero) == []
    crate = entity(inspection, "crate")
    assert not inspection.edit(crate, PressureBody, field(PressureBody, "nRT"), 1.0)
    assert "PressureBody is not allowed" in inspection.message


def test_a_body_is_picked_and_deleted(inspection: Inspection) -> None:
    hero = entity(inspection, "hero")
    x, y = inspection.sim.center(hero)
    assert inspection.pick((float(x), float(y))) == hero
    assert inspection.selected == hero
    assert inspection.pick((-5.0, 5.0)) is None
    assert inspection.selected is None
    assert inspection.delete(hero)
    assert not inspection.sim.exists(hero)
    assert hero not in [row.entity for row in inspection.tree.rows]
    for _ in range(5):
        inspection.session.frame()
        inspection.session.picture(320, 180)
        inspection.follow()


def test_a_body_of_every_blueprint_can_be_made(inspection: Inspection) -> None:
    from ecs_softbody.inspector.model.spawning import recipes

    names = list(recipes())
    assert {"ball", "blob", "box", "cloth", "polygon", "rod", "rope", "wheel"} == set(names)
    for number, name in enumerate(names):
        made = inspection.spawn(name, recipes()[name].first, (float(number), 6.0))
        assert made is not None, inspection.message
        assert inspection.sim.center(made)[0] == pytest.approx(number, abs=0.3)
        assert inspection.names.label(inspection.sim, made) == f"{name}-1"
    inspection.session.frame()
    assert inspection.spawn("blob", {**recipes()["blob"].first, "radius": -1.0}, (0.0, 6.0)) is None
    assert "blob.radius" in inspection.message
    assert (
        inspection.spawn("blob", {**recipes()["blob"].first, "material": "jelly"}, (0.0, 6.0))
        is not None
    )


def test_components_of_a_class_of_the_games_own(inspection: Inspection) -> None:
    class Coins:
        def __init__(self) -> None:
            self.count = 3
            self.shiny = True
            self.owner = "hero"
            self.bag = [1, 2]

    made = inspection.sim.spawn(Coins())
    coins = inspection.components(made)[0]
    fields = {one.name: one for one in inspection.fields(coins)}
    assert [fields[name].shape for name in ("count", "shiny", "owner", "bag")] == [
        "whole",
        "flag",
        "text",
        "data",
    ]
    assert inspection.typed(made, Coins, fields["count"], "12")
    assert coins.count == 12
    assert not inspection.typed(made, Coins, fields["bag"], "[3]")
    assert coins.bag == [1, 2]
    assert not len(inspection.pending)


def test_of_two_worlds_each_can_be_looked_at() -> None:
    session = Session(TwoWorlds())
    session.state = "playing"
    inspection = Inspection(session)
    inspection.follow()
    assert [sim.world for sim in inspection.worlds] == ["above", "below"]
    assert inspection.tree.count == 1
    inspection.choose_world(1)
    inspection.follow()
    assert inspection.tree.count == 2
    below = inspection.sim.entities()[1]
    assert inspection.edit(below, Particles, field(Particles, "velocity"), 3.0, entry=0)
    session.frame()
    assert session.game.below.center(below)[0] > 2.0  # type: ignore[attr-defined]
    assert session.game.sim.center(session.game.ball)[0] == 0.0  # type: ignore[attr-defined]
    session.restart()
    inspection.follow()
    assert inspection.sim is session.game.sim
    session.close()


def test_nothing_is_changed_while_a_replay_is_recorded() -> None:
    game = Small()
    game.recorder = Recorder()
    session = Session(game)
    inspection = Inspection(session)
    assert not inspection.edit(game.ball, Collider, field(Collider, "mask"), 1)
    assert "recorded" in inspection.message
    assert game.sim.get(game.ball, Collider).mask == ALL
    session.close()


def test_walls_have_values_too(inspection: Inspection) -> None:
    assert value(inspection, "floor", StaticCollider, "friction") == pytest.approx(0.8)
    assert inspection.edit(
        entity(inspection, "floor"), StaticCollider, field(StaticCollider, "friction"), 0.1
    )
    assert value(inspection, "floor", StaticCollider, "friction") == pytest.approx(0.1)
