"""Every block of Python on a page of the documentation runs, in order,
in one namespace per page.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecs_softbody import StabilityWarning
from ecs_softbody.rendering.texts.table import TABLE
from tests.helpers.internals import texts_come_back

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


def blocks(page: Path) -> list[tuple[int, str]]:
    """Return (line of the page, source) of each block."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in BLOCK.finditer(text)]


@pytest.fixture(autouse=True)
def _texts() -> Iterator[None]:
    with texts_come_back(TABLE):
        yield


@pytest.mark.brief(23)
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page)],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_code_on_a_page_runs_and_prints_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    for line, source in blocks(page):
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("error", StabilityWarning)
            # traces then name the page's line
            exec(compile("\n" * line + source, str(page), "exec"), namespace)
        promised = PRINTED.findall(source)
        if promised:
            assert capsys.readouterr().out.splitlines() == promised, f"{page.name}:{line}"
