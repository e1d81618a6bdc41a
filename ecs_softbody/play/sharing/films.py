"""Picture files, and the player's folder of them: single pictures as .png, films as .mp4 or .webm,
by the ffmpeg of the extra `video`.
"""

from __future__ import annotations

import errno
import importlib
import importlib.util
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ecs_softbody.files import put_in_place
from ecs_softbody.parallel.machine import can_start_threads

FILMS = {".mp4": "libx264", ".webm": "libvpx-vp9"}
"""File endings of films, each with its codec."""
LONGEST_END = 300.0
"""Timeout [s] of ffmpeg for the last pictures; the slowest codec needs a few seconds for the
largest ones.
"""


FOLDER_VARIABLE = "ECS_SOFTBODY_PICTURES"
"""Environment variable with a folder to use instead of the user's picture folder."""


def pictures_folder() -> Path:
    """Return the folder of all pictures and films; it may not exist yet."""
    from platformdirs import user_pictures_path

    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else user_pictures_path() / "ecs_softbody"


def new_file(folder: Path, name: str, ending: str) -> Path:
    """Return an unused path with the time in its name; the folder is created.

    Raises:
        OSError: if the folder cannot be created.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = time.strftime(f"{name}-%Y%m%d-%H%M%S")
    path = folder / f"{stem}{ending}"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}{ending}"
        number = number + 1
    return path


def write_png(target: Path, image: NDArray[np.uint8]) -> Path:
    """Write a picture as a PNG file, and return its path; on failure an old file stays.

    Raises:
        OSError: if it cannot be written.
    """
    with put_in_place(target) as beside:
        Image.fromarray(image).save(beside, format="PNG")
    return target


def check_films() -> None:
    """Raise RuntimeError if the extra `video` is missing or unusable."""
    if not can_start_threads():
        raise RuntimeError(
            "films need another program, which cannot be started here; a .gif file needs none"
        )
    if importlib.util.find_spec("imageio_ffmpeg") is None:
        raise RuntimeError(
            "films need the extra `video`: pip install 'ecs-softbody[video]'; a .gif file "
            "needs nothing"
        )


def write_film(target: Path, frames: Iterator[NDArray[np.uint8]], rate: int) -> None:
    """Write pictures, at least one, shape (height, width, 3), `rate` of them a second.

    Raises:
        OSError: if it cannot be written, with one sentence; an old file stays.
    """
    first = next(frames)
    height, width = first.shape[:2]
    command = [
        importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe(),
        "-y",
        "-v",
        "error",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        f"{width}x{height}",
        "-r",
        str(rate),
        "-i",
        "-",
        "-an",
        "-vcodec",
        FILMS[target.suffix.lower()],
        "-pix_fmt",
        "yuv420p",
        # These formats require even width and height.
        "-vf",
        "scale=ceil(iw/2)*2:ceil(ih/2)*2",
    ]
    with put_in_place(target) as beside:
        said = _run([*command, str(beside)], itertools.chain([first], frames))
        if said is not None:
            full = os.strerror(errno.ENOSPC) in said
            raise OSError(
                errno.ENOSPC if full else errno.EIO,
                os.strerror(errno.ENOSPC) if full else said,
                str(target),
            )


def _run(command: list[str], frames: Iterator[NDArray[np.uint8]]) -> str | None:
    """Pipe frames to ffmpeg; return None, or its last error message if it failed."""
    errors: list[bytes] = []
    ffmpeg = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )  # fmt: skip
    assert ffmpeg.stdin is not None
    assert ffmpeg.stderr is not None
    reader = threading.Thread(
        target=lambda: errors.extend(ffmpeg.stderr or ()), name="ffmpeg", daemon=True
    )
    reader.start()  # an unread pipe would block ffmpeg when full
    try:
        try:
            for frame in frames:
                ffmpeg.stdin.write(np.ascontiguousarray(frame).data)
            ffmpeg.stdin.close()
        except OSError:
            pass  # ffmpeg has ended, with an error message
        ffmpeg.wait(LONGEST_END)
    except subprocess.TimeoutExpired:
        errors.append(b"ffmpeg does not end")
    finally:
        ffmpeg.kill()
        ffmpeg.wait()
        reader.join()
        for pipe in (ffmpeg.stdin, ffmpeg.stderr):
            pipe.close()
    if ffmpeg.returncode == 0:
        return None
    text = b"".join(errors).decode(errors="replace")
    return (
        text
        if os.strerror(errno.ENOSPC) in text
        else (text.strip().splitlines() or ["ffmpeg has failed"])[-1]
    )
