"""The embedded default: generated repositories, their archive hours, a mini benchmark, and the base model."""
