"""The generators of the site are scripts for developers, not part of the package."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts" / "dev"))
