"""Magnets, as games see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody import Magnet, Particles, Simulation, StaticCollider, blueprints
from tests.helpers.measures import momenta
from tests.helpers.stepping import run_frames

SOLVERS = ("saturated", "xpbd")


def pair(
    distance: float, solver: str = "saturated", **options: Any
) -> tuple[Simulation, Particles, Particles]:
    """Two particles of 1 kg at rest, the second one a magnet of strength 2 and the first one as the
    options say.
    """
    sim = Simulation(gravity=(0, 0), solver=solver, substeps=1)
    first = Particles([(0.0, 0.0)])
    second = Particles([(distance, 0.0)])
    sim.spawn(first, Magnet(**{"strength": 3.0, "least_distance": 0.01, **options}))
    sim.spawn(second, Magnet(strength=2.0, least_distance=0.01))
    return sim, first, second


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("distance", [0.5, 1.0, 4.0])
def test_like_poles_repel_with_the_product_over_the_square_of_the_distance(
    distance: float, solver: str
) -> None:
    sim, first, second = pair(distance, solver)
    sim.step(1e-5)
    force = 6.0 * distance / (distance**2 + 0.01**2) ** 1.5
    assert force == pytest.approx(6.0 / distance**2, rel=1e-3)
    np.testing.assert_allclose(second.velocity, [(1e-5 * force, 0.0)], rtol=1e-9)
    assert (first.velocity == -second.velocity).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_unlike_poles_attract_and_polarity_turns_a_pole_over(solver: str) -> None:
    for options in ({"strength": -3.0}, {"rows": [0], "polarity": [-1.0]}):
        sim, first, second = pair(1.0, solver, **options)
        sim.step(1e-5)
        assert first.velocity[0, 0] == -second.velocity[0, 0] > 0.0
        sim.close()


def test_the_force_fades_to_nothing_at_the_reach() -> None:
    speeds = []
    for distance in (1.0, 1.99, 2.0, 3.0):
        sim, _, second = pair(distance, reach=2.0)
        sim.step(1e-5)
        speeds.append(second.velocity[0, 0])
        sim.close()
    assert speeds[0] == pytest.approx(6e-5 * 0.75**2, rel=1e-3)
    assert 0.0 < speeds[1] < 0.001 * speeds[0]
    assert speeds[2:] == [0.0, 0.0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_momentum_and_angular_momentum_are_kept(solver: str) -> None:
    sim = Simulation(gravity=(0, 0), solver=solver)
    ball = blueprints.ball((1.5, 0.5), 0.2, mass=2.0, velocity=(-1.0, 0.5))
    blob = blueprints.blob((0, 0), 0.5, mass=3.0)
    box = blueprints.box((-1.5, 0.4), 0.6, mass=1.0)
    sim.spawn(*ball, Magnet(strength=2.0))
    sim.spawn(*blob, Magnet(strength=-0.3))
    sim.spawn(*box, Magnet(strength=1.5, rows=(0, 2), polarity=(1.0, -1.0)))
    bodies = [ball[0], blob[0], box[0]]
    before = momenta(*bodies)
    for _ in range(120):
        sim.step()
    np.testing.assert_allclose(momenta(*bodies), before, atol=1e-12 * 120)
    assert np.abs(blob[0].velocity).max() > 0.1


@pytest.mark.parametrize("solver", SOLVERS)
def test_poles_that_fall_into_each_other_never_explode(solver: str) -> None:
    sim = Simulation(gravity=(0, 0), solver=solver)
    bodies = [Particles([(0.3 * k, 0.01 * k)], mass=0.01) for k in range(4)]
    for number, body in enumerate(bodies):
        sim.spawn(body, Magnet(strength=5.0 * (-1) ** number, least_distance=1e-6))
    for _ in range(600):
        sim.step()
    core = (2 * 25.0 * (1 / 60 / 8) ** 2 * 200.0 / 0.1) ** (1 / 3)
    deepest = 6 * 25.0 / core  # no pair can give more energy than this
    energy = sum(0.5 * 0.01 * (body.velocity**2).sum() for body in bodies)
    assert 0.0 < energy < deepest


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    logarithm=st.tuples(*[st.floats(-3.0, 6.0)] * 3),
    signs=st.tuples(*[st.sampled_from((-1.0, 1.0))] * 3),
    mass=st.tuples(*[st.floats(-3.0, 3.0)] * 3),
    distance=st.floats(-6.0, 1.0),
    substeps=st.integers(1, 16),
    solver=st.sampled_from(SOLVERS),
)
def test_magnets_of_any_strength_and_mass_keep_momentum_and_stay_finite(
    logarithm: tuple[float, ...],
    signs: tuple[float, ...],
    mass: tuple[float, ...],
    distance: float,
    substeps: int,
    solver: str,
) -> None:
    sim = Simulation(gravity=(0, 0), solver=solver, substeps=substeps)
    sim.speed_limit = 1e12  # it is not a law of magnets, and would take momentum away
    corners = 10.0**distance * np.array([(0.0, 0.0), (1.0, 0.2), (-0.3, 0.9)])
    bodies = [
        Particles([at], mass=10.0**m, velocity=(0.3, -0.2))
        for at, m in zip(corners, mass, strict=True)
    ]
    for body, power, sign in zip(bodies, logarithm, signs, strict=True):
        sim.spawn(body, Magnet(strength=sign * 10.0**power, least_distance=1e-6))
    before = momenta(*bodies)
    states = []
    for _ in range(10):
        sim.step()
        states.append(
            [
                (body.mass[0], *body.position[0], *body.velocity[0], *momenta(body))
                for body in bodies
            ]
        )
    sim.close()
    for mass_, x, y, vx, vy, *parts in np.moveaxis(states, 2, 1):
        sizes = mass_ * np.hypot(vx, vy) * np.array([np.ones(3), np.ones(3), np.hypot(x, y)])
        assert np.isfinite(sizes).all()
        drift = np.abs(np.sum(parts, axis=1) - before)
        assert (drift <= 1e-12 * (sizes.sum(axis=1) + np.abs(before))).all(), drift


def test_a_pinned_magnet_stays_and_holds_a_body_against_gravity() -> None:
    sim = Simulation()
    sim.spawn(Particles([(0.0, 2.0)], pinned=True), Magnet(strength=5.0))
    ball = blueprints.ball((0.0, 1.6), 0.1, mass=1.0)
    sim.spawn(*ball, Magnet(strength=-5.0))
    for _ in range(60):
        sim.step()
        # it swings through the pole, and never falls
        assert abs(ball[0].position[0, 1] - 2.0) < 0.45


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("strength", [3.0, -3.0])
def test_a_magnet_at_a_position_acts_on_bodies_and_stays(strength: float, solver: str) -> None:
    sim = Simulation(gravity=(0, 0), solver=solver, substeps=1)
    place = Magnet(position=(1.0, 2.0), strength=strength, least_distance=0.01)
    body = Particles([(4.0, 6.0)], mass=2.0)
    sim.spawn(place)
    sim.spawn(body, Magnet(strength=2.0, least_distance=0.01))
    sim.step(1e-5)
    speed = 1e-5 * 2.0 * strength / 25.0 / 2.0
    np.testing.assert_allclose(body.velocity, [(0.6 * speed, 0.8 * speed)], rtol=1e-4)
    assert place.position.tolist() == [1.0, 2.0]
    place.position = (1.0, 6.0)
    body.velocity = 0.0
    sim.step(1e-5)
    np.testing.assert_allclose(body.velocity, [(1e-5 * strength / 9.0, 0.0)], rtol=1e-4, atol=1e-12)


def period(heights: list[float], dt: float = 1.0 / 60.0) -> float:
    """Return the mean time between the upward crossings of the mean height [s]."""
    swing = np.array(heights) - 0.5 * (max(heights) + min(heights))
    up = np.flatnonzero((swing[:-1] < 0.0) & (swing[1:] >= 0.0))
    crossings = up + swing[up] / (swing[up] - swing[up + 1])
    return float(np.diff(crossings).mean() * dt)


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_body_swings_about_an_attracting_position_with_the_frequency_of_the_core(
    solver: str,
) -> None:
    sim = Simulation(gravity=(0, 0), solver=solver)
    sim.spawn(Magnet(position=(0.0, 1.0), strength=4.0, least_distance=0.8))
    body = Particles([(0.0, 1.04)], mass=0.5)
    sim.spawn(body, Magnet(strength=-2.0))
    heights = [(sim.step(), float(body.position[0, 1]))[1] for _ in range(600)]
    expected = 2.0 * np.pi / np.sqrt(8.0 / (0.8**3 * 0.5))
    assert period(heights) == pytest.approx(expected, rel=0.02)
    assert max(heights) == pytest.approx(1.04, abs=0.002)


@pytest.mark.brief(2)
@pytest.mark.parametrize("solver", SOLVERS)
def test_a_repelling_position_carries_a_body_that_bobs_with_the_frequency_of_the_law(
    solver: str,
) -> None:
    sim = Simulation(gravity=(0, -9.81), solver=solver)
    sim.spawn(Magnet(position=(0.0, -1.0), strength=3.0, least_distance=0.01))
    mass = 0.5
    lift = 0.9
    body = Particles([(0.0, lift - 1.0 + 0.01)], mass=mass)
    sim.spawn(body, Magnet(strength=mass * 9.81 * lift**2 / 3.0, least_distance=0.01))
    heights = [(sim.step(), float(body.position[0, 1]))[1] for _ in range(600)]
    assert np.mean(heights) == pytest.approx(lift - 1.0, abs=0.005)
    assert period(heights) == pytest.approx(2.0 * np.pi / np.sqrt(2.0 * 9.81 / lift), rel=0.02)


@pytest.mark.slow
def test_bodies_asleep_in_reach_of_a_position_wake_when_it_comes_moves_or_goes() -> None:
    sim = Simulation()
    sim.spawn(StaticCollider([(-20, 0), (20, 0)], friction=1.0))
    near = sim.spawn(*blueprints.ball((0, 0.2), 0.2, mass=1.0), Magnet(strength=0.3))
    far = sim.spawn(*blueprints.ball((12, 0.2), 0.2, mass=1.0), Magnet(strength=0.3, reach=2.0))

    def wakes(change: Callable[[], object]) -> bool:
        run_frames(sim, 150)
        assert sim.is_asleep(near)
        change()
        sim.step()
        assert sim.is_asleep(far)
        return not sim.is_asleep(near)

    place = Magnet(position=(0.5, 1.5), strength=0.5, reach=2.0)
    made: list[int] = []
    assert wakes(lambda: made.append(sim.spawn(place)))
    assert wakes(lambda: setattr(place, "position", (0.0, 1.2)))
    assert wakes(lambda: setattr(place, "strength", -0.5))
    assert wakes(lambda: setattr(place, "position", (0.0, 7.0)))
    assert not wakes(lambda: setattr(place, "position", (0.0, 8.0)))
    assert wakes(lambda: setattr(place, "position", (0.0, 1.2)))
    with sim:
        assert wakes(lambda: esper.delete_entity(made[0], immediate=True))


def test_polarity_is_live() -> None:
    sim, first, second = pair(1.0, rows=[0], polarity=[1.0])
    sim.step(1e-5)
    assert second.velocity[0, 0] > 0.0
    with sim:
        esper.get_components(Particles, Magnet)[0][1][1].polarity[0] = -1.0
    first.velocity = second.velocity = 0.0
    sim.step(1e-5)
    assert first.velocity[0, 0] == -second.velocity[0, 0] > 0.0


def test_magnets_at_positions_come_and_go_beside_those_on_bodies() -> None:
    sim = Simulation(gravity=(0, 0))
    body = Particles([(0.0, 0.0), (0.0, 1.0)])
    sim.spawn(Magnet(position=(1.0, 0.0), strength=1.0))
    sim.step()
    removed = sim.spawn(Particles([(9.0, 9.0)]), Magnet(strength=0.0))
    sim.spawn(body, Magnet(strength=1.0, rows=[1]))
    sim.step()
    assert not body.velocity[0].any()
    assert body.velocity[1, 0] < 0.0 < body.velocity[1, 1]
    with sim:
        esper.delete_entity(removed, immediate=True)
    sim.spawn(Magnet(position=(-1.0, 1.0), strength=100.0))
    body.velocity = 0.0
    sim.step()
    assert body.velocity[1, 0] > 0.0


def test_sleeping_bodies_wake_when_a_magnet_comes_or_is_written_to() -> None:
    sim = Simulation()
    sim.spawn(StaticCollider([(-20, 0), (20, 0)], friction=1.0))
    strength = 0.3
    sleeper = sim.spawn(
        *blueprints.ball((0, 0.2), 0.2, mass=1.0), near := Magnet(strength=strength, reach=2.0)
    )
    other = sim.spawn(
        *blueprints.ball((1, 0.2), 0.2, mass=1.0), Magnet(strength=strength, reach=2.0)
    )
    far = sim.spawn(*blueprints.ball((12, 0.2), 0.2, mass=1.0))
    for _ in range(120):
        sim.step()
    assert all(sim.is_asleep(entity) for entity in (sleeper, other, far))
    near.strength = 2.0 * strength
    sim.step()
    assert not sim.is_asleep(sleeper)
    assert not sim.is_asleep(other)
    assert sim.is_asleep(far)
    for _ in range(200):
        sim.step()
    assert sim.is_asleep(sleeper)
    guest = Particles([(4.0, 1.0)], velocity=(-4.0, 0.0), kinematic=True)
    sim.spawn(guest, Magnet(strength=1.0))
    for _ in range(60):
        sim.step()
    assert not sim.is_asleep(sleeper)
    assert sim.is_asleep(far)


def test_a_cut_leaves_every_pole_on_its_piece() -> None:
    sim = Simulation(gravity=(0, 0))
    body = sim.spawn(
        *blueprints.box((0, 0), 1.0), Magnet(strength=1.0, rows=(0, 3), polarity=(1.0, -1.0))
    )
    (cut,) = sim.cut((-2, 0.05), (2, 0.05))
    assert cut.entity == body
    sim.step()
    kept = [
        sim.buffers.components(Magnet)[piece]
        for piece in cut.pieces
        if piece in sim.buffers.components(Magnet)
    ]
    assert sorted(value for magnet in kept for value in magnet.polarity) == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strength", np.nan),
        ("strength", "north"),
        ("reach", 0.0),
        ("reach", -1.0),
        ("least_distance", 0.0),
        ("rows", [-1]),
        ("polarity", [np.inf]),
        ("position", [0.0]),
        ("position", (0.0, np.nan)),
    ],
)
def test_what_cannot_be_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"Magnet.{field}: .* expected"):
        Magnet(**{"strength": 1.0, "rows": None if field == "position" else [0], field: value})  # type: ignore[arg-type]


def test_a_position_and_rows_or_polarity_without_rows_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Magnet.rows: \[0\] is not allowed with a position; expected one of them"
    ):
        Magnet(strength=1.0, rows=[0], position=(0.0, 1.0))
    for options in (
        {"polarity": -1.0},
        {"polarity": (1.0, -1.0)},
        {"polarity": -1.0, "position": (0.0, 1.0)},
    ):
        with pytest.raises(
            ValueError, match=r"Magnet.polarity: .* is not allowed without rows; expected rows"
        ):
            Magnet(strength=1.0, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("components", "message"),
    [
        (
            [Magnet(strength=1.0)],
            r"position of entity \d+: \[nan, nan\] is not allowed without Particles",
        ),
        (
            [Magnet(strength=1.0, rows=[0])],
            r"rows of entity \d+: \[0\] is not allowed without Particles",
        ),
        (
            [Magnet(strength=1.0, position=(2.0, 1.0)), Particles([(0, 1)])],
            r"position of entity \d+: \[2.0, 1.0\] is not allowed beside Particles",
        ),
    ],
)
def test_a_magnet_needs_either_particles_or_a_position(components: list[Any], message: str) -> None:
    sim = Simulation()
    sim.spawn(*components)
    with pytest.raises(
        ValueError, match=rf"Magnet.{message}; expected Particles on the entity, or a position"
    ):
        sim.step()


def test_a_row_that_is_not_there_is_refused_before_anything_moves() -> None:
    sim = Simulation()
    body = Particles([(0, 1)])
    sim.spawn(body, Magnet(strength=1.0, rows=[3]))
    with pytest.raises(
        ValueError, match=r"Magnet.rows of entity \d+: 3 in row 0 is not allowed; expected rows"
    ):
        sim.step()
    assert body.position[0, 1] == 1.0
