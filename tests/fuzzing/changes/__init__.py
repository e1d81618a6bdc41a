"""Ways to damage a file: its bytes, its values, its elements, its chunks."""
