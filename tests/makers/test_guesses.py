"""The field's common words: each works, or the error says the right one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ecs_softbody
from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from ecs_softbody.play import Controls, Game
from ecs_softbody.rendering import Camera, Look, Picture


@pytest.mark.parametrize("controls", [Controls(held={"left"}), Controls(pressed={"left"})])
def test_a_key_that_is_down_is_pressed(controls: Controls) -> None:
    assert controls.is_pressed("left")
    assert controls.is_held("left")


def test_a_camera_fits_a_rectangle() -> None:
    camera = Camera()
    camera.fit((-7, -1, 7, 6))
    left, bottom, right, top = camera.visible
    assert left <= -7 + 1e-9
    assert right >= 7 - 1e-9
    assert bottom <= -1
    assert top >= 6


PARTICLES = Particles([(0, 0), (1, 0)])
ATTRIBUTES: dict[str, tuple[object, str, str]] = {
    "camera zoom": (Camera(), "zoom", r"Camera has no attribute 'zoom' \(did you mean height\?\)"),
    "camera position": (Camera(), "position", r"\(did you mean center\?\)"),
    "camera typo": (Camera(), "folow", r"\(did you mean follow\?\)"),
    "controls": (
        Controls(),
        "just_pressed",
        r"has no attribute 'just_pressed' \(did you mean was_pressed\?\)",
    ),
    "is_down": (Controls(), "is_down", r"\(did you mean is_pressed\?\)"),
    "pos": (PARTICLES, "pos", r"Particles has no attribute 'pos' \(did you mean position\?\)"),
    "vel": (PARTICLES, "vel", r"\(did you mean velocity\?\)"),
    "rotation": (PARTICLES, "rotation", r"\(did you mean pose\?\)"),
    "colour": (PARTICLES, "color", r"how an entity is drawn is its Look"),
    "k": (Springs([(0, 1)], stiffness=1.0), "k", r"\(did you mean stiffness\?\)"),
    "bounce": (Collider(), "bounce", r"\(did you mean restitution\?\)"),
    "points": (StaticCollider([(0, 0), (1, 0)]), "points", r"\(did you mean vertices\?\)"),
    "look": (Look(), "colr", r"Look has no field 'colr' \(did you mean fill\?\)"),
    "picture": (
        Picture(64, 36),
        "circel",
        r"Picture has no attribute 'circel' \(did you mean disc\?\)",
    ),
    "World": (ecs_softbody, "World", r"has no attribute 'World' \(did you mean Simulation\?\)"),
    "crate": (blueprints, "crate", r"blueprints.box\(center, size, material='wood'\)"),
    "triangle": (blueprints, "triangle", r"it is blueprints.polygon"),
    "chain": (blueprints, "chain", r"it is blueprints.rope\(start, end\)"),
    "material": (blueprints, "material", r"material='jelly'\), or numbers: blueprints.Material\("),
}


@pytest.mark.parametrize("case", ATTRIBUTES)
def test_a_common_word_names_what_it_is_here(case: str) -> None:
    whole, name, message = ATTRIBUTES[case]
    with pytest.raises(AttributeError, match=message):
        getattr(whole, name)


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("add_body", "spawn"),
        ("delete_entity", "despawn"),
        ("add_collision_handler", "on"),
        ("bodies", "entities"),
    ],
)
def test_a_simulation_knows_the_words_of_others(word: str, right: str) -> None:
    with pytest.raises(
        AttributeError, match=rf"Simulation has no attribute '{word}' \(did you mean {right}\?\)"
    ):
        getattr(Simulation(), word)


@pytest.mark.parametrize(
    ("name", "right"), [("x", "center"), ("zom", "center|height"), ("limit", "limits")]
)
def test_what_a_camera_does_not_have_cannot_be_set(name: str, right: str) -> None:
    camera = Camera()
    with pytest.raises(
        AttributeError, match=rf"Camera has no attribute '{name}' \(did you mean ({right})\?\)"
    ):
        setattr(camera, name, 3.0)
    camera.limits = (-9, 0, 9, 9)
    camera.smoothing = 0.1
    camera.lead = 0.2
    camera.dead_zone = (1, 1)
    camera.center = (1, 1)
    camera.height = 4.0
    assert (camera.center, camera.height) == ((1.0, 1.0), 4.0)


def test_the_blueprints_that_there_are_are_bodies_and_joints() -> None:
    with pytest.raises(AttributeError, match=r"The blueprints are axle, ball, .*, wheel$"):
        getattr(blueprints, "sponge")  # noqa: B009


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "end": (lambda: blueprints.rope((0, 0), "x", material="jelly"), r"^rope.end: 'x' is not allowed"),
    "segments": (lambda: blueprints.rod((0, 0), (1, 1), segments="x", material="jelly"), r"^rod.segments: 'x' is not"),
    "line": (lambda: blueprints.polygon([(0, 0), (1, 0), (2, 0)], material="wood"), r"^polygon.vertices: an outline"),
    "size": (lambda: blueprints.box((0, 0), -1, material="jelly"), r"^box.size: -1 is not allowed"),
    "camera": (lambda: setattr(Camera(), "center", 3), (r"^Camera.center: 3 is not allowed; "
        r"expected two finite")),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_names_its_field_beside_a_material_too(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_material_by_a_wrong_name_names_the_right_one() -> None:
    with pytest.raises(
        KeyError,
        match=r"there is no material 'ruber' \(did you mean rubber\?\); those with a name are",
    ):
        blueprints.MATERIALS["ruber"]
    assert blueprints.MATERIALS.get("ruber") is None
    assert blueprints.Material(25).firmness == 25.0


@pytest.mark.parametrize(
    ("given", "right"), [("win", "won"), ("victory", "won"), (True, "won"), ("loose", "lost")]
)
def test_an_outcome_that_would_never_end_the_round_is_told(given: object, right: str) -> None:
    class Won(Game):
        def start(self) -> None:
            self.sim = Simulation(world="outcome")

        def update(self, controls: Controls, dt: float) -> None:
            self.outcome = given  # type: ignore[assignment]

    game = Won()
    game.begin()
    with pytest.raises(
        ValueError,
        match=rf"^Won.outcome: .* is not allowed \(did you mean {right}\?\); expected None, 'won'",
    ):
        game.advance(Controls())
    game.close()


def test_an_outcome_that_start_gives_is_looked_at() -> None:
    class Draw(Game):
        def start(self) -> None:
            self.sim = Simulation(world="outcome")
            self.outcome = "draw"  # type: ignore[assignment]

    game = Draw()
    with pytest.raises(
        ValueError, match=r"^Draw.outcome: 'draw' is not allowed; expected None, 'won' or 'lost'$"
    ):
        game.begin()
    game.close()


def test_a_number_is_written_as_it_is() -> None:
    picture = Picture(640, 360)
    picture.text(7, (100, 100))
    assert [text.text for text in picture.texts] == ["7"]
