"""A model behind an OpenAI-compatible address: one request, many, and what was answered before."""
