"""Report: a table of what became of the inputs, and an example of each fault."""

from __future__ import annotations

from collections.abc import Iterator

from tests.fuzzing.running import Fault, Sum

HEAD = ("kind", "tried", "taken", "refused", "failed", "faults", "slowest [s]", "most memory [MB]")
SHOWN = 4
"""Lines of a traceback that are printed."""


def table(sums: dict[str, Sum]) -> str:
    """Return a line for each kind, as a table of Markdown."""
    rows = [HEAD, tuple("---" for _ in HEAD)]
    for kind, one in sums.items():
        counts = sum(one.did.values()), *one.did.values(), len(one.faults)
        rows.append((kind, *map(str, counts), f"{one.slowest:.2f}", f"{one.grown:.0f}"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def faults(sums: dict[str, Sum]) -> list[Fault]:
    """Return all faults, the most frequent of each kind first."""
    return [
        fault
        for one in sums.values()
        for fault in sorted(one.faults.values(), key=lambda fault: -fault.times)
    ]


def described(fault: Fault, seed: int) -> Iterator[str]:
    """Yield what is to be known of a fault."""
    yield f"{fault.kind}: {fault.what} ({fault.place}), {fault.times} times"
    yield f"    python -m tests.fuzzing --reproduce {fault.kind} {seed} {fault.numbers}"
    yield from (f"    {printable(change[:200])}" for change in fault.changes[:6])
    yield from (
        f"    > {printable(line[:200])}" for line in fault.text.strip().splitlines()[-SHOWN:]
    )


def printable(text: str) -> str:
    """Return a text whose half letters, which damage is full of, are written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
