"""`advance`: a fixed step with an accumulator and a cap; pause, single steps, slow motion,
interpolation.
"""

import numpy as np
import pytest

from ecs_softbody import Particles, Simulation


def moving(**options):
    sim = Simulation(gravity=(0, 0), **options)
    body = Particles([(0, 0)], velocity=(60.0, 0.0))
    sim.spawn(body)
    return sim, body


def test_time_that_does_not_fill_a_frame_is_kept():
    sim, body = moving()
    assert [sim.advance(0.45 / 60) for _ in range(10)] == [0, 0, 1, 0, 1, 0, 1, 0, 1, 0]
    assert sim.frame == 4
    assert body.position[0, 0] == pytest.approx(4.0)


@pytest.mark.parametrize("rate", [24, 60, 144, 1000])
def test_any_drawing_rate_gives_the_same_simulated_time(rate):
    sim, _ = moving()
    frames = sum(sim.advance(1 / rate) for _ in range(2 * rate))
    assert frames in (119, 120)
    assert sim.time == pytest.approx(frames / 60)


def test_a_long_pause_of_the_machine_is_not_made_up_for():
    sim, _ = moving()
    assert sim.advance(3600.0) == 5
    assert sim.advance(0.0) == 0


def test_slow_motion_and_standstill():
    sim, _ = moving()
    sim.time_scale = 0.25
    assert sum(sim.advance(1 / 60) for _ in range(240)) in (59, 60)
    sim.time_scale = 0.0
    assert sum(sim.advance(1 / 60) for _ in range(240)) == 0


def test_pause_and_single_steps():
    sim, _ = moving()
    sim.paused = True
    assert sim.advance(1.0) == 0
    sim.request_single_step()
    sim.request_single_step()
    assert sim.advance(0.0) == 2
    assert sim.advance(1.0) == 0
    sim.paused = False
    assert sim.advance(1 / 60 + 1e-9) == 1, "the time of the pause is not made up for"


def test_positions_between_the_last_two_frames():
    sim, body = moving()
    sim.advance(2.5 / 60)
    assert sim.alpha == pytest.approx(0.5, abs=1e-9)
    assert body.position[0, 0] == pytest.approx(2.0)
    assert sim.interpolated_positions()[0, 0] == pytest.approx(1.5)
    assert sim.interpolated_positions(0.0)[0, 0] == pytest.approx(1.0)
    assert sim.interpolated_positions(1.0)[0, 0] == pytest.approx(2.0)
    between = sim.interpolated_positions()
    between[:] = 99.0
    assert body.position[0, 0] == pytest.approx(2.0), "a copy"


def test_a_body_that_came_in_this_frame_does_not_fly_in_from_the_origin():
    sim, _ = moving()
    sim.step()
    sim.spawn(Particles([(50, 50)]))
    sim.step()
    assert np.allclose(sim.interpolated_positions(0.5)[1], (50, 50))
