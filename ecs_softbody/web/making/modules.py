"""Modules: the archives for a page's Python, reduced to the needed modules, compiled ahead of
time.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from ecs_softbody.web.making.archive import Files, opened, packed
from ecs_softbody.web.making.bytecode import Source, compiled
from ecs_softbody.web.making.needed import module_of, needed
from ecs_softbody.web.making.pins import PACKAGES, Runtime

GAME, OTHERS, PYTHON = "archive game", "archive packages", "stdlib"
"""Roles of the archives in `lock.json`."""
ALWAYS = (
    *(
        f"encodings.{name}"
        for name in (
            "ascii",
            "cp1252",
            "cp437",
            "idna",
            "iso8859_1",
            "iso8859_15",
            "latin_1",
            "punycode",
            "raw_unicode_escape",
            "unicode_escape",
            "utf_16",
            "utf_16_be",
            "utf_16_le",
            "utf_32",
            "utf_8",
            "utf_8_sig",
        )
    ),
    "_strptime",
    "_sysconfigdata__emscripten_wasm32-emscripten",
    "importlib.readers",
    "site",
    "traceback",
    "PIL.BmpImagePlugin",
    "PIL.GifImagePlugin",
    "PIL.JpegImagePlugin",
    "PIL.PngImagePlugin",
)
"""Modules imported by name at run time, invisible to a search for import statements."""
PLUGINS = {".webp": "PIL.WebPImagePlugin"}
"""Modules needed for files with these endings."""
NEVER = (
    "PIL.ImageGrab", "PIL.ImageQt", "PIL.ImageTk", "PIL.ImageWin", "PIL._imagingcms",
    "PIL._imagingtk", "asyncio.proactor_events", "asyncio.windows_events", "asyncio.windows_utils",
    "bdb", "cmd", "concurrent.futures.process", "ctypes.wintypes", "curses", "dbm", "distutils",
    "doctest", "ensurepip", "ftplib", "http.server", "idlelib", "imaplib", "lib2to3", "mailbox",
    "multiprocessing", "nntplib", "numpy._core.tests", "numpy.distutils", "numpy.f2py",
    "numpy.lib.tests", "numpy.testing", "pdb", "poplib", "py_compile", "pydoc", "pydoc_data",
    "rlcompleter", "smtplib", "socketserver", "sqlite3", "telnetlib", "tkinter", "turtle",
    "turtledemo", "unittest", "venv", "webbrowser", "wsgiref", "xmlrpc",
)  # fmt: skip
"""Modules unusable in a page: threads, processes, servers, debuggers, other windows."""
EMPTY = ("numpy/_core/_add_newdocs.py", "numpy/_core/_add_newdocs_scalars.py")
"""Sources of the docstrings of numpy's compiled functions, which take a tenth of a second and 50
KB.
"""
WITH_DOCSTRINGS = ("_pyodide/", "numpy/_core/multiarray.py")
"""Modules that need their docstrings: they do not load without them."""
WHOLE = (
    "_pyodide/",
    "pyodide/",
    "numpy/_core/",
    "numpy/lib/",
    "numpy/dtypes.py",
    "numpy/exceptions.py",
)
"""Modules imported by compiled code."""
PAPERS = ("LICENSE", "METADATA")
"""License and metadata files that accompany a package's modules."""


def archives(ours: Files, mine: Files, runtime: Runtime) -> dict[str, bytes]:
    """Return the archives of a page by role, each a zip whose files are not compressed.

    For a Pyodide in a local folder they include the modules that games need; otherwise Pyodide is
    loaded whole from its own address.

    Args:
        ours: files of this package, the included games, and their dependencies, by path below the
            packages folder.
        mine: files of the page's game; their sources stay, since its maker reads tracebacks.
        runtime: the page's Python.
    """
    files_of = {GAME: {**ours, **mine}}
    if runtime.folder is not None:
        files_of |= _needed_of(runtime, files_of[GAME])
    folders = {GAME: runtime.site, OTHERS: runtime.site, PYTHON: runtime.library}
    theirs: dict[str, Source] = {}
    own: dict[str, Source] = {}
    for role, files in files_of.items():
        for name, content in files.items():
            if name.endswith(".py"):
                is_own = role == GAME and name in mine
                strip = not is_own and not name.startswith(WITH_DOCSTRINGS)
                found = own if is_own else theirs
                found[f"{role}/{name}"] = Source(content, f"{folders[role]}/{name}", strip)
    bytecode = compiled(theirs, runtime)
    for path, content in bytecode.items():
        role, _, name = path.partition("/")
        del files_of[role][name]
        files_of[role][f"{name}c"] = content
    tag = runtime.tag
    for path, content in compiled(own, runtime).items():
        file = PurePosixPath(path.partition("/")[2])
        files_of[GAME][str(file.parent / "__pycache__" / f"{file.stem}.{tag}.pyc")] = content
    return {role: packed(files) for role, files in files_of.items()}


def _needed_of(runtime: Runtime, game: Files) -> dict[str, Files]:
    """Return the files a page takes from a Pyodide in a folder: Python's library and the packages,
    by role.
    """
    assert runtime.folder is not None
    library = opened((runtime.folder / runtime.files[PYTHON].name).read_bytes())
    packages: Files = {}
    for name in PACKAGES:
        packages |= opened((runtime.folder / runtime.files[name].name).read_bytes())
    packages |= {name: b"" for name in EMPTY if name in packages}
    everything = {**library, **packages, **game}
    endings = {PurePosixPath(name).suffix.lower() for name in game}
    whole = [
        module_of(name) for name in everything if name.startswith(WHOLE) and name.endswith(".py")
    ]
    roots = [*ALWAYS, *whole, *(plugin for ending, plugin in PLUGINS.items() if ending in endings)]
    sources = [name for name in game if name.endswith(".py")]
    names = needed(everything, sources, roots, NEVER)
    names |= {
        name
        for name in packages
        if ".dist-info/" in name and name.rpartition("/")[2].startswith(PAPERS)
    }
    return {
        PYTHON: {name: content for name, content in library.items() if name in names},
        OTHERS: {name: content for name, content in packages.items() if name in names},
    }
