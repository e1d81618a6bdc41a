"""Writes the pages of the documentation that are made of declarations: `python -m tests.docs`."""

from tests.docs import order_page, snapshot_format

for made in (order_page, snapshot_format):
    made.PAGE.write_text(made.page(), encoding="utf-8")
