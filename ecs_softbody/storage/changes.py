"""Changes: components that came into the esper world, or left it, since the last packing."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field

from ecs_softbody.storage.component import Component

Changed = list[tuple[type[Component], int, Component]]
"""(component class, entity, component) each, in runs of one class."""


@dataclass
class Changes:
    """Differences between the packed buffers and the esper world; a replaced component is in both
    lists, the old one and the new one.
    """

    added: Changed = field(default_factory=list)
    removed: Changed = field(default_factory=list)

    def replaced(self, kind: type[Component]) -> set[int]:
        """Return the entities that get another component of this class."""
        gone = {entity for removed, entity, _ in self.removed if removed is kind}
        return (
            {entity for added, entity, _ in self.added if added is kind and entity in gone}
            if gone
            else gone
        )


def by_type(changed: Changed) -> Iterator[tuple[type[Component], list[tuple[int, Component]]]]:
    """Yield each component class with its changes, (entity, component) each."""
    for component_type, entries in itertools.groupby(changed, key=operator.itemgetter(0)):
        yield component_type, [(entity, component) for _, entity, component in entries]
