"""Agentless Mini: localise, repair, write and choose tests, rerank (paper 3.1, appendix B)."""
