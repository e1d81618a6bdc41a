"""Nodes: a node is the state that a checkpoint keeps of one mutable value, such as a list."""
