"""Keeping: the contents and names of save files."""
