"""Which rules hold for an origin now? One fetch at a time, stale while revalidated, one cache."""
