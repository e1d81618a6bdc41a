"""Archive: one zip for a page's Python: this package, its dependencies, a game, and the compiled
kernels.
"""

from __future__ import annotations

import importlib.util
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path

import ecs_softbody
from ecs_softbody.parallel.library import LIST, PACKAGE

Files = dict[str, bytes]
"""Content by name, with slashes."""
LEFT_OUT = (
    "building/", "compiled/", "inspector/", "cli/template/", "cli/main.py", "cli/web.py",
    "web/making/", "web/page.js", "web/files.js", "web/index.html",
)  # fmt: skip
"""Paths in this package that no page needs."""
IMPORTED = ("esper", "tomlkit", "platformdirs")
"""Pure-Python packages that are taken from this machine."""
KERNELS = ("kernels.wasm", "_calls.abi3.so", LIST)
UNPACKER = "unpack.wasm"
"""The page's unpacker, in the folder of the kernels."""
MADE = (1980, 1, 1, 0, 0, 0)
"""Fixed modification time of all files in an archive, for reproducible archives."""


def files_below(folder: Path, top: str, leaving: Iterable[str] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) of all files of a package except caches; their names begin with
    `top`.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_cache = any(
            part == "__pycache__" or part.startswith(".") for part in path.relative_to(folder).parts
        )
        if path.is_file() and not is_cache and not name.startswith(tuple(leaving)):
            yield f"{top}/{name}", path.read_bytes()


def files_of_package(name: str) -> Files:
    """Return the files of an installed pure-Python package whose folder has the package's name.

    Raises:
        RuntimeError: if it is not installed.
    """
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise RuntimeError(f"the package {name!r} is not installed")
    return dict(files_below(Path(found.submodule_search_locations[0]), name))


def our_files(kernels: Path) -> Files:
    """Return the files of this package, its dependencies and the included games, with their entry
    points.

    Args:
        kernels: the folder with the compiled kernels for pages.
    """
    files = dict(files_below(PACKAGE, "ecs_softbody", LEFT_OUT))
    files["ecs_softbody/compiled/__init__.py"] = (PACKAGE / "compiled" / "__init__.py").read_bytes()
    for name in KERNELS:
        files[f"ecs_softbody/compiled/{name}"] = (kernels / name).read_bytes()
    for name in (*IMPORTED, "ecs_softbody_games"):
        files |= files_of_package(name)
    games = [f"{entry.name} = {entry.value}" for entry in entry_points(group="ecs_softbody.games")]
    included = sorted(line for line in games if "= ecs_softbody_games." in line)
    about = f"ecs_softbody-{ecs_softbody.__version__}.dist-info"
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: ecs_softbody\nVersion: {ecs_softbody.__version__}\n".encode()
    )
    files[f"{about}/entry_points.txt"] = "\n".join(["[ecs_softbody.games]", *included, ""]).encode()
    return files


def opened(archive: bytes) -> Files:
    """Return the contents of a zip or a wheel."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {name: files.read(name) for name in files.namelist() if not name.endswith("/")}


def packed(files: Mapping[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    """Return a zip of files, uncompressed by default: compressed as a whole they get smaller by a
    fifth than each by itself.

    Args:
        files: content by name.
        how: one of zipfile's numbers, such as ZIP_DEFLATED.
    """
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in sorted(files.items(), key=_by_ending):
            archive.writestr(zipfile.ZipInfo(name, MADE), content, how, 9)
    return made.getvalue()


def _by_ending(file: tuple[str, bytes]) -> tuple[str, str]:
    """Sort key by file type: similar files side by side compress better."""
    name, _ = file
    return name.rpartition(".")[2], name
