"""The report of a single run, ``report.html``: one file that needs nothing else.

Like figures, reports compute nothing new. A page module has ``content(folder, facts)``, a dict, and
the template of the same name shows it; a run's config names the module if it is not the one for all
runs.
"""

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from experiments.atomic import write_text
from experiments.config import one_of
from experiments.report.stored import provenance_of

#: The templates of all pages; jinja2 escapes every text that they are given.
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
#: The page of any run, and the pages that a config may name.
PAGES = ("experiment", "selection")


def kept(text: str) -> str:
    """The text with intervals and percentages that no end of a line parts.

    >>> kept("84.5 % [72.9, 96.1]").count(" ")
    1
    """
    return re.sub(r"(?<=,) (?=[-\d.]+\])|(?<=\d) (?=%)", "\u00a0", text)


TEMPLATES.filters["kept"] = kept


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
    overlaps : bool
        True if intervals and tests allow for training sets that overlap.
    """

    findings: Mapping[str, str] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    is_share: bool = True
    overlaps: bool = False


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
    config = provenance_of(folder)["config"]
    page = one_of(config.get("page") or PAGES[0], PAGES, "page")
    content = importlib.import_module(f"{__name__}.{page}").content(folder, facts)
    path = folder / "report.html"
    write_text(path, TEMPLATES.get_template(f"{page}.html").render(content))
    return path
