"""Drawings: SVG as a renderer sees it.

Painted elements have a shape; unpainted elements have none.
"""
