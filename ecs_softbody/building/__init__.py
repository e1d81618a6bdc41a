"""Builds the library of compiled kernels: numba lowers them, LLVM emits objects, a C compiler links
them.
"""

from pathlib import Path


def hook_folders() -> list[str]:
    """Return the folders with PyInstaller's hooks for this package."""
    return [str(Path(__file__).parent / "packaging")]
