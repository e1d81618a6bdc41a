"""A script that ends with sessions still open ends without a word."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
from ecs_softbody.play import Session
from ecs_softbody_games.labs.cut_and_tear import CutAndTear
from ecs_softbody_games.rope_bridge import RopeBridge
sessions = [Session(game, autopilot=True) for game in (CutAndTear, RopeBridge, CutAndTear)]
for session in sessions:
    for _ in range(3):
        session.frame()
print("played")
"""


@pytest.mark.slow
def test_sessions_that_nobody_closes_end_in_silence() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=300
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "played\n", "")
