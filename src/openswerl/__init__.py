"""Open SWE-RL: reinforcement learning on open software evolution, as one runnable graph."""

__version__ = "0.1.0"
