"""Where model-written code runs."""
