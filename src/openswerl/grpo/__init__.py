"""GRPO with the similarity reward (paper 2.2 and 3.1)."""
