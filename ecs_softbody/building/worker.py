"""A process that compiles units, one line of JSON on its standard input for each, with a line in
reply.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
from pathlib import Path

from ecs_softbody.building.leaner import make_leaner
from ecs_softbody.building.lowering import emit, lower, prepare
from ecs_softbody.building.quicker import make_quicker
from ecs_softbody.building.signatures import signature_of
from ecs_softbody.building.targets import Target
from ecs_softbody.parallel.compiling import ENTRIES


def main() -> None:
    """Compile the requested units until the input ends."""
    # Compiling makes millions of long-lived objects: collecting takes an eighth of the time.
    gc.set_threshold(100_000, 50, 100)
    for number, line in enumerate(sys.stdin):
        order = json.loads(line)
        targets = {path: Target(*words) for path, words in order["targets"].items()}
        if number == 0:
            make_quicker()
            make_leaner()
            prepare(next(iter(targets.values())))
        module = importlib.import_module(order["module"])
        kernels = {symbol: getattr(module, name) for name, symbol in order["symbols"].items()}
        bitcode = lower(kernels)
        for path, target in targets.items():
            Path(path).write_bytes(emit(bitcode, target))
        names = {f"{order['module']}:{name}": symbol for name, symbol in order["symbols"].items()}
        print(json.dumps({name: signature_of(ENTRIES[name]) for name in names}), flush=True)


if __name__ == "__main__":
    main()
