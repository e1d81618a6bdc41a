"""Bad arguments of blueprints: a ValueError that names blueprint, argument and value, and no
half-built body.
"""

import re

import esper
import numpy as np
import pytest

from ecs_softbody import FieldError, Particles, blueprints

NAN = float("nan")
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


def ball(**options):
    return lambda: blueprints.ball(**{"center": (0, 0), "radius": 0.5, **options})


def blob(**options):
    return lambda: blueprints.blob(**{"center": (0, 0), "radius": 0.5, **options})


def box(**options):
    return lambda: blueprints.box(**{"center": (0, 0), "size": 1.0, **options})


def rope(**options):
    return lambda: blueprints.rope(**{"start": (0, 0), "end": (1, 0), **options})


def rod(**options):
    return lambda: blueprints.rod(**{"start": (0, 0), "end": (1, 0), **options})


def cloth(**options):
    return lambda: blueprints.cloth(**{"center": (0, 0), "size": 1.0, **options})


def polygon(**options):
    return lambda: blueprints.polygon(**{"vertices": SQUARE, **options})


CASES = [
    (ball(center=(0, 0, 0)), "ball.center", "(0, 0, 0)"),
    (ball(center="here"), "ball.center", "here"),
    (ball(center=(NAN, 0)), "ball.center", "nan"),
    (ball(radius=-1.0), "ball.radius", "-1.0"),
    (ball(radius=0.0), "ball.radius", "0.0"),
    (ball(radius=None), "ball.radius", "None"),
    (ball(mass=-1.0), "ball.mass", "-1.0"),
    (ball(density=0.0), "ball.density", "0.0"),
    (ball(mass=1.0, density=2.0), "ball.density", "2.0"),
    (blob(radius=-1.0), "blob.radius", "-1.0"),
    (blob(particles=2), "blob.particles", "2"),
    (blob(particles=7.5), "blob.particles", "7.5"),
    (blob(particles=True), "blob.particles", "True"),
    (blob(stiffness=1.0, frequency=2.0), "blob.frequency", "2.0"),
    (blob(damping=1.0, damping_ratio=2.0), "blob.damping_ratio", "2.0"),
    (blob(stiffness=-1.0), "blob.stiffness", "-1.0"),
    (blob(damping=-1.0), "blob.damping", "-1.0"),
    (blob(frequency=NAN), "blob.frequency", "nan"),
    (blob(damping_ratio=-0.1), "blob.damping_ratio", "-0.1"),
    (blob(pressure=-5.0), "blob.pressure", "-5.0"),
    (blob(thickness=5.0), "blob.thickness", "5.0"),
    (blob(mass=0.0), "blob.mass", "0.0"),
    (box(size=-1.0), "box.size", "-1.0"),
    (box(size=(1, 2, 3)), "box.size", "(1, 2, 3)"),
    (box(rows=1), "box.rows", "1"),
    (box(columns=0), "box.columns", "0"),
    (box(stiffness=1.0, frequency=2.0), "box.frequency", "2.0"),
    (box(thickness=2.0), "box.thickness", "2.0"),
    (box(angle=NAN), "box.angle", "nan"),
    (rope(segments=0), "rope.segments", "0"),
    (rope(segments=-3), "rope.segments", "-3"),
    (rope(end=(0, 0)), "rope.end", "(0, 0)"),
    (rope(end=(1, NAN)), "rope.end", "nan"),
    (rope(slack=-1.0), "rope.slack", "-1.0"),
    (rope(thickness=-1.0), "rope.thickness", "-1.0"),
    (rope(stiffness=1.0, frequency=2.0), "rope.frequency", "2.0"),
    (rod(segments=1), "rod.segments", "1"),
    (rod(bending=-1.0), "rod.bending", "-1.0"),
    (rod(mass=1.0, density=1.0), "rod.density", "1.0"),
    (cloth(rows=1), "cloth.rows", "1"),
    (cloth(size=0), "cloth.size", "0"),
    (cloth(damping=1.0, damping_ratio=1.0), "cloth.damping_ratio", "1.0"),
    (polygon(vertices=SQUARE[:2]), "polygon.vertices", "(2, 2)"),
    (polygon(vertices=[*SQUARE, SQUARE[-1]]), "polygon.vertices", "twice"),
    (polygon(vertices=[(0, 0), (1, 0), (2, 0)]), "polygon.vertices", "without area"),
    (polygon(vertices="square"), "polygon.vertices", "shape"),
    (polygon(spacing=0.0), "polygon.spacing", "0.0"),
    (polygon(bending=-1.0), "polygon.bending", "-1.0"),
    (polygon(stiffness=1.0, frequency=2.0), "polygon.frequency", "2.0"),
    (lambda: blueprints.radius_of(-1.0), "radius_of.mass", "-1.0"),
    (lambda: blueprints.radius_of(1.0, 0.0), "radius_of.density", "0.0"),
]


@pytest.mark.parametrize(
    ("build", "field", "value"), CASES, ids=[f"{field}={value}" for _, field, value in CASES]
)
def test_blueprint_refuses(build, field, value):
    with pytest.raises(ValueError, match=re.escape(field)) as caught:
        build()
    assert value in str(caught.value)
    assert esper.get_component(Particles) == []


BEYOND = {
    "ball": (lambda: blueprints.ball((0, 0), 1e200), "ball.radius: 1e+200"),
    "large blob": (lambda: blueprints.blob((0, 0), 1e200), "blob.radius: 1e+200"),
    "small blob": (lambda: blueprints.blob((0, 0), radius=1e-200), "blob.radius: 1e-200"),
    "fast blob": (lambda: blueprints.blob((0, 0), 1.0, frequency=1e200), "blob.frequency: 1e+200"),
    "polygon": (
        lambda: blueprints.polygon([(0, 0), (1e200, 0), (0, 1e200)]),
        "polygon.vertices: [(0, 0), (1e+200, 0)",
    ),
}


@pytest.mark.parametrize("case", BEYOND)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_number_that_cannot_be_computed_with_is_named(case):
    build, named = BEYOND[case]
    with pytest.raises(
        ValueError,
        match=f"^{re.escape(named)}.* is not allowed; expected numbers from 1e-20 to 1e20$",
    ):
        build()


PASSED_ON = {
    "friction": (ball(friction=-1.0), "ball", "friction"),
    "beside an extreme number": (blob(center=(1e-30, 0), friction=-1), "blob", "friction"),
    "restitution": (blob(restitution=2.0), "blob", "restitution"),
    "category": (box(category=-1), "box", "category"),
    "mask": (rope(mask="x"), "rope", "mask"),
    "velocity": (blob(velocity=NAN), "blob", "velocity"),
    "shape of velocity": (blob(velocity=(1, 2, 3)), "blob", "velocity"),
    "size of velocity": (blob(velocity=1e40), "blob", "velocity"),
    "mass of all particles": (blob(mass=1e-60), "blob", "mass"),
}


@pytest.mark.parametrize("case", PASSED_ON)
def test_what_a_component_refuses_is_named_as_the_argument(case):
    build, owner, field = PASSED_ON[case]
    with pytest.raises(FieldError) as caught:
        build()
    assert (caught.value.owner, caught.value.field) == (owner, field)
    assert str(caught.value).startswith(f"{owner}.{field}: ")
    assert caught.value.args[0] == owner
    assert caught.value.place.row is None


TOO_MANY = {
    "blob": (blob(particles=10**9), "particles"),
    "box": (box(rows=10**4, columns=10**4), "rows"),
    "box the other way": (box(columns=10**4, rows=10**4), "rows"),
    "cloth": (cloth(columns=10**6, material="jelly"), "columns"),
    "rope": (rope(segments=1e9), "segments"),
    "rod": (rod(segments=10**400), "segments"),
    "polygon": (polygon(spacing=1e-5), "spacing"),
    "polygon without end": (polygon(spacing=1e-320), "spacing"),
}


@pytest.mark.parametrize("case", TOO_MANY)
def test_too_many_particles_are_refused_before_they_are_made(case):
    build, field = TOO_MANY[case]
    with pytest.raises(FieldError, match="at most 200000 particles in one body") as caught:
        build()
    assert caught.value.field == field


@pytest.mark.parametrize("options", [{"particles": 10**9}, {"particles": 2}, {"friction": -1}])
def test_a_missing_argument_is_told_before_a_wrong_one(options):
    with pytest.raises(TypeError, match=r"^blob: missing a required argument: 'radius'. It is ca"):
        blueprints.blob((0, 0), **options)


def test_a_string_as_flag_is_refused():
    with pytest.raises(ValueError, match="pin"):
        blueprints.rope((0, 0), (1, 0), pin_start="yes")


def test_numpy_numbers_are_welcome():
    body, *_ = blueprints.blob(np.array([1, 2]), np.float32(0.5), particles=np.int64(8))
    assert body.row_count == 8
