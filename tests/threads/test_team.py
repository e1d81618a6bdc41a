"""The team: every block is done once, by whoever is there."""

import numpy as np
import pytest
from numba.core import config

from ecs_softbody.kernels import workers
from ecs_softbody.kernels.compiling import kernel
from ecs_softbody.kernels.team import (
    ALONE,
    LEADER,
    NONE,
    announce,
    await_phase,
    enter,
    finish,
    leave,
    open_phase,
    take,
    team_size,
)
from ecs_softbody.kernels.workers import Workers


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch):
    monkeypatch.setattr(workers, "core_count", lambda: 4)


@kernel
def count_blocks(team, job, seat, first, done):
    """Phase after phase, add one to every block from `first` on; the sums of a phase need those of the last one."""
    if seat == LEADER:
        announce(team, job)
        for _ in range(done.shape[0]):
            open_phase(team, 0, first, done.shape[1] - first)
            count_own(team, job, seat, done)
    else:
        while await_phase(team, job, seat):
            count_own(team, job, seat, done)
    leave(team, job, seat)


@kernel
def count_own(team, job, seat, done):
    block = take(team, job, seat)
    while block != NONE:
        row = 0
        while row < done.shape[0] - 1 and done[row, block] > 0:
            row += 1
        done[row, block] += 1
        finish(team, seat)
        block = take(team, job, seat)


@kernel
def one_phase(team, job, seat, done):
    enter(team, job, seat, done.shape[0])
    block = take(team, job, seat)
    while block != NONE:
        done[block] += 1
        finish(team, seat)
        block = take(team, job, seat)
    leave(team, job, seat)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("blocks", [0, 1, 2, 7, 60])
def test_every_block_is_done_once_in_every_phase(threads, blocks):
    crew = Workers(threads)
    for _ in range(30):
        done = np.zeros((5, 3 + blocks), np.int64)
        crew.run(count_blocks, 3, done)
        assert (done[:, :3] == 0).all()
        assert (done[:, 3:] == 1).all()
        single = np.zeros(blocks, np.int64)
        crew.run(one_phase, single)
        assert (single == 1).all()
    crew.dismiss()


def test_a_leader_without_its_team_does_all_of_it():
    """Threads that never come hold nobody up."""
    from ecs_softbody.kernels.team import SEATS

    team, done = np.zeros(team_size(4), np.int64), np.zeros((3, 20), np.int64)
    team[SEATS] = 4
    count_blocks(team, 1, LEADER, 0, done)
    assert (done == 1).all()


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="waits for others without compiled code")
def test_who_comes_when_the_job_is_over_takes_nothing():
    from ecs_softbody.kernels.team import SEATS

    team, done = np.zeros(team_size(2), np.int64), np.zeros((3, 20), np.int64)
    team[SEATS] = 2
    count_blocks(team, 1, LEADER, 0, done)
    late = np.zeros((3, 20), np.int64)
    count_blocks(team, 1, 1, 0, late)
    assert (late == 0).all()
    again = np.zeros((3, 20), np.int64)
    count_blocks(team, 2, LEADER, 0, again)
    assert (again == 1).all()


def test_jobs_of_dismissed_workers_are_done():
    crew = Workers(3)
    for _ in range(3):
        done = np.zeros(10, np.int64)
        crew.run(one_phase, done)
        assert (done == 1).all()
        crew.dismiss()


def test_alone_needs_no_team():
    assert ALONE == 0
    assert Workers(1).count == 1
