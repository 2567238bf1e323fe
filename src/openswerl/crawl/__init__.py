"""GH Archive hour files and git clones to merged pull requests (paper 2, appendix A)."""

from pathlib import Path

SQL = Path(__file__).parent / "sql"
