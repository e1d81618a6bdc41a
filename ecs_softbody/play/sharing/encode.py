"""The process that writes a clip: `python -m ecs_softbody.play.sharing.encode FILE WIDTH HEIGHT`,
pictures on stdin.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ecs_softbody.play.recording import write_gif
from ecs_softbody.play.sharing.clip import RATE


def main(path: str, width: str, height: str) -> int:
    """Read pictures until stdin ends, write the file, and report progress on stdout."""
    shape = (-1, int(height), int(width), 3)
    frames = list(np.frombuffer(sys.stdin.buffer.read(), np.uint8).reshape(shape))
    try:
        write_gif(
            Path(path), frames, RATE, lambda done, total, what: print(done, total, flush=True)
        )
    except OSError as error:
        print(error.strerror or error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
