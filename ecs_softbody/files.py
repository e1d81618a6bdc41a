"""Files: whole at any time, after a crash the old ones or the new ones."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where open files cannot be removed or replaced
    fcntl = None  # type: ignore[assignment]

BESIDE = ".ecs-softbody-"
"""How the name of a file begins that is being written, and takes the place of another one when it
is whole.
"""
LONGEST_ENDING = 10
"""Letters of a file's ending that the one beside it has, too: programs choose the format of a film
by it.
"""
OLD = 86_400.0
"""Age [s] from which a temporary file counts as abandoned, if locks cannot show whether it is still
being written.
"""
PATIENCE = 1.0
"""How long [s] a folder is waited for that another process changes; a stuck one must not hold up a
game.
"""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside the old one, then put it in its place, as `put_in_place`; its folder is
    made where missing.

    Raises:
        OSError: where it cannot be written; the old file stays.
    """
    Path(os.path.realpath(path)).parent.mkdir(parents=True, exist_ok=True)
    with put_in_place(path) as beside:
        beside.write_bytes(content)


@contextmanager
def put_in_place(path: Path) -> Iterator[Path]:
    """Yield the path of an empty file beside another one, to be written; at the end it takes its
    place.

    It gets the ending of the old file, its mode, and its owner if permitted. A link stays a link:
    its target is replaced. Temporary files that killed processes left in its folder are removed.

    Raises:
        OSError: where it cannot be written; the old file stays, and nothing else.
    """
    target = _file_behind(path)
    _remove_left(target.parent)
    beside = handle = None
    try:
        beside, handle = _new_beside(target)
        yield beside
        os.fsync(handle)
        _make_alike(beside, handle, target)
        if fcntl is None:  # Windows moves no file that is open
            os.close(handle)
            handle = None
        os.replace(beside, target)
        beside = None
    except OSError as error:
        named = os.path.basename(str(error.filename or BESIDE))
        if error.errno is not None and named.startswith(BESIDE):
            # The user knows the other name only.
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with suppress(OSError):
            if handle is not None:
                os.close(handle)
            if beside is not None:
                os.unlink(beside)
    # Windows opens no folder, and needs none of this.
    with suppress(OSError, AttributeError):
        folder = os.open(target.parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_place(path: Path) -> None:
    """Raise OSError where no file can be put, by making an empty one beside it for a moment.

    What a system says of a folder does not tell: it may be read-only, or full, or not for files.
    """
    with suppress(_Tried), put_in_place(path):
        raise _Tried


class _Tried(Exception):  # noqa: N818 - no error
    """Ends a trial of `put_in_place`."""


def _file_behind(path: Path) -> Path:
    """Return the file that a path leads to, there or not; raise OSError where it may not be
    replaced.
    """
    target = Path(os.path.realpath(path))
    wrong = 0
    if target.is_dir():
        wrong = errno.EISDIR
    elif target.is_symlink():  # a link that leads to itself
        wrong = errno.ELOOP
    elif target.exists() and not target.is_file():
        # A device or pipe would be replaced by a regular file.
        wrong = errno.EINVAL
    elif target.exists() and not os.access(target, os.W_OK):
        wrong = errno.EACCES
    if wrong:
        raise OSError(wrong, os.strerror(wrong), str(path))
    return target


def _new_beside(target: Path) -> tuple[Path, int]:
    """Make an empty file beside another one, and lock it: no other process takes it for an
    abandoned one.
    """
    ending = target.suffix if len(target.suffix) <= LONGEST_ENDING else ""
    while True:
        beside = target.with_name(f"{BESIDE}{secrets.token_hex(8)}{ending}")
        # The umask takes away the permissions that the user forbids.
        handle = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if _hold(handle) is not False and beside.exists():
            return beside, handle
        os.close(handle)  # removed as an abandoned one, between these two lines


def _make_alike(beside: Path, handle: int, target: Path) -> None:
    """Give a new file the mode of the file that it replaces, and its owner and group if
    permitted.
    """
    if not target.exists():
        return
    old = target.stat()
    for owner, group in ((-1, old.st_gid), (old.st_uid, -1)):
        with suppress(OSError, AttributeError):  # Windows has neither
            os.fchown(handle, owner, group)
    os.chmod(beside, stat.S_IMODE(old.st_mode))


def _remove_left(folder: Path) -> None:
    """Remove temporary files that killed processes left in a folder: files that no process
    holds.
    """
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if entry.name.startswith(BESIDE):
                with suppress(OSError):
                    _remove_unheld(entry.path)


def _remove_unheld(path: str) -> None:
    """Remove a file unless a process holds it; killed processes hold none."""
    if fcntl is None:
        os.unlink(path)
        return
    handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    try:
        held = _hold(handle)
        if held or (held is None and time.time() - os.fstat(handle).st_mtime > OLD):
            # The file is still held: the process that has just made it checks whether it still
            # exists.
            os.unlink(path)
    finally:
        os.close(handle)


def _hold(handle: int) -> bool | None:
    """Lock a file or folder until it is closed; False if another process holds it, None if locks
    are not available.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (OSError, AttributeError):
        return None
    return True


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let no other process that calls this change files of a folder meanwhile.

    If another process holds it for longer than a second, or locks are not available, continue
    without.
    """
    handle = None
    until = time.monotonic() + PATIENCE
    with suppress(OSError):
        while (handle := _held_folder(folder)) is None and time.monotonic() < until:
            time.sleep(0.002)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _held_folder(folder: Path) -> int | None:
    """Lock a folder, and return the handle to close at the end; None if another process holds
    it.
    """
    if fcntl is None:
        try:
            # With O_TEMPORARY the file is gone when it is closed.
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_TEMPORARY", 0)
            return os.open(folder / f"{BESIDE}alone", flags)
        except (FileExistsError, PermissionError):  # the second one while it goes
            return None
    handle = os.open(folder, os.O_RDONLY)
    if _hold(handle) is not False:
        return handle
    os.close(handle)
    return None
