"""Parallel: compiled kernels, and the threads that share their work."""
