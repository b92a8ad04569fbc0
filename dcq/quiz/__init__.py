"""The quiz itself: prompts, rewordings and their checks, questions, replies."""
