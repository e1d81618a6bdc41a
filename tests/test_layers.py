"""Who may import whom: rooms look downwards only, and games see public names only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ecs_softbody"
GAMES = ROOT / "games" / "ecs_softbody_games"

FILES_OF_GAMES = sorted(GAMES.rglob("*.py"))

BASICS = {"numpy", "arrays", "indices", "validation", "files", "reading", "weak_set"}
NUMBERS = {"parallel", "elementary"}
PHYSICS = {
    "storage",
    "components",
    *NUMBERS,
    "geometry",
    "kernels",
    "collision",
    "fracture",
    "processors",
    *BASICS,
}
WINDOW = {"pyglet", "PIL", "esper", "components", "simulation", "ecs_softbody", *BASICS}
ALLOWED: dict[str, set[str]] = {
    "arrays": {"numpy"},
    "indices": {"numpy", "arrays"},
    "files": set(),
    "reading": set(),
    "weak_set": set(),
    "validation": {"numpy", "arrays"},
    "storage": {"esper", *BASICS},
    "components": {"esper", "storage", "elementary", *BASICS},
    "parallel": {"numpy", "numba", "llvmlite", "files"},
    "elementary": {"numpy", "arrays", "indices", "parallel"},
    "geometry": {"storage", *NUMBERS, *BASICS},
    "kernels": {"geometry", *NUMBERS, *BASICS},
    "collision": {"storage", "geometry", *NUMBERS, *BASICS},
    "crowding": {"collision", "components", "elementary", "storage", *BASICS},
    "fracture": {"esper", "components", "elementary", "geometry", "kernels", "storage", *BASICS},
    "processors": {"esper", *PHYSICS},
    "blueprints": {"components", "elementary", "geometry", *BASICS},
    "state": {"esper", "storage", "parallel", "crowding", *BASICS},
    "simulation": {"esper", "state", *PHYSICS},
    "__init__": {"blueprints", "simulation", "state", *PHYSICS},
    "rendering": {"processors", "state", "storage", "geometry", "mapbox_earcut", *NUMBERS, *WINDOW},
    "imports": {
        "PIL",
        "crowding",
        "elementary",
        "geometry",
        "blueprints",
        "rendering",
        "simulation",
        "components",
        *BASICS,
    },
    "scenes": {
        "esper",
        "crowding",
        "elementary",
        "tomlkit",
        "blueprints",
        "processors",
        "simulation",
        "rendering",
        "state",
        "storage",
        "components",
        "ecs_softbody",
        *BASICS,
    },
    "play": {"scenes", *NUMBERS, "imageio_ffmpeg", "platformdirs", "rendering", "state", *WINDOW},
    "inspector": {
        "play",
        "scenes",
        "blueprints",
        "rendering",
        "storage",
        "parallel",
        "imgui_bundle",
        *WINDOW,
    },
    "web": {"play", "rendering", "parallel", "ecs_softbody", "platformdirs", *BASICS},
    "cli": {
        "esper",
        "web",
        "PIL",
        "blueprints",
        "simulation",
        "rendering",
        "imports",
        "scenes",
        "play",
        "ecs_softbody",
        *PHYSICS,
    },
    "__main__": {"cli"},
    "building": {
        "hatch_build",
        "stamp",
        "hatchling",
        "PyInstaller",
        "numba",
        "llvmlite",
        "arrays",
        "parallel",
        "imports",
        *BASICS,
    },
    "compiled": set(),
}
"""Room -> what it may import besides the standard library and itself: rooms, and packages from
elsewhere.
"""
BY_NAME = {
    "scenes": {"imports"},  # where a scene names a drawing or a map
    "play": {"inspector"},  # where somebody opens it
    # which the build writes, and which has no kernels
    "parallel": {"compiled", "indices"},
    "cli": {"games"},  # the group of entry points
    # what builds kernels for pages; the group of entry points
    "web": {"building", "games"},
    # what the packaged game needs, or not
    "building": {"cli", "__main__", "compiled", "rendering"},
}
"""Room -> what it names, beside that, in texts as `import_module` takes them."""
MODULE = re.compile(r"ecs_softbody(\.[a-z_]+)+(:\w+)?")
"""A text that names a module of the package, or something in it."""
GAMES_MAY_IMPORT = {
    "numpy",
    "esper",
    "ecs_softbody",
    "ecs_softbody.blueprints",
    "ecs_softbody.elementary",
    "ecs_softbody.imports",
    "ecs_softbody.indices",
    "ecs_softbody.play",
    "ecs_softbody.rendering",
    "ecs_softbody.scenes",
}


REACHING_FILES = {
    "internals.py",
    "twin_of_contacts.py",
    "test_cost_of_sleepers.py",
    "test_narrow_phase.py",
}
"""Files of the tests that may use private names of the library: the first one, and those that
measure collisions.
"""


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield (line, module, name) of every import in a file, the ones inside functions too; name may
    be ''.
    """
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node.lineno, "." * node.level + (node.module or ""), alias.name


def named_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, module) of every text in a file that is the name of a module of the package."""
    for node in ast.walk(tree_of(path)):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and MODULE.fullmatch(node.value)
        ):
            yield node.lineno, node.value.partition(":")[0]


def room_of(path: Path, package: Path) -> str:
    return path.relative_to(package).parts[0].removesuffix(".py")


def target_of(module: str, name: str, rooms: set[str]) -> str:
    """What an import reaches: a room of the package, "ecs_softbody" itself, or a package from
    elsewhere.
    """
    parts = module.split(".")
    if parts[0] != "ecs_softbody":
        return parts[0]
    if len(parts) > 1:
        return parts[1]
    return name if name in rooms else "ecs_softbody"


def stray_imports(package: Path) -> list[str]:
    """Every import of the package that its room may not make, as "file:line: ..."."""
    rooms = {room_of(path, package) for path in package.rglob("*.py")}
    found = []
    for path in sorted(package.rglob("*.py")):
        room = room_of(path, package)
        place = path.relative_to(package.parent).as_posix()
        if room not in ALLOWED:
            found.append(f"{place}: the room {room!r} has no line in ALLOWED yet")
            continue
        for line, module, name in imports(path):
            target = target_of(module, name, rooms)
            if module.startswith("."):
                found.append(f"{place}:{line}: relative import; write the whole name")
            elif target not in ALLOWED[room] | {room} and target not in sys.stdlib_module_names:
                found.append(f"{place}:{line}: {room} may not import {target}")
        for line, module in named_modules(path):
            target = target_of(module, "", rooms)
            if target not in ALLOWED[room] | BY_NAME.get(room, set()) | {room}:
                found.append(f"{place}:{line}: {room} may not name {target}")
    return found


def public_names(path: Path) -> set[str]:
    """The names in a module's `__all__`, or imported "as" themselves, read without importing it."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.name for alias in node.names if alias.name == alias.asname}
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.List)
            and ast.unparse(node.targets[0]) == "__all__"
        ):
            found |= set(ast.literal_eval(node.value))
    assert found, f"{path} has no public names"
    return found


def names_for_games(package: Path) -> dict[str, set[str]]:
    modules = ("blueprints", "elementary", "imports", "play", "rendering", "scenes")
    public = {
        "ecs_softbody": public_names(package / "__init__.py")
        | public_names(package / "components" / "__init__.py")
        | set(modules)
    }
    for module in modules:
        public[f"ecs_softbody.{module}"] = public_names(package / module / "__init__.py")
    return public


def private_uses(path: Path, public: dict[str, set[str]]) -> list[str]:
    """Every use that a game makes of something that is not a public name."""
    found = []
    for line, module, name in imports(path):
        root = module.split(".")[0]
        if root in sys.stdlib_module_names or root == "ecs_softbody_games":
            continue
        if module not in GAMES_MAY_IMPORT and root not in GAMES_MAY_IMPORT - {"ecs_softbody"}:
            found.append(f"{path.name}:{line}: games may not import {module}")
        elif module in public and name and name not in public[module]:
            found.append(f"{path.name}:{line}: {module}.{name} is not a public name")
    return found + private_reaches(path)


def private_reaches(path: Path) -> list[str]:
    """Every attribute in a file that starts with one underscore and that is none of its own."""
    found = []
    tree = tree_of(path)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    own |= {
        node.attr
        for node in attributes(tree)
        if isinstance(node.ctx, ast.Store) and owner_of(node) == "self"
    }
    for node in attributes(tree):
        private = node.attr.startswith("_") and not node.attr.startswith("__")
        if private and owner_of(node) not in ("self", "cls", "os") and node.attr not in own:
            found.append(
                f"{path.name}:{node.lineno}: {ast.unparse(node)} reaches for a private name"
            )
    return found


def attributes(tree: ast.AST) -> list[ast.Attribute]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]


def owner_of(node: ast.Attribute) -> str:
    return node.value.id if isinstance(node.value, ast.Name) else ""


def test_rooms_import_downwards_only() -> None:
    assert stray_imports(PACKAGE) == []


@pytest.mark.brief(3)
@pytest.mark.parametrize(
    "path", FILES_OF_GAMES, ids=lambda path: path.relative_to(GAMES).as_posix()
)
def test_games_use_public_names_only(path: Path) -> None:
    assert private_uses(path, names_for_games(PACKAGE)) == []


@pytest.mark.slow
def test_one_file_of_the_tests_reaches_for_private_names() -> None:
    files = [
        path for path in sorted((ROOT / "tests").rglob("*.py")) if path.name not in REACHING_FILES
    ]
    assert [found for path in files for found in private_reaches(path)] == []


@pytest.mark.parametrize(
    ("room", "source", "complaint"),
    [
        ("kernels", "import pyglet", "kernels may not import pyglet"),
        (
            "kernels",
            "from ecs_softbody.components import Particles",
            "kernels may not import components",
        ),
        ("components", "def f():\n    from numba import njit", "components may not import numba"),
        ("storage", "from ecs_softbody import components", "storage may not import components"),
        ("blueprints", "import esper", "blueprints may not import esper"),
        (
            "simulation",
            "from ecs_softbody.rendering import Game",
            "simulation may not import rendering",
        ),
        (
            "simulation",
            'import_module("ecs_softbody.rendering")',
            "simulation may not name rendering",
        ),
        ("processors", "from ..components import Particles", "relative import"),
        ("helpers", "", "has no line in ALLOWED"),
    ],
)
def test_the_check_finds_a_stray_import(
    tmp_path: Path, room: str, source: str, complaint: str
) -> None:
    package = tmp_path / "ecs_softbody"
    for name in {room, "components"}:
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / room / "stray.py").write_text(source)
    assert any(complaint in found for found in stray_imports(package))


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("from ecs_softbody.storage import Column", "games may not import ecs_softbody.storage"),
        ("from ecs_softbody import _hidden", "ecs_softbody._hidden is not a public name"),
        ("import numba", "games may not import numba"),
        ("def f(sim):\n    return sim._buffers", "sim._buffers reaches for a private name"),
    ],
)
def test_the_check_finds_a_private_use_in_a_game(
    tmp_path: Path, source: str, complaint: str
) -> None:
    game = tmp_path / "game.py"
    game.write_text(source)
    public = {"ecs_softbody": {"Simulation"}, "ecs_softbody.blueprints": {"blob"}}
    assert any(complaint in found for found in private_uses(game, public))


def test_the_physics_needs_no_window() -> None:
    code = (
        "import sys, ecs_softbody; sys.exit('pyglet was imported' if 'pyglet' in "
        "sys.modules else 0)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert run.returncode == 0, run.stderr
