"""Contacts: the list that is kept between substeps, and its view for games."""
