"""Water is drawn over bodies; the debug overlay shows where fields are."""

from __future__ import annotations

import numpy as np
import pytest

from ecs_softbody import Magnet, Particles, PointGravity, Simulation, Water, Wind, blueprints
from ecs_softbody.processors import FORCES
from ecs_softbody.processors.stage import Circle, Flow, Force, Outline, Spot
from ecs_softbody.rendering import Layer, Look, Picture, View
from ecs_softbody.rendering.land.water import SURFACE
from ecs_softbody.rendering.overlay.debug_overlay import DebugOverlay
from ecs_softbody.rendering.overlay.field_overlay import draw_fields
from ecs_softbody.rendering.world.world_painter import WorldPainter


def painted(*components: object) -> tuple[Simulation, Picture]:
    sim = Simulation()
    sim.spawn(*blueprints.blob((0, 0.2), 0.5))
    sim.spawn(*components)
    sim.step()
    picture = Picture(320, 180, View((0.0, 0.0), 6.0, 320, 180))
    WorldPainter().draw(sim, picture)
    return sim, picture


def test_water_covers_what_is_below_its_level() -> None:
    _, picture = painted(Water(0.5, left=-2.0, right=1.0))
    mesh = picture.mesh(SURFACE)
    assert Layer.EYES < SURFACE < Layer.EFFECTS
    low, high = picture.view.to_pixels([(-2.2, -9.0), (1.2, 0.7)])
    places = mesh.vertices[:, :2]
    assert (places > low).all()
    assert (places < high).all()


@pytest.mark.parametrize(
    "hidden",
    [(Water(-9.0),), (Water(0.0), Look(style="none")), (Water(0.0, left=90.0),), (Wind((1, 0)),)],
)
def test_water_that_is_not_seen_costs_no_triangles(hidden: tuple[object, ...]) -> None:
    _, picture = painted(*hidden)
    assert picture.mesh(SURFACE).index_count == 0


def test_the_overlay_shows_all_fields_and_survives_infinite_ones() -> None:
    sim, _ = painted(Water(0.5), Wind((3, 0)), PointGravity((1, 1), strength=1.0, reach=2.0))
    sim.spawn(Wind((0, 2), region=((50, 0), (60, 9))), PointGravity(strength=1.0))
    sim.step()
    shown = []
    for fields in (False, True):
        picture = Picture(320, 180, View((0.0, 0.0), 6.0, 320, 180))
        DebugOverlay(fields=fields).draw(sim, picture, 1.0, {})
        shown.append(picture.mesh(Layer.DEBUG).index_count)
        assert np.isfinite(picture.mesh(Layer.DEBUG).vertices).all()
    assert shown[1] > shown[0] + 100


def lone_fields(monkeypatch: pytest.MonkeyPatch, *components: object) -> tuple[int, list[str]]:
    """Return how many indices the overlay has for the fields alone, and the names it writes."""
    sim = Simulation()
    sim.spawn(*components)
    sim.step()
    picture = Picture(320, 180, View((0.0, 0.0), 6.0, 320, 180))
    written: list[str] = []
    monkeypatch.setattr(picture, "text", lambda text, *_, **__: written.append(text.strip()))
    draw_fields(sim, picture)
    sim.close()
    return picture.mesh(Layer.DEBUG).index_count, written


@pytest.mark.parametrize(
    "force", [one for one in FORCES if one.fields], ids=lambda one: one.__name__
)
def test_the_overlay_shows_and_names_the_example_of_every_force_with_a_field(
    force: type[Force], monkeypatch: pytest.MonkeyPatch
) -> None:
    entities: list[tuple[object, ...]] = []
    force.example(lambda *components: entities.append(components) or len(entities))
    for components in entities:
        if isinstance(components[-1], force.fields):
            drawn, written = lone_fields(monkeypatch, *components)
            assert drawn > 0
            assert written in ([], [type(components[-1]).__name__])


def test_a_field_declares_its_marks() -> None:
    sim = Simulation()
    fields = {
        "wind": Wind((3, 1), region=((0, 0), (1, 2))),
        "planet": PointGravity((1, 1), strength=-1.0, reach=2.0),
        "bar": Magnet(strength=1.0, rows=(0, 1), polarity=(1.0, -1.0)),
    }
    sim.spawn(fields["wind"])
    sim.spawn(fields["planet"])
    sim.spawn(Particles([(0, 0), (2, 0)]), fields["bar"])
    sim.step(1e-9)
    marks = {id(field): list(shown) for field, shown in sim.field_marks()}
    edge, flow = marks[id(fields["wind"])]
    assert isinstance(flow, Flow)
    assert edge == Outline((0.0, 0.0, 1.0, 2.0)) == Outline(flow.box)
    assert flow.velocity(np.zeros((4, 2))).tolist() == [[3.0, 1.0]] * 4
    spot, circle = marks[id(fields["planet"])]
    assert isinstance(spot, Spot)
    assert isinstance(circle, Circle)
    assert spot.center.tolist() == [1.0, 1.0] == circle.center.tolist()
    assert (spot.repels, circle.radius) == (True, 2.0)
    poles = [(mark.center.round(6).tolist(), mark.repels) for mark in marks[id(fields["bar"])]]
    assert poles == [([0.0, 0.0], False), ([2.0, 0.0], True)]
