"""Tells PyInstaller which scene files the included games read."""

from PyInstaller.utils.hooks import collect_data_files

datas = collect_data_files("ecs_softbody_games", include_py_files=False)
