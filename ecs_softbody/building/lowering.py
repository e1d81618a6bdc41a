"""Lowering: compiles kernels to LLVM bitcode, and bitcode to objects for one kind of processor.

numba infers types and writes the code of each function once. Nothing is optimised until all
functions of a unit are together (`emit`): numba by itself would optimise a function again in each
of its callers.

Private parts of numba are used here, and only here: the version is pinned, and every entry is
compared with numba's own compilation, bit by bit.
"""

from __future__ import annotations

import typing
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils, codegen, compiler_lock
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.np import arrayobj
from numba.np.numpy_support import from_dtype

from ecs_softbody.building.checks import check
from ecs_softbody.building.signatures import fields_of, is_group, layout_of
from ecs_softbody.building.targets import Target
from ecs_softbody.parallel import jit

SLOT = ir.IntType(64)
NUMBERS = {float: types.float64, int: types.int64, bool: types.boolean}


def machine_of(target: Target) -> llvm.TargetMachine:
    """Return LLVM's target machine, which optimises and emits code for a target."""
    kind = llvm.Target.from_triple(target.triple)
    # The code model "jitdefault" needs 64-bit pointers.
    code_model = "default" if target.triple.startswith("i686") else "jitdefault"
    return kind.create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel=code_model
    )


class PlainLibrary(codegen.AOTCodeLibrary):  # type: ignore[misc]
    """The code of one function as numba wrote it: not optimised, not linked with its callees."""

    def _optimize_functions(self, ll_module: Any) -> None:
        pass

    def finalize(self) -> None:
        """Do nothing but mark it as final."""
        self._finalized = True


class PlainCodegen(codegen.CPUCodegen):  # type: ignore[misc]
    """Writes code for a target that may differ from this machine."""

    _library_class = PlainLibrary

    def __init__(self, target: Target) -> None:
        self._target = machine_of(target)
        self._triple = target.triple
        super().__init__("kernels")

    def _init(self, llvm_module: Any) -> None:
        self._tm = self._target
        self._tm_features = ""
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)

    def _add_module(self, module: Any) -> None:
        pass

    def _create_empty_module(self, name: str) -> ir.Module:
        module = super()._create_empty_module(name)
        module.triple = self._triple
        return module


def prepare(target: Target) -> None:
    """Make numba write plain code for a target in this process, from now on."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # `emit` parses text. Names of inlined code grow with the types of arguments; by default LLVM
    # refuses names of 1024 letters.
    llvm.set_option("ecs_softbody", "-non-global-value-max-name-size=65536")
    cpu_target.target_context._internal_codegen = PlainCodegen(target)
    # The result of this call tells compiled functions apart in numba, so it has to be a new object
    # each time.
    CPUContext.get_executable = lambda self, library, description, environment: [].append
    CPUContext.post_lowering = lambda self, module, library: None
    jit.KEEPS_FILES = False
    jit.MORE_OPTIONS.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)


def lower(entries: dict[str, Any]) -> bytes:
    """Return bitcode that defines every entry, `name(slots)`, and all its callees."""
    with compiler_lock.global_compiler_lock:
        libraries: dict[int, PlainLibrary] = {}
        for name, kernel in entries.items():
            _collect(_lower_entry(name, kernel), libraries)
        linked = llvm.parse_assembly(
            str(cpu_target.target_context.codegen()._create_empty_module("unit"))
        )
        for library in libraries.values():
            linked.link_in(library._final_module, preserve=True)
        for function in linked.functions:
            if not function.is_declaration and function.name not in entries:
                function.linkage = "internal"
        for variable in linked.global_variables:
            if not variable.is_declaration:
                variable.linkage = "internal"
        bitcode: bytes = linked.as_bitcode()
        return bitcode


def emit(bitcode: bytes, target: Target) -> bytes:
    """Return an object for a target.

    Every function is optimised by itself first, then again after inlining its callees. Loops over
    array arguments are vectorised in the first pass; after inlining, LLVM can no longer prove that
    the arrays do not overlap.
    """
    machine = machine_of(target)
    module = llvm.parse_bitcode(bitcode)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    for function in module.functions:
        if not function.is_declaration and b"alwaysinline" not in list(function.attributes):
            function.add_function_attribute("noinline")
    _optimise(module, machine)
    # An attribute group must not be empty; LLVM ignores a quoted attribute.
    module = llvm.parse_assembly(str(module).replace(" noinline ", ' "was-alone" '))
    _optimise(module, machine, prepared=True)
    module.verify()
    check(str(module))
    code: bytes = machine.emit_object(module)
    return code


def _optimise(module: Any, machine: llvm.TargetMachine, *, prepared: bool = False) -> None:
    """Run LLVM's optimisation passes; `prepared`: numba's initial passes first.

    Those are for code already optimised: on numba's raw output they take long, and loops get
    slower.
    """
    for cheap in (True, False) if prepared else (False,):
        options = llvm.create_pipeline_tuning_options(speed_level=0 if cheap else 3)
        options.loop_vectorization = not cheap
        options.slp_vectorization = False
        builder = llvm.create_pass_builder(machine, options)
        passes = builder.getModulePassManager()
        if cheap:
            passes.add_loop_rotate_pass()
            passes.add_instruction_combine_pass()
            passes.add_jump_threading_pass()
        passes.run(module, builder)


def _collect(library: PlainLibrary, found: dict[int, PlainLibrary]) -> None:
    if id(library) not in found:
        found[id(library)] = library
        for other in library._linking_libraries:
            _collect(other, found)


def _lower_entry(name: str, kernel: Any) -> PlainLibrary:
    """Return a library with the C function `name`, which reads arguments from slots and writes the
    results after them.
    """
    hints = typing.get_type_hints(kernel.function, include_extras=True)
    hints.pop("return")
    kinds = tuple(map(_numba_type, hints.values()))
    # Compiling through numba's dispatcher makes the kernel known in calls by other kernels, and by
    # itself.
    kernel.compiled.compile(kinds)
    result = kernel.compiled.overloads[kinds]
    context = cpu_target.target_context
    signature = result.signature
    library: PlainLibrary = context.codegen().create_library(f"entry.{name}")
    module = library.create_ir_module(f"entry.{name}")
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [SLOT.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    slots = Slots(context, builder, function.args[0])
    arguments = [slots.read(kind) for kind in kinds]
    callee = context.declare_function(module, result.fndesc)
    status, value = context.call_conv.call_function(
        builder, callee, signature.return_type, signature.args, arguments
    )
    slots.write(signature.return_type, value)
    builder.ret(status.code)
    library.add_linking_library(result.library)
    library.add_ir_module(module)
    library.finalize()
    return library


class Slots:
    """A row of 64-bit slots: an array takes its address and shape, a number its bits."""

    def __init__(self, context: Any, builder: ir.IRBuilder, row: ir.Value) -> None:
        self._context = context
        self._builder = builder
        self._row = row
        self._next = 0

    def _pointer(self) -> ir.Value:
        pointer = self._builder.gep(self._row, [ir.IntType(32)(self._next)])
        self._next += 1
        return pointer

    def _take(self) -> ir.Value:
        return self._builder.load(self._pointer())

    def read(self, kind: types.Type) -> ir.Value:
        """Return the value of the next argument."""
        builder = self._builder
        context = self._context
        if isinstance(kind, types.Array):
            return self._read_array(kind)
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [self.read(part) for part in kind.types])
        if kind == types.boolean:
            return builder.icmp_unsigned("!=", self._take(), SLOT(0))
        return builder.bitcast(self._take(), context.get_value_type(kind))

    def _read_array(self, kind: types.Array) -> ir.Value:
        builder = self._builder
        context = self._context
        address = self._take()
        shape = [self._take() for _ in range(kind.ndim)]
        item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        strides: list[ir.Value] = [SLOT(item)]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        array = arrayobj.make_array(kind)(context, builder)
        data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
        arrayobj.populate_array(
            array, data=data, shape=shape, strides=strides, itemsize=item, meminfo=None
        )
        return array._getvalue()

    def write(self, kind: types.Type, value: ir.Value) -> None:
        """Write a result, member by member."""
        builder = self._builder
        if isinstance(kind, types.BaseTuple):
            for part, member in zip(
                kind.types, cgutils.unpack_tuple(builder, value, len(kind.types)), strict=True
            ):
                self.write(part, member)
        elif kind == types.boolean:
            builder.store(builder.zext(value, SLOT), self._pointer())
        elif isinstance(kind, types.Number):
            builder.store(builder.bitcast(value, SLOT), self._pointer())


def _numba_type(hint: Any) -> types.Type:
    if layout := layout_of(hint):
        return types.Array(from_dtype(layout.dtype), layout.dimensions, "C")
    if is_group(hint):
        return types.BaseTuple.from_types([_numba_type(part) for part in fields_of(hint)], hint)
    return NUMBERS[hint]
