"""The source tree: the tables of a scene out of all its files, each value with the place that it
came from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ecs_softbody.reading import named_file, reading_within, spend
from ecs_softbody.scenes.importers import can_be_imported, import_file
from ecs_softbody.scenes.problems import MOST_PROBLEMS, Problem, SceneError, joined, listed, shown
from ecs_softbody.scenes.problems import Path as Place
from ecs_softbody.scenes.text.reading import MOST_BYTES, WEIGHTS, Source, read_source

MOST_FILES = 64
"""Limit of the files that a scene includes."""
DEEPEST_PREFAB = 16
"""Limit of prefabs of prefabs; a longer chain counts as endless."""
COST_OF_TABLE = 8.0
"""Cost of a table of a file [µs]."""
COST_OF_FIELD = 4.0
"""Cost of a field that a prefab gives to an entity [µs]."""
COST_OF_VALUE = 2.0
"""Cost of each value in the lists of such a field [µs]."""


class SourceTree:
    """Plain data of a scene; problems are told at the file and line that a value came from."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.origins: dict[Place, tuple[Source, Place]] = {}
        self.sources: list[Source] = []
        self.problems: list[Problem] = []
        self.partial = False
        """Whether a file of it could not be read: names that are not there may be in that one."""
        self.files: list[Path] = []
        """All files that were read, or asked for."""
        self._sizes: dict[int, int] = {}
        self.pictures: dict[str, tuple[Path, Any]] = {}
        """Pictures of skins as they were read: where they are, and their textures."""

    def wrong(self, place: Place, said: str, *, missing: bool = False) -> None:
        """Report a problem at a place of the tree; `missing` fields are reported for the entity,
        other problems for their place of origin, such as a prefab.
        """
        known = place
        while known and known not in self.origins:
            known = known[:-1]
        source, at = self.origins[known] if known else (self.sources[0], ())
        there = at + place[len(known) :]
        problem = Problem(
            source.name, source.line(there), joined(place if missing else there), said
        )
        if problem not in self.problems:
            self.problems.append(problem)
        if len(self.problems) >= MOST_PROBLEMS:
            self.finish()

    def spend(self, place: Place, work: float) -> None:
        """Count the cost of a part of the scene [µs], before it is made.

        Raises:
            SceneError: if the whole scene would take too long.
        """
        try:
            spend("work", work)
        except ValueError:
            self.wrong(
                place, "the scene asks for too much; expected fewer entities, or smaller ones"
            )
            self.finish()

    def finish(self) -> None:
        """Raise SceneError with all problems, in the order of the files, when there are any."""
        if self.problems:
            order = {source.name: number for number, source in enumerate(self.sources)}
            raise SceneError(
                sorted(self.problems, key=lambda one: (order.get(one.file, 0), one.line)),
                self.files,
            )

    def graft(self, given: Mapping[str, Any], place: Place, source: Source, at: Place) -> None:
        """Merge tables of a file into the existing ones; all other values are replaced."""
        table = self.table_at(place)
        for key, value in given.items():
            here = (*place, key)
            there = (*at, key)
            if isinstance(value, dict):
                self.spend(here, COST_OF_TABLE)
                if not isinstance(table.get(key), dict):
                    table[key] = {}
                    self.origins[here] = (source, there)
                self.origins.setdefault(here, (source, there))
                self.graft(value, here, source, there)
            else:
                table[key] = value  # the values of a tree are never modified
                self.origins[here] = (source, there)

    def _size_of(self, value: Any) -> int:
        """Return the number of values in a list, including nested lists; the count is cached, since
        a list may be merged often.
        """
        if not isinstance(value, list):
            return 0
        if id(value) not in self._sizes:
            self._sizes[id(value)] = sum(1 + self._size_of(entry) for entry in value)
        return self._sizes[id(value)]

    def table_at(self, place: Place) -> dict[str, Any]:
        """Return the table at a place."""
        table = self.data
        for key in place:
            table = table[key]  # type: ignore[index]
        return table

    def lay_under(self, place: Place, under: Mapping[str, Any], origin: Place) -> None:
        """Add the missing keys of a table from `under`; `origin` is the place of `under`."""
        table = self.table_at(place)
        for key, value in under.items():
            here = (*place, key)
            there = (*origin, key)
            known = self.origins.get(there)
            if key not in table:
                self.spend(place, COST_OF_FIELD + COST_OF_VALUE * self._size_of(value))
                table[key] = {} if isinstance(value, dict) else value
                if known is not None:
                    self.origins[here] = known
            if isinstance(value, dict) and isinstance(table[key], dict):
                self.lay_under(here, value, there)


def read_tree(path: Path) -> SourceTree:
    """Read a scene file and its includes.

    Raises:
        SceneError: if the file cannot be read. If only an included file cannot be read, this is
            reported and the tree is `partial`, so that the others can be checked.
    """
    tree = SourceTree()
    tree.files.append(path)
    folder = path.absolute().parent.resolve()
    if can_be_imported(path):
        _begin_with_import(tree, path, folder)
    else:
        _add_file(tree, path, path.name, folder, [])
    tree.partial = bool(tree.problems)
    return tree


def _unnamed(said: str, name: str) -> str:
    """Return the message of an import without its file name, which already begins the line."""
    found = re.match(rf"\w+: {re.escape(name)}([:,]? )", said)
    if found is None:
        return said
    rest = said[found.end() :]
    return rest if found[1] != " " else f"it {rest}"


def _begin_with_import(tree: SourceTree, path: Path, folder: Path) -> None:
    """Take a map, drawing or picture as the scene that imports it, and shows all of it."""
    text = f"import = {json.dumps(path.name, ensure_ascii=False)}\n"
    source = Source(
        path.with_suffix(".toml"), path.name, text, {"import": path.name}, text.encode()
    )
    tree.sources.append(source)
    # The path may be a link.
    _add_named(tree, source, ("import",), folder / path.name, path.name, folder, [])
    if tree.problems:
        problems = [
            Problem(path.name, 0, "", _unnamed(problem.message, path.name))
            for problem in tree.problems
        ]
        raise SceneError(problems, tree.files)
    bounds = tree.data.get("data", {}).get("bounds")
    if bounds is not None and bounds[0] < bounds[2] and bounds[1] < bounds[3]:
        tree.graft({"camera": {"view": bounds}}, (), source, ())


def _add_file(tree: SourceTree, path: Path, name: str, folder: Path, above: list[Path]) -> None:
    room = MOST_BYTES - sum(
        len(source.raw) * WEIGHTS.get(source.path.suffix.lower(), 0) for source in tree.sources
    )
    source = read_source(path, name, max(room, 0))
    tree.sources.append(source)
    own = dict(source.tree)
    for key in ("include", "import"):
        asked = own.pop(key, [])
        entries = [asked] if isinstance(asked, str) else asked
        if not isinstance(entries, list):
            _tell(
                tree,
                source,
                (key,),
                f"{shown(asked)} is not allowed; expected the name of a file, or a list of them",
            )
            continue
        for number, entry in enumerate(entries):
            place: Place = (key,) if isinstance(asked, str) else (key, number)
            target = _inside(tree, source, place, entry, path.absolute().parent, folder)
            if target is not None:
                _add_named(tree, source, place, target, entry, folder, [*above, path.resolve()])
    tree.graft(own, (), source, ())


def _add_named(
    tree: SourceTree,
    source: Source,
    place: Place,
    target: Path,
    entry: str,
    folder: Path,
    above: list[Path],
) -> None:
    """Add a file that another one names, as `entry`."""
    name = target.relative_to(folder).as_posix()
    tree.files.append(target)
    if not target.exists():
        _tell(tree, source, place, f"there is no file {entry[:300]!r}")
    elif target in above:
        _tell(tree, source, place, f"{name!r} is not allowed: it includes itself")
    elif len(tree.sources) >= MOST_FILES:
        _tell(tree, source, place, f"more than {MOST_FILES} files are not allowed")
    elif place[0] == "import":
        with reading_within(None) as read:
            try:
                made = import_file(target)
            except (ValueError, OSError, RuntimeError) as error:
                _tell(tree, source, place, " ".join(str(error).split()))
                return
            finally:
                tree.files += read
        imported = Source(target, name, "", made)
        tree.sources.append(imported)
        tree.graft(made, (), imported, ())
    else:
        try:
            _add_file(tree, target, name, folder, above)
        except SceneError as error:
            for problem in error.problems:
                if not problem.line:
                    _tell(tree, source, place, problem.message)
                elif problem not in tree.problems:
                    tree.problems.append(problem)


def _inside(
    tree: SourceTree, source: Source, place: Place, entry: Any, beside: Path, folder: Path
) -> Path | None:
    """Return the path of a file inside the scene's folder, or note why it is none."""
    try:
        target = named_file(beside, entry)
        if target.is_relative_to(folder):
            return target
    except ValueError:
        pass
    _tell(
        tree,
        source,
        place,
        f"{shown(entry)} is not allowed; expected a file in the folder of the scene, or below it",
    )
    return None


def _tell(tree: SourceTree, source: Source, place: Place, said: str) -> None:
    tree.problems.append(Problem(source.name, source.line(place), joined(place), said))


def resolve_prefabs(tree: SourceTree) -> None:
    """Apply prefabs to the entities and prefabs that name them."""
    prefabs = tree.data.get("prefabs", {})
    if not isinstance(prefabs, dict):
        return
    entities = tree.data.get("entities", {})
    for name, entity in entities.items() if isinstance(entities, dict) else ():
        if isinstance(entity, dict) and "prefab" in entity:
            _lay_prefabs(tree, ("entities", name), prefabs)


def _lay_prefabs(tree: SourceTree, place: Place, prefabs: dict[str, Any]) -> None:
    seen: list[str] = []
    at = (*place, "prefab")
    wanted = tree.table_at(place)["prefab"]
    while wanted is not None:
        if not isinstance(wanted, str) or wanted not in prefabs:
            known = listed(prefabs) or "none is there"
            if not tree.partial:  # it may be in the file that could not be read
                tree.wrong(
                    at, f"{shown(wanted)} is not allowed; expected the name of a prefab: {known}"
                )
            return
        if wanted in seen or len(seen) >= DEEPEST_PREFAB:
            tree.wrong(at, f"{shown(wanted)} is not allowed: prefabs of prefabs without an end")
            return
        seen.append(wanted)
        prefab = prefabs[wanted]
        if not isinstance(prefab, dict):
            return  # told where prefabs are checked
        at = ("prefabs", wanted, "prefab")
        following = prefab.get("prefab")
        tree.lay_under(
            place,
            {key: value for key, value in prefab.items() if key != "prefab"},
            ("prefabs", wanted),
        )
        wanted = following
