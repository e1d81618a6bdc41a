"""What a substep can carry: the bound holds, what fits is exact, soft springs keep their stiffness,
warnings help.
"""

import itertools
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_softbody import (
    AngularSprings,
    Particles,
    PressureBody,
    Simulation,
    Springs,
    StabilityWarning,
    blueprints,
)
from ecs_softbody.processors.solvers import saturation
from tests.helpers.stepping import run_frames

H = 1 / 480
WORLDS = itertools.count()


def packed(*components, dt=1 / 60, substeps=8):
    """Step a tiny moment so that the springs are saturated for the substep dt / substeps."""
    sim = Simulation(gravity=(0, 0), substeps=substeps, world=f"saturation {next(WORLDS)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        sim.spawn(*components)
        sim.step(dt)
    return sim


def largest_eigenvalue(body, springs, axes, h=H):
    """Of M^-1/2 (h² K + 2 h D) M^-1/2: up to 4 a substep is stable."""
    free = ~body.pinned & np.isfinite(body.mass)
    weight = np.where(free, 1 / np.sqrt(body.mass), 0.0)
    matrix = np.zeros((2 * body.row_count, 2 * body.row_count))
    strength = springs.effective_stiffness * h**2 + 2 * springs.effective_damping * h
    for (i, j), n, s in zip(springs.pairs, axes, strength, strict=True):
        if i != j:
            column = np.zeros(2 * body.row_count)
            column[2 * i : 2 * i + 2], column[2 * j : 2 * j + 2] = n * weight[i], -n * weight[j]
            matrix += s * np.outer(column, column)
    return np.linalg.eigvalsh(matrix)[-1]


@st.composite
def networks(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(2, 10))
    springs = draw(st.integers(1, 25))
    mass_spread = draw(st.floats(0, 6))
    mass = 10.0 ** (rng.uniform(-0.5, 0.5, count) * mass_spread)
    pinned = rng.random(count) < draw(st.sampled_from([0.0, 0.3, 0.8]))
    body = Particles(rng.normal(size=(count, 2)), mass=mass, pinned=pinned)
    low = draw(st.floats(0, 6))
    pairs = np.array([rng.permutation(count)[:2] for _ in range(springs)])
    damping = draw(st.sampled_from([0.0, 1.0])) * 10.0 ** rng.uniform(-3, 12, springs)
    return (
        body,
        Springs(pairs, stiffness=10.0 ** rng.uniform(low, 12, springs), damping=damping),
        rng,
    )


@pytest.mark.slow
@given(networks())
def test_a_substep_is_stable_for_the_present_directions(network):
    body, springs, _ = network
    along = body.position[springs.pairs[:, 1]] - body.position[springs.pairs[:, 0]]
    packed(body, springs)
    assert largest_eigenvalue(body, springs, along / np.linalg.norm(along, axis=1)[:, None]) <= 4.0


@given(networks())
def test_a_substep_is_stable_for_any_directions(network):
    """Springs turn: the bound must hold when all of them lie in one line, and for random
    directions.
    """
    body, springs, rng = network
    packed(body, springs)
    count = springs.row_count
    assert largest_eigenvalue(body, springs, np.tile((1.0, 0.0), (count, 1))) <= 4.0
    angle = rng.uniform(0, 2 * np.pi, count)
    assert largest_eigenvalue(body, springs, np.column_stack([np.cos(angle), np.sin(angle)])) <= 4.0


@pytest.mark.slow
@given(networks())
def test_stiffness_is_never_raised_and_cut_springs_are_damped(network):
    """The delta rule: what is cut in stiffness has a damping of a quarter of k h, where there is
    room for it.
    """
    body, springs, _ = network
    packed(body, springs)
    kept = springs.effective_stiffness
    damping = springs.effective_damping
    assert (kept <= springs.stiffness).all()
    assert (kept >= 0.0).all()
    assert np.isfinite(damping).all()
    cut = kept < springs.stiffness
    movable = ~body.pinned[springs.pairs].all(axis=1)
    assert (damping[cut & movable] > 0.0).all()
    untouched = ~cut & (damping == springs.damping)
    assert ((damping <= springs.damping * (1 + 1e-12)) | cut).all()
    assert (untouched | cut | (damping < springs.damping)).all()


def test_a_lone_cut_spring_is_damped_by_a_quarter_of_k_h():
    springs = Springs([(0, 1)], stiffness=1e12)
    packed(Particles([(0, 0), (1, 0)]), springs)
    assert springs.effective_damping[0] == pytest.approx(
        0.25 * springs.effective_stiffness[0] * H, rel=1e-5
    )
    assert springs.effective_stiffness[0] * H**2 > 0.5, "it should be as stiff as is safe"


def test_what_fits_is_exact():
    rng = np.random.default_rng(0)
    body = Particles(rng.normal(size=(20, 2)), mass=rng.uniform(0.5, 2, 20))
    springs = Springs(
        [rng.permutation(20)[:2] for _ in range(40)],
        stiffness=rng.uniform(0, 2000, 40), damping=rng.uniform(0, 3, 40),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = Simulation()
        sim.spawn(body, springs)
        sim.step()
    assert np.array_equal(springs.effective_stiffness, springs.stiffness)
    assert np.array_equal(springs.effective_damping, springs.damping)


def test_the_spring_of_one_step_fits():
    springs = Springs([(0, 1)], stiffness=2.0 / H**2, damping=2.0 / H)
    packed(Particles([(0, 0), (3, 0)], mass=2.0, pinned=[True, False]), springs)
    assert springs.effective_stiffness[0] == springs.stiffness[0]
    assert springs.effective_damping[0] == springs.damping[0]


def test_a_soft_spring_beside_a_very_stiff_one_keeps_its_stiffness():
    springs = Springs(
        [(0, 1), (1, 2), (1, 3)], stiffness=[500.0, 1e12, 0.0], damping=[2.0, 0.0, 0.0]
    )
    packed(Particles([(0, 0), (1, 0), (2, 0), (1, 1)]), springs)
    assert springs.effective_stiffness[0] == 500.0
    assert springs.effective_damping[0] == 2.0
    assert 1e4 < springs.effective_stiffness[1] < 1e6
    assert springs.effective_stiffness[2] == 0.0


def test_a_heavy_hub_is_not_throttled():
    """A hub of a ton with twenty light neighbours lets each spring be as stiff
    as if it were alone.
    """
    rows = np.arange(1, 21)
    angle = 2 * np.pi * rows / 20
    place = np.concatenate([[(0, 0)], np.column_stack([np.cos(angle), np.sin(angle)])])
    hub = Springs(np.column_stack([np.zeros(20, int), rows]), stiffness=1e12)
    packed(Particles(place, mass=[1e3] + [1.0] * 20), hub)
    lone = Springs([(0, 1)], stiffness=1e12)
    packed(Particles([(0, 0), (1, 0)], mass=[1e3, 1.0]), lone)
    assert hub.effective_stiffness == pytest.approx(
        np.full(20, lone.effective_stiffness[0]), rel=0.1
    )


def test_effective_values_follow_changes_of_mass_stiffness_and_substeps():
    body = Particles([(0, 0), (1, 0)])
    springs = Springs([(0, 1)], stiffness=1e12)
    sim = packed(body, springs)
    first = springs.effective_stiffness[0]
    body.mass[:] = 2.0
    sim.step()
    assert springs.effective_stiffness[0] == pytest.approx(2 * first, rel=1e-5)
    sim.substeps = 16
    sim.step()
    assert springs.effective_stiffness[0] == pytest.approx(8 * first, rel=1e-5)
    springs.stiffness[:] = 3.0
    sim.step()
    assert springs.effective_stiffness[0] == 3.0
    body.pinned[0] = True
    springs.stiffness[:] = 1e12
    sim.step()
    assert springs.effective_stiffness[0] == pytest.approx(16 * first, rel=1e-5)


@pytest.mark.parametrize(
    "written", ["stiffness", "damping", "rest shape", "angles", "mass", "pinned"]
)
def test_a_change_of_one_body_finds_no_other_one_anew(monkeypatch, written):
    """With a thousand blobs a changed stiffness took 80 ms a frame."""
    sim = Simulation(world="one of four", sleeping=False)
    bodies = [blueprints.box((3.0 * number, 5.0), 1.0) for number in range(3)]
    for parts in bodies:
        sim.spawn(*parts)
    bend = AngularSprings([(0, 1, 2)], stiffness=0.1)
    sim.spawn(Particles([(20.0, 5.0), (20.5, 5.2), (21.0, 5.0)], mass=1.0), bend)
    sim.step()
    particles, springs, shape, _ = bodies[1]
    found: list[int] = []
    kernels = saturation.saturate_springs, saturation.find_carried_stiffness

    def noted(kernel):
        def call(rows, *others):
            found.extend(rows.tolist())
            return kernel(rows, *others)

        return call

    for kernel in kernels:
        monkeypatch.setattr(saturation, kernel.__name__, noted(kernel))
    sim.step()
    assert not found
    if written == "rest shape":
        shape.stiffness *= 1.1
    elif written == "angles":
        bend.stiffness *= 1.1
    elif written in ("stiffness", "damping"):
        getattr(springs, written)[3] *= 1.1
    elif written == "mass":
        particles.mass[3] *= 1.1
    else:
        particles.pinned[3] = True
    sim.step()
    own = bend if written == "angles" else springs
    assert found == list(range(own.row_start, own.row_stop))


def test_springs_between_bodies_share_the_bound_with_the_bodies_own():
    """Both ends are counted with what their own springs take, also when the link comes later."""
    sim = packed()
    bodies = [Particles([(3 * k, 0), (3 * k + 1, 0)]) for k in range(2)]
    own = [Springs([(0, 1)], stiffness=1e12) for _ in range(2)]
    entities = [sim.spawn(*pair) for pair in zip(bodies, own, strict=True)]
    with pytest.warns(StabilityWarning):
        sim.step()
    alone = own[0].effective_stiffness[0]
    link = Springs([(1, 0)], stiffness=1e12, between=tuple(entities))
    with sim:
        holder = sim.spawn(link)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim.step()
    total = (own[0].effective_stiffness[0] + link.effective_stiffness[0]) * H**2 * 2
    assert total <= 4.0
    assert own[0].effective_stiffness[0] < alone
    sim.despawn(holder)
    sim.step()
    assert own[0].effective_stiffness[0] == pytest.approx(alone, rel=1e-9)


def advised_substeps(caught):
    return max(
        (int(re.search(r"use (\d+) substeps", str(w.message))[1]) for w in caught), default=0
    )


def bodies_that_warn():
    ring = blueprints.blob((0, 0), 0.5, stiffness=2e5, damping=30.0)
    box = blueprints.box((0, 0), 1.0, stiffness=4e4, damping=20.0)
    rod = blueprints.rod((0, 0), (2, 0), stiffness=5e4, bending=2e4)
    return {
        "blob": ring,
        "box": box,
        "rod": rod,
        "damping": blueprints.rope((0, 0), (1, 0), damping=500.0),
    }


@pytest.mark.parametrize("name", bodies_that_warn())
def test_the_advised_number_of_substeps_removes_the_warning(name):
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*bodies_that_warn()[name])
    with pytest.warns(StabilityWarning) as caught:
        sim.step()
    advice = advised_substeps(caught)
    assert advice > 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = Simulation(gravity=(0, 0), substeps=advice, world="advised")
        again.spawn(*bodies_that_warn()[name])
        again.step()


def test_a_warning_names_entity_row_value_and_substeps():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(Particles([(9, 9)]))
    entity = sim.spawn(
        Particles([(0, 0), (1, 0), (2, 0)]), Springs([(0, 1), (1, 2)], stiffness=[5.0, 9e6])
    )
    with pytest.warns(
        StabilityWarning, match=rf"entity {entity}, Springs row 1: stiffness 9e\+06 N/m"
    ) as caught:
        sim.step()
    assert "now 8" in str(caught[0].message)
    assert advised_substeps(caught) > 8


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_value_of_which_no_number_of_substeps_can_be_counted_is_warned_of():
    """The square of what it needs is more than a float can hold."""
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0, 0), (1.1, 0)], mass=1.0)
    sim.spawn(body, Springs([(0, 1)], stiffness=1.0, damping=1e200, rest_length=1.0))
    with pytest.warns(
        StabilityWarning, match=r"damping 1e\+200 N·s/m .* no number of substeps would do"
    ):
        sim.step()
    assert np.isfinite(body.position).all()


def test_a_warning_comes_once():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(Particles([(0, 0), (1, 0)]), Springs([(0, 1)], stiffness=1e9))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(20):
            sim.step(1 / (60 + k))
    assert len(caught) == 1


def test_default_blueprints_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim = Simulation()
        for k, body in enumerate(
            [
                blueprints.blob((0, 0), 0.5),
                blueprints.box((3, 0), 1.0),
                blueprints.rope((6, 0), (8, 0)),
                blueprints.rod((0, 5), (2, 5)),
                blueprints.cloth((3, 5), 1.5),
                blueprints.ball((9, 9), 0.2),
                blueprints.polygon([(0, 9), (2, 9), (1, 11)]),
                blueprints.blob((4, 9), 0.2, mass=5.0),
            ]
        ):
            sim.spawn(*body)
            assert k >= 0
        run_frames(sim, 10)


def ring_of_gas(count, stiffness, content, shorter=1.0):
    rows = np.arange(count)
    place = np.column_stack([np.cos(2 * np.pi * rows / count), np.sin(2 * np.pi * rows / count)])
    edge = 2 * np.sin(np.pi / count)
    skin = Springs(
        np.column_stack([rows, np.roll(rows, -1)]), stiffness=stiffness, rest_length=shorter * edge
    )
    return Particles(place), skin, PressureBody(rows, nRT=content)


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    ("stiffness", "content"), [(1e3, 1e2), (1e6, 1e3), (1e9, 1e5), (1e9, 10.0)]
)
@pytest.mark.parametrize("shorter", [0.5, 1.0, 1.2])
def test_a_skin_that_is_cut_keeps_its_size_in_balance(stiffness, content, shorter):
    """With n springs of length L in the rest shape: n k (λ L - L0) λ L = 2 nRT."""
    body, skin, gas = ring_of_gas(12, stiffness, content, shorter)
    length = 2 * np.sin(np.pi / 12)
    a = 12 * stiffness * length**2
    b = 12 * stiffness * shorter * length**2
    scale = (b + np.sqrt(b * b + 8 * a * content)) / (2 * a)
    body.position *= scale
    body.rest_offset = body.position / scale
    sim = packed(body, skin, gas)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        run_frames(sim, 120)
    assert np.hypot(*body.position.T) == pytest.approx(scale, rel=1e-6)


def test_gas_that_a_substep_can_not_carry_is_named_with_its_cure():
    sim = Simulation(gravity=(0, 0))
    sim.spawn(*blueprints.blob((0, 0), 0.01, particles=64))
    with pytest.warns(
        StabilityWarning, match="PressureBody: nRT .* acts as .* J .*For the full value use"
    ) as caught:
        sim.step()
    finer = Simulation(gravity=(0, 0), substeps=advised_substeps(caught), world="finer")
    body = blueprints.blob((0, 0), 0.01, particles=64)
    finer.spawn(*body)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        finer.step()
    assert body[2].gas_share == 1.0
