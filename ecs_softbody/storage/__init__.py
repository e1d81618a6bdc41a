"""Storage: columns that are declared once, and the packed buffers that hold them."""

from ecs_softbody.storage.activity import Activity, grown
from ecs_softbody.storage.columns import (
    Column,
    Value,
    add_stage_columns,
    declared_columns,
    declared_values,
    fixed_column,
    packed_rows,
)
from ecs_softbody.storage.component import UNSET, Component, PieceRows, held
from ecs_softbody.storage.esper_access import entities_with, forget_unknown_deletions, marked_for_deletion
from ecs_softbody.storage.packed import PackedBuffers, rows_beside
from ecs_softbody.storage.store import Store
from ecs_softbody.storage.table import Table, merged_spans

__all__ = [
    "UNSET",
    "Activity",
    "Column",
    "Component",
    "PackedBuffers",
    "PieceRows",
    "Store",
    "Table",
    "Value",
    "add_stage_columns",
    "declared_columns",
    "declared_values",
    "entities_with",
    "fixed_column",
    "forget_unknown_deletions",
    "grown",
    "held",
    "marked_for_deletion",
    "merged_spans",
    "packed_rows",
    "rows_beside",
]
