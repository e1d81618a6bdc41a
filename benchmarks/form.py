"""The form of a checkout in numbers: lines, rooms, functions, parameters, columns, and what is
compiled.

    python benchmarks/form.py [--tree FOLDER] [--compile]

`--compile` warms up with an empty cache of kernels, which takes minutes of a core.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

COLUMNS = """
from ecs_softbody import components
from ecs_softbody.storage.columns import declared_columns, declared_values
kinds = [kind for kind in vars(components).values() if isinstance(kind, type)]
readers = declared_columns, declared_values
told = [c for kind in kinds for read in readers for c in read(kind).values()
        if not getattr(c, "stage", "")]
print(len(told), sum(not c.engine for c in told))
"""
WARM_UP = """
import sys, time
from numba.core.dispatcher import Dispatcher
from ecs_softbody import Simulation
before = time.process_time(), time.perf_counter()
Simulation().warmup()
spent = time.process_time() - before[0], time.perf_counter() - before[1]
ours = [module for name, module in sys.modules.items() if name.startswith("ecs_softbody")]
kernels = {id(value): value for module in ours
           for value in vars(module).values() if isinstance(value, Dispatcher)}
compiled = [len(kernel.overloads) for kernel in kernels.values() if kernel.overloads]
print(len(compiled), sum(compiled), max(compiled), *(f"{seconds:.1f}" for seconds in spent))
"""


def functions(package: Path) -> list[ast.FunctionDef]:
    """Return every function of the package."""
    nodes = (
        node for file in package.rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))
    )
    return [node for node in nodes if isinstance(node, ast.FunctionDef)]


def spread(values: list[int]) -> str:
    """Return median, 95 in 100 and most."""
    return " / ".join(
        str(int(value)) for value in np.percentile(values, (50, 95, 100), method="higher")
    )


def answer(tree: Path, code: str, **environment: str) -> list[str]:
    """Return what a program prints that imports the package of this tree."""
    surroundings = os.environ | {"PYTHONPATH": str(tree)} | environment
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(
        command, cwd=tree, env=surroundings, capture_output=True, text=True, check=True
    ).stdout.split()


def main() -> None:
    """Print a line a figure."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--tree", type=Path, default=Path(__file__).parents[1])
    options.add_argument("--compile", action="store_true")
    given = options.parse_args()
    tree = given.tree.resolve()
    package = tree / "ecs_softbody"
    files = sorted(package.rglob("*.py"))
    lines = [len(file.read_text().splitlines()) for file in files]
    rooms = Counter(file.parent.relative_to(tree).as_posix() for file in files)
    found = functions(package)
    print(
        f"lines {sum(lines)} in {len(files)} files; lines a file {spread(lines)} (median "
        "/ 95 in 100 / most)"
    )
    print(f"files a room {spread(list(rooms.values()))}; largest {rooms.most_common(4)}")
    print(
        f"lines a function {spread([(node.end_lineno or 0) - node.lineno + 1 for node in found])}"
    )
    print(
        f"parameters {spread([len(node.args.posonlyargs) + len(node.args.args) for node in found])}"
    )
    columns, of_users = answer(tree, COLUMNS)
    print(f"columns and values of components {columns}, for users {of_users}")
    if given.compile:
        with tempfile.TemporaryDirectory() as folder:
            kernels, times, most, core, wall = answer(
                tree, WARM_UP, NUMBA_CACHE_DIR=folder, ECS_SOFTBODY_KERNELS=""
            )
        print(
            f"compiled {kernels} functions {times} times, one {most} times; warm-up {core} s "
            f"of a core, {wall} s in all"
        )


if __name__ == "__main__":
    main()
