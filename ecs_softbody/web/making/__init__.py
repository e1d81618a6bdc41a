"""Making: writes the folder of a page."""
