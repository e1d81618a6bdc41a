"""What every test gets: an esper world of its own, a display or a reason, a hypothesis profile."""

from __future__ import annotations

import functools
import gc
import importlib.util
import itertools
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import esper
import pytest
from hypothesis import HealthCheck, settings

from ecs_softbody import Simulation
from ecs_softbody.parallel import compiling
from ecs_softbody.parallel.compiling import IS_PYTHON
from tests.helpers.starts import WHOLE

OPEN_A_WINDOW = """
import pyglet
pyglet.options.shadow_window = False
import pyglet.window
pyglet.window.Window(16, 16, visible=False).close()
"""
HAS_NUMBA = importlib.util.find_spec("numba") is not None
collect_ignore = [] if HAS_NUMBA else ["kernels/test_building.py"]  # it imports numba
WORLD_NUMBERS = itertools.count(1)

for profile, examples in (("default", 20), ("thorough", 300)):
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )


LONG = "some 20 minutes"
SHORT = "two to three minutes"
"""How long all tests take on two cores, with the slow ones and without."""


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("thorough" if config.option.markexpr == "slow" else "default")
    # as on 32 bits: what only other kernels call is plain Python for a test
    if not HAS_NUMBA:
        compiling.compile_with_numba = lambda kernel: kernel.function


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Sequence[object]) -> None:
    """Say what happens before the first dot: each process imports all tests, and nothing is seen of
    that.
    """
    line = f"{len(specs)} processes read the tests first, which takes some 15 s"
    if config.args_source == config.ArgsSource.TESTPATHS and not config.option.keyword:
        line += f"; with that, all take {LONG if config.option.markexpr else SHORT} on two cores"
    say(config, line)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """Say how many tests there are; all processes have the same ones."""
    if node.gateway.id == "gw0":
        say(node.config, f"{len(ids)} tests run now")


def say(config: pytest.Config, line: str) -> None:
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(line)


@pytest.hookimpl(tryfirst=True)  # before pytest takes what `-m slow` asks for
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out slow tests, unless marks were chosen, and cases beyond a sample; a test that is
    named runs whole.
    """
    if any("::" in argument for argument in config.args):
        return
    seen: dict[str, list[str]] = defaultdict(list)
    kept = []
    left_out = []
    for item in items:
        compiles = item.get_closest_marker("compiles") is not None and not IS_PYTHON
        if compiles or not is_in_share(item, "brief", seen):
            item.add_marker(pytest.mark.slow)
        in_sample = WHOLE or is_in_share(item, "sample", seen)
        runs = in_sample and (config.option.markexpr or "slow" not in item.keywords)
        (kept if runs else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def is_in_share(item: pytest.Item, mark: str, seen: dict[str, list[str]]) -> bool:
    """Whether a mark takes this case: of each value of each parameter it takes one in so many.

    Without it, any is.
    """
    found = item.get_closest_marker(mark)
    if found is None:
        return True
    number = 0
    for name, value in item.callspec.params.items():  # type: ignore[attr-defined]
        values = seen[f"{mark} {item.nodeid.partition('[')[0]} {name}"]
        if repr(value) not in values:
            values.append(repr(value))
        number += values.index(repr(value))
    return bool(number % found.args[0] == 0)


@pytest.fixture
def sim() -> Iterator[Simulation]:
    """A simulation as a game makes it, in a world of its own."""
    with Simulation(world="tested") as made:
        yield made
    made.close()


@pytest.fixture(autouse=True)
def own_world() -> Iterator[str]:
    """Run the test in a new esper world; afterwards that world, and whatever is in "default", is
    gone.
    """
    before = set(esper.list_worlds())
    name = f"test-{next(WORLD_NUMBERS)}"
    esper.switch_world(name)
    yield name
    if name not in esper.list_worlds() or esper.current_world != name:
        esper.switch_world(name)
    if "default" in esper.list_worlds():
        # esper has no other way to drop processors and event handlers as well
        esper.delete_world("default")
    esper.switch_world("default")
    for world in set(esper.list_worlds()) - before - {"default"}:
        esper.delete_world(world)


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what games save away from the progress of whoever runs the tests."""
    monkeypatch.setenv("ECS_SOFTBODY_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ECS_SOFTBODY_PICTURES", str(tmp_path / "pictures"))
    monkeypatch.setenv("ECS_SOFTBODY_LANGUAGE", "en")


# before other fixtures of a module, which may begin a round
@pytest.fixture(autouse=True, scope="module")
def _short_searches(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let Python search for garbage when it wants to: all that pytest holds takes 0.4 s, at each
    round of a game.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not request.module.__name__.endswith("test_garbage"):
            patch.setattr("ecs_softbody.play.timing.garbage.search_all", gc.unfreeze)
        yield


@functools.cache
def display_problem() -> str | None:
    """Why no window can be opened, or None; tried in another process, which leaves no trace in this
    one.
    """
    command = [sys.executable, "-c", OPEN_A_WINDOW]
    attempt = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if attempt.returncode == 0:
        return None
    return (attempt.stderr.strip().splitlines() or [f"exit status {attempt.returncode}"])[-1]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Window tests need a display: without one they are skipped on a desk and
    fail where CI is set.
    """
    if item.get_closest_marker("window") is None:
        return
    problem = display_problem()
    if problem is None:
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI runs the window tests, but no window opens: {problem}", pytrace=False)
    pytest.skip(f"no window opens here ({problem}); try xvfb-run -a")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Where CI is set a window test that skips itself has failed, too."""
    report = yield
    skipped = report.skipped and not hasattr(report, "wasxfail")
    if skipped and os.environ.get("CI") and item.get_closest_marker("window") is not None:
        report.outcome = "failed"
        report.longrepr = f"a window test was skipped where CI is set: {report.longrepr}"
    return report
