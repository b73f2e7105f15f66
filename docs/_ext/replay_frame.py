"""The directive `replay NAME`: a board in the page, to watch and to play with.

The body is the board as a file would hold it. The replay page is written beside the built page when
the documentation is built; the checker replays the plan then, and a wrong one ends the build.
"""

from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.application import Sphinx

from plansolve.checker import check_plan
from plansolve.errors import InputError, PlanError
from plansolve.formats import read_plan, read_problem
from plansolve.replay.page import html_page


class ReplayFrame(Directive):
    """A frame with the replay page of a board, and a link to it."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {
        "title": directives.unchanged_required,
        "puzzle": directives.unchanged,
        "plan": directives.unchanged,
        "optimal": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        (name,) = self.arguments
        title = self.options["title"]
        try:
            problem = read_problem("\n".join(self.content), puzzle=self.options.get("puzzle"))
            moves, optimal = self.options.get("plan"), self.options.get("optimal")
            plan = None if moves is None else read_plan(moves, problem.puzzle)
            if plan and not (len(plan) == optimal and check_plan(problem, plan).reaches_goal):
                raise PlanError(f"the plan is not one of {optimal} moves to the goal")
            page = html_page(problem, plan, title=title, optimal_length=optimal)
        except InputError as error:
            raise self.error(f"replay {name}: {error}") from error
        environment = self.state.document.settings.env
        folder = Path(environment.app.outdir) / "replays"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
        address = f"{'../' * environment.docname.count('/')}replays/{name}.html"
        kind = "replay" if moves else "replay play"
        frame = (
            f'<iframe class="{kind}" src="{address}" title="{escape(title)}" loading="lazy">'
            f'</iframe><p class="replay-link"><a href="{address}">On a page of its own</a></p>'
        )
        return [nodes.raw("", frame, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("replay", ReplayFrame)
    return {"parallel_read_safe": True}
