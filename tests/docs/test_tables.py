"""Tables of the documentation say what the code says: columns with units and shapes, the order of a
step.
"""

from __future__ import annotations

import dataclasses
import operator
import re
from pathlib import Path

import pytest

from ecs_softbody import ContactEvent, Contacts, Hit, Simulation, blueprints, components
from ecs_softbody.cli.main import main
from ecs_softbody.play import RESERVED_KEYS, Game
from ecs_softbody.play.screens.overlays import SESSION_KEYS
from ecs_softbody.processors import SOLVERS
from ecs_softbody.rendering import Look
from ecs_softbody.simulation.queries import WorldQueries
from ecs_softbody.storage import Column, Component, Value, declared_columns, declared_values
from tests.docs import order_page
from tests.helpers.internals import processors_of_the_world

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `(\w+)` \| `(.*?)` \| (.*?) \| .+ \|$", re.MULTILINE)
ROW_LETTER = {
    "Particles": "N",
    "Springs": "M",
    "AngularSprings": "T",
    "Muscles": "U",
    "AngularMuscles": "W",
    "PressureBody": "K",
    "AreaConstraint": "K",
    "ShapeMatching": "S",
    "Collider": "K",
    "StaticCollider": "V",
    "Attachment": "A",
    "DistanceLimits": "M",
    "Motor": "B",
    "MouseJoint": "A",
    "Magnet": "G",
}
PAGES = ("components.md", "joints.md", "materials.md", "fields.md", "muscles.md", "characters.md")
"""Pages with a section, and in it a table, for each component."""
KINDS = [
    kind
    for name, kind in vars(components).items()
    if isinstance(kind, type) and name in components.__all__
]


def declared(kind: type[Component]) -> dict[str, Column | Value]:
    return declared_columns(kind) | declared_values(kind)


def row_of(kind: type[Component], entry: Column | Value) -> tuple[str, str]:
    """Return the shape and the unit that the table has to show."""
    if isinstance(entry, Column):
        letter = ROW_LETTER[kind.__name__]
        shape = f"({letter}, {entry.width})" if entry.width > 1 else f"({letter},)"
    else:
        shape = (
            f"({entry.width},)"
            if entry.width > 1
            else entry.dtype.name.rstrip("0123456789_").removeprefix("u")
        )
    return shape, "" if entry.unit == "1" else entry.unit


def sections(page: str) -> dict[str, str]:
    """Return the text below each heading of the second level."""
    path = ROOT / "docs" / page
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_page_shows_every_column_of_a_component_with_shape_and_unit(
    kind: type[Component],
) -> None:
    section = {title: text for page in PAGES for title, text in sections(page).items()}[
        kind.__name__
    ]
    shown = {name: (shape, unit.strip()) for name, shape, unit in ROW.findall(section)}
    for name, entry in declared(kind).items():
        if not entry.engine:
            assert shown.get(name) == row_of(kind, entry), f"{kind.__name__}.{name}"
    for name, row in shown.items():
        assert name in declared(kind), f"{kind.__name__} has no {name}"
        assert row == row_of(kind, declared(kind)[name])


def test_the_page_of_the_order_is_as_declared() -> None:
    assert order_page.PAGE.read_text(encoding="utf-8") == order_page.page(), (
        "python -m tests.docs writes it anew"
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_two_processors_of_a_simulation_have_one_number(solver: str) -> None:
    sim = Simulation(world=f"numbers of {solver}", solver=solver)
    with sim:
        numbers = [one.priority for one in processors_of_the_world()]
    sim.close()
    assert numbers == sorted(set(numbers), reverse=True)


def test_the_readme_has_both_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for mark, last_words in (("play", "ecs-softbody play"), ("test", "python -m pytest")):
        block = re.search(rf"<!-- command: {mark} -->\n```sh\n(.*?)```", text, re.DOTALL)
        assert block is not None, f"the mark 'command: {mark}'"
        assert block[1].startswith("python3 -m venv .venv && .venv/bin/pip install -e ")
        assert block[1].strip().endswith(last_words)
        assert block[1].count("\n") == 1


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(
            r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")
        ):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_files_that_a_page_names_exist() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for named in re.findall(
            r"`((?:\w+/)+\w+\.\w+|(?:\w+/)+)`", page.read_text(encoding="utf-8")
        ):
            assert any((room / named).exists() for room in (ROOT, ROOT / "ecs_softbody")), (
                f"{page.name} names {named}"
            )


def test_the_readme_has_the_keys_of_the_session() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("## Keys")[2].partition("## ")[0]
    shown = {key.lower() for key in re.findall(r"`([^`]+)`", table)}
    assert {key for key, _ in SESSION_KEYS} <= shown
    renamed = {"comma": ",", "period": ".", "escape": "esc"}
    assert {renamed.get(key, key) for key in RESERVED_KEYS} <= shown


def test_the_readme_and_the_game_page_name_every_command() -> None:
    pages = "".join(
        (ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/write_a_game.md")
    )
    for command in ("play", "record", "games", "bench", "warmup"):
        assert f"ecs-softbody {command}" in pages
        with pytest.raises(SystemExit) as left:
            main([command, "--help"])
        assert left.value.code == 0


def test_the_fields_of_contacts_are_told() -> None:
    text = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    table = text.partition("## What touches what")[2].partition("## ")[0]
    for field in Contacts.saved:
        assert re.search(rf"^\|.*`{field.name}`.*\| `\(C", table, re.MULTILINE), field.name


def test_the_page_of_contacts_tells_events_hits_and_queries() -> None:
    shown = sections("contacts_and_queries.md")
    for kind, section in ((ContactEvent, "Events"), (Hit, "Queries")):
        for field in filter(operator.attrgetter("repr"), dataclasses.fields(kind)):
            assert re.search(rf"^\|.*`{field.name}`.*\|$", shown[section], re.MULTILINE), field.name
    for name in ("contact_begin", "contact_stay", "contact_end"):
        assert f"| `{name}` |" in shown["Events"]
    for name in vars(WorldQueries):
        if not name.startswith("_") and hasattr(Simulation, name):
            assert f"| `{name}(" in shown["Queries"], name


def test_every_blueprint_and_what_it_returns_is_told() -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    bodies = {
        "ball": blueprints.ball((0, 0), 1.0),
        "blob": blueprints.blob((0, 0), 1.0),
        "box": blueprints.box((0, 0), 1.0),
        "polygon": blueprints.polygon([(0, 0), (1, 0), (0, 1)]),
        "rope": blueprints.rope((0, 0), (1, 0)),
        "rod": blueprints.rod((0, 0), (1, 0)),
        "cloth": blueprints.cloth((0, 0), 1.0),
        "wheel": blueprints.wheel((0, 0), 1.0),
    }
    assert set(bodies) == set(blueprints.__all__) - {
        "radius_of",
        "hinge",
        "axle",
        "Material",
        "MATERIALS",
    }
    for name, body in bodies.items():
        row = re.search(rf"^\| `{name}` \| (.+?)(?::.*)? \|$", text, re.MULTILINE)
        assert row is not None, name
        assert row[1] == ", ".join(f"`{type(component).__name__}`" for component in body), name


def table_of(mark: str) -> list[list[str]]:
    """Return the rows of a table of the page on firmness, without its head."""
    text = (ROOT / "docs" / "firmness.md").read_text(encoding="utf-8")
    found = text.partition(f"<!-- {mark}: made by benchmarks/materials.py -->")[2].partition(
        f"<!-- {mark}: end"
    )[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in found.split("\n")
        if "|" in line
    ][2:]


def test_the_materials_are_told_in_numbers_and_pictures() -> None:
    shown = {row[0].strip("`"): [float(cell) for cell in row[1:]] for row in table_of("numbers")}
    fields = ("firmness", "damping_ratio", "restitution", "friction", "density")
    assert shown == {
        name: [getattr(made, field) for field in fields]
        for name, made in blueprints.MATERIALS.items()
    }
    page = (ROOT / "docs" / "firmness.md").read_text(encoding="utf-8")
    assert all(f"(images/material-{name}.png)" in page for name in blueprints.MATERIALS)
    assert all(f"| `{field.name}` |" in page for field in dataclasses.fields(blueprints.Material))


def test_the_tables_of_the_materials_rise_with_firmness() -> None:
    falls = table_of("falls")
    sizes = table_of("sizes")
    firmness = table_of("firmness")
    assert [row[0] for row in falls] == [row[0] for row in sizes] == list(blueprints.MATERIALS)
    towers = [int(row[-1].split()[0]) for row in falls]
    assert towers == sorted(towers)
    assert [float(row[0]) for row in firmness] == sorted(float(row[0]) for row in firmness)
    for table, columns in (
        (falls, (1, 2, 3, 4)),
        (sizes, range(1, len(sizes[0]))),
        (firmness, (1, 2, 3)),
    ):
        for column in columns:
            found = [float(row[column]) for row in table]
            assert found == sorted(found), (table[0], column)
    for row in sizes:
        assert max(map(float, row[1:])) - min(map(float, row[1:])) <= 0.08, row


def test_everything_that_a_game_and_a_look_have_is_told() -> None:
    text = (ROOT / "docs" / "write_a_game.md").read_text(encoding="utf-8")
    for name in [*vars(Game), *dataclass_fields(Look)]:
        if not name.startswith("_") and name not in ("close", "sim"):
            assert re.search(rf"^\|.*`{name}[`(].*\|$", text, re.MULTILINE), name


def dataclass_fields(kind: type) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]
