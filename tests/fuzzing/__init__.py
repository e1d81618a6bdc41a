"""Damaged files of every kind, and what becomes of them: `python -m tests.fuzzing`
(docs/reliability.md).
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCHMARKS = str(ROOT / "benchmarks")
if BENCHMARKS not in sys.path:  # as pytest has it: one of their worlds is a sample
    sys.path.append(BENCHMARKS)
