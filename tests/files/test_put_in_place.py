"""Files that are written are whole, and stay what they were: links, modes; nothing is left beside
them.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ecs_softbody import files
from ecs_softbody.files import alone_in, put_in_place, write_atomically

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has other modes and links")
HALF_WRITTEN = """
import sys, time
from pathlib import Path
from ecs_softbody.files import put_in_place
with put_in_place(Path(sys.argv[1])) as beside:
    beside.write_bytes(b"half")
    print(beside.name, flush=True)
    time.sleep(60)
"""


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def killed_name(tmp_path: Path) -> str:
    """A process was killed while it wrote `film.mp4`; the name of what it has left."""
    command = [sys.executable, "-c", HALF_WRITTEN, str(tmp_path / "film.mp4")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        name = writer.stdout.readline().strip()
        writer.kill()
    return name


@needs_modes
@pytest.mark.parametrize("mode", [0o664, 0o600, 0o755, 0o640])
def test_the_mode_of_the_old_file_stays(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "level.toml"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert (path.read_text(), mode_of(path)) == ("new", mode)


@needs_modes
@pytest.mark.usefixtures("umask")
def test_a_new_file_can_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new", b"")
    assert mode_of(tmp_path / "new") == 0o644


@needs_modes
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("links", [1, 3])
def test_a_link_stays_one_and_its_file_is_written(tmp_path: Path, links: int, there: bool) -> None:
    (tmp_path / "repository").mkdir()
    real = tmp_path / "repository" / "level.toml"
    if there:
        real.write_text("old")
    path = real
    for number in range(links):
        link = tmp_path / f"link{number}"
        link.symlink_to(os.path.relpath(path, tmp_path))
        path = link
    write_atomically(path, b"new")
    assert path.is_symlink()
    assert real.read_text() == "new"
    assert [file.name for file in real.parent.iterdir()] == ["level.toml"]


@needs_modes
def test_what_is_no_file_is_refused_by_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    pipe = tmp_path / "pipe"
    loop = tmp_path / "loop"
    folder.mkdir()
    os.mkfifo(pipe)
    loop.symlink_to("loop")
    for path, number in ((folder, errno.EISDIR), (pipe, errno.EINVAL), (loop, errno.ELOOP)):
        with pytest.raises(OSError, match=path.name) as refused:
            write_atomically(path, b"new")
        assert (refused.value.errno, refused.value.filename) == (number, str(path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "loop", "pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(
    not os.path.isdir("/proc/self"), reason="a folder in which nobody can make a file"
)
def test_a_file_that_cannot_be_made_is_told_by_the_name_that_the_user_knows() -> None:
    with pytest.raises(FileNotFoundError) as refused:
        write_atomically(Path("/proc/self/film.gif"), b"new")
    assert refused.value.filename == "/proc/self/film.gif"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "level.toml"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match=r"level\.toml"):
        write_atomically(path, b"new")
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        ValueError("no picture"),
        KeyboardInterrupt(),
    ],
)
def test_what_stops_in_the_midst_leaves_the_old_file_alone(
    tmp_path: Path, error: BaseException
) -> None:
    path = tmp_path / "film.gif"
    path.write_text("old")

    def half() -> None:
        with put_in_place(path) as beside:
            beside.write_text("half")
            raise error

    with pytest.raises(type(error)) as raised:
        half()
    assert [file.name for file in tmp_path.iterdir()] == ["film.gif"]
    assert path.read_text() == "old"
    if isinstance(raised.value, OSError):
        assert str(path) in str(raised.value)


def test_a_name_as_long_as_they_can_be_is_written(tmp_path: Path) -> None:
    for name in ("x" * 255, "." * 3 + "e" * 200, "a." + "b" * 250):
        write_atomically(tmp_path / name, b"new")
        assert (tmp_path / name).read_bytes() == b"new"


@pytest.mark.slow
def test_what_a_killed_process_has_left_goes_with_the_next_file(
    tmp_path: Path, killed_name: str
) -> None:
    assert (tmp_path / killed_name).suffix == ".mp4"
    assert [file.name for file in tmp_path.iterdir()] == [killed_name]
    write_atomically(tmp_path / "other", b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["other"]


def test_what_is_still_being_written_stays(tmp_path: Path) -> None:
    with put_in_place(tmp_path / "film.mp4") as beside:
        beside.write_text("slow")
        write_atomically(tmp_path / "other", b"new")
        assert beside.read_text() == "slow"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["film.mp4", "other"]


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody remove a file that is open")
@pytest.mark.parametrize("age", [3600.0, 90_000.0])
def test_where_nothing_can_be_held_only_an_old_one_goes(
    tmp_path: Path, age: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*asked: object) -> None:
        raise OSError(errno.EBADF, "no locks here")

    monkeypatch.setattr(files.fcntl, "flock", unsupported)
    left = tmp_path / f"{files.BESIDE}0123.png"
    left.write_text("half")
    os.utime(left, (time.time() - age,) * 2)
    write_atomically(tmp_path / "other", b"new")
    assert left.exists() == (age < files.OLD)


def test_many_write_one_file_and_it_is_that_of_one_of_them(tmp_path: Path) -> None:
    def write(letter: str) -> None:
        for _ in range(10):
            write_atomically(tmp_path / "file", letter.encode() * 50_000)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, "abcd", timeout=30.0))
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    content = (tmp_path / "file").read_text()
    assert content in {letter * 50_000 for letter in "abcd"}


def test_one_after_the_other_is_alone_in_a_folder(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []

    def enter() -> None:
        for _ in range(5):
            with alone_in(tmp_path):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.001)
                inside.pop()

    with ThreadPoolExecutor(4) as pool:
        for entered in [pool.submit(enter) for _ in range(4)]:
            entered.result(30.0)
    assert most == [1] * 20
    assert list(tmp_path.iterdir()) == []


def test_nobody_waits_for_ever_nor_for_a_folder_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    started = time.monotonic()
    with alone_in(tmp_path), alone_in(tmp_path), alone_in(tmp_path / "missing"):
        assert time.monotonic() - started < 5.0
