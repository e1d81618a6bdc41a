"""Builds the library of compiled kernels: numba lowers them, LLVM emits objects, a C compiler links
them.
"""

from pathlib import Path


def hook_folders() -> list[str]:
    """Return where PyInstaller finds what it has to know of this package."""
    return [str(Path(__file__).parent / "packaging")]
