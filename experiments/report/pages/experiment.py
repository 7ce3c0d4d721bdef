"""The report of a run: question, findings, figures, tables, settings, provenance."""

import re
import struct
from base64 import b64encode
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.config import about
from experiments.evaluation.methods import thin
from experiments.report import figures
from experiments.report.columns import best, readable
from experiments.report.figures import caption
from experiments.report.findings import LEVEL, TUNINGS
from experiments.report.pages import PageFacts
from experiments.report.stored import provenance_of, standing_of
from experiments.report.text import duration

#: Table -> its caption; a page shows these, in this order, and names the other files.
TABLES = {
    "summary": "Results",
    "accuracies": "Accuracy at each number of features",
    "pairs": "Differences, paired by split, draw or data set",
    "panels": "Panels of the figure",
}
#: Files that a page does not name: it is one of them.
HIDDEN = (".html", ".log", ".yaml")
#: Pixels on the page for one pixel of a picture; the text in figures is then about as large as the
#: text around them.
SCALE = 0.6


def content(folder: Path, facts: PageFacts) -> dict[str, Any]:
    """The values for the template of a report."""
    record = provenance_of(folder)
    config = record["config"]
    summary, pairs = (read(folder / f"{name}.csv") for name in ("summary", "pairs"))
    names = labels(config, summary)
    differences = folder / "differences.txt"
    shown = pictures(folder, config, facts)
    for figure in shown:
        picture = b64encode((folder / figure["source"]).read_bytes()).decode("ascii")
        figure["source"] = f"data:image/png;base64,{picture}"
    return {
        "record": record,
        "title": config.get("title") or config["name"],
        "asked": about("experiment", config["name"]),
        "found": [
            {"name": name, "how": TUNINGS.get(name, ""), "said": parted(text)}
            for name, text in facts.findings.items()
        ],
        "sure": sure(summary, pairs, facts.overlaps),
        "best": best(summary, names, facts.is_share),
        "figures": shown,
        "tables": [
            {"id": name, "caption": caption, **readable(table, names, facts.is_share)}
            for name, caption in {**TABLES, **facts.captions}.items()
            if not (table := read(folder / f"{name}.csv")).empty
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


def parted(text: str) -> list[str]:
    """The sentences of a finding.

    >>> parted("A reaches 84.5 %. y = f1: B finds 2.")
    ['A reaches 84.5 %.', 'y = f1: B finds 2.']
    """
    return re.split(r"(?<=\.) (?=[A-Z0-9]|\w+ = )", text)


def sure(summary: pd.DataFrame, pairs: pd.DataFrame, overlaps: bool) -> str:
    """One line on the repetitions, the test and the rankings that rounding decides."""
    parts = []
    for name in ("splits", "draws"):
        numbers = summary.get(f"n_{name}", pd.Series(dtype=float)).fillna(0)
        if (n := numbers[numbers > 0]).size:
            low, high = int(n.min()), int(n.max())
            many = name if high > 1 else name.removesuffix("s")
            parts.append(f"{high} {many}" if low == high else f"{low} to {high} {many}")
    if "ci_low" in summary and parts and summary["ci_low"].notna().any():
        parts.append("95 % intervals are for the mean over new samples")
    if "p_holm" in pairs and (p := pairs["p_holm"].dropna()).size:
        allows = " that allows for overlapping training sets" if overlaps else ""
        n_found = int((p < LEVEL).sum())
        said = f"{n_found} of {len(p)} differences {'is' if n_found == 1 else 'are'} significant"
        if len(p) == 1:
            said = f"the only difference is {'' if n_found else 'not '}significant"
        parts.append(f"{said} (paired t-test{allows}, Holm's adjustment)")
    if "n_ambiguous" in summary and summary["n_ambiguous"].fillna(0).any():
        names = summary.loc[summary["n_ambiguous"].fillna(0) > 0, "label"].drop_duplicates()
        parts.append(f"rounding decides a part of the rankings of {', '.join(names)}")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def read(path: Path) -> pd.DataFrame:
    """A table of a run; empty if the run has none."""
    try:
        return pd.read_csv(path)
    except (FileNotFoundError, pd.errors.EmptyDataError):
        return pd.DataFrame()


def labels(config: dict[str, Any], summary: pd.DataFrame) -> dict[str, str]:
    """Method -> its name in figures, also of rows that are no method."""
    scorers = (config.get("method") or {}).get("scorers") or {}
    names = {name: entry.get("label") or name for name, entry in scorers.items()}
    if {"method", "label"} <= set(summary):
        names |= dict(zip(summary["method"], summary["label"], strict=True))
    return names


def pictures(folder: Path, config: dict[str, Any], facts: PageFacts) -> list[dict[str, Any]]:
    """The figures of a run, with a caption, their size and what they show in words."""
    common = caption(config.get("figure") or "")
    title = config.get("title") or config["name"]
    # Ways of tuning in the order of the findings, then the first figure, then the rest.
    order = [f"figure_{which}" for which in facts.findings] + ["figure"]
    shown: list[dict[str, Any]] = []
    for path in sorted(
        sorted(folder.glob("*.png")),
        key=lambda path: order.index(path.stem) if path.stem in order else len(order),
    ):
        heading = figures.heading(path.stem)
        text = CAPTIONS.get(path.stem, common)
        # A PNG file has its width and height in its first chunk.
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        shown.append(
            {
                "source": path.name,
                "heading": heading,
                "label": ", ".join(filter(None, [title, heading])),
                "alt": figures.title(config, path.stem),
                # Figures of one kind need one caption.
                "caption": "" if any(other["caption"] == text for other in shown) else text,
                "width": round(SCALE * width),
                "height": round(SCALE * height),
            }
        )
    return shown


#: Figures that the caption of a run's first one does not explain -> their captions.
CAPTIONS = {
    "figure_pareto": "Filled points: no other method is better in accuracy, stability and time "
    "together.",
}


def methods(config: dict[str, Any]) -> list[dict[str, str]]:
    """Each method with what it is and how it is tuned."""
    scorers = (config.get("method") or {}).get("scorers") or {}
    size = (config.get("protocol") or {}).get("grid_size")
    return [
        {
            "label": entry.get("label") or name,
            "about": about("method", name),
            "fixed": ", ".join(_flat(entry.get("params") or {})),
            "tuned": "; ".join(_flat(_thinned(entry.get("grid") or {}, size))),
        }
        for name, entry in scorers.items()
    ]


def _thinned(grid: Any, size: int | None) -> Any:
    """A grid with the values that a run tries; a sum has a grid for each of its scorers."""
    if isinstance(grid, dict):
        return {name: _thinned(values, size) for name, values in grid.items()}
    return thin(grid, size)


def _flat(values: Any, before: str = "") -> list[str]:
    """Settings as texts; lists in one line, dicts one by one."""
    if isinstance(values, dict):
        return [text for key, value in values.items() for text in _flat(value, f"{before}{key} ")]
    if isinstance(values, list):
        values = ", ".join(map(str, values))
    return [f"{before.replace('_', ' ')}{values}"]


def settings(config: dict[str, Any]) -> dict[str, str]:
    """The protocol's settings, in words."""
    return {
        key.removeprefix("n_").replace("_", " "): "; ".join(_flat(value))
        for key, value in config.get("protocol", {}).items()
        if value is not None and value not in ({}, [])
    }


def data(record: dict[str, Any]) -> dict[str, str]:
    """The samples: name, standing, size, origin."""
    of, dataset = record["data"], record["config"].get("dataset") or {}
    facts = {
        "samples": of["name"],
        "standing": standing_of(of),
        "size": "{} samples, {} features".format(*of["shape"]) if of.get("shape") else None,
        "scaling": dataset.get("scaling") if dataset.get("name") else None,
        "max samples": dataset.get("max_samples"),
        "max features": dataset.get("max_features"),
        "drawn with": "; ".join(_flat(of["params"])) if of.get("params") else None,
        "source": of.get("source") or None,
        "fingerprint": of.get("fingerprint") or None,
    }
    return {key: str(value) for key, value in facts.items() if value is not None}


def provenance(record: dict[str, Any]) -> dict[str, str]:
    """The determinants of this result: profile, seed, code, versions, machine."""
    packages = ", ".join(f"{name} {version}" for name, version in record["packages"].items())
    tasks, machine = record["tasks"], record.get("machine") or {}
    seconds = (record.get("seconds") or {}).get("wall")
    facts = {
        "profile": record["profile"],
        "repetitions": str(record["config"].get("protocol", {}).get("n_repetitions", 1)),
        "seed": str(record["seed"]),
        "tasks": f"{tasks['computed']} computed, {tasks['reused']} reused, "
        f"{len(tasks['failed'])} failed",
        "time": duration(seconds) if seconds is not None else "",
        "revision": record["git"] or "not from a git checkout",
        "packages": f"Python {record['python']}, {packages}",
        "machine": ", ".join(str(v) for v in machine.values() if v),
    }
    return {key: value for key, value in facts.items() if value}
