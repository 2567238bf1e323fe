"""The rewards as other trainers call them: one module a trainer, which imports nothing of it."""
