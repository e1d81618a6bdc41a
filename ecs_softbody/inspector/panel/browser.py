"""Browser: the tree of entities and components, above the values of the selected entity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from ecs_softbody.inspector.model.entities import Row
from ecs_softbody.inspector.model.fields import WORLD_FIELDS, Field
from ecs_softbody.inspector.model.inspection import Inspection
from ecs_softbody.inspector.panel.widgets import Widgets

TREE_SHARE = 0.36
"""Of the height that is left for tree and values."""
LEAST_HEIGHT = 60.0
"""Least height of the tree and of the values [pixels]."""
INDENT = 18.0
"""Indent of the components of an entity [pixels]."""
AXES = "xyzw"
"""Letters behind the name of a field with several entries."""


class Line(NamedTuple):
    """One line of values: a header, or a field."""

    component: Any
    field: Field | None = None
    entry: int | None = None
    is_rows: bool = False


class Browser:
    """Shows the entities of a world and their values; only visible lines are read and drawn."""

    def __init__(self, widgets: Widgets) -> None:
        self._widgets = widgets
        self._imgui = widgets.imgui
        self._shown: int | None = -1
        self._scroll_to: int | None = None
        self._values_of: str | None = None
        """A component whose values are to be scrolled to."""
        self._folded: set[str] = set()
        self._rows: dict[type[Any], int] = {}

    def draw(self, inspection: Inspection, below: float) -> None:
        """Draw both parts, and leave the height `below` [pixels] for the rest of the panel."""
        imgui = self._imgui
        tree = inspection.tree
        if inspection.selected != self._shown:
            self._shown = self._scroll_to = inspection.selected
            self._rows.clear()
            self._widgets.forget()
        imgui.separator_text(f"Entities: {tree.count}")
        text = self._widgets.text_box("filter", "name or component", tree.text)
        if text != tree.text:
            tree.text = text
            tree.refresh(inspection.sim)
        upper = max(TREE_SHARE * (imgui.get_content_region_avail().y - below), LEAST_HEIGHT)
        if imgui.begin_child("tree", imgui.ImVec2(0.0, upper), imgui.ChildFlags_.borders):
            self._draw_tree(inspection)
        imgui.end_child()
        self._draw_title(inspection)
        rest = max(imgui.get_content_region_avail().y - below, LEAST_HEIGHT)
        if imgui.begin_child("values", imgui.ImVec2(0.0, rest), imgui.ChildFlags_.borders):
            self._draw_values(inspection)
        imgui.end_child()

    def _draw_tree(self, inspection: Inspection) -> None:
        imgui = self._imgui
        rows = inspection.tree.rows
        if imgui.selectable("World", inspection.selected is None)[0]:
            inspection.select(None)
        if self._scroll_to is not None and Row(self._scroll_to) in rows:
            line = imgui.get_text_line_height_with_spacing()
            imgui.set_scroll_y(max((rows.index(Row(self._scroll_to)) - 1) * line, 0.0))
            self._scroll_to = None
        height = imgui.get_text_line_height_with_spacing()
        for number in self._seen(len(rows), height):
            self._draw_row(inspection, rows[number])

    def _draw_row(self, inspection: Inspection, row: Row) -> None:
        """Draw one line of the tree: its arrow opens it, the rest chooses it."""
        imgui = self._imgui
        tree = inspection.tree
        flags = imgui.TreeNodeFlags_
        chosen = flags.selected if inspection.selected == row.entity and row.kind is None else 0
        common = flags.no_tree_push_on_open | flags.span_avail_width | chosen
        imgui.push_id(int(row.entity))
        if row.kind is None:
            is_open = row.entity in tree.opened
            imgui.set_next_item_open(is_open)
            label = inspection.names.label(inspection.sim, row.entity)
            summary = tree.summary(inspection.sim, row.entity)
            now = imgui.tree_node_ex(f"{label}   {summary}###entity", common | flags.open_on_arrow)
            if imgui.is_item_clicked() and not imgui.is_item_toggled_open():
                inspection.select(row.entity)
            if now != is_open:
                (tree.opened.add if now else tree.opened.discard)(row.entity)
                tree.refresh(inspection.sim)
        else:
            imgui.indent(INDENT)
            imgui.tree_node_ex(row.kind.__name__, common | flags.leaf | flags.bullet)
            if imgui.is_item_clicked():
                inspection.select(row.entity)
                self._values_of = row.kind.__name__
                self._folded.discard(self._values_of)
            imgui.unindent(INDENT)
        imgui.pop_id()

    def _draw_title(self, inspection: Inspection) -> None:
        imgui = self._imgui
        entity = inspection.selected
        if entity is None:
            imgui.separator_text("World")
            return
        imgui.separator_text(inspection.names.label(inspection.sim, entity))
        if imgui.small_button("delete"):
            inspection.delete(entity)
        imgui.same_line()
        scene = inspection.scene
        lasting = scene is not None and inspection.names.of(inspection.sim, entity)
        imgui.text_disabled(
            "of the scene file" if lasting else "made by the game: changes last for this round"
        )

    def _lines(self, inspection: Inspection) -> list[Line]:
        """Return the lines of values; folded components have only a header."""
        if inspection.selected is None:
            return [line for field in WORLD_FIELDS for line in _entries(inspection.sim, field)]
        found = []
        for component in inspection.components(inspection.selected):
            found.append(Line(component))
            if type(component).__name__ not in self._folded:
                fields = inspection.fields(component)
                if any(field.per_row for field in fields):
                    found.append(Line(component, is_rows=True))
                found += [line for field in fields for line in _entries(component, field)]
        return found

    def _draw_values(self, inspection: Inspection) -> None:
        imgui = self._imgui
        lines = self._lines(inspection)
        height = imgui.get_frame_height_with_spacing()
        headers = [
            number for number, line in enumerate(lines) if line.field is None and not line.is_rows
        ]
        for number in headers if self._values_of is not None else []:
            if type(lines[number].component).__name__ == self._values_of:
                imgui.set_scroll_y(number * height)
        self._values_of = None
        for number in self._seen(len(lines), height):
            self._draw_line(inspection, lines[number])

    def _seen(self, count: int, height: float) -> Iterator[int]:
        """Yield the lines of equal height [pixels] that are seen, and put each one where it
        belongs.

        The clipper of Dear ImGui does the same, but it must not outlive its context, as a traceback
        lets it.
        """
        imgui = self._imgui
        begin = imgui.get_cursor_pos_y()
        top = imgui.get_scroll_y()
        first = max(int((top - begin) / height), 0)
        last = min(int((top - begin + imgui.get_window_height()) / height) + 1, count)
        for number in range(first, last):
            imgui.set_cursor_pos_y(begin + number * height)
            yield number
        imgui.set_cursor_pos_y(begin + count * height)
        imgui.dummy(imgui.ImVec2(0.0, 0.0))

    def _draw_line(self, inspection: Inspection, line: Line) -> None:
        component = line.component
        field = line.field
        name = type(component).__name__
        if line.is_rows:
            self._draw_rows(component)
        elif field is None:
            self._draw_header(name)
        else:
            kind = None if inspection.selected is None else type(component)
            row = self._rows.get(type(component)) if field.per_row else None
            value, mixed = inspection.reading(field, component, row, line.entry)
            label = field.name if line.entry is None else f"{field.name}.{AXES[line.entry]}"
            entity = inspection.selected
            give = partial(inspection.edit, entity, kind, field, row=row, entry=line.entry)
            typed = partial(inspection.typed, entity, kind, field, row=row, entry=line.entry)
            unit = f" {field.unit}" if field.unit else ""
            self._widgets.value(
                f"{name}.{label}.{row}", field, value, f"{label}{unit}", give, typed, mixed
            )

    def _draw_header(self, name: str) -> None:
        imgui = self._imgui
        is_open = name not in self._folded
        imgui.set_next_item_open(is_open)
        now = imgui.tree_node_ex(
            name, imgui.TreeNodeFlags_.framed | imgui.TreeNodeFlags_.no_tree_push_on_open
        )
        if now != is_open:
            (self._folded.discard if now else self._folded.add)(name)

    def _draw_rows(self, component: Any) -> None:
        """Draw the choice between all rows and one."""
        imgui = self._imgui
        kind = type(component)
        row = self._rows.get(kind)
        imgui.push_id(kind.__name__)
        changed, every = imgui.checkbox(f"all {component.row_count} rows", row is None)
        if changed:
            row = None if every else 0
        if row is not None:
            imgui.same_line()
            imgui.set_next_item_width(0.3 * imgui.get_window_width())
            row = imgui.slider_int(
                "row", min(row, component.row_count - 1), 0, max(component.row_count - 1, 0)
            )[1]
            row = min(max(row, 0), max(component.row_count - 1, 0))
        imgui.pop_id()
        if row is None:
            self._rows.pop(kind, None)
        else:
            self._rows[kind] = row


def _entries(component: Any, field: Field) -> list[Line]:
    """Return a line for each entry of a vector."""
    if field.width > 1 and field.shape in ("number", "whole") and not field.fixed:
        return [Line(component, field, entry) for entry in range(min(field.width, len(AXES)))]
    return [Line(component, field)]
