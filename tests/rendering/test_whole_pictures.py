"""Pictures and films take the place of old ones when they are whole: a full disk or a kill leaves
the old one.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from ecs_softbody.play.recording import write_gif
from ecs_softbody.play.sharing.clip import Clip
from ecs_softbody.play.sharing.films import write_film, write_png

FULL = os.strerror(errno.ENOSPC)
FFMPEG = """#!{python}
import sys
from pathlib import Path
{before}
Path(sys.argv[-1]).write_bytes(b"half a film")
sys.stdin.buffer.read({most})
print({says!r}, file=sys.stderr)
sys.exit({status})
"""
WRITER = """
import sys
from pathlib import Path
import numpy as np
from ecs_softbody.play.recording import write_gif
from ecs_softbody.play.sharing.films import write_film, write_png
path = Path(sys.argv[1])
frames = list(np.random.default_rng(1).integers(0, 255, (8, 180, 320, 3), dtype=np.uint8))
print("ready", flush=True)
while True:
    if path.suffix == ".png":
        write_png(path, frames[0])
    elif path.suffix == ".gif":
        write_gif(path, frames, 10, lambda *told: None)
    else:
        write_film(path, iter(frames), 10)
    print("written", flush=True)
"""
ENDS = {".png": b"IEND\xaeB`\x82", ".gif": b";"}
"""What stands at the end of a whole file."""
Frame = NDArray[np.uint8]


def noise(count: int = 4) -> list[Frame]:
    return list(np.random.default_rng(1).integers(0, 255, (count, 90, 160, 3), dtype=np.uint8))


@contextmanager
def a_full_disk(most: int = 2000) -> Iterator[None]:
    """Let no file get larger than some bytes, which the system tells in the midst of a write."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Returns what puts a program in the place of ffmpeg: how much it reads, what it says, and how
    it ends.
    """
    if os.name == "nt":
        pytest.skip("a program that is a text")

    def put(most: int = -1, says: str = "", status: int = 0, before: str = "") -> None:
        program = tmp_path / "ffmpeg"
        program.write_text(
            FFMPEG.format(python=sys.executable, before=before, most=most, says=says, status=status)
        )
        program.chmod(0o755)
        monkeypatch.setitem(
            sys.modules, "imageio_ffmpeg", SimpleNamespace(get_ffmpeg_exe=lambda: str(program))
        )

    return put


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "films"
    made.mkdir()
    return made


@pytest.mark.parametrize("old", [True, False])
@pytest.mark.parametrize("ending", [".png", ".gif"])
def test_a_full_disk_leaves_the_old_picture_and_nothing_else(
    folder: Path, ending: str, old: bool
) -> None:
    path = folder / f"x{ending}"
    if old:
        path.write_bytes(b"old")
    with a_full_disk(), pytest.raises(OSError, match=f"x{ending}"):
        write_png(path, noise()[0]) if ending == ".png" else write_gif(
            path, noise(), 10, lambda *told: None
        )
    assert [file.name for file in folder.iterdir()] == [path.name] * old
    assert not old or path.read_bytes() == b"old"


@pytest.mark.slow
@pytest.mark.parametrize("most", [-1, 0, 1000])
@pytest.mark.parametrize("ending", [".mp4", ".webm"])
def test_a_film_on_a_full_disk_is_one_sentence(
    folder: Path, ending: str, most: int, ffmpeg: Callable[..., None]
) -> None:
    ffmpeg(most, f"[out#0 @ 0x55] Error writing trailer: {FULL}\nConversion failed!\n" * 3000, 228)
    path = folder / f"x{ending}"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match=FULL) as refused:
        write_film(path, iter(noise(40)), 10)
    assert str(refused.value) == f"[Errno {errno.ENOSPC}] {FULL}: '{path}'"
    assert [file.name for file in folder.iterdir()] == [path.name]
    assert path.read_bytes() == b"old"


@pytest.mark.slow
def test_a_film_that_ffmpeg_cannot_write_says_the_last_line_of_it(
    folder: Path, ffmpeg: Callable[..., None]
) -> None:
    ffmpeg(says="Unknown encoder 'libx264'", status=1)
    with pytest.raises(OSError, match=r"Unknown encoder 'libx264': '.*x\.mp4'$"):
        write_film(folder / "x.mp4", iter(noise()), 10)
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_game_that_raises_stops_ffmpeg_and_leaves_no_film(
    folder: Path, ffmpeg: Callable[..., None]
) -> None:
    ffmpeg()

    def frames() -> Iterator[Frame]:
        yield from noise()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_film(folder / "x.mp4", frames(), 10)
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_an_ffmpeg_that_never_ends_is_stopped(
    folder: Path, ffmpeg: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ecs_softbody.play.sharing.films.LONGEST_END", 0.2)
    ffmpeg(before="import time; time.sleep(60)")
    started = time.monotonic()
    with pytest.raises(OSError, match="ffmpeg does not end"):
        write_film(folder / "x.mp4", iter(noise(1)), 10)
    assert time.monotonic() - started < 30.0
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_clip_on_a_full_disk_is_told_and_leaves_nothing(folder: Path) -> None:
    clip = Clip()
    for number, frame in enumerate(noise()):
        clip.add(frame, 0.1 * number)
    with a_full_disk():  # the process that writes it has the same limit
        saving = clip.save(folder)
        assert saving.wait(60.0)
    assert saving.error == os.strerror(errno.EFBIG)
    assert list(folder.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".png", ".gif", ".mp4"])
def test_a_kill_while_it_is_written_leaves_a_whole_one(folder: Path, ending: str) -> None:
    if ending == ".mp4":
        pytest.importorskip("imageio_ffmpeg")
    path = folder / f"x{ending}"
    for delay in (0.01, 0.05, 0.13):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            assert writer.stdout.readline() == "written\n"
            whole = path.read_bytes()
            time.sleep(delay)
            writer.kill()
        if ending in ENDS:
            assert path.read_bytes().endswith(ENDS[ending])
        assert path.stat().st_size == len(whole)
    deadline = time.monotonic() + 20.0
    # ffmpeg, which had just been started, may make its file after that; the next picture removes it
    while True:
        write_png(folder / "last.png", noise()[0])
        left = {file.name for file in folder.iterdir()} - {"last.png", path.name}
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    assert not left
