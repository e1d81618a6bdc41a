"""Files that files name: those in their folder are read, and none elsewhere, however they are
named.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ecs_softbody import scenes
from ecs_softbody.imports import import_file
from tests.imports.samples import a_map, a_project, thing, tile, write

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">'
RECT = {"id": 1, "x": 0, "y": 0, "width": 16, "height": 16}
TILESET = {"name": "t", "tilewidth": 16, "tileheight": 16, "tilecount": 1, "columns": 1}
CELLS = {"type": "tilelayer", "name": "", "width": 1, "height": 1, "data": [1]}


def with_tileset(folder: Path, tileset: dict[str, Any]) -> Path:
    return write(
        folder, "map.tmj", {**a_map(), "layers": [CELLS], "tilesets": [{"firstgid": 1, **tileset}]}
    )


def with_object(folder: Path, one: dict[str, Any]) -> Path:
    return write(
        folder, "map.tmj", {**a_map(), "layers": [{"type": "objectgroup", "objects": [one]}]}
    )


def in_xml(folder: Path, inside: str) -> Path:
    write(folder, "t.tsx", f'<tileset name="t" tilewidth="16" tileheight="16">{inside}</tileset>')
    return with_tileset(folder, {"source": "t.tsx"})


def image(folder: Path, name: str) -> Path:
    return with_tileset(folder, {**TILESET, "image": name})


def image_of_a_tile(folder: Path, name: str) -> Path:
    return with_tileset(folder, {**TILESET, "tiles": [{"id": 0, "image": name}]})


def image_in_xml(folder: Path, name: str) -> Path:
    return in_xml(folder, f'<image source="{escaped(name)}" width="16" height="16"/>')


def tileset(folder: Path, name: str) -> Path:
    return with_tileset(folder, {"source": name})


def template(folder: Path, name: str) -> Path:
    return with_object(folder, {"id": 1, "x": 0, "y": 0, "template": name})


def template_of_a_tile(folder: Path, name: str) -> Path:
    return with_tileset(folder, {**TILESET, "tiles": [tile(0, [{"id": 1, "template": name}])]})


def template_in_xml(folder: Path, name: str) -> Path:
    shape = f'<object id="1" template="{escaped(name)}" x="0" y="0"/>'
    return in_xml(folder, f'<tile id="0"><objectgroup>{shape}</objectgroup></tile>')


def skin(folder: Path, name: str) -> Path:
    named = [{"name": "picture", "type": "string", "value": name}]
    return with_object(folder, thing(1, type="blob", width=16, height=16, properties=named))


def skin_in_a_drawing(folder: Path, name: str) -> Path:
    return write(
        folder,
        "drawing.svg",
        f'{HEAD}<circle r="9" class="blob" data-picture="{escaped(name)}"/></svg>',
    )


def skin_in_a_project(folder: Path, name: str) -> Path:
    raw = a_project()
    fields = [{"__identifier": "picture", "__value": name}]
    raw["levels"][0]["layerInstances"][0]["entityInstances"][0]["fieldInstances"] = fields
    return write(folder, "project.ldtk", raw)


def level(folder: Path, name: str) -> Path:
    raw = a_project()
    raw["levels"] = [
        {"identifier": "a", "layerInstances": None, "externalRelPath": name, "pxWid": 9, "pxHei": 9}
    ]
    return write(folder, "project.ldtk", raw)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


PICTURE: list[Callable[[Path, str], Path]] = [
    image, image_of_a_tile, image_in_xml, skin, skin_in_a_drawing, skin_in_a_project,
]  # fmt: skip
TEXT: list[Callable[[Path, str], Path]] = [
    tileset,
    template,
    template_of_a_tile,
    template_in_xml,
    level,
]
WHAT_TEXT_IS = {
    "tileset": json.dumps({**TILESET, "tiles": [tile(0, [RECT])]}),
    "template": json.dumps({"object": RECT}), "level": json.dumps(a_project()["levels"][0]),
    "template_of_a_tile": json.dumps({"object": RECT}),
    "template_in_xml": json.dumps({"object": RECT}),
}  # fmt: skip


def content(folder: Path, name: str, make: Callable[[Path, str], Path]) -> Path:
    """Write what a door would read."""
    if make in PICTURE:
        Image.new("RGBA", (16, 16), (200, 0, 0, 255)).save(folder / name, "PNG")
    else:
        (folder / name).write_text(WHAT_TEXT_IS[make.__name__])
    return folder / name


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Return a folder that lies in others."""
    (tmp_path / "home" / "game" / "maps" / "inner").mkdir(parents=True)
    return tmp_path / "home" / "game" / "maps"


def refusals(path: Path) -> list[str]:
    """Return what is said of a file that is opened by itself, and as a scene of its own."""
    with pytest.raises(ValueError, match=r"names a file|there is no file") as refused:
        import_file(path)
    return [str(refused.value), *(str(problem) for problem in scenes.check(path))]


@pytest.mark.parametrize("make", [*PICTURE, *TEXT])
def test_a_file_in_the_folder_or_below_it_is_read(
    make: Callable[[Path, str], Path], folders: Path
) -> None:
    for name in ("file", "inner/file", "inner/../file", "./file"):
        content(folders, name.replace("inner/../", ""), make)
        assert import_file(make(folders, name)).entities
        assert not scenes.check(make(folders, name))


@pytest.mark.parametrize("make", [*PICTURE, *TEXT])
def test_a_map_of_tiled_may_name_what_lies_one_folder_above_and_others_not(
    make: Callable[[Path, str], Path], folders: Path
) -> None:
    content(folders.parent, "file", make)
    path = make(folders, "../file")
    if path.suffix == ".tmj":
        assert import_file(path).entities
        assert not scenes.check(path)
    else:
        assert len(refusals(path)) == 2


@pytest.mark.parametrize("make", [*PICTURE, *TEXT])
@pytest.mark.parametrize(
    "name",
    [
        "../../file",
        "../../game/../file",
        "inner/../../../file",
        "{above}",
        "file://{above}",
        "//machine/share/file",
        "\\\\machine\\share\\file",
        "C:\\file",
        "c:file",
        "\\file",
        "",
        "x" * 600,
        "a\0b",
        "\ud800",
    ],
)
def test_a_file_elsewhere_is_not_read(
    make: Callable[[Path, str], Path], name: str, folders: Path
) -> None:
    above = content(folders.parents[1], "file", make)
    try:
        path = make(folders, name.format(above=above))
    except UnicodeEncodeError:
        pytest.skip("XML has no half letters")
    if name == "" and make in (image, image_of_a_tile, image_in_xml):
        pytest.skip("a tileset without a picture")
    for said in refusals_of_names(path, name):
        assert "\n" not in said
        assert len(said) < 500


def refusals_of_names(path: Path, name: str) -> list[str]:
    if "\0" in name and (path.suffix == ".svg" or (path.parent / "t.tsx").exists()):
        with pytest.raises(ValueError, match="is no XML"):
            import_file(path)
        return []
    return refusals(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("make", [*PICTURE, *TEXT])
def test_links_are_followed_before_a_file_is_read(
    make: Callable[[Path, str], Path], folders: Path
) -> None:
    above = content(folders.parents[1], "file", make)
    (folders / "link").symlink_to(above)
    (folders / "folder").symlink_to(folders.parents[1])
    (folders / "circle").symlink_to(folders / "circle")
    for name in ("link", "folder/file", "circle"):
        assert refusals(make(folders, name))
    (folders / "near").symlink_to(content(folders / "inner", "file", make))
    assert import_file(make(folders, "near")).entities


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes there")
@pytest.mark.parametrize("make", [*PICTURE, *TEXT])
def test_what_is_no_plain_file_is_not_waited_for(
    make: Callable[[Path, str], Path], folders: Path
) -> None:
    os.mkfifo(folders / "pipe")
    for name in ("pipe", "inner", "."):
        assert refusals(make(folders, name))


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_map_that_is_a_link_is_opened_where_it_is(folders: Path) -> None:
    content(folders, "file", image)
    (folders / "inner" / "link.tmj").symlink_to(image(folders, "file"))
    content(folders / "inner", "file", image)
    assert import_file(folders / "inner" / "link.tmj").entities
    assert not scenes.check(folders / "inner" / "link.tmj")


def test_the_folder_of_a_scene_counts_for_all_that_it_imports(folders: Path) -> None:
    content(folders.parent, "file", image)
    skin_in_a_drawing(folders, "../file")
    image(folders, "../file")
    for name in ("map.tmj", "drawing.svg"):
        (folders.parent / "scene.toml").write_text(f'import = "maps/{name}"\n')
        assert not scenes.check(folders.parent / "scene.toml")
        (folders / "scene.toml").write_text(f'import = "{name}"\n')
        assert "outside of the folder" in str(scenes.check(folders / "scene.toml")[0])


@pytest.mark.parametrize("key", ["include", "import", "skin"])
@pytest.mark.parametrize(
    "name",
    ["../file.toml", "/file.toml", "C:\\file.toml", "\\\\a\\b\\file.toml", "file:///x.toml", ""],
)
def test_files_that_a_scene_names(key: str, name: str, folders: Path) -> None:
    (folders.parent / "file.toml").write_text("")
    quoted = json.dumps(name)
    entity = f"[entities.a]\nskin = {quoted}\nball = {{ center = [0, 0], radius = 1 }}\n"
    (folders / "scene.toml").write_text(entity if key == "skin" else f"{key} = {quoted}\n")
    problems = scenes.check(folders / "scene.toml")
    assert len(problems) == 1
    assert "is not allowed; expected" in str(problems[0])
