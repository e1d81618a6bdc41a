"""A page takes the modules along that are imported, directly or by others, and no others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ecs_softbody.web.making.archive import opened
from ecs_softbody.web.making.bytecode import Source, compiled
from ecs_softbody.web.making.cache import MOST_CACHED, kept
from ecs_softbody.web.making.modules import GAME, archives
from ecs_softbody.web.making.needed import imported, module_of, needed
from ecs_softbody.web.making.pins import INFO, PINNED, Runtime

FILES = {
    "game.py": (
        b"import lib as l\nfrom tools.deep import wanted\ndef late():\n    import "
        b"rare\nprint(l.extra.name)\n"
    ),
    "lib/__init__.py": b"from . import core\ndef __getattr__(name):\n    import lib.extra\n",
    "lib/core.py": b"from .compiled import run\n",
    "lib/compiled.cpython-312-wasm32-emscripten.so": b"",
    "lib/extra.py": b"",
    "lib/other.py": b"",
    "tools/__init__.py": b"",
    "tools/deep.py": b"def f[T](x: T) -> T:\n    from rarer import g\n",
    "rare.py": b"import debugger.lines",
    "rarer.py": b"",
    "debugger/__init__.py": b"",
    "debugger/lines.py": b"",
    "unasked.py": b"",
    "always.py": b"",
    "readme.txt": b"",
}


def test_modules_that_are_imported_are_found() -> None:
    found = needed(FILES, ["game.py"], ["always"], ["debugger"])
    left = {"lib/other.py", "unasked.py", "debugger/__init__.py", "debugger/lines.py", "readme.txt"}
    assert found == set(FILES) - left


@pytest.mark.parametrize(
    ("name", "source", "found"),
    [
        ("a/b/c.py", "from .. import d", {"a", "a.d"}),
        ("a/b/c.py", "from ..d import e", {"a.d", "a.d.e"}),
        ("a/b/c.py", "from . import e", {"a.b", "a.b.e"}),
        ("a/b/__init__.py", "from .e import f", {"a.b.e", "a.b.e.f"}),
        ("a/b/__init__.py", "from ..e import f", {"a.e", "a.e.f"}),
        ("c.py", "import numpy as np\nnp.random.default_rng()", {"numpy", "numpy.random"}),
        ("c.py", "import numpy\nnumpy.fft.rfft(x)", {"numpy", "numpy.fft"}),
        ("c.py", "try:\n    import a.b\nexcept ImportError:\n    a = None", {"a.b"}),
        ("c.py", "type X = int\nimport a.b as c, d", {"a.b", "d"}),
        ("c.py", "type X = int\nfrom a.b import c, d as e", {"a.b.c", "a.b.d"}),
        ("a/c.py", "type X = int\nfrom .b import c", {"a.b.c"}),
    ],
)
def test_imports_are_named(name: str, source: str, found: set[str]) -> None:
    if source.startswith("type") and sys.version_info >= (3, 12):
        pytest.skip("this Python can read it")
    assert imported(name, source.encode(), with_attributes=True) == found


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("a/b.py", "a.b"),
        ("a/__init__.py", "a"),
        ("a/b.cpython-312-x.so", "a.b"),
        ("a/b.pyi", ""),
        ("a.txt", ""),
        ("__init__", ""),
    ],
)
def test_modules_have_names(name: str, module: str) -> None:
    assert module_of(name) == module


def own_runtime() -> Runtime:
    """A Pyodide whose Python would be of the version of this one, so that this one compiles."""
    return Runtime(
        {**INFO, "python": "{}.{}.0".format(*sys.version_info)},
        PINNED,
        None,
        "https://example.org/",
    )


def test_modules_are_compiled_and_the_games_own_keep_their_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    runtime = own_runtime()
    parts = archives({"lib.py": b"assert False\nx = 1\n"}, {"mine/game.py": b"y = 2\n"}, runtime)
    names = {f"mine/__pycache__/game.{sys.implementation.cache_tag}.pyc", "mine/game.py", "lib.pyc"}
    assert set(opened(parts[GAME])) == names
    assert parts == archives(
        {"lib.py": b"assert False\nx = 1\n"}, {"mine/game.py": b"y = 2\n"}, runtime
    )


def test_what_does_not_compile_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sources = {
        name: Source(text, "/a.py", strip=False)
        for name, text in (("a.py", b"1 +"), ("b.py", b"x = 1"))
    }
    assert set(compiled(sources, own_runtime())) == {"b.py"}


def test_without_a_python_of_that_version_sources_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = Runtime({**INFO, "python": "2.7.0"}, PINNED, None)
    assert compiled({"a.py": Source(b"x = 1", "/a.py", strip=False)}, runtime) == {}


def test_what_was_made_for_a_page_is_kept_and_a_damaged_file_of_it_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path)
    made: list[bytes] = []

    def make() -> bytes:
        made.append(b"content")
        return made[-1]

    for damage, times in ((None, 1), (None, 1), (b"", 2), (b"some other content", 3), (None, 3)):
        if damage is not None:
            (tmp_path / "pages" / "digest").write_bytes(damage)
        assert kept("digest", make) == b"content"
        assert len(made) == times
    for number in range(MOST_CACHED + 5):
        kept(f"{number}", make)
    assert len(list((tmp_path / "pages").iterdir())) == MOST_CACHED
