"""Films need the extra `video`; where it is installed they are really written, and read back."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest

from ecs_softbody.play import record
from tests.rendering.blob_garden import BlobGarden

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ending", [".mp4", ".webm"])
def test_a_film_holds_the_moving_picture(ending: str, tmp_path: Path) -> None:
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        assert not os.environ.get("CI"), "the checks have to install the extra `video`"
        pytest.skip("the extra `video` is not installed")
    import imageio_ffmpeg

    written = record(
        BlobGarden(), tmp_path / f"film{ending}", seconds=1.0, size=(320, 180), rate=20
    )
    read = imageio_ffmpeg.read_frames(str(written))
    assert next(read)["source_size"] == (320, 180)
    frames = [np.frombuffer(frame, np.uint8).astype(float) for frame in read]
    assert len(frames) == 20
    assert frames[0].std() > 5.0
    assert np.abs(frames[-1] - frames[0]).max() > 50.0
