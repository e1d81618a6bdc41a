"""The build backend: hatchling's, which requests the compiler only if there is something to
compile.

Repeated installations in the same folder, as by the README's second command, do not wait for
packages that the build would not use.
"""

from __future__ import annotations

from typing import Any

from hatch_build import BROUGHT, PACKAGE
from hatchling import build
from hatchling.build import *  # noqa: F403  (the functions that pip and uv call)
from stamp import is_built


def get_requires_for_build_editable(config_settings: dict[str, Any] | None = None) -> list[str]:
    """Return the packages that an editable install needs on this machine."""
    needed = build.get_requires_for_build_editable(config_settings)
    return [
        package for package in needed if not (is_built(PACKAGE) and package.startswith(BROUGHT))
    ]
