"""Model: the schema of scene files, derived from the declarations of components and blueprints."""
