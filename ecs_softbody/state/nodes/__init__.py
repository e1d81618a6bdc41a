"""Nodes: the state that a checkpoint keeps of single mutable values."""
