"""Levels: their files, and what reads them."""
