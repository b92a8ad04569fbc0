"""The Data Contamination Quiz: prompts, questions, replies, and what text alone gives away."""
