"""Contacts are looked for only when something has gone far or changed, and none is ever missed."""

import contextlib
import itertools

import esper
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_softbody import Collider, Particles, Simulation, Springs, StaticCollider, blueprints
from tests.collision.twin_of_contacts import missed_on_rings, missed_pairs, missed_within
from tests.helpers.internals import collision_space
from tests.helpers.stepping import run_frames

WORLDS = itertools.count()


@contextlib.contextmanager
def world_of_its_own(**options):
    """Yield a simulation that shares nothing with those of other examples."""
    sim = Simulation(world=f"finding {next(WORLDS)}", sleeping=False, **options)
    yield sim
    sim.close()


def look_before_every_solve(sim, *twins):
    """Whenever contacts are about to be solved: what touches by an exhaustive search is in the
    list.
    """
    solve = collision_space(sim).solve

    def look_and_solve(dt):
        assert [twin(sim) for twin in twins] == [[] for _ in twins]
        solve(dt)

    collision_space(sim).solve = look_and_solve


@pytest.mark.slow
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 8]))
def test_no_contact_of_discs_and_walls_is_missed(seed, substeps):
    """Balls, clouds of particles, walls that move and turn; thrown about, and struck by a game
    between frames.
    """
    rng = np.random.default_rng(seed)
    with world_of_its_own(substeps=substeps, gravity=rng.normal(size=2) * 5) as sim:
        sim.spawn(StaticCollider([(0, 0), (4, 0), (4, 4), (0, 4)], closed=True, radius=0.05))
        bar = StaticCollider([(2, 2), (2.6, 2.3)], velocity=0.3 * rng.normal(size=2))
        sim.spawn(bar)
        bodies = []
        for k in range(9):
            count = int(rng.integers(1, 4))
            place = (
                (1 + k % 3, 1 + k // 3)
                + 0.1 * np.arange(count)[:, None]
                + 0.05 * rng.normal(size=(count, 2))
            )
            speed = rng.normal(size=2) * rng.choice([0.1, 3.0])
            bodies.append(
                Particles(place, velocity=np.tile(speed, (count, 1)), radius=rng.uniform(0.02, 0.2))
            )
            sim.spawn(bodies[-1], Collider(restitution=rng.random()))
        look_before_every_solve(sim, missed_pairs)
        for k in range(16):
            sim.step()
            if k % 4 == 3:
                struck = bodies[int(rng.integers(9))]
                struck.velocity += rng.normal(size=2)
                struck.position += rng.choice([1e-3, 0.3]) * rng.normal(size=2)
                struck.radius *= rng.choice([1.0, 1.2])
                bar.angular_velocity = rng.normal()
                bar.vertices += 0.02 * rng.normal()


@pytest.mark.slow
# an exhaustive search before every solve takes its time
@settings(max_examples=settings.default.max_examples // 16)
@given(st.integers(0, 10_000), st.sampled_from([2, 8]))
def test_no_contact_of_rings_is_missed(seed, substeps):
    rng = np.random.default_rng(seed)
    with world_of_its_own(substeps=substeps, gravity=(0, -3)) as sim:
        sim.spawn(StaticCollider([(-1, 4), (-1, -0.8), (4, -0.8), (4, 4)]))
        for k in range(6):
            place = (1.1 * (k % 3), 1.1 * (k // 3))
            speed = rng.normal(size=2) * rng.choice([0.05, 3.0])
            if rng.random() < 0.3:
                sim.spawn(*blueprints.ball(place, 0.2, velocity=speed))
            else:
                sim.spawn(*blueprints.blob(place, 0.5, velocity=speed, self_collision=False))
        look_before_every_solve(sim, missed_pairs, missed_on_rings)
        run_frames(sim, 12)


@given(st.integers(0, 10_000))
def test_no_contact_of_a_body_with_itself_is_missed(seed):
    """A long chain of discs that whirls: it goes far as a whole, and its parts relative to each
    other.
    """
    rng = np.random.default_rng(seed)
    count = 16
    place = np.cumsum(0.15 * rng.normal(size=(count, 2)), axis=0)
    chain = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    with world_of_its_own() as sim:
        sim.spawn(
            Particles(
                place, velocity=3.0 * rng.normal(size=2) + rng.normal(size=(count, 2)), radius=0.04
            ),
            Springs(chain, stiffness=100.0),
            Collider(self_collision=True),
        )
        look_before_every_solve(sim, missed_within)
        run_frames(sim, 12)


@pytest.mark.slow
def test_a_wall_that_comes_to_bodies_at_rest_is_found_in_time():
    """Nothing but the wall moves, and nobody writes its velocity again: how far it has gone has to
    be noticed.
    """
    with world_of_its_own(gravity=(0, 0)) as sim:
        bar = StaticCollider([(-3, 0), (-3, 2)], velocity=(0.8, 0), angular_velocity=-0.3)
        sim.spawn(bar)
        balls = [blueprints.ball((-1.0 + 0.7 * k, 1.0), 0.3)[0] for k in range(3)]
        for ball in balls:
            sim.spawn(ball, Collider())
        look_before_every_solve(sim, missed_pairs)
        run_frames(sim, 240)
        assert balls[0].velocity[0, 0] > 0.1


def test_a_sleeping_world_looks_for_nothing():
    sim = Simulation()
    sim.spawn(StaticCollider([(-9, 0), (99, 0)]))
    for k in range(3):
        sim.spawn(*blueprints.ball((2.0 * k, 0.3), 0.3))
    run_frames(sim, 90)
    assert sim.asleep_count == 3
    assert searches_in(sim, 30) == 0


def searches_in(sim, frames=1):
    before = collision_space(sim).searches
    run_frames(sim, frames)
    return collision_space(sim).searches - before


def resting(bodies=3, **collider):
    """Balls at rest on a floor, none asleep; the simulation, its balls, its floor."""
    sim = Simulation(sleeping=False)
    floor = StaticCollider([(-9, 0), (99, 0)])
    sim.spawn(floor)
    balls = [blueprints.ball((2.0 * k, 0.3), 0.3, **collider) for k in range(bodies)]
    for ball in balls:
        sim.spawn(*ball)
    run_frames(sim, 30)
    return sim, balls, floor


def test_nothing_is_looked_for_while_nothing_goes_far():
    sim, _, _ = resting()
    assert searches_in(sim, 60) == 0


def test_a_body_that_goes_far_has_contacts_found_anew_and_its_neighbours_lose_nothing():
    sim, balls, _ = resting()
    load = sim.contacts.impulse.sum()
    balls[0][0].velocity[:] = -2.0, 0.0
    assert 0 < searches_in(sim, 30) < 30
    assert sim.contacts.impulse.sum() == pytest.approx(load, rel=0.05)


def write(component, name, value):
    return lambda: setattr(component, name, value)


@pytest.mark.parametrize(
    "what", ["category", "mask", "sensor", "friction", "restitution", "radius", "position"]
)
def test_what_a_game_writes_to_a_body_counts_in_the_next_frame(what):
    sim, balls, _ = resting()
    particles = balls[0][0]
    collider = next(part for part in balls[0] if isinstance(part, Collider))
    changes = {
        "category": write(collider, "category", 2), "mask": write(collider, "mask", 4),
        "sensor": write(collider, "sensor", True), "friction": write(collider, "friction", 0.9),
        "restitution": write(collider, "restitution", 0.9),
        "radius": write(particles, "radius", 0.31),
        "position": write(particles, "position", (0.0, 0.5)),
    }  # fmt: skip
    changes[what]()
    assert searches_in(sim) >= 1


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("radius", 0.1),
        ("category", 2),
        ("mask", 4),
        ("sensor", True),
        ("friction", 0.9),
        ("restitution", 0.9),
        ("one_way", (0, 1)),
        ("velocity", (1, 0)),
        ("angular_velocity", 0.1),
        ("surface_velocity", 1.0),
        ("vertices", [(-9, 0.1), (99, 0.1)]),
    ],
)
def test_what_a_game_writes_to_a_wall_counts_in_the_next_frame(what, value):
    sim, _, floor = resting()
    setattr(floor, what, value)
    assert searches_in(sim) >= 1


def test_a_wall_that_moves_is_looked_for_when_it_has_gone_as_far_as_expected():
    sim, _, floor = resting(1)
    floor.velocity = 0.2, 0.0
    assert 1 <= searches_in(sim, 30) <= 30
    still = searches_in(sim, 30)
    assert 10 <= still <= 30


def test_a_load_is_the_same_in_frames_with_and_without_a_search():
    """Impulses are those of one frame, however long ago its contacts were found."""
    sim, balls, floor = resting(1)
    weight = 9.81 * balls[0][0].mass.sum() / 60.0
    seen = []
    for frame in range(20):
        if frame % 5 == 0:
            floor.friction = 0.1 + 0.01 * frame
        sim.step()
        seen.append(sim.contacts.impulse.sum())
    assert np.array(seen) == pytest.approx(weight, rel=1e-3)


def test_events_tell_the_impulse_of_their_frame_without_searches():
    sim, balls, _ = resting(1)
    heard = []

    def listener(event):
        heard.append(event.impulse)

    esper.set_handler("contact_stay", listener)
    assert searches_in(sim, 10) == 0
    weight = 9.81 * balls[0][0].mass.sum() / 60.0
    assert heard == pytest.approx([weight] * len(heard), rel=1e-3)
    assert len(heard) >= 9


def test_a_world_is_the_same_bit_for_bit_when_it_is_run_again():
    def run():
        sim = Simulation(world=f"again {np.random.default_rng().integers(1 << 60)}")
        sim.spawn(StaticCollider([(-1, 3), (-1, -1), (4, -1), (4, 3)]))
        bodies = [
            blueprints.ball((0.7 * (k % 4), 0.7 * (k // 4)), 0.1 + 0.02 * (k % 9))
            for k in range(24)
        ]
        for body in bodies:
            sim.spawn(*body)
        run_frames(sim, 60)
        places = np.concatenate([body[0].position for body in bodies])
        sim.close()
        return places

    assert np.array_equal(run(), run())
