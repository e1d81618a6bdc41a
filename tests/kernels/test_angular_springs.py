"""accumulate_angular_spring_force: numbers, a NumPy twin, conservation laws, the gradient of its
energy, edges.
"""

import numpy as np
import pytest

from ecs_softbody.kernels.forces.angular_springs import (
    AngularLaw,
    accumulate_angular_spring_force,
    find_carried_stiffness,
)
from ecs_softbody.kernels.forces.rest_directions import unknown_directions
from ecs_softbody.kernels.groups import Motion

DT = 1e-3


def fan(seed=0, particles=20, triples=30, *, budget=1e30):
    rng = np.random.default_rng(seed)
    rows = np.array([rng.permutation(particles)[:3] for _ in range(triples)], np.uint32)
    return {
        "position": rng.normal(size=(particles, 2)),
        "velocity": rng.normal(size=(particles, 2)),
        "inverse_mass": np.where(rng.random(particles) < 0.2, 0.0, rng.uniform(0.1, 3, particles)),
        "budget": np.full(particles, budget),
        "triples": rows,
        "rest_angle": rng.uniform(-np.pi, np.pi, triples),
        "arms": rng.uniform(0.2, 2.0, (triples, 2)),
        "stiffness": (stiffness := 10.0 ** rng.uniform(0, 3, triples)),
        "carried": stiffness * rng.choice([1.0, 0.3], triples),
        "damping": 10.0 ** rng.uniform(-3, 0, triples),
    }


def run(fan, dt=DT, known=None):
    force = np.zeros_like(fan["position"])
    kept = np.zeros(len(fan["triples"]))
    motion = Motion(fan["position"], fan["velocity"], fan["inverse_mass"], force)
    known = unknown_directions(len(kept)) if known is None else known
    accumulate_angular_spring_force(
        np.array([(0, len(kept))], np.int64),
        law_of(fan, fan["carried"], kept),
        motion,
        fan["budget"],
        known,
        dt,
    )
    return force, kept


def law_of(fan, carried, kept):
    names = ("triples", "rest_angle", "arms", "stiffness", "damping")
    return AngularLaw(*(fan[name] for name in names), carried, kept)


def turned(vectors):
    return np.column_stack([-vectors[:, 1], vectors[:, 0]])


def gradients(position, triples):
    i, j, k = triples.astype(np.int64).T
    d1 = position[i] - position[j]
    d2 = position[k] - position[j]
    g_i = -turned(d1) / (d1**2).sum(axis=1)[:, None]
    g_k = turned(d2) / (d2**2).sum(axis=1)[:, None]
    angle = np.arctan2(d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0], (d1 * d2).sum(axis=1))
    return angle, np.stack([g_i, -g_i - g_k, g_k], axis=1)


def twin(
    position,
    velocity,
    inverse_mass,
    budget,
    triples,
    rest_angle,
    arms,
    stiffness,
    carried,
    damping,
    dt=DT,
):
    """The law and its saturation, vectorised, with an arc tangent."""
    angle, g = gradients(position, triples)
    w = np.sqrt(inverse_mass[triples]) * np.linalg.norm(g, axis=2)
    weight = w.max(axis=1) * w.sum(axis=1)
    share = budget[triples].min(axis=1)
    scale = arms.prod(axis=1)
    k = carried.copy()
    c = damping.copy()
    from_k = k * scale * dt**2 * weight
    from_c = 2 * c * dt * weight
    room = share - np.minimum(from_c, share / 3)
    cut = (from_k + from_c > share) & (from_k > room)
    k[cut] *= room[cut] / 1.2 / from_k[cut]
    less = k < stiffness
    c[less] = np.maximum(c[less], 0.1 * k[less] * scale[less] * dt)
    with np.errstate(divide="ignore"):
        c = np.minimum(c, (share - k * scale * dt**2 * weight) / (2 * dt * weight))
    turning = (g * velocity[triples]).sum(axis=(1, 2))
    torque = -k * scale * np.sin(angle - rest_angle) - c * turning
    force = np.zeros_like(position)
    np.add.at(force, triples.astype(np.int64), torque[:, None, None] * g)
    return force, k


@pytest.mark.parametrize("budget", [1e30, 0.1, 1e-3])
@pytest.mark.parametrize("seed", range(3))
def test_matches_numpy(seed, budget):
    knot = fan(seed, budget=budget)
    (found, kept) = run(knot)
    (expected, expected_kept) = twin(**knot)
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assert np.allclose(kept, expected_kept, rtol=1e-12)


@pytest.mark.parametrize("budget", [1e30, 1e-2])
def test_force_and_torque_sum_to_zero(budget):
    knot = fan(7, budget=budget)
    force = run(knot)[0]
    place = knot["position"]
    scale = np.abs(force).sum()
    assert np.abs(force.sum(axis=0)).max() <= 1e-14 * scale
    assert abs((place[:, 0] * force[:, 1] - place[:, 1] * force[:, 0]).sum()) <= 1e-13 * scale


def test_force_is_minus_the_gradient_of_the_energy():
    knot = fan(3) | {"damping": np.zeros(30)}
    knot["stiffness"] = knot["carried"]

    def energy(position):
        angle, _ = gradients(position, knot["triples"])
        return (
            knot["carried"] * knot["arms"].prod(axis=1) * (1 - np.cos(angle - knot["rest_angle"]))
        ).sum()

    force = run(knot)[0]
    place = knot["position"]
    step = 1e-6
    for p in range(0, 20, 3):
        for axis in range(2):
            shift = np.zeros_like(place)
            shift[p, axis] = step
            slope = (energy(place + shift) - energy(place - shift)) / (2 * step)
            assert force[p, axis] == pytest.approx(-slope, rel=1e-4, abs=1e-4 * np.abs(force).max())


def corner(angle, *, rest, arms=(1.0, 1.0), stiffness=3.0, velocity=0.0, damping=0.0):
    return {
        "position": np.array(
            [(arms[0], 0.0), (0.0, 0.0), (arms[1] * np.cos(angle), arms[1] * np.sin(angle))]
        ),
        "velocity": np.array(
            [(0, 0), (0, 0), (-velocity * np.sin(angle), velocity * np.cos(angle))], float
        ),
        "inverse_mass": np.ones(3),
        "budget": np.full(3, 1e30),
        "triples": np.array([(0, 1, 2)], np.uint32),
        "rest_angle": np.array([rest]),
        "arms": np.array([arms], float),
        "stiffness": np.array([stiffness]),
        "carried": np.array([stiffness]),
        "damping": np.array([damping]),
    }


@pytest.mark.parametrize("angle", [0.4, 2.0, -2.8])
def test_torque_is_the_sine_of_the_deviation(angle):
    """Force across the second arm: -K L1 sin(angle - rest), counter-clockwise positive."""
    force = run(corner(angle, rest=0.1, arms=(2.0, 0.5)))[0]
    across = np.array([-np.sin(angle), np.cos(angle)])
    assert force[2] @ across == pytest.approx(-3.0 * 2.0 * np.sin(angle - 0.1))
    assert force[2] @ np.array([np.cos(angle), np.sin(angle)]) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("rest", np.radians([0, 45, -45, 90, -90, 135, -135, 180]))
def test_no_force_at_the_rest_angle(rest):
    assert np.allclose(run(corner(rest, rest=rest, stiffness=1e3))[0], 0.0, atol=1e-12)


def test_damping_opposes_turning():
    force = run(corner(1.0, rest=1.0, stiffness=0.0, velocity=2.0, damping=0.25))[0]
    assert np.hypot(*force[2]) == pytest.approx(0.5)
    assert force[2] @ (-np.sin(1.0), np.cos(1.0)) == pytest.approx(-0.5)


@pytest.mark.parametrize("arms", [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1e-14, 1.0)])
def test_arms_without_length_give_no_force(arms):
    force = run(corner(0.7, rest=2.0, arms=arms, stiffness=1e12, damping=1e12))[0]
    assert np.array_equal(force, np.zeros((3, 2)))


@pytest.mark.parametrize(
    ("stiffness", "damping"), [(1e12, 0.0), (0.0, 1e12), (1e12, 1e12), (1e12, 1e-6)]
)
def test_saturated_forces_stay_within_the_budget(stiffness, damping):
    """(K L1 L2 h² + 2 c h) × weight <= budget, seen from the force that a unit of deviation or
    turning gives.
    """
    knot = corner(0.5 + np.pi / 2, rest=0.5, stiffness=stiffness) | {"budget": np.full(3, 0.3)}
    knot["damping"] = np.array([damping])
    still = np.abs(run(knot)[0][2]).max() * DT**2
    fast = knot | {
        "damping": np.array([damping]),
        "velocity": corner(0.5 + np.pi / 2, rest=0.5, velocity=1.0)["velocity"],
    }
    damped = np.abs(run(fast)[0][2] - run(knot | {"damping": np.array([damping])})[0][2]).max() * DT
    weight = (2.0**0.5) * (1.0 + 1.0 + 2.0**0.5)
    assert (still + 2.0 * damped) * weight <= 0.3 * (1 + 1e-9)
    if stiffness:
        assert still > 0.0
    if damping:
        assert damped > 0.0


@pytest.mark.parametrize("budget", [1e30, 0.5, 1e-3])
def test_what_the_arms_at_rest_can_carry(budget):
    """Never more than was asked for, all of it where it fits, and within the budget at the rest
    lengths.
    """
    knot = fan(4, budget=budget)
    carried = np.zeros(30)
    finest = find_carried_stiffness(
        np.arange(30, dtype=np.uint32),
        law_of(knot, carried, np.zeros(30)),
        knot["inverse_mass"],
        knot["budget"],
        DT,
    )
    first, second = knot["arms"].T
    w = np.sqrt(knot["inverse_mass"][knot["triples"]])
    reach = w * np.column_stack([1 / first, 1 / first + 1 / second, 1 / second])
    asked = knot["stiffness"] * first * second * DT**2 * reach.max(axis=1) * reach.sum(axis=1)
    damping = 2 * knot["damping"] * DT * reach.max(axis=1) * reach.sum(axis=1)
    fits = asked + damping <= budget
    assert np.array_equal(carried[fits], knot["stiffness"][fits])
    assert (carried <= knot["stiffness"]).all()
    assert (asked * carried / knot["stiffness"] <= budget * (1 + 1e-12)).all()
    assert (finest > 1.0) == (not fits.all())


def test_rest_angles_that_change_are_followed():
    springs = fan(seed=4)
    known = unknown_directions(30)
    rng = np.random.default_rng(7)
    for _ in range(5):
        assert run(springs, known=known)[0].tobytes() == run(springs)[0].tobytes()
        np.testing.assert_allclose(known.cosine, np.cos(springs["rest_angle"]), rtol=1e-15)
        changed = rng.random(30) < 0.3
        springs["rest_angle"] = np.where(changed, rng.uniform(-9, 9, 30), springs["rest_angle"])
