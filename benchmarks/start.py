"""The first start: how long a newcomer waits, how much is installed, and how soon a game shows
something.

    python benchmarks/start.py                     # this tree
    python benchmarks/start.py --against v0.1.0    # and another commit, in the same run
    python benchmarks/start.py --tests             # the README's second command, too
    python benchmarks/start.py --size .venv  # what is installed; an error where it is too much

Every command runs in a fresh clone, with an empty home and without a display; only where this
program has one (xvfb-run), the first frame of a game in a window is timed, too. Downloads count:
run it twice if the network is slow.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEMORY = """
import resource, time
begun = time.perf_counter()
import ecs_softbody
print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
FRAME = """
import time
begun = time.perf_counter()
from ecs_softbody import Simulation, StaticCollider, blueprints
sim = Simulation()
sim.spawn(StaticCollider([(-10, 0), (10, 0)]))
for k in range(100):
    sim.spawn(*blueprints.blob((-9 + 1.1 * (k % 16), 1 + 1.1 * (k // 16)), 0.5))
sim.step()
print(time.perf_counter() - begun)
"""
WINDOW = """
import os, sys, time
begun = time.perf_counter()
from importlib.metadata import entry_points
import pyglet
pyglet.options.shadow_window = False
import pyglet.window
flip = pyglet.window.Window.flip
shown = []
def show(window):
    flip(window)
    shown.append(time.perf_counter() - begun)
    # A picture of the game: before it, there are those of a bar.
    if sys._getframe(1).f_code.co_name == "tick":
        print(shown[0], shown[-1], flush=True)
        os._exit(0)
pyglet.window.Window.flip = show
[command] = entry_points(group="console_scripts", name="ecs-softbody")
sys.argv = ["ecs-softbody", "play", "jelly-platformer"]
command.load()()
"""
WITH_PYTHON = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
"""What every virtual environment has in site-packages before anything is installed, by how names
begin.
"""


MOST_MB = 120.0
"""What a wheel with all that it needs takes at most."""


def installed_mb(environment: Path) -> float:
    """Return what is in site-packages of an environment [MB],
    without what every environment has.
    """
    [packages] = environment.glob("lib/python*/site-packages")
    files = (path for path in packages.rglob("*") if path.is_file())
    own = (
        path for path in files if not path.relative_to(packages).parts[0].startswith(WITH_PYTHON)
    )
    return sum(path.stat().st_size for path in own) / 1e6


def first_window(clone: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Return when a window shows anything, and the first frame of a game [s]: from the wheel in
    `empty`.
    """
    command = [clone / "empty" / "bin" / "python", "-W", "ignore", "-c", WINDOW]
    screen = {
        name: value for name, value in os.environ.items() if name in ("DISPLAY", "XAUTHORITY")
    }
    said = subprocess.check_output(command, cwd=clone, env={**environment, **screen}, text=True)
    first, of_game = map(float, said.split()[-2:])
    return first, of_game


def wheel_mb(clone: Path, environment: dict[str, str]) -> float:
    """Return what the wheel of a clone takes in an empty environment [MB],
    with all that it needs.
    """
    seconds(".venv/bin/pip wheel -q --no-deps --wheel-dir wheels .", clone, environment)
    seconds("python3 -m venv empty && empty/bin/pip install -q wheels/*", clone, environment)
    return installed_mb(clone / "empty")


def command_of(readme: str, name: str) -> str:
    """Return a command that the README marks with a name."""
    return re.search(rf"<!-- command: {name} -->\n```sh\n(.*?)```", readme, re.DOTALL)[1]  # type: ignore[index]


def seconds(command: str, folder: Path, environment: dict[str, str]) -> float:
    """Return how long a command of the shell takes;
    RuntimeError with what it said where it fails.
    """
    begun = time.perf_counter()
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(f"{command}\n{ended.stdout[-3000:]}")
    return time.perf_counter() - begun


def measure(commit: str, *, tests: bool) -> dict[str, float]:
    """Return what a commit needs, in a clone of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        clone = Path(scratch) / "clone"
        home.mkdir()
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        subprocess.run(["git", "checkout", "-q", commit], cwd=clone, check=True)
        kept = {
            name: value
            for name, value in os.environ.items()
            if name in ("PATH", "LANG") or name.startswith("PIP_")
        }
        environment = {**kept, "HOME": str(home)}
        readme = (clone / "README.md").read_text(encoding="utf-8")
        found = {"first command [s]": seconds(command_of(readme, "play"), clone, environment)}
        python = clone / ".venv" / "bin" / "python"
        found["site-packages from a wheel [MB]"] = wheel_mb(clone, environment)
        ask = {"cwd": clone, "env": {**environment, "HOME": str(home / "empty")}, "text": True}
        loaded = subprocess.check_output([python, "-c", MEMORY], **ask).split()  # type: ignore[call-overload]
        found["import [s]"], found["memory after import [MB]"] = map(float, loaded)
        found["first frame of 100 blobs, empty cache [s]"] = float(
            subprocess.check_output([python, "-W", "ignore", "-c", FRAME], **ask)  # type: ignore[call-overload]
        )
        if os.environ.get("DISPLAY"):
            cached = {**environment, "HOME": str(home / "window")}
            empty = first_window(clone, cached)
            full = min(first_window(clone, cached) for _ in range(3))
            for at, what in enumerate(("a window shows something", "a game's first frame in it")):
                found[f"{what}, empty cache [s]"], found[f"{what}, full cache [s]"] = (
                    empty[at],
                    full[at],
                )
        if tests:
            found["second command [s]"] = seconds(command_of(readme, "test"), clone, environment)
        return found


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--against", help="a commit of this repository to measure in the same run")
    options.add_argument(
        "--tests", action="store_true", help="measure the README's second command, too"
    )
    options.add_argument(
        "--size",
        type=Path,
        help=f"an environment: say how much is installed, at most {MOST_MB:g} MB",
    )
    given = options.parse_args()
    if given.size:
        installed = installed_mb(given.size)
        print(f"site-packages without pip: {installed:.1f} MB")
        raise SystemExit(f"that is more than {MOST_MB:g} MB" if installed > MOST_MB else 0)
    commits = [given.against, "HEAD"] if given.against else ["HEAD"]
    columns = [measure(commit, tests=given.tests) for commit in commits]
    print(
        f"{'':48}"
        + "".join(f"{commit[:12]:>14}" for commit in commits)
        + ("         ratio" if given.against else "")
    )
    for name, now in columns[-1].items():
        line = f"{name:48}" + "".join(f"{column[name]:14.2f}" for column in columns)
        print(line + (f"{now / columns[0][name]:14.2f}" if given.against else ""))


if __name__ == "__main__":
    sys.exit(main())
