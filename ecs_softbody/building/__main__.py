"""Build the library of kernels for this machine: `python -m ecs_softbody.building`."""

from __future__ import annotations

import sys
import time

from ecs_softbody.building.build import build


def main() -> int:
    """Build, and tell how far it is."""
    started = time.perf_counter()
    try:
        build(report=lambda done, total, name: print(f"  {done:3d} of {total}  {name}", file=sys.stderr, flush=True))
    except (RuntimeError, ImportError, OSError) as problem:
        print(f"The kernels could not be built: {problem}", file=sys.stderr)
        return 1
    print(f"The kernels stand after {time.perf_counter() - started:.0f} s.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
