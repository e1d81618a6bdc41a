"""Panel: the inspector as the player of a game sees it, drawn with Dear ImGui."""
