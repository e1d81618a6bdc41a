"""Storage: how the data of components is declared, packed into long arrays, and handed out.

A component class declares columns (a row for each element, such as a particle or spring) and values
(an entry for each entity). In a `Table` all components of a class share one array for each column.
A component occupies a block of its rows, and one slot of its values; its attributes are views of
these. `PackedBuffers` has the tables of a world. A column that holds rows of particles has two
forms: local rows, counted from the first particle of the entity, and packed rows, counted from the
first particle of the world, which kernels use.
"""

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
from ecs_softbody.storage.esper_access import (
    components_by_entity,
    entities_by_class,
    entities_with,
    entity_numbers,
    forget_unknown_deletions,
    mark_for_deletion,
    marked_for_deletion,
    put_entities,
    replace_processors,
    set_entity_counter,
    world_processors,
    world_that_holds,
)
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
    "components_by_entity",
    "declared_columns",
    "declared_values",
    "entities_by_class",
    "entities_with",
    "entity_numbers",
    "fixed_column",
    "forget_unknown_deletions",
    "grown",
    "held",
    "mark_for_deletion",
    "marked_for_deletion",
    "merged_spans",
    "packed_rows",
    "put_entities",
    "replace_processors",
    "rows_beside",
    "set_entity_counter",
    "world_processors",
    "world_that_holds",
]
