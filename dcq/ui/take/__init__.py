"""The quiz as a person takes it: beginning, one question at a time, and what came of it."""
