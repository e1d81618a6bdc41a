"""numba, leaner: its code without detours through memory.

numba stores an array (pointer, shape and strides) whenever a kernel reads an element, to load the
members one by one; and every variable used by more than one block lives in memory, and is zeroed
where its life ends. That is two thirds of its code, and LLVM removes it all again. Here they are
values. The results are the same.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from typing import Any

from llvmlite import ir
from llvmlite.ir.instructions import InsertValue
from numba.core import cgutils, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs
from numba.core.ir import Assign
from numba.core.lowering import Lower
from numba.cpython import slicing
from numba.np import arrayobj

in_memory = arrayobj.make_array
extract_value = ir.IRBuilder.extract_value


def make_leaner() -> None:
    """Make numba write less code in this process, from now on.

    This rests on `arrayobj.make_array`, which every numba module with arrays imports by name, on
    `Lower`, which asks which variables are assigned once and stores the others, and on llvmlite's
    `extract_value`. Without it a build takes 1.4 times as long. Where numba changes one of them,
    `tests/kernels/test_building.py` fails.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("numba.") and vars(module).get("make_array") is in_memory:
            module.make_array = make_array  # type: ignore[attr-defined]
    ir.IRBuilder.extract_value = extract_inserted
    arrayobj.fix_integer_index = fix_index
    Lower._find_singly_assigned_variable = find_values
    Lower.storevar = store_variable


def make_array(kind: types.Array) -> Any:
    """Return a factory of stand-ins for arrays, given their value; in memory if numba asks for
    that.
    """

    def make(
        context: Any,
        builder: ir.IRBuilder,
        value: ir.Value | None = None,
        ref: ir.Value | None = None,
    ) -> Any:
        if ref is not None or type(kind) is not types.Array:
            return in_memory(kind)(context, builder, value, ref)
        return ArrayValue(context, builder, kind, value)

    return make


class ArrayValue:
    """Replaces numba's `ArrayStruct`: members are read and set by name."""

    def __init__(
        self, context: Any, builder: ir.IRBuilder, kind: types.Array, value: ir.Value | None
    ) -> None:
        model = context.data_model_manager[kind]
        self._context = context
        self._builder = builder
        self._datamodel = model
        self._value = ir.Constant(model.get_value_type(), None) if value is None else value

    def __getattr__(self, name: str) -> ir.Value:
        return self._builder.extract_value(self._value, self._datamodel.get_field_position(name))

    def __setattr__(self, name: str, member: Any) -> None:
        if not name.startswith("_"):
            position = self._datamodel.get_field_position(name)
            name = "_value"
            member = self._builder.insert_value(self._value, member, position)
        super().__setattr__(name, member)

    def _getvalue(self) -> ir.Value:
        return self._value

    def _get_ptr_by_name(self, name: str) -> ir.Value:  # numba reads shapes through it
        copy = cgutils.alloca_once_value(self._builder, self._value)
        return cgutils.gep_inbounds(
            self._builder, copy, 0, self._datamodel.get_field_position(name)
        )


def find_values(lower: Any) -> None:
    """Find the variables assigned once, before any block that uses them: they need no memory."""
    uses = compute_use_defs(lower.blocks)
    dominators = compute_cfg_from_blocks(lower.blocks).dominators()
    users: defaultdict[str, set[int]] = defaultdict(set)
    for block, names in uses.usemap.items():
        for name in names:
            users[name].add(block)
    found = Counter[str]()
    makers = {}
    for offset, block in lower.blocks.items():
        for assignment in block.find_insts(Assign):
            found[assignment.target.name] += 1
            makers[assignment.target.name] = offset
    lower._singly_assigned_vars = {
        name
        for name, maker in makers.items()
        if found[name] == 1
        and all(maker < user and maker in dominators[user] for user in users[name])
    }
    lower._blk_local_varmap = {}


def store_variable(lower: Any, value: ir.Value, name: str, argidx: int | None = None) -> None:
    """Store the value of a variable, in memory if it is assigned more than once."""
    if name in lower._singly_assigned_vars:
        lower._blk_local_varmap[name] = value
    else:
        lower.builder.store(value, lower.getvar(name))


def extract_inserted(
    builder: ir.IRBuilder, whole: ir.Value, index: Any, name: str = ""
) -> ir.Value:
    """Return a member of a struct: the inserted value if known, which saves the extraction."""
    path = list(index) if isinstance(index, list | tuple) else [index]
    while isinstance(whole, InsertValue) and len(path) == len(whole.indices) == 1:
        if whole.indices == path:
            return whole.value
        whole = whole.aggregate
    return extract_value(builder, whole, path, name)


def fix_index(
    context: Any, builder: ir.IRBuilder, kind: Any, index: ir.Value, size: ir.Value
) -> ir.Value:
    """Return an index counted from the front; a constant index needs no test for negative
    values.
    """
    fixed = context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)
    if not kind.signed or (isinstance(fixed, ir.Constant) and fixed.constant >= 0):
        return fixed
    return slicing.fix_index(builder, fixed, size)
