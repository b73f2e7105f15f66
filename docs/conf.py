"""Sphinx configuration of the documentation; `make docs` builds it into build/docs."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "plansolve"
author = "the authors of plansolve"
project_copyright = "the authors of plansolve"
version = release = version_of("plansolve")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "sphinx_copybutton",
    "public_api",
    "replay_frame",
    "schema_table",
]
exclude_patterns = ["_ext"]

# Every reference must lead somewhere; `-W` makes each that does not an error.
nitpicky = True
# The pages have no address of another site's index to ask for names of the standard library.
nitpick_ignore_regex = [
    ("py:.*", r"(?!plansolve\.).*"),
    ("py:class", r"plansolve\.\w+\..*"),  # types of signatures that are not public
    ("envvar", ".*"),
]

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3

# Options begin with two hyphens.
smartquotes = False

# Docstrings write code between single backticks.
default_role = "code"
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_here_doc_delimiter = "END"

html_theme = "furo"
html_title = "plansolve"
html_static_path = ["_static"]
html_logo = html_favicon = "_static/plansolve.svg"
html_css_files = ["plansolve.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
