"""Contacts: the list that is kept between substeps for warm starting, and its view for games."""
