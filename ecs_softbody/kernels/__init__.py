"""Kernels: compiled functions of plain arrays, one file per force."""
