"""Writing: the folder of a page, for any static file host, with a list of its files and digests."""

from __future__ import annotations

import hashlib
import html
import json
import lzma
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import ecs_softbody
from ecs_softbody.files import check_place, write_atomically
from ecs_softbody.web.making.archive import UNPACKER, Files, our_files, packed
from ecs_softbody.web.making.cache import kept
from ecs_softbody.web.making.modules import GAME, OTHERS, PYTHON, archives
from ecs_softbody.web.making.pins import PACKAGES, ROLES, Runtime

SOURCES = Path(__file__).parents[1]
SCRIPTS = ("page.js", "files.js")
LOCK = "lock.json"
PLACES = {GAME: "game.pack", OTHERS: "python/packages.pack", PYTHON: "python/library.pack"}
"""Archives, packed here: some hosts do not compress files, and gzip makes a page 1.5 times as
large.
"""
FILTERS = [{"id": lzma.FILTER_LZMA1, "preset": 9, "dict_size": 1 << 25}]
MOST_FILES = 1500
"""Maximum number of files in a folder: itch.io accepts no more, and a page needs a dozen."""


class Shown(NamedTuple):
    """The game shown by a page: its texts, picture, name and files."""

    title: str
    tagline: str
    thumbnail: bytes
    game: str
    """Name of the game for `ecs-softbody play` in the page's Python."""
    files: Files
    """By path below that Python's packages folder."""


def site_files(shown: Shown, runtime: Runtime, kernels: Path) -> Files:
    """Return all files of a page by name.

    Args:
        shown: the game.
        runtime: the Pyodide; one in a folder becomes part of the page, which then needs no network.
        kernels: the folder with the compiled kernels for pages.

    Raises:
        ValueError: if there are more files than hosts accept.
    """
    words = {"title": shown.title, "tagline": shown.tagline}
    index = (SOURCES / "index.html").read_text(encoding="utf-8")
    for word, text in words.items():
        index = index.replace("{{" + word + "}}", html.escape(text))
    files: Files = {
        "index.html": index.encode(),
        **{name: (SOURCES / name).read_bytes() for name in SCRIPTS},
        "thumbnail.png": shown.thumbnail,
    }
    parts = {
        PLACES[role]: (role, content)
        for role, content in archives(our_files(kernels), shown.files, runtime).items()
    }
    files[UNPACKER] = (kernels / UNPACKER).read_bytes()
    loaded = [{"role": "unpacker", "url": UNPACKER, **_described(files[UNPACKER])}]
    if runtime.folder is None:
        roles = {**dict.fromkeys(ROLES, ""), **dict.fromkeys(PACKAGES, "archive ")}
        loaded += [
            {
                "role": f"{before}{role}",
                "url": runtime.address + file.name,
                "sha256": file.sha256,
                "bytes": file.bytes,
            }
            for role, before in roles.items()
            for file in [runtime.files[role]]
        ]
    else:
        for role in ("loader", "script", "wasm"):
            name = runtime.files[role].name
            parts[f"python/{name}.pack"] = (role, (runtime.folder / name).read_bytes())
    for name, (role, content) in parts.items():
        files[name] = _smaller(content)
        loaded.append(
            {"role": role, "url": name, "unpacked": len(content), **_described(files[name])}
        )
    if len(files) >= MOST_FILES:
        raise ValueError(f"the page has {len(files) + 1} files; hosts take at most {MOST_FILES}")
    files[LOCK] = _lock(shown, runtime, loaded, files)
    return files


def check_folder(folder: Path) -> None:
    """Check that a page can be written into a folder, which need not exist.

    Raises:
        ValueError: if it contains anything else, or nothing can be written there.
    """
    _names_of(folder)
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        check_place(there / LOCK)
    except OSError as error:
        raise ValueError(f"{str(folder)!r} cannot be written: {error.strerror or error}") from None


def write_folder(files: Files, folder: Path) -> None:
    """Write a page into a folder: a new one, an empty one, or one with an older page, which is
    replaced.

    Raises:
        ValueError: if it contains anything else.
    """
    old = _names_of(folder)
    for name in sorted(old - set(files)):
        (folder / name).unlink(missing_ok=True)
    # This file is first: after an interruption the folder is recognised as a page, and rewritten.
    write_atomically(folder / LOCK, files[LOCK])
    for name, content in files.items():
        write_atomically(folder / name, content)


def write_zip(files: Files, path: Path) -> None:
    """Write a page as one archive with `index.html` at its root, as itch.io requires."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, packed(files, zipfile.ZIP_DEFLATED))


def _smaller(content: bytes) -> bytes:
    """Return a file compressed for the page's unpacker."""
    digest = hashlib.sha256(repr(FILTERS).encode() + content).hexdigest()
    return kept(digest, lambda: lzma.compress(content, lzma.FORMAT_ALONE, filters=FILTERS))


def _described(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _lock(shown: Shown, runtime: Runtime, loaded: list[dict[str, Any]], files: Files) -> bytes:
    """Return the content of `lock.json`: the files that the page loads, and the contents of the
    folder.
    """
    listed = {
        "title": shown.title,
        "game": shown.game,
        "ecs_softbody": ecs_softbody.__version__,
        "site": runtime.site,
        "pyodide": {"info": runtime.info, "packages": {}},
        "packages": {name: runtime.files[name].name for name in PACKAGES},
        "runtime": loaded,
        "files": {name: _described(content) for name, content in sorted(files.items())},
    }
    return json.dumps(listed, indent=1, ensure_ascii=False).encode()


def _names_of(folder: Path) -> set[str]:
    """Return the names of the files of an existing page in a folder; ValueError for anything else
    in it.
    """
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise ValueError(
            f"{str(folder)!r} is a file; expected a new folder, or one with an older page"
        )
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    try:
        listed = set(json.loads((folder / LOCK).read_bytes())["files"])
    except (OSError, ValueError, LookupError, TypeError):
        listed = set()
    if strange := sorted(found - listed - {LOCK}):
        raise ValueError(
            f"{str(folder)!r} has files of something else ({strange[0]}); expected a new or "
            "empty folder"
        )
    return found
