"""Bad input is refused by the constructor: a ValueError that names class, field and value."""

import re

import esper
import numpy as np
import pytest

from ecs_softbody import (
    AngularSprings,
    Collider,
    Drag,
    Particles,
    PressureBody,
    Springs,
    StaticCollider,
)

TWO = [(0.0, 0.0), (1.0, 0.0)]
NAN = float("nan")
INF = float("inf")


def particles(**options):
    return lambda: Particles(TWO, **options)


def springs(pairs=((0, 1),), **options):
    return lambda: Springs(pairs, **{"stiffness": 1.0, **options})


def angular(triples=((0, 1, 2),), **options):
    return lambda: AngularSprings(triples, **{"stiffness": 1.0, **options})


def gas(outline=(0, 1, 2), **options):
    return lambda: PressureBody(outline, **{"nRT": 1.0, **options})


def wall(vertices=TWO, **options):
    return lambda: StaticCollider(vertices, **options)


CASES = [
    (lambda: Particles([]), "Particles.position", "0 rows"),
    (lambda: Particles([1.0, 2.0]), "Particles.position", "(2,)"),
    (lambda: Particles([(1.0, 2.0, 3.0)]), "Particles.position", "(1, 3)"),
    (lambda: Particles([(1.0, 2.0), (1.0,)]), "Particles.position", "(1.0,)"),
    (lambda: Particles([(NAN, 2.0)]), "Particles.position", "nan"),
    (lambda: Particles([(0, 0), (INF, 2.0)]), "Particles.position", "inf in row 1"),
    (lambda: Particles("here"), "Particles.position", "here"),
    (lambda: Particles([("a", "b")]), "Particles.position", "a"),
    (lambda: Particles(None), "Particles.position", "None"),
    (lambda: Particles([(1j, 0)]), "Particles.position", "1j"),
    (lambda: Particles({}), "Particles.position", "{}"),
    (particles(mass=-1.0), "Particles.mass", "-1"),
    (particles(mass=0.0), "Particles.mass", "0"),
    (particles(mass=[1.0, 0.0]), "Particles.mass", "row 1"),
    (particles(mass=NAN), "Particles.mass", "nan"),
    (particles(mass=-INF), "Particles.mass", "-inf"),
    (particles(mass=[1.0, 2.0, 3.0]), "Particles.mass", "(3,)"),
    (particles(mass="heavy"), "Particles.mass", "heavy"),
    (particles(mass=None), "Particles.mass", "None"),
    (particles(velocity=NAN), "Particles.velocity", "nan"),
    (particles(velocity=(1.0, 2.0, 3.0)), "Particles.velocity", "(3,)"),
    (particles(velocity=[(1.0, INF), (0, 0)]), "Particles.velocity", "inf"),
    (particles(radius=-0.1), "Particles.radius", "-0.1"),
    (particles(radius=INF), "Particles.radius", "inf"),
    (particles(pinned=2), "Particles.pinned", "2"),
    (particles(pinned="yes"), "Particles.pinned", "yes"),
    (particles(pinned=[True, False, True]), "Particles.pinned", "(3,)"),
    (springs([(0, -1)]), "Springs.pairs", "-1"),
    (springs([(0, 1.5)]), "Springs.pairs", "1.5"),
    (springs([(0, NAN)]), "Springs.pairs", "nan"),
    (springs([(0, 2**40)]), "Springs.pairs", str(2**40)),
    (springs([(0, 1, 2)]), "Springs.pairs", "(1, 3)"),
    (springs([0, 1]), "Springs.pairs", "(2,)"),
    (springs([(0, 1), (1,)]), "Springs.pairs", "(1,)"),
    (springs(stiffness=-1.0), "Springs.stiffness", "-1"),
    (springs(stiffness=INF), "Springs.stiffness", "inf"),
    (springs(stiffness=[1.0, 2.0]), "Springs.stiffness", "(2,)"),
    (springs(stiffness=None), "Springs.stiffness", "None"),
    (springs(damping=-1e-9), "Springs.damping", "-1e-09"),
    (springs(damping=NAN), "Springs.damping", "nan"),
    (springs(rest_length=-1.0), "Springs.rest_length", "-1"),
    (springs(rest_length=NAN), "Springs.rest_length", "nan"),
    (springs(rest_length="long"), "Springs.rest_length", "long"),
    (springs(between=(998, 999)), "Springs.between", "998"),
    (springs(between=5), "Springs.between", "5"),
    (springs(between=(1,)), "Springs.between", "(1,)"),
    (springs(between=("a", "b")), "Springs.between", "a"),
    (angular([(0, 1)]), "AngularSprings.triples", "(1, 2)"),
    (angular([(0, 1, -2)]), "AngularSprings.triples", "-2"),
    (angular(stiffness=-3.0), "AngularSprings.stiffness", "-3"),
    (angular(damping=-3.0), "AngularSprings.damping", "-3"),
    (angular(rest_angle=INF), "AngularSprings.rest_angle", "inf"),
    (gas((0, 1)), "PressureBody.outline", "2 rows"),
    (gas((0, 1, 2, 0)), "PressureBody.outline", "0 twice"),
    (gas((0, 1, -2)), "PressureBody.outline", "-2"),
    (gas([(0, 1, 2)]), "PressureBody.outline", "(1, 3)"),
    (gas(nRT=-1.0), "PressureBody.nRT", "-1"),
    (gas(nRT=INF), "PressureBody.nRT", "inf"),
    (gas(nRT=(1.0, 2.0)), "PressureBody.nRT", "(2,)"),
    (gas(ambient_pressure=-1.0), "PressureBody.ambient_pressure", "-1"),
    (lambda: Drag(linear=-1.0), "Drag.linear", "-1"),
    (lambda: Drag(quadratic=NAN), "Drag.quadratic", "nan"),
    (lambda: Drag(quadratic="thick"), "Drag.quadratic", "thick"),
    (lambda: Collider(friction=-0.1), "Collider.friction", "-0.1"),
    (lambda: Collider(restitution=1.5), "Collider.restitution", "1.5"),
    (lambda: Collider(restitution=-0.5), "Collider.restitution", "-0.5"),
    (lambda: Collider(outline=(0, 1)), "Collider.outline", "2 rows"),
    (lambda: Collider(outline=(0, 1, 1)), "Collider.outline", "1 twice"),
    (lambda: Collider(outline=()), "Collider.outline", "0 rows"),
    (lambda: Collider(category=-1), "Collider.category", "-1"),
    (lambda: Collider(category=2**32), "Collider.category", str(2**32)),
    (lambda: Collider(category=0.5), "Collider.category", "0.5"),
    (lambda: Collider(mask="all"), "Collider.mask", "all"),
    (lambda: Collider(self_collision=3), "Collider.self_collision", "3"),
    (wall([]), "StaticCollider.vertices", "0 rows"),
    (wall([(0, 0)]), "StaticCollider.vertices", "1 row is not allowed"),
    (wall(TWO, closed=True), "StaticCollider.vertices", "2 rows"),
    (wall([(0, NAN), (1, 1)]), "StaticCollider.vertices", "nan"),
    (wall(friction=-1.0), "StaticCollider.friction", "-1"),
    (wall(restitution=1.01), "StaticCollider.restitution", "1.01"),
    (wall(radius=-1.0), "StaticCollider.radius", "-1"),
    (wall(one_way=(0, 0)), "StaticCollider.one_way", "(0, 0)"),
    (wall(one_way=(NAN, 1)), "StaticCollider.one_way", "nan"),
    (wall(velocity=(1, 2, 3)), "StaticCollider.velocity", "(3,)"),
    (wall(velocity=(INF, 0)), "StaticCollider.velocity", "inf"),
    (wall(mask=-5), "StaticCollider.mask", "-5"),
]


@pytest.mark.parametrize(
    ("build", "field", "value"), CASES, ids=[f"{field}={value}" for _, field, value in CASES]
)
def test_constructor_refuses(build, field, value):
    with pytest.raises(ValueError, match=re.escape(field)) as caught:
        build()
    assert value in str(caught.value)
    assert "expected" in str(caught.value)


ASSIGNMENTS = [
    ("velocity", [(1.0, 2.0, 3.0)]),
    ("velocity", NAN),
    ("mass", -2.0),
    ("mass", 0.0),
    ("radius", -2.0),
    ("position", [(0.0, 0.0)] * 3),
    ("pinned", 7),
]


@pytest.mark.parametrize(("field", "value"), ASSIGNMENTS)
def test_assignment_is_checked_like_the_constructor_and_leaves_the_state(field, value):
    body = Particles(TWO, velocity=(3.0, 4.0))
    before = {
        name: getattr(body, name).copy()
        for name in ("position", "velocity", "mass", "radius", "pinned")
    }
    with pytest.raises(ValueError, match=f"Particles.{field}"):
        setattr(body, field, value)
    for name, array in before.items():
        assert np.array_equal(getattr(body, name), array)


def test_assigned_restitution_is_checked_like_the_constructor():
    for part in (Collider(), StaticCollider(TWO)):
        with pytest.raises(ValueError, match="restitution"):
            part.restitution = 1.5


def test_topology_is_fixed_after_creation():
    for part, name in (
        (Springs([(0, 1)], stiffness=1.0), "pairs"),
        (PressureBody((0, 1, 2), nRT=1.0), "outline"),
    ):
        with pytest.raises(AttributeError, match="replace the component"):
            setattr(part, name, getattr(part, name))


def test_unknown_attributes_are_refused():
    """A misspelt column must not be lost silently."""
    with pytest.raises(AttributeError):
        Particles(TWO).postion = 1.0
    with pytest.raises(TypeError):
        Particles(TWO, weight=1.0)


def test_constructor_copies_what_it_is_given():
    place = np.array(TWO)
    body = Particles(place)
    place[:] = 9.0
    assert np.array_equal(body.position, TWO)


def test_between_needs_existing_entities():
    entity = esper.create_entity(Particles(TWO))
    with pytest.raises(ValueError, match=f"Springs.between.*{entity + 1}"):
        Springs([(0, 0)], stiffness=1.0, between=(entity, entity + 1))
    assert Springs([(0, 0)], stiffness=1.0, between=(entity, entity)).between == (entity, entity)


def test_scalars_broadcast_over_rows_and_types_are_fixed():
    body = Particles([(0, 0), (1, 1), (2, 2)], velocity=(1, 2), mass=3, radius=np.float32(0.5))
    assert np.array_equal(body.velocity, [(1, 2)] * 3)
    assert np.array_equal(body.mass, [3, 3, 3])
    assert body.mass.dtype == body.radius.dtype == body.position.dtype == np.float64
    links = Springs(np.array([(0, 1), (1, 2)], np.int64), stiffness=[1, 2])
    assert links.pairs.dtype == np.int32
    assert links.row_count == 2


@pytest.mark.parametrize("nothing", [[], np.zeros((0, 2), np.int32)], ids=["list", "array"])
def test_no_springs_at_all_are_allowed(nothing):
    assert Springs(nothing, stiffness=1.0).pairs.shape == (0, 2)
