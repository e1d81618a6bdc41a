"""A call that another thread may take is done once, by whoever comes first."""

import multiprocessing
import os
import sys
import threading
import time

import numpy as np
import pytest

from ecs_softbody.parallel import workers
from ecs_softbody.parallel.compiling import IS_PYTHON
from ecs_softbody.parallel.workers import Mailbox, Pending, Workers


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch):
    monkeypatch.setattr(workers, "processor_count", lambda: 2)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("pause", [0.0, 0.0002, 0.002])
def test_it_is_done_once_and_its_result_stays(threads, pause):
    crew = Workers(threads)
    done = []
    for number in range(30):
        pending = crew.begin(lambda number: done.append(number) or -number, number)
        time.sleep(pause)
        assert [pending.result(), pending.result()] == [-number, -number]
    assert done == list(range(30))
    crew.dismiss()


@pytest.mark.skipif(IS_PYTHON, reason="there is one thread without compiled code")
def test_another_thread_takes_it_while_this_one_waits():
    crew = Workers(2)
    who = []
    pending = crew.begin(lambda: who.append(threading.current_thread().name))
    until = time.monotonic() + 20.0
    while not who and time.monotonic() < until:
        time.sleep(0.001)
    pending.result()
    assert who == ["ecs_softbody"]
    crew.dismiss()


def test_nobody_else_does_it_with_one_thread():
    who = []
    pending = Workers(1).begin(lambda: who.append(threading.get_ident()))
    time.sleep(0.01)
    assert who == []
    pending.result()
    assert who == [threading.get_ident()]


@pytest.mark.parametrize("threads", [1, 2])
def test_what_it_raises_is_raised_where_its_result_is_asked_for(threads):
    crew = Workers(threads)
    for _ in range(10):
        pending = crew.begin(np.zeros(2).reshape, 3, 5)
        for _ in range(2):
            with pytest.raises(ValueError, match="reshape"):
                pending.result()
    assert crew.begin(int, "7").result() == 7
    crew.dismiss()


def test_two_that_want_it_at_once_do_it_once():
    for _ in range(50):
        done = []
        pending = Pending(done.append, 1)
        others = [threading.Thread(target=pending.result) for _ in range(3)]
        for one in others:
            one.start()
        pending.result()
        assert done == [1]
        for one in others:
            one.join()
        assert done == [1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_was_forked_has_threads_of_its_own():
    crew = Workers(2)
    assert crew.begin(int, "1").result() == 1
    child = multiprocessing.get_context("fork").Process(
        target=lambda: sys.exit(crew.begin(int, "2").result())
    )
    child.start()
    child.join()
    assert child.exitcode == 2
    crew.dismiss()


def test_a_job_that_is_taken_away_while_a_worker_looks_does_not_end_it():
    class Taken(Mailbox):
        """There is a job at the first look, and none at the next."""

        looks = iter([(1, print, ()), None, None])

        @property
        def job(self):
            return next(self.looks)

        @job.setter
        def job(self, job):
            """Nothing is kept."""

    crew = Workers()
    mailbox = Taken(crew)
    mailbox.bell.put(None)  # it would wait for the next job
    mailbox.sleep(1)
    assert mailbox.bell.empty()
    assert not mailbox.closed


@pytest.mark.skipif(IS_PYTHON, reason="there is one thread without compiled code")
@pytest.mark.parametrize("works", [False, True])
def test_workers_end_with_their_crew(works):
    def count():
        return sum(thread.name == "ecs_softbody" for thread in threading.enumerate())

    crew = Workers(2)
    before = count()
    for _ in range(20):
        crew.begin(time.sleep, 0.01 * works).result()
        crew.dismiss()
    crew.begin(time.sleep, 0.05 * works)
    del crew
    until = time.monotonic() + 20.0
    while count() > before and time.monotonic() < until:
        time.sleep(0.001)
    assert count() == before
