"""The page of a run, ``report.html``, and the front page of the results, ``index.html``.

Each page is one file, beside which there are the figures of the run. Like figures, pages compute
nothing new.
"""

import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from experiments.config import about, in_order, place_of
from experiments.datasets.dataset import some
from experiments.files import write_text
from experiments.report import text as texts
from experiments.report.claims import render
from experiments.report.columns import TUNINGS, summary_table
from experiments.report.stored import provenance_of, standing_of, with_results

#: The templates of all pages; jinja2 escapes every text that those of HTML are given.
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
#: Outcomes and verdicts -> their sign and the class of their colour.
SIGNS = {
    "reproduced": ("✓", "reproduced"),
    "different": ("✗", "different"),
    "inconclusive": ("?", "undecided"),
    "not tested": ("–", "none"),
    "no data": ("–", "none"),
    "holds": ("✓", "reproduced"),
    "holds with the scale known": ("✓", "reproduced"),
    "not shown": ("?", "undecided"),
    "cannot be tested": ("–", "none"),
}
#: Ending of a figure's name, beside a run's first one -> what it shows.
_BESIDE = {"three": "three methods", "tsne": "t-SNE"}


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


def write(folder: Path) -> Path:
    """Write the page of a finished run into its folder, beside its figures; return its path."""
    record = provenance_of(folder)
    config = record["config"]
    caption = config["figure"].get("caption", "") if isinstance(config["figure"], dict) else ""
    path, failed = folder / "differences.txt", record["tasks"]["failed"]
    values = {
        "title": config.get("title") or config["name"],
        "about": about("experiment", config["name"]),
        "caption": caption,
        "figures": list(figures(folder)),
        "table": summary_table(pd.read_csv(folder / "summary.csv")),
        "differences": path.read_text("utf-8").splitlines() if path.is_file() else [],
        "methods": _methods(config),
        "facts": _facts(record),
        "synthetic": record["data"].get("synthetic") or record["data"].get("generated"),
        "profile": record["profile"],
        "failed": [*failed[:20], *([f"and {len(failed) - 20} more"] if len(failed) > 20 else [])],
        "command": " ".join(["python run.py", *record["overrides"]]),
        "revision": record["git"],
        "files": sorted(p.name for p in folder.iterdir() if p.suffix in (".csv", ".parquet")),
    }
    path = folder / "report.html"
    write_text(path, TEMPLATES.get_template("run.html").render(values))
    return path


def figures(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the figures of a run: source, what it shows, width and height.

    The first is that of the first way of tuning, of the first pair of classes, or without an end.
    """
    order, summary = [f"figure_{tuning}" for tuning in TUNINGS], pd.read_csv(folder / "summary.csv")
    if "class_1" in summary:
        order += [f"figure_{a}_{b}" for a, b in summary[["class_1", "class_2"]].to_numpy()]
    order.append("figure")
    paths = {path.stem: path for path in sorted(folder.glob("figure*.png"))}
    for stem in sorted(paths, key=lambda s: order.index(s) if s in order else len(order)):
        ending = stem.removeprefix("figure").strip("_")
        pair = re.fullmatch(r"(\d)_(\d)", ending)
        words = f"classes {pair[1]} and {pair[2]}" if pair else _BESIDE.get(ending, ending)
        # A PNG file has its width and height in its first chunk.
        width, height = struct.unpack(">II", paths[stem].read_bytes()[16:24])
        size = {"width": round(SCALE * width), "height": round(SCALE * height)}
        shows = TUNINGS.get(ending, words)
        yield {"source": paths[stem].name, "shows": shows, **size}


def _methods(config: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Label, what it is and settings of each method."""
    scorers = (config.get("method") or {}).get("scorers") or {}
    return [
        (
            entry.get("label") or name,
            about("method", name),
            _flat({**(entry.get("params") or {}), **(entry.get("grid") or {})}),
        )
        for name, entry in scorers.items()
    ]


def _flat(values: Any) -> str:
    """Settings as a text."""
    text = json.dumps(values, ensure_ascii=False)
    return re.sub(r'[{}"]', "", text)


def _facts(record: dict[str, Any]) -> dict[str, str]:
    """The protocol, the data and the origin of a run."""
    data, tasks, config = record["data"], record["tasks"], record["config"]
    packages = ", ".join(f"{name} {version}" for name, version in record["packages"].items())
    seconds = (record.get("seconds") or {}).get("wall")
    shape = "{} samples, {} features".format(*data["shape"]) if data.get("shape") else ""
    protocol = {k: v for k, v in config["protocol"].items() if v not in (None, {}, [])}
    found = {
        "profile": record["profile"],
        "protocol": _flat(protocol),
        "samples": ", ".join(filter(None, [data["name"], shape, standing_of(data)])),
        "fingerprint": data.get("fingerprint") or "",
        "seed": str(record["seed"]),
        "tasks": f"{tasks['computed']} computed, {tasks['reused']} reused, "
        f"{len(tasks['failed'])} failed",
        "time": texts.duration(seconds) if seconds is not None else "",
        "revision": record["git"] or "not from a git checkout",
        "packages": f"Python {record['python']}, {packages}",
        "machine": ", ".join(str(v) for v in (record.get("machine") or {}).values() if v),
    }
    return {key: value for key, value in found.items() if value}


def front(claims: pd.DataFrame, headline: pd.DataFrame, results: Path) -> str:
    """Return the front page: does the paper hold, and a card for each experiment.

    Parameters
    ----------
    claims : DataFrame
        As :func:`experiments.report.claims.compare` gives it.
    headline : DataFrame
        As :func:`experiments.report.headline.headline` gives it.
    results : Path
        The folder of the experiments' folders.
    """
    cards = [_card(results / name, claims, headline) for name in in_order(with_results(results))]
    counts = {
        name: render.counts(claims[claims["version"] == version])
        for version, name in render.VERSIONS.items()
    }
    values = {"rows": headline.to_dict("records"), "cards": cards, "counts": counts, "signs": SIGNS}
    return TEMPLATES.get_template("front.html").render(values)


def _card(folder: Path, claims: pd.DataFrame, headline: pd.DataFrame) -> dict[str, Any]:
    """What the card of an experiment shows."""
    config = provenance_of(folder)["config"]
    said = headline[[folder.name in names.split(", ") for names in headline["experiment"]]]
    own = claims[claims["folder"] == folder.name]["outcome"]
    shown = [name for name in SIGNS if (own == name).any()]
    place = place_of(folder.name)[0].replace("-", "")
    return {
        "name": folder.name,
        "label": " · ".join(filter(None, [place, config.get("title") or folder.name])),
        "figure": next(figures(folder), None),
        "outcomes": {name: int((own == name).sum()) for name in shown},
        "verdicts": list(dict.fromkeys(said["verdict"])),
        "sentence": said["why"].iloc[0] if len(said) else about("experiment", folder.name),
        "tables": sorted(path.name for path in folder.glob("*.csv")),
    }
