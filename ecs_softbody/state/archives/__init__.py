"""Archives: many moments in little room."""
