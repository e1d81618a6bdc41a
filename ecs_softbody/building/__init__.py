"""Builds the library of compiled kernels: numba lowers them, LLVM emits objects, a C compiler links them."""
