"""Parallel: how kernels are compiled or loaded, and the threads that share their work."""
