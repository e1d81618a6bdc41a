"""Nodes: what a checkpoint keeps of single values that can change."""
