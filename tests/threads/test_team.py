"""The team: every chunk is done once, by whoever is there."""

from typing import NamedTuple

import numpy as np
import pytest

from ecs_softbody.parallel import workers
from ecs_softbody.parallel.compiling import IS_PYTHON, inline, kernel
from ecs_softbody.parallel.stage_runner import run_chunks, run_job, run_stage
from ecs_softbody.parallel.thread_team import ALONE, LEADER, WORKERS, team_size
from ecs_softbody.parallel.workers import Workers

pytestmark = pytest.mark.compiles


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch):
    monkeypatch.setattr(workers, "processor_count", lambda: 4)


class Counting(NamedTuple):
    """Chunks from `first` on are counted in every row of `done`."""

    first: int
    done: np.ndarray


@kernel
def count_chunks(team, job, worker_index, first, done):
    """Stage after stage, add one to every chunk from `first` on; the sums of a stage need those of
    the last one.
    """
    run_job(team, job, worker_index, lead_counting, count_chunk, Counting(first, done))


@kernel
def lead_counting(team, job, counting):
    for stage in range(counting.done.shape[0]):
        run_stage(
            team,
            job,
            stage,
            counting.first,
            counting.done.shape[1] - counting.first,
            count_chunk,
            counting,
        )


@inline
def count_chunk(stage, chunk, worker_index, counting):
    done = counting.done
    row = 0
    while row < done.shape[0] - 1 and done[row, chunk] > 0:
        row += 1
    done[row, chunk] += 1 if row == stage else 100


@kernel
def one_stage(team, job, worker_index, done):
    run_chunks(team, job, worker_index, done.shape[0], add_one, done)


@inline
def add_one(stage, chunk, worker_index, done):
    done[chunk] += 1


@pytest.mark.brief(15)
@pytest.mark.parametrize("threads", [1, 2, 3, 4])
@pytest.mark.parametrize("chunks", [0, 1, 2, 7, 60])
def test_every_chunk_is_done_once_in_every_stage(threads, chunks):
    crew = Workers(threads)
    for _ in range(30):
        done = np.zeros((5, 3 + chunks), np.int64)
        crew.run(count_chunks, 3, done)
        assert (done[:, :3] == 0).all()
        assert (done[:, 3:] == 1).all()
        single = np.zeros(chunks, np.int64)
        crew.run(one_stage, single)
        assert (single == 1).all()
    crew.dismiss()


def test_a_leader_without_its_team_does_all_of_it():
    """Threads that never come hold nobody up."""
    team = np.zeros(team_size(4), np.int64)
    done = np.zeros((3, 20), np.int64)
    team[WORKERS] = 4
    count_chunks(team, 1, LEADER, 0, done)
    assert (done == 1).all()


@pytest.mark.skipif(IS_PYTHON, reason="waits for others without compiled code")
def test_who_comes_when_the_job_is_over_claims_nothing():
    team = np.zeros(team_size(2), np.int64)
    done = np.zeros((3, 20), np.int64)
    team[WORKERS] = 2
    count_chunks(team, 1, LEADER, 0, done)
    late = np.zeros((3, 20), np.int64)
    count_chunks(team, 1, 1, 0, late)
    assert (late == 0).all()
    again = np.zeros((3, 20), np.int64)
    count_chunks(team, 2, LEADER, 0, again)
    assert (again == 1).all()


def test_jobs_of_dismissed_workers_are_done():
    crew = Workers(3)
    for _ in range(3):
        done = np.zeros(10, np.int64)
        crew.run(one_stage, done)
        assert (done == 1).all()
        crew.dismiss()


def test_alone_needs_no_team():
    assert ALONE == 0
    assert Workers(1).count == 1
