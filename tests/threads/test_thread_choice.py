"""Whether frames are run by several threads: by their times, on a clock of the test."""

import numpy as np
import pytest

from ecs_softbody.parallel.thread_choice import LEAST_TIME, ThreadChoice


class Machine:
    """A clock, and what frames take on it with one thread and with several [s]."""

    def __init__(self, alone, together, noise=0.0):
        self.time = 0.0
        self.alone = alone
        self.together = together
        self.noise = noise
        self.random = np.random.default_rng(1)
        self.choice = ThreadChoice(lambda: self.time, lambda: self.time)

    def run(self, frames):
        """Run frames; return the time that they took over what they would have taken with one
        thread.
        """
        before = self.time
        alone = 0.0
        for _ in range(frames):
            factor = 1.0 + self.noise * self.random.exponential()
            shared = self.choice.begin()
            self.time += (self.together if shared else self.alone) * factor
            alone += self.alone * factor
            self.choice.end()
            self.time += 0.005  # whatever a game does between frames
        return (self.time - before - 0.005 * frames) / alone


@pytest.mark.parametrize("gain", [1.2, 1.5, 1.9, 4.0])
def test_threads_are_used_where_they_help(gain):
    machine = Machine(alone=0.015, together=0.015 / gain)
    machine.run(60)
    assert machine.choice.together
    assert machine.run(1000) < 1.05 / gain


@pytest.mark.parametrize("loss", [1.0, 1.1, 1.5, 3.0, 10.0])
@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_threads_that_do_not_help_cost_little(loss, noise):
    machine = Machine(alone=0.015, together=0.015 * loss, noise=noise)
    machine.run(100)
    assert machine.run(3000) < 1.06


def test_short_frames_are_never_shared():
    machine = Machine(alone=0.9 * LEAST_TIME, together=0.1 * LEAST_TIME)
    assert machine.run(1000) == pytest.approx(1.0)


def test_short_frames_on_a_busy_machine_are_not_shared_either():
    machine = Machine(alone=0.010, together=0.001)
    machine.choice = ThreadChoice(lambda: machine.time, lambda: 0.1 * machine.time)
    assert machine.run(1000) == pytest.approx(1.0)


def test_the_choice_follows_the_load_of_the_machine():
    machine = Machine(alone=0.015, together=0.008)
    machine.run(100)
    assert machine.choice.together
    machine.together = 0.045
    assert machine.run(600) < 1.25
    assert not machine.choice.together
    machine.together = 0.008
    machine.run(700)
    assert machine.choice.together


def test_a_load_that_comes_is_noticed_within_half_a_second():
    machine = Machine(alone=0.015, together=0.008)
    machine.run(100)
    machine.alone = 0.02
    machine.together = 0.06
    machine.run(30)
    assert not machine.choice.together


def test_frames_that_grow_do_not_look_like_a_slow_way():
    machine = Machine(alone=0.010, together=0.006)
    machine.run(100)
    for _ in range(100):
        machine.alone, machine.together = 1.05 * machine.alone, 1.05 * machine.together
        machine.run(5)
        assert machine.choice.together


def test_the_first_frame_with_threads_may_take_long():
    """Whoever does not call warmup compiles in it."""
    machine = Machine(alone=0.015, together=5.0)
    while machine.time < 5.0:
        machine.run(1)
    machine.together = 0.008
    machine.run(60)
    assert machine.choice.together


def test_choosing_anew_begins_with_one_thread():
    machine = Machine(alone=0.015, together=0.008)
    machine.run(100)
    machine.choice.forget()
    assert not machine.choice.together
    assert not machine.choice.begin()
