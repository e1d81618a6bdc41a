"""Contacts: the list that is kept between substeps, and what games see of it."""
