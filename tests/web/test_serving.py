"""`web --serve` shows a page on this machine until Ctrl-C; a page may have its Python from another
machine.
"""

from __future__ import annotations

import http.server
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from ecs_softbody.cli.main import main
from tests.helpers import chromium
from tests.helpers.pages import begin, needs_chromium, pyodide

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PROGRAM = """
import signal, sys
from ecs_softbody.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have it ignored by what they start in the background
sys.exit(main())
"""
COMMAND = (sys.executable, "-c", PROGRAM)
TYPES = {
    "": "text/html", "page.js": "text/javascript", "lock.json": "application/json",
    "thumbnail.png": "image/png", "files.js": "text/javascript", "unpack.wasm": "application/wasm",
    "game.pack": "application/octet-stream",
}  # fmt: skip


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def serving(tmp_path: Path, port: int) -> list[str]:
    options = (
        "--out",
        str(tmp_path / "site"),
        "--pyodide",
        str(pyodide().folder),
        "--serve",
        "--port",
        str(port),
    )
    return [*COMMAND, "web", "springs-lab", *options]


def test_a_page_is_shown_until_ctrl_c(tmp_path: Path) -> None:
    port = free_port()
    with subprocess.Popen(serving(tmp_path, port), stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        assert server.stderr.readline() == f"http://localhost:{port}/ until Ctrl-C\n"
        for name, kind in TYPES.items():
            with urllib.request.urlopen(f"http://localhost:{port}/{name}") as answer:
                assert answer.headers["Content-Type"] == kind, name
        # goes in the middle of a file
        with socket.create_connection(("127.0.0.1", port)) as hasty:
            hasty.sendall(b"GET /python/pyodide.asm.wasm.pack HTTP/1.0\r\n\r\n")
            hasty.recv(100)
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.5)
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(timeout=20) == 130
        finally:
            server.kill()
        assert server.stderr.read() == ""


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(serving(tmp_path, port), capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"ecs-softbody: --port: {port} cannot be had (Address already in use)")


class Elsewhere(http.server.SimpleHTTPRequestHandler):
    """Another machine, as far as a browser is concerned: it allows others to have its files."""

    asked: list[str] = []  # noqa: RUF012 - one server at a time

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        self.asked.append(self.path)


@contextmanager
def elsewhere(folder: Path) -> Iterator[str]:
    """Yield the address of a folder on the machine of Pyodide's makers, or what stands for it."""
    Elsewhere.asked.clear()
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Elsewhere, directory=str(folder))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_address[1]}"
        server.shutdown()


@needs_chromium
def test_python_comes_from_another_machine(tmp_path: Path) -> None:
    runtime = pyodide()
    assert runtime.folder is not None
    with elsewhere(runtime.folder) as address:
        assert (
            main(["web", "springs-lab", "--out", str(tmp_path / "site"), "--pyodide", address]) == 0
        )
        assert not (tmp_path / "site" / "python").exists()
        assert sum(path.stat().st_size for path in (tmp_path / "site").iterdir()) < 3e6
        with chromium.served(tmp_path / "site") as here, chromium.opened() as page:
            begin(page, here)
        assert {os.path.basename(path) for path in Elsewhere.asked} == {
            file.name for file in runtime.files.values()
        }
    assert not [line for line in page.said if line.startswith(("error", "warning"))], page.said
