"""Write the page of a run, ``report.html``, and the front page of the results, ``index.html``.

Each page is one file beside the figures of the run. Like figures, pages compute nothing new.
"""

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from experiments.config import in_order, parts_of
from experiments.files import write_text
from experiments.report import text as texts
from experiments.report.claims import render
from experiments.report.columns import TUNINGS, summary_table
from experiments.report.doc_tables import VERDICTS
from experiments.report.stored import provenance_of, standing_of, with_results

#: The templates of all pages; jinja2 escapes all texts in those of HTML.
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
#: Width of a pixel of a figure on a page.
SCALE = 0.6


def kept(text: str) -> str:
    """Return the text with no line breaks inside intervals and percentages.

    >>> kept("84.5 % [72.9, 96.1]").count(" ")
    1
    """
    return type(text)(re.sub(r"(?<=,) (?=[-\d.]+\])|(?<=\d) (?=%)", "\u00a0", text))


#: The functions that templates have as filters, by their names.
FILTERS = (
    *(kept, texts.number, texts.probability, texts.interval),
    *(texts.plain_number, texts.plain_interval),
)
TEMPLATES.filters |= {function.__name__: function for function in FILTERS}


def write(folder: Path) -> Path:
    """Write the page of a finished run into its folder, beside its figures; return its path."""
    record, path = provenance_of(folder), folder / "differences.txt"
    config, failed = record["config"], record["tasks"]["failed"]
    values = {
        "run": record,
        "title": config.get("title") or config["name"],
        "about": parts_of(config["name"])[2],
        "caption": config["figure"].get("caption") if isinstance(config["figure"], dict) else "",
        "figures": list(figures(folder)),
        "table": summary_table(pd.read_csv(folder / "summary.csv")),
        "differences": path.read_text("utf-8").splitlines() if path.is_file() else [],
        "record": yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=100),
        "standing": standing_of(record["data"]),
        "failed": [*failed[:20], *([f"and {len(failed) - 20} more"] if len(failed) > 20 else [])],
        "files": sorted(p.name for p in folder.iterdir() if p.suffix in (".csv", ".parquet")),
    }
    path = folder / "report.html"
    write_text(path, TEMPLATES.get_template("run.html").render(values))
    return path


def figures(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the figures of a run: source, what the end of its name says, width and height.

    The first is that of the first way of tuning or pair of classes, or the one without a suffix.
    """
    order, summary = [*TUNINGS], pd.read_csv(folder / "summary.csv")
    if "class_1" in summary:
        order += [f"{a}_{b}" for a, b in summary[["class_1", "class_2"]].to_numpy()]
    paths = {path.stem[7:]: path for path in sorted(folder.glob("figure*.png"))}
    for end in sorted(paths, key=lambda s: order.index(s) if s in order else len(order)):
        # A PNG file has its width and height in its first chunk.
        width, height = struct.unpack(">II", paths[end].read_bytes()[16:24])
        size = {"width": round(SCALE * width), "height": round(SCALE * height)}
        yield {"source": paths[end].name, "shows": TUNINGS.get(end, end), **size}


def front(claims: pd.DataFrame, headline: pd.DataFrame, results: Path) -> str:
    """Return the front page: does the paper hold, and a card for each experiment.

    Parameters
    ----------
    claims : DataFrame
        As :func:`experiments.report.claims.compare` gives it.
    headline : DataFrame
        As :func:`experiments.report.doc_tables.headline` gives it.
    results : Path
        The folder of the experiments' folders.
    """
    values = {
        "rows": headline.to_dict("records"),
        "cards": [
            _card(results / name, claims, headline) for name in in_order(with_results(results))
        ],
        "counts": render.counts_by_version(claims),
        "signs": VERDICTS,
    }
    return TEMPLATES.get_template("front.html").render(values)


def _card(folder: Path, claims: pd.DataFrame, headline: pd.DataFrame) -> dict[str, Any]:
    """Return the contents of the card of an experiment."""
    config = provenance_of(folder)["config"]
    said = headline[[folder.name in names.split(", ") for names in headline["experiment"]]]
    place = parts_of(folder.name)[0].replace("-", "")
    return {
        "name": folder.name,
        "label": " · ".join(filter(None, [place, config.get("title") or folder.name])),
        "figure": next(figures(folder), None),
        "outcomes": render.counts(claims[claims["folder"] == folder.name]),
        "verdicts": list(dict.fromkeys(said["verdict"])),
        "sentence": said["why"].iloc[0] if len(said) else parts_of(folder.name)[2],
        "tables": sorted(path.name for path in folder.glob("*.csv")),
    }
