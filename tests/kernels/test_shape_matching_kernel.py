"""accumulate_shape_matching_force: a NumPy twin, conservation laws, rigid motions, saturation, edges."""

import numpy as np
import pytest

from ecs_softbody.kernels.shape_matching import DAMPING_SHARE, STIFFNESS_SHARE, accumulate_shape_matching_force

DT = 1 / 480


def bodies(seed=0, *, stiffness=50.0, damping=2.0):
    """Two deformed bodies of 7 and 12 particles, and one of a single particle."""
    rng = np.random.default_rng(seed)
    first, last = np.array([0, 7, 19], np.uint32), np.array([7, 19, 20], np.uint32)
    mass = rng.uniform(0.2, 3, 20)
    rest = rng.normal(size=(20, 2))
    for a, b in zip(first, last, strict=True):
        rest[a:b] -= np.average(rest[a:b], axis=0, weights=mass[a:b])
    return {
        "position": rest @ rotation(0.7) + rng.normal(size=(20, 2)) * 0.2 + (3, -2),
        "velocity": rng.normal(size=(20, 2)),
        "mass": mass,
        "rest": rest,
        "first": first,
        "last": last,
        "stiffness": np.array([stiffness, 3 * stiffness, stiffness]),
        "damping": np.array([damping, 0.0, damping]),
    }


def rotation(angle):
    return np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])


def run(body):
    force = np.zeros_like(body["position"])
    accumulate_shape_matching_force(np.arange(len(body["first"])), *body.values(), DT, force)
    return force


def twin(position, velocity, mass, rest, first, last, stiffness, damping):
    """The best rotation from a singular value decomposition."""
    force = np.zeros_like(position)
    for b in range(len(first)):
        rows = slice(first[b], last[b])
        m = mass[rows, None]
        d = position[rows] - np.average(position[rows], axis=0, weights=mass[rows])
        v = velocity[rows] - np.average(velocity[rows], axis=0, weights=mass[rows])
        u, _, vt = np.linalg.svd((m * rest[rows]).T @ d)
        turn = u @ np.diag([1.0, np.linalg.det(u @ vt)]) @ vt
        inertia = (m * d**2).sum()
        omega = (m[:, 0] * (d[:, 0] * v[:, 1] - d[:, 1] * v[:, 0])).sum() / inertia if inertia > 0 else 0.0
        swirl = omega * np.column_stack([-d[:, 1], d[:, 0]])
        mean = m.mean()
        k, c = min(stiffness[b], STIFFNESS_SHARE * mean / DT**2), min(damping[b], DAMPING_SHARE * mean / DT)
        force[rows] = -m / mean * (k * (d - rest[rows] @ turn) + c * (v - swirl))
    return force


@pytest.mark.parametrize("stiffness", [0.0, 50.0, 1e12])
@pytest.mark.parametrize("seed", range(3))
def test_matches_numpy(seed, stiffness):
    body = bodies(seed, stiffness=stiffness, damping=2.0 + stiffness)
    expected = twin(**body)
    assert np.allclose(run(body), expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max() + 1e-12)


@pytest.mark.parametrize("stiffness", [50.0, 1e12])
def test_force_and_torque_sum_to_zero(stiffness):
    body = bodies(5, stiffness=stiffness)
    force, place = run(body), body["position"]
    for first, last in zip(body["first"], body["last"], strict=True):
        rows = slice(first, last)
        scale = np.abs(force[rows]).sum() + stiffness
        assert np.abs(force[rows].sum(axis=0)).max() <= 1e-13 * scale
        torque = (place[rows, 0] * force[rows, 1] - place[rows, 1] * force[rows, 0]).sum()
        assert abs(torque) <= 1e-12 * scale


@pytest.mark.parametrize("angle", [0.0, 1.0, 3.1, -2.0])
def test_rigid_motions_give_no_force(angle):
    """Moved, turned, flying and spinning as a whole the body feels nothing."""
    body = bodies(6)
    body["position"] = body["rest"] @ rotation(angle) + (9.0, -4.0)
    arm = body["position"] - (9.0, -4.0)
    body["velocity"] = 3.0 * np.column_stack([-arm[:, 1], arm[:, 0]]) + (1.0, 2.0)
    body["velocity"][7:19] = (5.0, 0.0)
    assert np.allclose(run(body), 0.0, atol=1e-11)


def test_damping_never_adds_energy():
    body = bodies(7, stiffness=0.0, damping=5.0)
    assert (run(body) * body["velocity"]).sum() <= 0.0


def test_a_body_in_one_point_is_pulled_apart_without_nan():
    body = bodies(8)
    body["position"][:] = 1.0
    force = run(body)
    assert np.isfinite(force).all()
    assert np.abs(force[:7]).max() > 0.0


def test_infinite_masses_are_left_alone():
    body = bodies(9)
    body["mass"][3] = np.inf
    force = run(body)
    assert np.isfinite(force).all()
    assert np.array_equal(force[3], (0, 0))
    body["mass"][:] = np.inf
    assert np.array_equal(run(body), np.zeros((20, 2)))
