"""The vLLM backend, written against 0.32. Importing the package loads nothing heavy, as vLLM's workers do it too."""
