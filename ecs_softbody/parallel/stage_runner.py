"""Stage runner: runs work that is divided into stages and chunks, with one thread or several, by
the same code.

A *job* is a kernel that all threads of a team call (workers.py). It has *stages*, which follow each
other; a stage has *chunks*, parts that write nothing in common and are done in any order. A job
takes the arguments (team, job, worker_index): the shared state of the threads (thread_team.py), the
number of the job, or ALONE for one thread, and the number of the calling thread. It calls `run_job`
or, for a single stage, `run_chunks`, and provides one or two kernels:

    execute(stage, chunk, worker_index, task)   does a chunk; branches by stage
    lead(team, job, task)                       calls `run_stage` for each stage, in order

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
    """Execute chunks: with the job ALONE all of [first, stop) of `stage`; else the open chunks that
    this worker can claim, of the stage that is open.
    """
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
    """Leader: run a stage on the chunks [first, first + count), with the whole team if there is
    more than one chunk; return when all are done.
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
    """Run a job of several stages: the leader runs `lead`, the others execute chunks of the stages
    that it opens.
    """
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
    """Run a job that has one stage of `count` chunks, in all threads of the team."""
    if worker_index == LEADER:
        begin_job(team, job)
        run_stage(team, job, 0, 0, count, execute, task)
    elif await_stage(team, job, worker_index):
        execute_chunks(team, job, worker_index, 0, 0, 0, execute, task)
    end_job(team, job, worker_index)
