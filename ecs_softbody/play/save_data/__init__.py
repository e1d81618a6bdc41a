"""Save data: the contents and names of save files."""
