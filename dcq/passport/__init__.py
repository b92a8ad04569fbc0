"""The passport: an answer as one signed file that anyone can check without the store."""
