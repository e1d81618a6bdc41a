"""numba, quicker: caches its answers to repeated questions.

The answers are numba's own, so the objects are the same byte for byte. numba infers the type of `a
+ b` again at every `+`, trying one template after the other, with a message for each that does not
fit; it finds the size of a type by compiling a module. It computes the liveness of variables after
eight of its passes, but reads it only after the last; the ends of their lives matter only for
reference counting, which kernels do not use. It searches for sums of whole arrays, which kernels do
not contain.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Type
from numba.core import transforms
from numba.core.base import BaseContext
from numba.core.ir import Inst, Var
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.typed_passes import NopythonRewrites
from numba.core.types.functions import BaseFunction


def make_quicker() -> None:
    """Cache numba's answers in this process, from now on.

    This rests on the answers depending on nothing but the keys below, and on kernels that neither
    count references nor add whole arrays: what `PostProcessor` and `NopythonRewrites` would find is
    not used. Without it and `leaner.py` a build takes 2.1 times as long. Where numba changes one of
    the six methods, or the code differs by a byte, `tests/kernels/test_building.py` fails.
    """
    find: Any = BaseFunction.get_call_type

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        flags = ConfigStack.top_or_none()
        key = (context, tuple(args), tuple(kws.items()), flags)
        kept = self.__dict__.setdefault("_kept", {})
        if key not in kept:
            found = find(self, context, args, kws)
            kept[key] = found, self._impl_keys[found.args]
        found, self._impl_keys[found.args] = kept[key]
        return found

    sizes: dict[tuple[Any, str], int] = {}
    defaults: dict[type, dict[str, Any]] = {}

    def get_abi_sizeof(self: Any, kind: Type) -> int:
        key = self, str(kind)
        if key not in sizes:
            sizes[key] = kind.get_abi_size(self.target_data)
        return sizes[key]

    def list_variables(self: Any, value: Any) -> list[Var]:
        found: list[Var] = []
        _collect_variables(value, found)
        return found

    def values(self: Any) -> dict[str, Any]:
        kind = type(self)
        if kind not in defaults:
            defaults[kind] = {name: option.default for name, option in kind.options.items()}
        return {**defaults[kind], **self._values}

    def run(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if function.is_generator:
            raise NotImplementedError("a kernel is no generator")
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = VariableLifetime(function.blocks)
        function.generator_info = None

    PostProcessor.run = run
    NopythonRewrites.run_pass = lambda self, state: False
    BaseFunction.get_call_type = get_call_type  # type: ignore[method-assign]
    BaseContext.get_abi_sizeof = get_abi_sizeof
    Inst._rec_list_vars = list_variables
    TargetConfig.values = values


def _collect_variables(value: Any, found: list[Var]) -> None:
    """Append the variables in a part of an instruction, in order."""
    kind = type(value)
    if kind is Var:
        found.append(value)
    elif kind is dict:
        for part in value.values():
            _collect_variables(part, found)
    elif kind is list or kind is tuple:
        for part in value:
            _collect_variables(part, found)
    elif issubclass(kind, Inst):
        found.extend(value.list_vars())
