"""Jobs on a cluster: what they ask for, and what became of them. Imports no torch."""
