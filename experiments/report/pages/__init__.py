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
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from experiments.config import one_of
from experiments.datasets.wording import some
from experiments.files import write_text
from experiments.report import text as texts
from experiments.report.stored import provenance_of

#: The templates of all pages; jinja2 escapes every text that those of HTML are given.
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parents[1] / "templates"),
    autoescape=select_autoescape(),
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
    return type(text)(re.sub(r"(?<=,) (?=[-\d.]+\])|(?<=\d) (?=%)", "\u00a0", text))


#: The functions that templates have as filters, by their names.
FILTERS = (
    *(kept, texts.number, texts.percent, texts.probability, texts.interval, texts.share_interval),
    *(texts.plain_number, texts.plain_interval, texts.enumeration, some),
)
TEMPLATES.filters |= {function.__name__: function for function in FILTERS}


def _in_a_line(value: Any) -> Any:
    """The value; a text without line breaks, which the name of a feature or a class may have."""
    if not isinstance(value, str):
        return value
    return " ".join(filter(str.strip, value.splitlines())) if len(value.splitlines()) > 1 else value


#: The same templates for sentences, in which line breaks have a meaning.
SENTENCES = TEMPLATES.overlay(finalize=_in_a_line)


def told(template: str, facts: Mapping[str, Any]) -> list[str]:
    """The sentences of a template: its parts between empty lines, each in one line."""
    text = SENTENCES.get_template(template).render(facts).strip()
    return [re.sub(r"\s*\n\s*", " ", part) for part in re.split(r"\n\s*\n", text)]


@dataclass(frozen=True)
class PageFacts:
    """The facts that a page needs of a run, from whoever knows its kind of experiment."""

    #: Sentences by what they are about: the ending of a figure's name, such as a reading or a pair
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
    """Write the report of a finished run into its folder, beside its figures; return its path.

    A ConfigError says that the config names a page that there is not.
    """
    config = provenance_of(folder)["config"]
    page = one_of(config.get("page") or PAGES[0], PAGES, "page")
    content = importlib.import_module(f"{__name__}.{page}").content(folder, facts)
    path = folder / "report.html"
    write_text(path, TEMPLATES.get_template(f"{page}.html").render(content))
    return path
