"""What the report of any run shows: question, findings, figures, tables, settings, provenance."""

import ast
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from experiments.config import CONFIGS
from experiments.report.findings import READINGS
from experiments.report.pages.facts import PageFacts
from experiments.report.shown import readable

if TYPE_CHECKING:
    from experiments.report.figures._inline import Inline

REPORT = Path(__file__).parents[1]
#: Table -> its caption; a page shows these, in this order, and names the other files.
TABLES = {
    "summary": "Results",
    "accuracies": "Accuracy at each number of features",
    "pairs": "Differences, paired by split, draw or data set",
    "panels": "Panels of the figure",
}
#: Of a config: what a method is besides its name and its look.
NOT_SETTINGS = ("label", "color", "marker", "call", "combine", "grid", "params", "column_orders")
#: Files that a page does not name: it is one of them.
HIDDEN = (".html", ".log", ".yaml")


def content(folder: Path, drawn: "Mapping[str, Inline]", facts: PageFacts) -> dict[str, Any]:
    """What the template of a report is given.

    Parameters
    ----------
    folder : Path
        The folder of a run.
    drawn : mapping of str to Inline
        The figures of the run, by the stem of their files; PNG files stand for those missing.
    facts : PageFacts
    """
    record = json.loads((folder / "provenance.json").read_text("utf-8"))
    config = record["config"]
    names = labels(folder, config)
    differences = folder / "differences.txt"
    return {
        "record": record,
        "title": config.get("title") or config["name"],
        "asked": about("experiment", config["name"]),
        "found": list(facts.findings.values()),
        "figures": pictures(folder, config, drawn, facts.findings),
        "tables": [
            {"id": name, "caption": caption, **readable(table, names, facts.is_share)}
            for name, caption in {**TABLES, **facts.captions}.items()
            if not (table := _read(folder / f"{name}.csv")).empty
        ],
        "methods": methods(config),
        "settings": settings(config),
        "differences": differences.read_text("utf-8").splitlines() if differences.is_file() else [],
        "data": data(record),
        "provenance": provenance(record),
        "files": sorted(
            path.name
            for path in folder.iterdir()
            if path.is_file() and path.suffix not in HIDDEN and not path.name.startswith(".")
        ),
    }


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return pd.DataFrame()


def about(group: str, name: str) -> str:
    """What a config is, by its line that begins with ``#:``; empty where there is none."""
    path = CONFIGS / group / f"{name}.yaml"
    text = path.read_text("utf-8") if path.is_file() else ""
    said = re.search(r"^#:(.*)$", text, re.MULTILINE)
    return said.group(1).strip() if said else ""


def labels(folder: Path, config: dict[str, Any]) -> dict[str, str]:
    """Method -> its name in figures, also of rows that are no method."""
    scorers = (config.get("method") or {}).get("scorers") or {}
    found = {name: entry.get("label") or name for name, entry in scorers.items()}
    summary = _read(folder / "summary.csv")
    if {"method", "label"} <= set(summary):
        found |= dict(zip(summary["method"], summary["label"], strict=True))
    return found


def pictures(
    folder: Path, config: dict[str, Any], drawn: "Mapping[str, Inline]", told: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The figures of a run, with a caption and what they show in words."""
    said = caption(config.get("figure") or "")
    title = config.get("title") or config["name"]
    # The readings as they are told, then what has a heading, then the rest.
    order = [f"figure_{which}" for which in told] + ["figure", *HEADINGS]
    found: list[dict[str, Any]] = []
    for path in sorted(
        sorted(folder.glob("*.png")),
        key=lambda path: order.index(path.stem) if path.stem in order else len(order),
    ):
        which = path.stem.removeprefix("figure").strip("_")
        words = which.replace("_", " ")
        pair = re.fullmatch(r"(\d) (\d)", words)
        reading = f"Reading: {words}" if which in READINGS else words
        reading = f"Classes {pair[1]} and {pair[2]}" if pair else reading
        heading, text = HEADINGS.get(path.stem, (reading, said))
        result = told.get(which, told.get("", ""))
        figure = drawn.get(path.stem)
        found.append(
            {
                "name": path.stem,
                "heading": heading,
                "label": ", ".join(filter(None, [title, heading])),
                "alt": ". ".join(part.rstrip(".") for part in (title, heading, result) if part),
                # Figures of one kind need one caption.
                "caption": "" if any(one["caption"] == text for one in found) else text,
                "svg": _described(figure.svg) if figure else None,
                "is_vector": figure is not None and "<image" not in figure.svg,
                "entries": figure.entries if figure else [],
                "width": figure.width if figure else None,
                "height": None,
                "png": "" if figure else as_data(path.read_bytes()),
            }
        )
    return found


#: Figures beside a run's first one -> their headings and captions.
HEADINGS = {
    "figure_values": (
        "Values of the best features, class by class",
        "Each point is a sample; the black line is the median of its class.",
    ),
    "figure_samples": ("By the number of training samples", ""),
    "figure_others": ("The other filters", ""),
    "figure_pareto": (
        "Accuracy against time and stability",
        "Filled marks are methods that no other one beats in accuracy, stability and time.",
    ),
    "figure_heatmap": (
        "The chosen features, clustered",
        "Rows are features, in standard deviations from their mean over the samples. Columns are "
        "samples, by class. Similar ones stand side by side.",
    ),
}


def as_data(content: bytes, kind: str = "image/png") -> str:
    """A file as an address that holds it."""
    return f"data:{kind};base64,{b64encode(content).decode('ascii')}"


def _described(svg: str) -> str:
    """The element for a page: what it shows is said by what stands around it."""
    return svg.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)


def caption(figure: str) -> str:
    """What a figure shows: the docstring of its module, in one line."""
    path = REPORT / "figures" / f"{figure}.py"
    if not figure or not path.is_file():
        return ""
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(said.replace("`", "").split())


def methods(config: dict[str, Any]) -> list[dict[str, str]]:
    """Each method with what it is and how it is tuned."""
    scorers = (config.get("method") or {}).get("scorers") or {}
    return [
        {
            "label": entry.get("label") or name,
            "about": about("method", name),
            "fixed": ", ".join(_flat(entry.get("params") or {})),
            "tuned": "; ".join(_flat(entry.get("grid") or {})),
        }
        for name, entry in scorers.items()
    ]


def _flat(values: Any, before: str = "") -> list[str]:
    """Settings as texts; lists in one line, dicts one by one."""
    if isinstance(values, dict):
        return [text for key, value in values.items() for text in _flat(value, f"{before}{key} ")]
    if isinstance(values, list):
        values = ", ".join(map(str, values))
    return [f"{before.replace('_', ' ')}{values}"]


def settings(config: dict[str, Any]) -> dict[str, str]:
    """The protocol's settings, in words."""
    found = {}
    for key, value in config.get("protocol", {}).items():
        if value is None or value in ({}, []):
            continue
        text = "; ".join(_flat(value)) if isinstance(value, dict) else _flat(value)[0]
        found[key.removeprefix("n_").replace("_", " ")] = text
    return found


def data(record: dict[str, Any]) -> dict[str, str]:
    """What the samples are, and whether they are the ones that they claim to be."""
    of = record["data"]
    kinds = ("synthetic", "generated", "verified")
    standing = next((kind for kind in kinds if of.get(kind)), "unverified")
    found = {"samples": of["name"], "standing": standing.replace("synthetic", "SYNTHETIC")}
    if shape := of.get("shape"):
        found["size"] = f"{shape[0]} samples, {shape[1]} features"
    dataset = record["config"].get("dataset") or {}
    for key in ("scaling", "max_samples", "max_features"):
        if dataset.get(key) is not None and (dataset.get("name") or key != "scaling"):
            found[key.replace("_", " ")] = str(dataset[key])
    if params := of.get("params"):
        found["drawn with"] = "; ".join(_flat(params))
    for key in ("source", "fingerprint"):
        if of.get(key):
            found[key] = str(of[key])
    return found


def provenance(record: dict[str, Any]) -> dict[str, str]:
    """What tells this result from another: profile, seed, code, versions, machine."""
    packages = ", ".join(f"{name} {version}" for name, version in record["packages"].items())
    code = record.get("code")
    units = record["units"]
    machine = record.get("machine") or {}
    seconds = (record.get("seconds") or {}).get("wall")
    found = {
        "profile": record["profile"],
        "repetitions": str(record["config"].get("protocol", {}).get("n_repetitions", 1)),
        "seed": str(record["seed"]),
        "units": f"{units['computed']} computed, {units['reused']} reused, "
        f"{len(units['failed'])} failed",
        "time": f"{seconds:.3g} s" if seconds is not None else "",
        "revision": record["git"] or "not from a git checkout",
        "code": code["digest"] if isinstance(code, dict) else str(code),
        "packages": f"Python {record['python']}, {packages}",
        "machine": ", ".join(str(v) for v in machine.values() if v),
    }
    return {key: value for key, value in found.items() if value}
