"""A look at a few samples before training."""
