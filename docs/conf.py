"""Sphinx's settings; `make docs` builds the pages that scripts/dev/site_pages.py gathers."""

import openswerl

project = "Open SWE-RL"
release = version = openswerl.__version__
copyright = "The Open SWE-RL authors; Apache-2.0"
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"{project} {release}"
html_show_sphinx = False
nitpicky = True
