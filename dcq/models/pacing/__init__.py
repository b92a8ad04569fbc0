"""How fast a provider may be asked: calls in flight, limits a minute, waiting."""
