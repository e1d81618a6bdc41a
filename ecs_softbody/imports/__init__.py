"""Imports: bodies, ground and places from pictures, SVG drawings, Tiled maps and LDtk projects.

Each function reads one file and returns plain data: components to spawn. It changes no world. They
need the extra `import`: pip install 'ecs-softbody[import]'.
"""

from ecs_softbody.imports.any_file import KINDS, import_file
from ecs_softbody.imports.found import Found, Imported, Place
from ecs_softbody.imports.ldtk import ldtk
from ecs_softbody.imports.pictures import picture, picture_parts
from ecs_softbody.imports.shapes import Mesh, mesh_of
from ecs_softbody.imports.svg import svg
from ecs_softbody.imports.tiled import tiled

__all__ = [
    "KINDS",
    "Found",
    "Imported",
    "Mesh",
    "Place",
    "import_file",
    "ldtk",
    "mesh_of",
    "picture",
    "picture_parts",
    "svg",
    "tiled",
]
