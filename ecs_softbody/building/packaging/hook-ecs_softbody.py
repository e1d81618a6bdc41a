"""PyInstaller hook: adds modules imported by name, the library of kernels and the texts, no
compiler.
"""

from importlib.util import find_spec
from pathlib import Path

from PyInstaller.compat import is_darwin
from PyInstaller.config import CONF
from PyInstaller.utils.hooks import collect_data_files, collect_submodules

from ecs_softbody.imports.reading import PACKAGES
from ecs_softbody.parallel.library import FOLDER, LIST, MODULE, Library, read_list, sealed

NOT_PLAYED = ("ecs_softbody.building", "ecs_softbody.cli", "ecs_softbody.__main__")

Library()  # raises if missing: the packaged game could not start
datas = collect_data_files("ecs_softbody.compiled", include_py_files=False)
datas += collect_data_files("ecs_softbody.rendering", includes=["texts/*.toml", "fonts/*"])
hiddenimports = [
    MODULE,
    *collect_submodules("ecs_softbody", filter=lambda name: not name.startswith(NOT_PLAYED)),
]
hiddenimports += [name for name in PACKAGES if find_spec(name)]
excludedimports = ["numba", "llvmlite", "imgui_bundle"]
if is_darwin or CONF["upx_available"]:
    # Machine code is signed or compressed later, which changes its digests.
    unsealed = Path(CONF["workpath"]) / LIST
    unsealed.write_bytes(sealed(read_list(FOLDER) | {"files": {}}))
    datas = [(str(unsealed), to) if Path(path).name == LIST else (path, to) for path, to in datas]
