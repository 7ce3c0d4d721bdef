"""The report of a single run, ``report.html``: one file that needs nothing else.

Like figures, reports compute nothing new. A page module has ``content(folder, facts)``, a dict, and
the template of the same name shows it; a run's config names the module if it is not the one for all
runs.
"""

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from experiments.atomic import atomic_write
from experiments.config import one_of
from experiments.report.jinja import TEMPLATES

__all__ = ["FILE", "PageFacts", "names", "write"]

#: The file that a report becomes.
FILE = "report.html"
#: Page -> its template; no page stands for the report of any run.
PAGES = {"": ("experiment", "report.html"), "selection": ("selection", "selection.html")}


@dataclass(frozen=True)
class PageFacts:
    """The facts that a page needs of a run, from whoever knows its kind of experiment.

    Attributes
    ----------
    findings : mapping of str to str
        Sentences by what they are about: the ending of a figure's name, such as a reading or a pair
        of classes, or "" for the run as a whole.
    captions : mapping of str to str
        Name of a table that only this kind of experiment has -> its caption. A page shows these
        tables after those that several kinds have.
    is_share : bool
        True if deviations, differences and intervals are of shares, which are told in percent.
    """

    findings: Mapping[str, str] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    is_share: bool = True


def names() -> list[str]:
    """The names of all pages that a config may name."""
    return [name for name in PAGES if name]


def write(folder: Path, facts: PageFacts) -> Path:
    """Write the report of a run into its folder, and return its path.

    Parameters
    ----------
    folder : Path
        The folder of a finished run, with its figures.
    facts : PageFacts

    Raises
    ------
    ConfigError
        If the config names a page that there is not.
    """
    config = json.loads((folder / "provenance.json").read_text("utf-8"))["config"]
    page = config.get("page") or ""
    module, template = PAGES[one_of(page, names(), "page") if page else ""]
    content = importlib.import_module(f"{__name__}.{module}").content(folder, facts)
    path = folder / FILE
    with atomic_write(path) as part:
        part.write_text(TEMPLATES.get_template(template).render(content), encoding="utf-8")
    return path
