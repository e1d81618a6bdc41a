"""Docstrings say things by nouns: few sentences are built on clauses that begin with a pronoun."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.helpers.sources import tree_of

ROOT = Path(__file__).parents[1]
MOST = 50
"""Sentences with such a clause in the whole package: some are natural English."""
CLAUSE = re.compile(
    r"\b(what (is|it|they|was|were|are|has|have|had|does|do|did|an?|the|one|nobody|no)"
    r"|(that|those) (of|that|which|who)|so many|nobody|somebody|whoever|whatever|who|anew)\b",
    re.IGNORECASE,
)


def sentences(path: Path) -> list[str]:
    """Return the sentences of all docstrings of a file, those of constants too."""
    found = []
    for node in ast.walk(tree_of(path)):
        text = getattr(getattr(node, "value", None), "value", None)
        if isinstance(node, ast.Expr) and isinstance(text, str):
            found += re.split(r"(?<=[.:;?!])\s+", " ".join(text.split()))
    return found


@pytest.mark.slow
def test_few_sentences_are_built_on_pronouns() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {sentence}"
        for path in sorted((ROOT / "ecs_softbody").rglob("*.py"))
        for sentence in sentences(path)
        if CLAUSE.search(sentence)
    ]
    assert len(found) <= MOST, "\n".join(found)


@pytest.mark.parametrize(
    ("sentence", "has_clause"),
    [
        ("Return what the build needs on this machine.", True),
        ("None where it is a class of somebody's own.", True),
        ("Those that touch are the same as those of the last frame.", True),
        ("Return the requirements of this machine.", False),
        ("Whether that body moves.", False),
    ],
)
def test_the_clauses_are_found(sentence: str, has_clause: bool) -> None:
    assert bool(CLAUSE.search(sentence)) is has_clause
