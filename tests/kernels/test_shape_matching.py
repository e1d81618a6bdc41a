"""accumulate_shape_matching_force: a NumPy twin, conservation laws, rigid motions, saturation,
edges.
"""

import numpy as np
import pytest

from ecs_softbody.indices import arange, bincount, repeat
from ecs_softbody.kernels.forces.shape_matching import (
    DEADBEAT,
    EXACT,
    STIFFEST,
    Matched,
    Members,
    Shapes,
    accumulate_shape_matching_force,
)

DT = 1 / 480


def bodies(seed=0, *, stiffness=50.0, damping=2.0):
    """Two deformed bodies of 7 and 12 particles, and one of a single particle."""
    rng = np.random.default_rng(seed)
    first = np.array([0, 7, 19], np.uint32)
    last = np.array([7, 19, 20], np.uint32)
    mass = rng.uniform(0.2, 3, 20)
    rest = rng.normal(size=(20, 2))
    for a, b in zip(first, last, strict=True):
        rest[a:b] -= np.average(rest[a:b], axis=0, weights=mass[a:b])
    return {
        "position": rest @ rotation(0.7) + rng.normal(size=(20, 2)) * 0.2 + (3, -2),
        "velocity": rng.normal(size=(20, 2)),
        "mass": mass,
        "rest": rest,
        "every_row": np.arange(20, dtype=np.uint32),
        "first": first,
        "last": last,
        "packed_members": np.zeros(0, np.uint32),
        "group": np.zeros(0, np.int32),
        "share": np.zeros(0),
        "valence": np.zeros(0),
        "group_first": np.zeros(3, np.uint32),
        "group_last": np.zeros(3, np.uint32),
        "stiffness": np.array([stiffness, 3 * stiffness, stiffness]),
        "damping": np.array([damping, 0.0, damping]),
    }


def rotation(angle):
    return np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])


def run(body):
    force = np.zeros_like(body["position"])
    shapes = ("group_first", "group_last", "first", "last", "stiffness", "damping")
    accumulate_shape_matching_force(
        arange(len(body["first"])),
        Shapes(*(body[name] for name in shapes)),
        Members(*(body[name] for name in Members.__annotations__)),
        body["every_row"],
        Matched(body["position"], body["velocity"], body["mass"], body["rest"], force),
        DT,
    )
    return force


def twin(
    *, position, velocity, mass, rest, first, last, stiffness, damping, valence=(1, 1, 1), **_
):
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
        omega = (
            (m[:, 0] * (d[:, 0] * v[:, 1] - d[:, 1] * v[:, 0])).sum() / inertia
            if inertia > 0
            else 0.0
        )
        swirl = omega * np.column_stack([-d[:, 1], d[:, 0]])
        mean = m.mean()
        light = valence[b] * DT / mean
        kept = 1 / (1 + damping[b] * light)
        kappa = min(stiffness[b] * DT * light * kept, STIFFEST)
        gamma = max(damping[b] * light * kept, DEADBEAT * (kappa - EXACT) / (STIFFEST - EXACT))
        force[rows] = (
            -m / valence[b] / DT * (kappa / DT * (d - rest[rows] @ turn) + gamma * (v - swirl))
        )
    return force


@pytest.mark.parametrize("stiffness", [0.0, 50.0, 1e12])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mirrored", [False, True])
def test_matches_numpy(seed, stiffness, mirrored):
    """The best rotation, never a reflection: also where a mirror image would fit better."""
    body = bodies(seed, stiffness=stiffness, damping=0.0 if seed else 2.0 + stiffness)
    body["position"][:, 0] *= -1.0 if mirrored else 1.0
    expected = twin(**body | {"valence": (1, 1, 1)})
    assert np.allclose(run(body), expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max() + 1e-12)


@pytest.mark.parametrize("stiffness", [50.0, 1e12])
def test_force_and_torque_sum_to_zero(stiffness):
    body = bodies(5, stiffness=stiffness)
    force = run(body)
    place = body["position"]
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


def test_an_infinite_mass_counts_as_the_mean_of_the_others():
    """So that a body hangs on a particle that is fixed by its mass as on one that is pinned."""
    body = bodies(9)
    body["mass"][3] = np.delete(body["mass"][:7], 3).mean()
    expected = run(body)
    body["mass"][3] = np.inf
    assert np.allclose(run(body), expected, rtol=1e-12, atol=1e-12)
    body["mass"][:] = np.inf
    assert np.array_equal(run(body), np.zeros((20, 2)))


def test_forces_sum_to_zero_wherever_the_rest_shape_is_counted_from():
    """A game that changes masses moves the centre of the rest shape: nothing may push the body
    then.
    """
    body = bodies(10)
    before = run(body)
    body["rest"] += (3.0, -8.0)
    assert np.allclose(run(body), before, rtol=1e-9, atol=1e-9)
    body["mass"][2] *= 50.0
    assert np.abs(run(body)[:7].sum(axis=0)).max() <= 1e-12 * np.abs(run(body)).max()


GROUPS = [[0, 1, 2, 3], [3, 4, 5], [6, 2, 0, 5, 1], [12, 9, 8]]


def grouped(seed=0, *, stiffness=50.0, damping=2.0):
    """The first body in three groups that overlap, the second with one group, the third a single
    particle.
    """
    shares = np.array([1.0, 0.25, 0.5, 1.0])
    sizes = [len(rows) for rows in GROUPS]
    count = bincount(np.concatenate(GROUPS))
    return bodies(seed, stiffness=stiffness, damping=damping) | {
        "packed_members": np.concatenate(GROUPS).astype(np.uint32),
        "group": repeat([0, 1, 2, 0], sizes).astype(np.int32),
        "share": repeat(shares, sizes),
        "valence": repeat([float(count[rows].max()) for rows in GROUPS], sizes),
        "group_first": np.array([0, 12, 15], np.uint32),
        "group_last": np.array([12, 15, 15], np.uint32),
    }


@pytest.mark.parametrize("stiffness", [50.0, 1e12])
def test_each_group_is_a_body_of_its_own_that_shares_the_budget(stiffness):
    """Compared with the whole-body law on a copy of each group; its share of the bound is divided
    by the valence.
    """
    body = grouped(3, stiffness=stiffness)
    expected = np.zeros((20, 2))
    start = 0
    for owner, rows in zip([0, 0, 0, 1], GROUPS, strict=True):
        k = body["stiffness"][owner] * body["share"][start]
        c = body["damping"][owner]
        alone = {name: body[name][rows] for name in ("position", "velocity", "mass", "rest")}
        alone["rest"] = alone["rest"] - np.average(alone["rest"], axis=0, weights=alone["mass"])
        span = {"first": np.array([0], np.int64), "last": np.array([len(rows)], np.int64)}
        expected[rows] += twin(
            **alone, **span, stiffness=[k], damping=[c], valence=[body["valence"][start]]
        )
        start += len(rows)
    assert np.allclose(run(body), expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())


def test_groups_keep_momentum_and_angular_momentum():
    body = grouped(4)
    force = run(body)
    place = body["position"]
    for rows in (slice(0, 7), slice(7, 19)):
        scale = np.abs(force[rows]).sum()
        assert np.abs(force[rows].sum(axis=0)).max() <= 1e-13 * scale
        torque = (place[rows, 0] * force[rows, 1] - place[rows, 1] * force[rows, 0]).sum()
        assert abs(torque) <= 1e-12 * scale


def test_far_from_the_origin_rounding_gives_no_net_force():
    """A place 1 km away is known to 1e-13 m; times a stiffness of 1e12 that would push the body
    about.
    """
    body = bodies(5, stiffness=1e12, damping=0.0)
    body["position"] = body["rest"] * 1.01 + (1000.0, -700.0)
    force = run(body)
    for first, last in zip(body["first"], body["last"], strict=True):
        rows = slice(first, last)
        assert np.abs(force[rows].sum(axis=0)).max() <= 1e-14 * np.abs(force[rows]).sum()
