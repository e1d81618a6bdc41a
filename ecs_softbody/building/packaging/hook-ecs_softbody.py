"""Tells PyInstaller what a game needs: the library of kernels and what loads it, the texts, and no compiler."""

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("ecs_softbody.compiled", include_py_files=False)
datas += collect_data_files("ecs_softbody.rendering.texts", includes=["*.toml"])
hiddenimports = ["ecs_softbody.compiled._calls"]
excludedimports = ["numba", "llvmlite"]
