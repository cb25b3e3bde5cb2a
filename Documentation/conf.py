# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""How Sphinx makes HTML of these pages: scripts/docs.sh"""

import pathlib

project = "svt"
release = version = (pathlib.Path(__file__).parents[1] / "VERSION").read_text().strip()

# Options have two hyphens, and a quote is one
smartquotes = False
# Blocks are output, commands and C alike
highlight_language = "none"

html_theme = "alabaster"
html_theme_options = {"description": "RDMA without RDMA hardware", "page_width": "1200px"}
html_copy_source = False
html_show_copyright = False
