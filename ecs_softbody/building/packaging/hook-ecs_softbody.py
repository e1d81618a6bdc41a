"""Tells PyInstaller what a game needs: the library of kernels and what loads it, and no compiler."""

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("ecs_softbody.compiled", include_py_files=False)
hiddenimports = ["ecs_softbody.compiled._calls"]
excludedimports = ["numba", "llvmlite"]
