"""Drawings: SVG as a renderer sees it.

What is painted has a shape, and what is not painted has none.
"""
