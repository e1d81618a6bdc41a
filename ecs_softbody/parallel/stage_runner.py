"""Stage runner: the one loop over the chunks of a stage, with one thread or several.

A job is a kernel with the arguments (..., team, job, worker_index, ...) that calls `run_job` or
`run_chunks`. Groups of arrays that stay come first (`PreparedCall`). A job provides two kernels:

    execute(stage, chunk, worker_index, task)  one switch over the stages; a new stage is one branch
    lead(team, job, task)                       the order of the stages: calls `run_stage` for each

`task` is the group of arrays and numbers that the job works on. `execute` is compiled into the
loop.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ecs_softbody.parallel.atomics import load
from ecs_softbody.parallel.compiling import template
from ecs_softbody.parallel.thread_team import (
    ALONE,
    LEADER,
    NONE,
    STAGE,
    await_stage,
    begin_job,
    claim,
    complete,
    end_job,
    open_stage,
)

Execute = Callable[[int, int, int, Any], None]
Lead = Callable[[np.ndarray, int, Any], None]


@template
def execute_chunks(
    team: np.ndarray,
    job: int,
    worker_index: int,
    stage: int,
    first: int,
    stop: int,
    execute: Execute,
    task: Any,
) -> None:
    """Execute the chunks [first, stop) alone, or the open chunks that this worker can claim."""
    chunk = claim(team, job, worker_index) if job != ALONE else first if first < stop else NONE
    while chunk != NONE:
        execute(load(team, STAGE) if job != ALONE else stage, chunk, worker_index, task)
        if job != ALONE:
            complete(team, worker_index)
            chunk = claim(team, job, worker_index)
        else:
            chunk = chunk + 1 if chunk + 1 < stop else NONE


@template
def run_stage(
    team: np.ndarray, job: int, stage: int, first: int, count: int, execute: Execute, task: Any
) -> None:
    """Leader: run a stage on the chunks [first, first + count), with the whole team
    where it pays.
    """
    is_shared = job != ALONE and count > 1
    if is_shared:
        open_stage(team, stage, first, count)
    # There is a single call, since `execute` is compiled into each.
    execute_chunks(
        team, job if is_shared else ALONE, LEADER, stage, first, first + count, execute, task
    )


@template
def run_job(
    team: np.ndarray, job: int, worker_index: int, lead: Lead, execute: Execute, task: Any
) -> None:
    """Run a job: the leader decides on the stages, the others execute chunks of open stages."""
    if worker_index == LEADER:
        begin_job(team, job)
        lead(team, job, task)
    else:
        while await_stage(team, job, worker_index):
            execute_chunks(team, job, worker_index, 0, 0, 0, execute, task)
    end_job(team, job, worker_index)


@template
def run_chunks(
    team: np.ndarray, job: int, worker_index: int, count: int, execute: Execute, task: Any
) -> None:
    """Run a job that has one stage of `count` chunks."""
    if worker_index == LEADER:
        begin_job(team, job)
        run_stage(team, job, 0, 0, count, execute, task)
    elif await_stage(team, job, worker_index):
        execute_chunks(team, job, worker_index, 0, 0, 0, execute, task)
    end_job(team, job, worker_index)
