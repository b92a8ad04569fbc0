"""The quiz as a person takes it: the start, one question at a time, and the result."""
