"""Clips: the last ten seconds become a GIF while the game goes on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.play.sharing.clip import RATE, SECONDS, Clip, Saving, small_size


def test_a_clip_is_never_longer_nor_larger() -> None:
    clip = Clip()
    for size in ((320, 180), (1280, 720), (3840, 2160), (450, 900), (5120, 600)):
        width, height = small_size(*size)
        assert width * height * 3 * round(SECONDS * RATE) < 33e6
        assert width / height == pytest.approx(size[0] / size[1], rel=0.03)
    for number in range(300):
        now = number / RATE
        assert clip.is_due(now)
        clip.add(np.full((20, 30, 3), number % 256, np.uint8), now)
        assert not clip.is_due(now)
    assert len(clip) == SECONDS * RATE
    clip.add(np.zeros((30, 20, 3), np.uint8), 99.0)  # the window has another shape now
    assert len(clip) == 1


@pytest.mark.slow
def test_a_clip_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    clip = Clip()
    clip.add(np.zeros((20, 30, 3), np.uint8), 0.0)
    saving = clip.save(tmp_path / "gone")
    saving.wait()
    assert not saving.error
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file"):
        clip.save(tmp_path / "file")
    late = Saving([np.zeros((20, 30, 3), np.uint8)], tmp_path / "nowhere" / "clip.gif")
    late.wait()
    assert late.error
