"""Plays the small game in a real window, and writes after each frame what it has seen.

Arguments: the file to write.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ecs_softbody.play import Controls, Session
from ecs_softbody.play.window import GameWindow
from tests.play.jumper import Jumper


def main(target: Path) -> None:
    """Play until the window is closed."""
    window = GameWindow("Jumper", size=(480, 270))
    session = Session(Jumper())
    frames = 0
    play_frame = session.frame
    presses = 0

    with target.open("w") as diary:

        def frame(controls: Controls | None = None) -> None:
            nonlocal frames, presses
            assert controls is not None
            frames += 1
            presses += len(controls.pressed)
            held = sorted(controls.held)
            play_frame(controls)
            game = session.game
            assert isinstance(game, Jumper)
            line = {
                "frame": frames, "state": session.state, "held": held, "presses": presses,
                "jumps": game.jumps, "moved": game.moved if game.updates else 0.0,
                "settings": session.settings_shown is not None, "full": window.handle.fullscreen,
                "level": game.level_number,
            }  # fmt: skip
            print(json.dumps(line), file=diary, flush=True)

        session.frame = frame  # type: ignore[method-assign]
        window.show(session)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
