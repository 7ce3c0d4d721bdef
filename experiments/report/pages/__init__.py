"""The report of a single run, ``report.html``: one file that needs nothing else.

Like figures, reports compute nothing new. A page module has ``content(folder, drawn, facts)``, a
dict, and the template of the same name shows it; a run's config names the module if it is not the
one for all runs.
"""

import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.atomic import atomic_write
from experiments.config import one_of
from experiments.report.jinja import TEMPLATES
from experiments.report.pages.facts import PageFacts

if TYPE_CHECKING:
    from experiments.report.figures._inline import Inline

__all__ = ["FILE", "PageFacts", "names", "write"]

#: The file that a report becomes.
FILE = "report.html"
#: Page -> its template; no page stands for the report of any run.
PAGES = {"": ("experiment", "report.html"), "selection": ("selection", "selection.html")}


def names() -> list[str]:
    """The names of all pages that a config may name."""
    return [name for name in PAGES if name]


def write(folder: Path, drawn: "Mapping[str, Inline]", facts: PageFacts) -> Path:
    """Write the report of a run into its folder, and return its path.

    Parameters
    ----------
    folder : Path
        The folder of a finished run.
    drawn : mapping of str to Inline
        Its figures as SVG, as :func:`experiments.report.figures.draw` fills it in.
    facts : PageFacts

    Raises
    ------
    ConfigError
        If the config names a page that there is not.
    """
    config = json.loads((folder / "provenance.json").read_text("utf-8"))["config"]
    page = config.get("page") or ""
    module, template = PAGES[one_of(page, names(), "page") if page else ""]
    content = importlib.import_module(f"{__name__}.{module}").content(folder, drawn, facts)
    path = folder / FILE
    with atomic_write(path) as part:
        part.write_text(TEMPLATES.get_template(template).render(content), encoding="utf-8")
    return path
