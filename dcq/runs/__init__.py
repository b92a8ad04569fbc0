"""Planning, estimating and doing what spends money: the only package that asks models."""
