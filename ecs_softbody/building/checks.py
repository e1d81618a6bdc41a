"""Checks of LLVM's output: arithmetic that another machine would round differently is refused.

Additions and multiplications stay in the order of the source, each rounded by itself, and no
function of the C library is used for arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LOOSE = re.compile(
    r"= (?:tail |musttail |notail )?(?:f\w+|call|select|phi) (?:\w+ "
    r")*?(fast|reassoc|contract|afn|arcp)\b"
)
REMAINDER = re.compile(r"= (frem)\b")
DECLARED = re.compile(r"^declare .*?@([\w.$]+)\(", re.MULTILINE)
INEXACT = re.compile(
    r"llvm\.(fma|fmuladd|a?sin|a?cos|a?tan2?|sinh|cosh|tanh|sincos(pi)?|exp2?"
    r"|exp10|log2?|log10|powi?|ldexp|frexp|modf)\."
)
PLAIN = {"memset", "memcpy", "memmove", "sched_yield", "numba_attempt_nocopy_reshape", "sqrt"}
"""Allowed calls besides LLVM's own instructions; square roots are exactly rounded everywhere."""


def find_faults(module: str) -> Iterator[str]:
    """Yield the faults of a module, given as LLVM's text."""
    for pattern in (LOOSE, REMAINDER):
        for found in pattern.finditer(module):
            yield f"the arithmetic is {found[1]}"
    for name in DECLARED.findall(module):
        if INEXACT.match(name) or not (name in PLAIN or name.startswith("llvm.")):
            yield f"it calls {name}"


def check(module: str) -> None:
    """Raise RuntimeError with all faults of a module."""
    if faults := sorted(set(find_faults(module))):
        raise RuntimeError(f"the bits would depend on the machine: {'; '.join(faults)}")
