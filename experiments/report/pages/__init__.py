"""The report of a single run, ``report.html``: one file that needs nothing else.

Like figures, reports compute nothing new. The module ``experiment`` collects what the template of
the same name shows.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from experiments.datasets.dataset import some
from experiments.files import write_text
from experiments.report import text as texts

#: The templates of all pages; jinja2 escapes every text that those of HTML are given.
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def kept(text: str) -> str:
    """The text with intervals and percentages that no end of a line parts.

    >>> kept("84.5 % [72.9, 96.1]").count(" ")
    1
    """
    return type(text)(re.sub(r"(?<=,) (?=[-\d.]+\])|(?<=\d) (?=%)", "\u00a0", text))


#: The functions that templates have as filters, by their names.
FILTERS = (
    *(kept, texts.number, texts.percent, texts.probability, texts.share_interval),
    *(texts.plain_number, texts.plain_interval, texts.interval, some),
)
TEMPLATES.filters |= {function.__name__: function for function in FILTERS}


@dataclass(frozen=True)
class PageFacts:
    """The facts that a page needs of a run, from whoever knows its kind of experiment."""

    #: Sentences by what they are about: the ending of a figure's name, such as a tuning or a pair
    #: of classes, or "" for the run as a whole.
    findings: Mapping[str, str] = field(default_factory=dict)
    #: Name of a table that only this kind of experiment has -> its caption. A page shows these
    #: tables after those that several kinds have.
    captions: Mapping[str, str] = field(default_factory=dict)
    #: True if deviations, differences and intervals are of shares, which are told in percent.
    is_share: bool = True
    #: True if intervals and tests allow for training sets that overlap.
    overlaps: bool = False


def write(folder: Path, facts: PageFacts) -> Path:
    """Write the report of a finished run into its folder, beside its figures; return its path."""
    from experiments.report.pages import experiment

    path = folder / "report.html"
    page = TEMPLATES.get_template("experiment.html").render(experiment.content(folder, facts))
    write_text(path, page)
    return path
