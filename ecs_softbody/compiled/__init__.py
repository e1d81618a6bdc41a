"""Outputs of the build: the library of kernels, its extension module, and `kernels.json`, the list
of kernels.
"""
