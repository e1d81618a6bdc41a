"""The same bits from every way to run a kernel, and nothing beside these functions that a processor
decides about.
"""

import ast
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ecs_softbody
import ecs_softbody_games
from ecs_softbody.building.checks import check
from ecs_softbody.parallel import compiling
from ecs_softbody.parallel.library import FOLDER
from tests.helpers.sources import tree_of

PACKAGE = Path(ecs_softbody.__file__).parent
DIGEST = """
import hashlib, random, struct
from ecs_softbody.elementary.angles import acos, atan2, cos, sin
from ecs_softbody.elementary.exponential import exp, expm1, power_of
from ecs_softbody.elementary.lengths import hypot
random.seed(7)
numbers = [random.uniform(-9.0, 9.0) for _ in range(300)]
numbers += [random.uniform(-2.0, 2.0) * 2.0 ** random.randrange(-1070, 1023) for _ in range(300)]
numbers += [0.0, -0.0, float("inf"), float("-inf"), float("nan")]
digest = hashlib.sha256()
for function in (sin, cos, acos, exp, expm1):
    found = [function(x) for x in numbers]
    digest.update(b"".join(struct.pack("<d", 0.5 if x != x else x) for x in found))
for function in (atan2, power_of, hypot):
    found = [function(x, y) for x, y in zip(numbers, reversed(numbers))]
    digest.update(b"".join(struct.pack("<d", 0.5 if x != x else x) for x in found))
print(digest.hexdigest()[:16])
"""
EXPECTED = "8bd7847c11f6380c"
PHYSICS = (
    "storage",
    "components",
    "elementary",
    "geometry",
    "kernels",
    "collision",
    "fracture",
    "processors",
)
ROOMS = (*PHYSICS, "blueprints", "simulation", "scenes")
BY_PROCESSOR = (
    "sin cos tan arcsin arccos arctan arctan2 asin acos atan atan2 sinh cosh tanh "
    "exp exp2 expm1 log log2 log10 log1p "
    "power pow float_power hypot cbrt logaddexp dot vdot inner matmul einsum "
    "tensordot convolve linalg fft"
)
"""Functions of numpy and math whose rounding depends on the processor or on a library of the
system.
"""


def run(code: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.mark.brief(3)
@pytest.mark.parametrize("way", ["python", "numba", "library"])
def test_every_way_gives_these_bits(way):
    """The digest was found on x86-64; every other machine has to give the same."""
    assert run(DIGEST, ECS_SOFTBODY_KERNELS=way) == EXPECTED


@pytest.mark.slow
def test_numba_for_an_old_processor_gives_these_bits(tmp_path):
    said = run(
        DIGEST,
        ECS_SOFTBODY_KERNELS="numba",
        NUMBA_CPU_NAME="generic",
        NUMBA_CPU_FEATURES="",
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert said == EXPECTED


PRODUCTS = "dot vdot inner matmul einsum tensordot convolve"
"""Functions of numpy that leave sums of products to a library of the system."""


def is_loose_power(node: ast.AST) -> bool:
    """Whether a node is a power that is left to the C library or to numpy: not of constants, no
    square, no inverse.
    """
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)):
        return False
    whole = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
    constant = isinstance(node.left, ast.Constant) and isinstance(
        node.right, ast.UnaryOp | ast.Constant
    )
    return not (whole and abs(node.right.value) <= 2) and not constant


@pytest.mark.slow
def test_games_use_no_products_or_powers_that_depend_on_the_processor():
    """Other functions are tried out in tests/games/test_same_bits.py;
    nothing can stand in for `@`.
    """
    found = []
    for path in sorted(Path(ecs_softbody_games.__file__).parent.rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            is_numpy = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "np"
            is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
            # its powers are shown, not played with
            is_power = is_loose_power(node) and "springs_lab" not in path.parts
            if is_product or is_power or (is_numpy and node.attr in PRODUCTS.split()):
                found.append(f"{path.name}:{node.lineno} {ast.unparse(node)}")
    assert found == []


@pytest.mark.brief(11)
@pytest.mark.parametrize("room", ROOMS)
def test_state_is_computed_by_exactly_rounded_operations(room):
    found = []
    for path in sorted((PACKAGE / room).rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("np", "math")
            ):
                bad = node.attr in BY_PROCESSOR.split()
            else:
                bad = is_loose_power(node) or (
                    isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
                )
            if bad:
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}")
    assert found == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("%1 = fadd double %0, 1.0", ""),
        ("%1 = call double @llvm.sqrt.f64(double %0)", ""),
        ("declare double @llvm.floor.f64(double)", ""),
        ("%1 = fadd fast double %0, 1.0", "fast"),
        ("%1 = fmul nnan reassoc double %0, 1.0", "reassoc"),
        ("%1 = tail call contract double @f(double %0)", "contract"),
        ("%1 = frem double %0, 1.0", "frem"),
        ("declare double @llvm.fmuladd.f64(double, double, double)", "fmuladd"),
        ("declare noundef double @hypot(double, double) #1", "hypot"),
        ("declare double @llvm.pow.f64(double, double)", "pow"),
    ],
)
def test_the_build_refuses_arithmetic_that_machines_round_differently(line, said):
    if not said:
        check(line)
    else:
        with pytest.raises(RuntimeError, match=f"the bits would depend on the machine: .*{said}"):
            check(line)


FUSED = r"(?:vfn?m(?:add|sub)|fn?m(?:add|sub|la|ls))\w*"
APPROXIMATE = r"v?(?:rcp|rsqrt|exp2|reduce)(?:14|28)?[ps][sdh]"
ON_STACK = r"f(?:add|sub|mul|div|sqrt|sin|cos|ptan|patan|yl2x|prem)\w*"
"""x87 rounds to 64 bits, not to 53."""
LOOSE_INSTRUCTION = re.compile(rf"\t({FUSED}|{APPROXIMATE}|{ON_STACK})\s")
IS_X86 = platform.machine() in ("x86_64", "AMD64")
MUTANT = """
define double @mutant(double %a, double %b, double %c) {{
  {0}
  ret double %r
}}
declare double @llvm.fma.f64(double, double, double)
"""


def disassembled(code: Path) -> str:
    said = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", code], capture_output=True, text=True, check=True
    )
    return said.stdout


@pytest.mark.slow
@pytest.mark.skipif(
    compiling.LIBRARY is None or not shutil.which("objdump"), reason="needs the library and objdump"
)
def test_machine_code_fuses_nothing_and_calls_no_mathematics():
    """Every built library is looked at, with all that was built for other
    processors of this kind.
    """
    libraries = sorted(FOLDER.glob("kernels-*.bin"))
    assert libraries
    for library in libraries:
        code = disassembled(library)
        assert len(code) > 1e6
        assert sorted(set(LOOSE_INSTRUCTION.findall(code))) == [] or not IS_X86, library
        symbols = subprocess.run(
            ["objdump", "-T", library], capture_output=True, text=True, check=True
        ).stdout
        wanted = {
            line.split()[-1]
            for line in symbols.splitlines()
            if "*UND*" in line and " w " not in line
        }
        assert wanted <= {"memset", "memcpy", "memmove", "sched_yield"}


@pytest.mark.skipif(
    not IS_X86 or not shutil.which("objdump"), reason="needs objdump and a processor of type x86-64"
)
@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("%p = fmul double %a, %b\n  %r = fadd double %p, %c", []),
        ("%p = fmul contract double %a, %b\n  %r = fadd contract double %p, %c", ["vfmadd213sd"]),
        ("%p = fmul fast double %a, %b\n  %r = fsub fast double %p, %c", ["vfmsub213sd"]),
        ("%r = call double @llvm.fma.f64(double %a, double %b, double %c)", ["vfmadd213sd"]),
    ],
)
def test_fused_machine_code_would_be_found(lines, found, tmp_path):
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    machine = binding.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(
        cpu="haswell", opt=3
    )
    module = binding.parse_assembly(MUTANT.format(lines))
    path = tmp_path / "mutant.o"
    path.write_bytes(machine.emit_object(module))
    assert LOOSE_INSTRUCTION.findall(disassembled(path)) == found
    if found:
        with pytest.raises(RuntimeError, match="the bits would depend on the machine"):
            check(str(module))


SUMS = """
import hashlib, numpy
from ecs_softbody.elementary.sums import dot
chance, digest = numpy.random.RandomState(5), hashlib.sha256()
for count in (1, 2, 7, 8, 9, 24, 127, 128, 129, 1000, 4099):
    one, two = chance.standard_normal(count), chance.standard_normal((count, 2))
    two = numpy.ldexp(two, chance.randint(-30, 30, (count, 2)))  # exact; numpy's own powers differ by processor
    several = one.reshape(-1, 1) * two
    starts = numpy.arange(0, count, 3)
    for each in (
        one.sum(), one.mean(), two.sum(axis=0), two.sum(axis=1), two.mean(axis=0), two[:, 0].sum(), two.T.sum(axis=1),
        numpy.cumsum(one), numpy.add.reduceat(several, starts), dot(one, two), dot(one, one), (one**2).sum(),
        numpy.sqrt(numpy.abs(one)), 1.0 / one, numpy.bincount(starts, one[starts]), numpy.prod(one[:9]),
    ):
        digest.update(numpy.ascontiguousarray(each).tobytes())
print(digest.hexdigest()[:16])
"""
"""What processors and blueprints ask of numpy beside single sums, products and roots."""


@pytest.mark.slow
@pytest.mark.skipif(not IS_X86, reason="names extensions of x86-64")
def test_sums_of_numpy_have_these_bits_on_old_and_new_processors():
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    here = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    assert here, "this processor has none of the extensions that numpy looks for"
    off = {"NPY_DISABLE_CPU_FEATURES": " ".join(here)}
    ask = (
        "from numpy._core._multiarray_umath import __cpu_features__ as has; "
        "print(any(map(has.get, {!r})))"
    )
    assert run(ask.format(here), **off) == "False"
    assert run(SUMS, **off) == run(SUMS)
