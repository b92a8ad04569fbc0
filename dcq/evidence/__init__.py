"""From counts and arrays of answers to a verdict; pure functions on numpy and scipy."""
