"""What a maker guesses or misspells: it works, or the error names what is right."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import esper
import numpy as np
import pytest

from ecs_softbody import Particles, Simulation, Springs, StaticCollider, Wind, blueprints
from ecs_softbody.play import Game
from ecs_softbody.processors import Order
from ecs_softbody.rendering import Look, Picture, palette


class Heavy:
    """A component of a maker's own."""


SPAWNED = {
    "no star": (
        lambda: blueprints.blob((0, 3), 0.5),
        r"a tuple of 4 things .* sim.spawn\(\*blueprints.blob\(...\)\)",
    ),
    "list": (lambda: [Particles([(0, 0)])], "a list of 1 things .* one by one"),
    "class": (
        lambda: Particles,
        r"the class Particles is not allowed; expected an instance: Particles\(...\)",
    ),
    "own class": (lambda: Heavy, r"expected an instance: Heavy\(...\)"),
    "number": (lambda: 3, "3 is not allowed; expected components"),
    "text": (lambda: "blob", "'blob' is not allowed; expected components"),
    "nothing": (lambda: None, "None is not allowed"),
    "array": (lambda: np.zeros(2), "expected components"),
    "function": (lambda: blueprints.blob, "expected components"),
}


@pytest.mark.parametrize("case", SPAWNED)
def test_spawn_refuses_what_is_no_component(case: str) -> None:
    make, message = SPAWNED[case]
    sim = Simulation()
    with pytest.raises(TypeError, match=rf"(?s)^Simulation.spawn: .*{message}"):
        sim.spawn(make())
    assert sim.entities() == []  # nothing half-built is left


def test_spawn_refuses_two_of_a_class_and_what_belongs_to_another() -> None:
    sim = Simulation()
    with pytest.raises(
        ValueError, match=r"Simulation.spawn: Particles twice is not allowed; expected one of each"
    ):
        sim.spawn(Particles([(0, 0)]), Particles([(1, 0)]))
    ball = sim.spawn(*blueprints.ball((0, 3), 0.5))
    sim.step()
    with pytest.raises(
        ValueError,
        match=r"this Particles belongs to another entity already; .* copy.copy\(component\)",
    ):
        sim.spawn(sim.get(ball, Particles))
    assert sim.entities() == [ball]


def test_spawn_takes_what_a_maker_calls_a_component() -> None:
    sim = Simulation()
    sim.spawn(Heavy(), Look(), *blueprints.ball((0, 3), 0.5))
    body = sim.get(1, Particles)
    sim.despawn(1)
    assert sim.spawn(body) == 2  # its entity goes with the next step
    sim.step()
    assert sim.get(2, Particles) is body


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_a_copied_component_can_be_spawned(make: Callable[[Particles], Particles]) -> None:
    sim = Simulation(gravity=(0, 0))
    first = sim.spawn(*blueprints.ball((0, 3), 0.5, velocity=(1.0, 0.0)))
    sim.step()
    second = sim.spawn(make(sim.get(first, Particles)))
    sim.get(second, Particles).velocity = (0.0, 2.0)
    sim.step()
    assert sim.get(first, Particles).velocity.tolist() == [[1.0, 0.0]]
    assert sim.get(second, Particles).velocity.tolist() == [[0.0, 2.0]]


@pytest.mark.parametrize(
    "make", [copy.copy, copy.deepcopy, pickle.dumps], ids=["copy", "deepcopy", "pickle"]
)
def test_a_simulation_is_not_copied(make: Callable[[Simulation], object]) -> None:
    with pytest.raises(
        TypeError, match=r"a Simulation cannot be copied or pickled: .* which a copy would share"
    ):
        make(Simulation())


def test_a_misspelt_attribute_names_the_right_one() -> None:
    sim = Simulation()
    for name, right in {
        "gravty": "gravity",
        "time_scal": "time_scale",
        "delete": "despawn",
        "profilr": "profiler",
    }.items():
        with pytest.raises(
            AttributeError,
            match=rf"Simulation has no attribute '{name}' \(did you mean {right}\?\)",
        ):
            setattr(sim, name, 3.0)
        with pytest.raises(AttributeError, match=rf"\(did you mean {right}\?\)"):
            getattr(sim, name)
    with pytest.raises(AttributeError, match=r"Simulation has no attribute 'zzz'$"):
        sim.zzz = 1  # type: ignore[attr-defined]

    class Mine(Simulation):
        """May have attributes of its own."""

    mine = Mine()
    mine.score = 3  # type: ignore[attr-defined]
    assert mine.score == 3  # type: ignore[attr-defined]
    particles = Particles([(0, 0)])
    with pytest.raises(
        AttributeError, match=r"Particles has no attribute 'velocty' \(did you mean velocity\?\)"
    ):
        particles.velocty = (1, 1)  # type: ignore[attr-defined]
    with pytest.raises(
        AttributeError, match=r"Particles has no attribute 'mas' \(did you mean mass\?\)"
    ):
        particles.mas  # type: ignore[attr-defined]  # noqa: B018


LOOKS = {
    "fill": (
        "red",
        (
            r"Look.fill: 'red' is not allowed; expected \(r, g, b\).* 0 to 255, or None; .* "
            r"palette.CORAL"
        ),
    ),
    "outline": (
        (1.0, 0, 0),
        r"Look.outline: \(1.0, 0, 0\) is not allowed; .* that would be \(255, 0, 0\)",
    ),
    "style": (
        "circle",
        "Look.style: 'circle' is not allowed; expected one of auto, body, rope, discs",
    ),
    "mood": (
        "hapy",
        (
            r"Look.mood: 'hapy' is not allowed \(did you mean happy\?\); expected one of "
            r"calm, angry, happy, hurt"
        ),
    ),
    "eyes": (5, "Look.eyes: 5 is not allowed; expected 0, 1 or 2, or True for two"),
    "eye_size": (-1, "Look.eye_size: -1 is not allowed"),
    "opacity": (1.5, "Look.opacity: 1.5 is not allowed; expected a number from 0 to 1"),
    "glow": (float("nan"), "Look.glow: nan is not allowed"),
    "shadow": ("no", "Look.shadow: 'no' is not allowed; expected True or False"),
    "layer_offset": (0.5, "Look.layer_offset: 0.5 is not allowed; expected a whole number"),
}


@pytest.mark.parametrize("field", LOOKS)
def test_a_look_checks_what_it_is_given(field: str) -> None:
    value, message = LOOKS[field]
    with pytest.raises(ValueError, match=message):
        Look(**{field: value})
    look = Look(eyes=2)
    with pytest.raises(ValueError, match=message):
        setattr(look, field, value)
    assert look == Look(eyes=2)


@pytest.mark.parametrize(
    "colour", [(300, 0, 0), (0, 0), (-1, 0, 0), (1, 2, 3, 4, 5), (True, 0, 0), 7, "#ff0000"]
)
def test_what_is_no_colour_is_refused(colour: object) -> None:
    with pytest.raises(ValueError, match=r"expected .*each a whole number from 0 to 255"):
        Look(fill=colour)  # type: ignore[arg-type]
    picture = Picture(64, 36)
    with pytest.raises(ValueError, match=r"expected .*each a whole number from 0 to 255"):
        picture.disc((0, 0), 1.0, colour)  # type: ignore[arg-type]


def test_a_look_takes_numpy_and_lists_and_is_plain_data() -> None:
    look = Look(fill=np.array([1, 2, 3]), outline=[4, 5, 6, 7], eyes=True)  # type: ignore[arg-type]
    assert (look.fill, look.outline, look.eyes) == ((1, 2, 3), (4, 5, 6, 7), True)
    assert copy.deepcopy(look) == look == pickle.loads(pickle.dumps(look))


@pytest.mark.parametrize(
    ("name", "right"),
    [("color", "fill"), ("colour", "fill"), ("moood", "mood"), ("alpha", "opacity")],
)
def test_a_look_names_the_field_that_was_meant(name: str, right: str) -> None:
    with pytest.raises(TypeError, match=rf"Look has no field '{name}' \(did you mean {right}\?\)"):
        Look(**{name: 1})
    with pytest.raises(AttributeError, match=rf"\(did you mean {right}\?\)"):
        setattr(Look(), name, 1)
    with pytest.raises(AttributeError, match=rf"\(did you mean {right}\?\)"):
        getattr(Look(), name)


def test_pictures_of_other_libraries_are_told() -> None:
    with pytest.raises(
        TypeError, match=r"Look has no 'image': a picture is a component of its own: .*Skin"
    ):
        Look(image="hero.png")  # type: ignore[call-arg]
    with pytest.raises(
        AttributeError, match=r"Picture has no attribute 'sprite' \(did you mean image\?\)"
    ):
        Picture(64, 36).sprite  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"Picture has no attribute 'circle' \(did you mean disc\?\)"
    ):
        Picture(64, 36).circle  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        (
            "circle",
            (
                r"blueprints.ball\(center, radius\), a soft round body blueprints.blob\(center, "
                r"radius\)"
            ),
        ),
        ("rectangle", r"blueprints.box\(center, \(width, height\)\)"),
        ("ground", r"sim.spawn\(StaticCollider\(\[\(-10, 0\), \(10, 0\)\]\)\)"),
        ("blobb", r"\(did you mean blob\?\)"),
    ],
)
def test_a_blueprint_that_there_is_not_names_what_is_meant(name: str, cure: str) -> None:
    with pytest.raises(AttributeError, match=rf"there is no blueprint '{name}'.*{cure}"):
        getattr(blueprints, name)


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "colour of a blob": (lambda: blueprints.blob((0, 3), 0.5, color=(1, 2, 3)), r"Look\(fill="),  # type: ignore[call-arg]
    "misspelt option": (
        lambda: blueprints.box((0, 3), 1, fricton=1),
        r"\(did you mean friction\?\)",
    ),  # type: ignore[call-arg]
    "two numbers": (
        lambda: blueprints.ball(0, 3, 0.5),
        r"center is one pair: ball\(\(0, 3\), ...\)",
    ),  # type: ignore[misc]
    "missing": (
        lambda: blueprints.ball((0, 3)),
        r"'radius'. It is called as ball\(center, radius, material=",
    ),  # type: ignore[call-arg]
    "corners": (
        lambda: StaticCollider((0, 0), (1, 0)),  # type: ignore[misc]
        r"several points are one list: StaticCollider\(\[\(0, 0\), \(1, 0\)\]\)",
    ),
    "option of a component": (
        lambda: Springs([(0, 1)], stifness=3),  # type: ignore[call-arg]
        r"Springs: there is no argument 'stifness' \(did you mean stiffness\?\)",
    ),
    "query": (
        lambda: Simulation().point_query(1, 2),  # type: ignore[misc]
        r"point is one pair: Simulation.point_query\(\(1, 2\), ...\)",
    ),
    "option of a query": (
        lambda: Simulation().raycast((0, 0), (1, 1), radus=1),  # type: ignore[call-arg]
        r"Simulation.raycast: there is no argument 'radus' \(did you mean radius\?\)",
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_call_shows_the_right_one(case: str) -> None:
    call, message = CALLS[case]
    with pytest.raises(TypeError, match=message):
        call()


def test_a_type_error_from_inside_a_call_stays_as_it_is() -> None:
    sim = Simulation()
    sim.on("body_cut", lambda entity, pieces: list(5))  # type: ignore[call-overload]
    blob = sim.spawn(*blueprints.blob((0, 0), 0.5))
    with pytest.raises(TypeError, match=r"^'int' object is not iterable"):
        sim.cut((-2, 0.01), (2, 0.02), entity=blob)


def test_a_closed_simulation_says_why_and_where() -> None:
    sim = Simulation(world="twice")
    sim.close()
    with pytest.raises(
        RuntimeError,
        match=r"world 'twice' is closed: close\(\) was called \(test_mistakes.py, line \d+\)",
    ):
        sim.step()
    first = Simulation(world="twice")
    Simulation(world="twice")
    with pytest.raises(
        RuntimeError,
        match=r"another Simulation took the world over; .* \(test_mistakes.py, line \d+\)",
    ):
        first.step()


def test_a_component_that_does_not_fit_says_how_to_go_on() -> None:
    sim = Simulation()
    sim.spawn(Particles([(0, 0), (1, 0)]), Springs([(0, 5)], stiffness=1.0))
    with pytest.raises(ValueError, match=r"Springs.pairs of entity 1: 5 in row 0") as error:
        sim.step()
    assert "sim.despawn(1)" in error.value.__notes__[0]
    sim.despawn(1)
    sim.step()


def test_a_processor_is_added_as_one() -> None:
    sim = Simulation()
    with pytest.raises(TypeError, match=r"expected an instance of an esper.Processor"):
        sim.add_processor(Wind((1.0, 0.0)), priority=Order.CUSTOM_FORCE)  # type: ignore[arg-type]


class Counter(esper.Processor):
    """A processor of a maker's own: counts the substeps."""

    count = 0

    def process(self, dt: float) -> None:
        self.count += 1


@pytest.mark.parametrize("priority", ["high", "5", None, float("nan")])
def test_a_priority_that_is_no_number_leaves_the_world_as_it_was(priority: Any) -> None:
    sim = Simulation(substeps=4)
    refused = Counter()
    added = Counter()
    with pytest.raises(
        ValueError, match=r"^Simulation.add_processor.priority: .* expected a finite number"
    ):
        sim.add_processor(refused, priority=priority)
    sim.add_processor(added, priority=Order.CUSTOM_FORCE)
    sim.step()
    assert (refused.count, added.count) == (0, 4)


def test_a_game_names_its_misspelt_attributes() -> None:
    with pytest.raises(
        AttributeError, match=r"Game has no attribute 'outcom' \(did you mean outcome\?\)"
    ):
        Game().outcom  # type: ignore[attr-defined]  # noqa: B018


def test_the_palette_says_what_a_colour_is() -> None:
    for mix in (lambda: palette.mixed("red", (0, 0, 0), 0.5), lambda: palette.faded("red", 0.5)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"colour: 'red' is not allowed"):
            mix()


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: Simulation(gravty=(0, -1)), "gravity"),
        (lambda: Simulation(substep=4), "substeps"),
        (lambda: Simulation(wrld="x"), "world"),
        (lambda: blueprints.blob((0, 0), 1.0, particels=8), "particles"),
        (lambda: Particles([(0, 0)], velocty=1.0), "velocity"),
    ],
)
def test_a_misspelt_argument_is_one_error_that_names_the_right_one(call, meant) -> None:
    with pytest.raises(TypeError, match=rf"there is no argument '\w+' \(did you mean {meant}\?\)"):
        call()


def test_a_subclass_of_a_simulation_takes_its_own_arguments() -> None:
    class Windy(Simulation):
        def __init__(self, strength: float, *, world: str) -> None:
            super().__init__(world=world)
            self._strength = strength

    sim = Windy(3.0, world="windy subclass")
    assert sim._strength == 3.0
    sim.close()
    with pytest.raises(TypeError, match="did you mean strength"):
        Windy(strenght=3.0, world="windy subclass")


@pytest.mark.parametrize("name", ["despawn", "get", "exists", "wake", "is_asleep", "center"])
def test_a_flag_is_no_entity(name: str) -> None:
    sim = Simulation()
    ball = sim.spawn(*blueprints.ball((0, 3), 0.5))
    given = (True, Particles) if name == "get" else (True,)
    with pytest.raises(
        ValueError,
        match=rf"Simulation.{name}: True is not allowed; expected the number of an entity",
    ):
        getattr(sim, name)(*given)
    assert sim.entities() == [ball]


def test_rooms_are_there_without_an_import_of_their_own() -> None:
    script = (
        "import ecs_softbody as e; print(e.scenes.load.__name__, e.imports.svg.__name__, "
        "e.inspector.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["load", "svg", "ecs_softbody.inspector"], done.stderr


BEYOND: dict[str, list[object]] = {
    "substeps": [0, 10_001, 10**30, 10**5000, 1.5, True, "8"],
    "threads": [0, 1025, 10**30, 2.0, None],
    "time_scale": [-0.1, 1001.0, 1e300, float("nan"), float("inf"), 10**400, "fast"],
    "frame_dt": [0.0, -1.0, 3601.0, float("nan"), None],
    "speed_limit": [0.0, float("inf"), "c"],
    "paused": [1, None, "no"],
    "time": [float("nan"), "now"],
    "frame": [-1, 1.5],
}


@pytest.mark.parametrize("name", BEYOND)
def test_settings_have_the_limits_of_files(name: str) -> None:
    sim = Simulation()
    before = getattr(sim, name)
    for value in BEYOND[name]:
        with pytest.raises(
            ValueError, match=rf"Simulation\.{name}: .{{1,60}} is not allowed; expected"
        ) as caught:
            setattr(sim, name, value)
        assert len(str(caught.value)) < 160
        assert getattr(sim, name) == before


@pytest.mark.parametrize("dt", [3601.0, 1e300, 10**400])
def test_a_frame_is_no_longer_than_an_hour(dt: float) -> None:
    sim = Simulation()
    sim.spawn(*blueprints.ball((0, 3), 0.5))
    with pytest.raises(
        ValueError,
        match=r"Simulation\.step\.dt: .{1,60} is not allowed; expected a finite number > 0",
    ):
        sim.step(dt)
    assert sim.frame == 0


def test_any_real_time_is_some_frames() -> None:
    sim = Simulation()
    sim.time_scale = 1000.0
    assert sim.advance(1e308) == 5
    assert sim.advance(0.0) == 0
    sim.frame_dt = 5e-324
    assert sim.advance(1.0) == 5
