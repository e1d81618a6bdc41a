"""Packaged games: what PyInstaller is told. CI packs a game and starts it (.ci/packed)."""

from __future__ import annotations

import pkgutil
import re
import runpy
import shutil
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import ecs_softbody
from ecs_softbody.building import hook_folders
from ecs_softbody.imports.reading import PACKAGES
from ecs_softbody.parallel import compiling
from ecs_softbody.parallel.library import FOLDER, Library, Unusable, read_list
from ecs_softbody.rendering import WHERE

PACKAGE = Path(ecs_softbody.__file__).parent
needs_library = pytest.mark.skipif(
    compiling.LIBRARY is None, reason="kernels come from elsewhere, or none is built"
)


def said_by_hook(
    monkeypatch: pytest.MonkeyPatch, work: Path, *, is_darwin: bool = False, upx: bool = False
) -> Any:
    """Run the hook with stand-ins for PyInstaller's own functions; return what it says."""

    def stand_in(name: str, **content: Any) -> None:
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)

    def collect_submodules(package: str, filter: Any) -> list[str]:
        found = [
            package,
            *(each.name for each in pkgutil.walk_packages([str(PACKAGE)], f"{package}.")),
        ]
        return [name for name in found if filter(name)]

    def collect_data_files(package: str, **_: Any) -> list[tuple[str, str]]:
        folder = PACKAGE.joinpath(*package.split(".")[1:])
        return [
            (str(path), package.replace(".", "/"))
            for path in folder.iterdir()
            if path.suffix in (".json", ".bin")
        ]

    for name in ("PyInstaller", "PyInstaller.utils"):
        stand_in(name)
    stand_in("PyInstaller.compat", is_darwin=is_darwin)
    stand_in("PyInstaller.config", CONF={"upx_available": upx, "workpath": str(work)})
    stand_in(
        "PyInstaller.utils.hooks",
        collect_submodules=collect_submodules,
        collect_data_files=collect_data_files,
    )
    (folder,) = hook_folders()
    return runpy.run_path(str(Path(folder) / "hook-ecs_softbody.py"))


def test_the_packages_of_importers_are_those_of_the_extra() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    extra = [re.match(r"[\w-]+", each)[0] for each in project["optional-dependencies"]["import"]]  # type: ignore[index]
    assert sorted(name.replace("-", "_") for name in extra) == sorted(PACKAGES)
    sources = [path.read_text(encoding="utf-8") for path in (PACKAGE / "imports").rglob("*.py")]
    assert {
        name for source in sources for name in re.findall(r'\bpackage\("(\w+)"\)', source)
    } == set(PACKAGES)


@needs_library
def test_what_is_imported_by_its_name_comes_along(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = said_by_hook(monkeypatch, tmp_path)
    by_name = {
        "imports.scene_tables",
        "inspector.opening",
        "compiled._calls",
        *(f"rendering.{at}" for at in WHERE.values()),
    }
    assert {f"ecs_softbody.{name}" for name in by_name} <= set(said["hiddenimports"])
    assert set(PACKAGES) & set(said["hiddenimports"]) == {
        name for name in PACKAGES if find_spec(name)
    }
    assert not [
        name
        for name in said["hiddenimports"]
        if re.match(r"ecs_softbody\.(cli|building|__main__)", name)
    ]


@needs_library
@pytest.mark.parametrize("change", [{}, {"is_darwin": True}, {"upx": True}])
def test_machine_code_that_is_signed_or_compressed_later_has_no_digest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: dict[str, bool]
) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    shutil.copy(next(FOLDER.glob("_calls.*")), packed)
    for path, to in said_by_hook(monkeypatch, tmp_path, **change)["datas"]:
        if to.endswith("compiled"):
            shutil.copy(path, packed)
    assert Library(packed).path.parent == packed
    assert read_list(packed)["entries"] == read_list(FOLDER)["entries"]
    for library in [*packed.glob("kernels-*")]:
        signed = library.read_bytes() + b"signature"
        library.unlink()  # it is loaded: nobody may write to it
        library.write_bytes(signed)
    if change:
        assert Library(packed).path.parent == packed
    else:
        with pytest.raises(Unusable, match="is damaged"):
            Library(packed)
