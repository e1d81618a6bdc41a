"""Chromium without a screen, driven by the DevTools protocol through two pipes; and a server of a
folder.
"""

from __future__ import annotations

import base64
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

PROGRAM = (
    os.environ.get("ECS_SOFTBODY_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
)
SWITCHES = (
    "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--remote-debugging-pipe", "--no-first-run", "--mute-audio",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
)  # fmt: skip
PATIENCE = 120.0
"""How long [s] something is waited for: many processes share the processors."""


class Page:
    """One page, at a size [pixels].

    Attributes:
        said: lines of its console and errors, each with its level first.
    """

    def __init__(self, size: tuple[int, int] = (1280, 720), *, touch: bool = False) -> None:
        assert PROGRAM is not None
        self.said: list[str] = []
        self._number = 0
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        orders_out, orders_in = os.pipe()
        answers_out, answers_in = os.pipe()
        command = " ".join(
            (PROGRAM, *SWITCHES, f"--user-data-dir={self._folder.name}", "about:blank")
        )
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {command} 3<&{orders_out} 4>&{answers_in}"],
            pass_fds=(orders_out, answers_in), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(orders_out)
        os.close(answers_in)
        self._orders = os.fdopen(orders_in, "wb", 0)
        self._answers = os.fdopen(answers_out, "rb", 0)
        self._rest = b""
        self._session = ""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")
        self.resize(size, touch=touch)
        if touch:
            self._ask("Emulation.setTouchEmulationEnabled", enabled=True)

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait()
        self._orders.close()
        self._answers.close()
        self._folder.cleanup()

    def open(self, address: str) -> None:
        """Go to an address."""
        self._ask("Page.navigate", url=address)

    def before(self, script: str) -> None:
        """Run a script in all pages that are opened from now on, before their own."""
        self._ask("Page.addScriptToEvaluateOnNewDocument", source=script)

    def keep_nothing(self, *, nothing: bool = True) -> None:
        """Fetch everything anew from now on, or do so no longer."""
        self._ask("Network.setCacheDisabled", cacheDisabled=nothing)

    def evaluate(self, script: str) -> Any:
        """Return what an expression of JavaScript is, or what its promise becomes."""
        found = self._ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"])[:2000])
        return found["result"].get("value")

    def wait_for(self, script: str, patience: float = PATIENCE) -> Any:
        """Return the value of an expression as soon as it is true."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if value := self.evaluate(script):
                return value
            time.sleep(0.1)
        raise AssertionError(
            f"not within {patience:.0f} s: {script}; the page said {self.said[-5:]}"
        )

    def key(self, code: str, sign: str, *, down: bool) -> None:
        """Press a key, or let it go."""
        kind = "keyDown" if down else "keyUp"
        text = {"text": sign} if down and len(sign) == 1 else {}
        self._ask("Input.dispatchKeyEvent", type=kind, code=code, key=sign, **text)

    def tap(self, code: str, sign: str, seconds: float = 0.15) -> None:
        """Press a key for a moment."""
        self.key(code, sign, down=True)
        time.sleep(seconds)
        self.key(code, sign, down=False)

    def mouse(self, kind: str, x: float, y: float, button: str = "left") -> None:
        """Move the mouse, press a button of it, or let it go: `mouseMoved`, `mousePressed`,
        `mouseReleased`.
        """
        which = {} if kind == "mouseMoved" else {"button": button, "clickCount": 1}
        self._ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **which)

    def wheel(self, x: float, y: float, down: float) -> None:
        """Turn the wheel over a place, by so many pixels."""
        self._ask("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down)

    def touch(self, *places: tuple[float, float]) -> None:
        """Have fingers in these places, or none."""
        kind = "touchStart" if places else "touchEnd"
        self._ask(
            "Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in places]
        )

    def click(self, selector: str) -> None:
        """Click on an element."""
        box = self.evaluate(
            f"(b => [b.x + b.width / 2, b.y + b.height / 2])"
            f"(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, *box)

    def resize(self, size: tuple[int, int], *, touch: bool = False) -> None:
        """Have another size [pixels]."""
        width, height = size
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )

    def before_each(self, script: str) -> None:
        """Run a script in every page that is opened from now on, before those of the page."""
        self._ask("Page.addScriptToEvaluateOnNewDocument", source=script)

    def screenshot(self) -> bytes:
        """Return what is seen, a PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"])

    def cpu(self) -> float:
        """Return the processor time of the page's main thread [s]."""
        return self._metric("TaskDuration")

    def memory(self) -> tuple[float, float]:
        """Return the memory of Python and that of JavaScript, after a search for garbage [MB]."""
        self._ask("HeapProfiler.collectGarbage")
        python = self.evaluate("globalThis.ecs_softbody?.py._module.HEAPU8.length ?? 0")
        return python / 1e6, self._metric("JSHeapUsedSize") / 1e6

    def _metric(self, name: str) -> float:
        self._ask("Performance.enable", timeDomain="threadTicks")
        metrics = {
            each["name"]: each["value"] for each in self._ask("Performance.getMetrics")["metrics"]
        }
        return float(metrics[name])

    def _ask(self, method: str, **values: Any) -> dict[str, Any]:
        self._number += 1
        order = {"id": self._number, "method": method, "params": values}
        if self._session:
            order["sessionId"] = self._session
        self._orders.write(json.dumps(order).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                found: dict[str, Any] = answer["result"]
                return found
            self._note(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = self._answers.read(1 << 20)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self._rest += piece
        first, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(first)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        """Keep what the page says."""
        values = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            words = [str(each.get("value", each.get("description", ""))) for each in values["args"]]
            self.said.append(f"{values['type']}: {' '.join(words)}")
        elif event.get("method") == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.said.append(
                f"error: {details.get('exception', {}).get('description', details['text'])}"
            )
        elif event.get("method") == "Log.entryAdded":
            entry = values["entry"]
            self.said.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a folder of files on this machine."""
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(_Quiet, directory=str(folder))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@contextmanager
def opened(size: tuple[int, int] = (1280, 720), *, touch: bool = False) -> Iterator[Page]:
    """Yield a page; the browser ends afterwards."""
    page = Page(size, touch=touch)
    try:
        yield page
    finally:
        page.close()
