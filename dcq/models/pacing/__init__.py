"""The pace at which a provider is asked: calls in flight, limits a minute, waiting."""
