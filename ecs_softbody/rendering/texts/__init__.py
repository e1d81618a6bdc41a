"""Texts: every sentence on the screen by its key; one file for each language."""
