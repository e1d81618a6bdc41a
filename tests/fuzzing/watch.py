"""Watch: sees what an input does besides its answer: files, imports, other programs, time, memory,
its message.
"""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from types import TracebackType
from typing import Any

from tests.fuzzing import ROOT
from tests.fuzzing.changes.odd import PLANTED

try:
    import resource
except ImportError:
    raise SystemExit(
        "python -m tests.fuzzing: it needs processes that can be forked, as Linux and "
        "macOS have them"
    ) from None

LONGEST_DOOR = 2.0
"""Processor time [s] until a file is taken or refused."""
LONGEST_AFTER = 20
"""And of what follows; beyond it the process is ended."""
MOST_MEMORY = 300.0
"""MB that an input may add to what the process has."""
MOST_ADDRESSES = 4 << 30
"""Bytes of addresses that it may ask for: the machine does not swap."""
LONGEST_MESSAGE = 800
DEVICES = ("/dev/null", "/dev/urandom")
MAY_BE_READ = tuple(
    {
        str(ROOT),
        sys.prefix,
        sys.base_prefix,
        *sysconfig.get_paths().values(),
        "/usr/share",
        "/usr/lib",
        "/lib",
        "/proc/self",
    }
)
"""What the program itself reads."""
NEVER_IMPORTED = {"this", "antigravity", PLANTED}
OTHER_PROGRAMS = (
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile",
    "socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request", "ctypes.dlopen",
    "pickle.find_class", "webbrowser.open", "os.putenv", "os.kill",
)  # fmt: skip
CHANGES = (
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
)
SCRATCH = "[scratch]"


class Watch:
    """Notes what is not allowed while an input is tried.

    Args:
        scratch: the folder that may be written in.
        inside: the folder of the input, and those above it that it may read.
    """

    def __init__(self, scratch: Path, inside: Path) -> None:
        self.scratch = str(scratch)
        self.inside = str(inside)
        self.broken: list[str] = []
        self.is_on = False
        self.packages = {name.partition(".")[0] for name in sys.modules} | {"PIL", "mapbox_earcut"}
        """Those that what is right has needed; all games are imported, too.

        The two named come when they are needed.
        """
        sys.addaudithook(self._hear)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Watch what is done in the block."""
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            self._opened(*arguments)
        elif event == "import":
            self._imported(str(arguments[0]))
        elif event == "exec":
            self._ran(arguments[0].co_filename)
        elif event in OTHER_PROGRAMS:
            self._note(f"does {event}")
        elif event in CHANGES:
            for path in arguments:
                if isinstance(path, str | bytes | os.PathLike) and not self._is_in(
                    path, self.scratch
                ):
                    self._note(f"does {event} with {os.fsdecode(path)!r}")

    def look_at_modules(self, before: set[str]) -> None:
        """Note modules that were not there before: not every way to import one is an event."""
        for name in sorted(sys.modules.keys() - before):
            self._imported(name)

    def _imported(self, name: str) -> None:
        package = name.partition(".")[0]
        known = package in sys.stdlib_module_names or package in self.packages
        if package in NEVER_IMPORTED or not known or package == "ecs_softbody_games":
            self._note(f"imports {name!r}")

    def _ran(self, path: str) -> None:
        """Note that the module beside the input runs, by whatever way; to read it as a picture is
        no fault.
        """
        if Path(path).stem == PLANTED:
            self._note(f"imports {PLANTED!r}")

    def _opened(self, path: Any, mode: Any, flags: Any) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return
        writes = (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if os.fsdecode(path) in DEVICES:
            return
        if writes:
            if not self._is_in(path, self.scratch):
                self._note(f"writes {os.fsdecode(path)!r}")
        elif not (
            self._is_in(path, self.inside) or self._is_in(path, *MAY_BE_READ) or self._is_own(path)
        ):
            self._note(f"reads {os.fsdecode(path)!r}")

    def _is_own(self, path: Any) -> bool:
        """Return whether a file is a temporary one of the program, or a folder."""
        return self._is_in(path, os.path.join(self.scratch, "tmp")) or os.path.isdir(path)

    @staticmethod
    def _is_in(path: Any, *folders: str) -> bool:
        found = os.path.realpath(os.fsdecode(path))
        return any(found == folder or found.startswith(folder + os.sep) for folder in folders)

    def _note(self, what: str) -> None:
        if len(self.broken) < 20:
            self.broken.append(what.replace(self.scratch, SCRATCH))


def message_faults(error: BaseException) -> list[str]:
    """Return what is wrong with the text of an error: each problem of a scene has a line of its
    own.
    """
    problems = getattr(error, "problems", None)
    texts = [str(error)] if problems is None else [str(problem) for problem in problems]
    found = set() if texts else {"says nothing"}
    for text in texts:
        if not text.strip():
            found.add("says nothing")
        if len(text) > LONGEST_MESSAGE:
            found.add("a long message")
        if len(text.splitlines()) > 1:
            found.add("a message of several lines")
        if "\x1b" in text or "\0" in text:
            found.add("a message with control characters")
        try:
            text.encode()
        except UnicodeEncodeError:
            found.add("a message that cannot be printed")
    return sorted(found)


def place_of(error: BaseException) -> str:
    """Return where in this package an error arose: file and function."""
    return place_in(error.__traceback__) or "nowhere in the package"


def place_in(trace: TracebackType | None) -> str:
    found = ""
    for frame in traceback.extract_tb(trace):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and "fuzzing" not in path.parts and ".venv" not in path.parts:
            found = f"{path.relative_to(ROOT).as_posix()}:{frame.name}"
    return found


def limit_time(seconds: float) -> None:
    """Have the system end this process when it has used so much processor time more."""
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(process_time() + seconds + 1.0), resource.RLIM_INFINITY)
    )


def limit_memory() -> None:
    """Have the system refuse more addresses than a program of this kind needs."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # macOS
        resource.setrlimit(
            resource.RLIMIT_AS,
            (_of_status("VmSize") * 1024 + MOST_ADDRESSES, resource.RLIM_INFINITY),
        )


def _of_status(name: str) -> int:
    """Return a number of /proc/self/status [kB], 0 where there is none."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            return next((int(line.split()[1]) for line in file if line.startswith(name)), 0)
    except OSError:
        return 0


class Memory:
    """The most memory that this process has had since it was made."""

    def __init__(self) -> None:
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
                file.write("5")  # the peak counts from here on
        except OSError:
            pass
        self._before = _of_status("VmRSS")

    @property
    def grown(self) -> float:
        """How much more that is than at first [MB]; 0 where the system does not tell."""
        return max(_of_status("VmHWM") - self._before, 0) / 1024
