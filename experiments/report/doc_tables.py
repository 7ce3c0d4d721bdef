"""Write the tables of the documentation from results/, for ``scripts/compare.py``.

A table on a page is between two marks, ``<!-- table NAME -->`` and ``<!-- end -->``, and
``docs/tables.yaml`` says what it shows. ``where`` selects rows by their values, and ``sort`` names
a column, with ``-`` in front for descending order::

    NAME:
      csv: results/xor100/summary.csv        # or yaml: FILE, a list of entries
      columns:
        label: method                        # the heading
        correct: {heading: share found (%), percent: true, decimals: 1}
        ci_low: {heading: 95 % interval, to: ci_high, decimals: 2}
      where: {method: [manifest, relieff]}
      sort: -correct
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from experiments.config import ConfigError, one_of
from experiments.files import write_text
from experiments.report.text import markdown

TABLE = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def write(root: Path) -> list[Path]:
    """Write the tables of README.md, CONTRIBUTING.md and docs/*.md again.

    Parameters
    ----------
    root
        The repository: the folder with docs/tables.yaml.

    Returns
    -------
    list of Path
        The pages whose tables have changed.

    Raises
    ------
    ConfigError
        If docs/tables.yaml has no entry for a table, or if an entry names a column that its source
        does not have, or keeps no row.
    """
    entries = yaml.safe_load((root / "docs" / "tables.yaml").read_text(encoding="utf-8"))
    new = {}
    for page in (root / "README.md", root / "CONTRIBUTING.md", *sorted(root.glob("docs/*.md"))):
        text = page.read_text(encoding="utf-8")
        filled = TABLE.sub(lambda m: f"{m[1]}{table(m['name'], entries, root)}{m[3]}", text)
        if filled != text:
            new[page] = filled
    for page, text in new.items():
        write_text(page, text)
    return list(new)


def table(name: str, entries: dict, root: Path) -> str:
    """Return a table of docs/tables.yaml as Markdown; raises as :func:`write` does."""
    entry = entries[one_of(name, entries, "table of docs/tables.yaml")]
    shown = {c: {"heading": v} if isinstance(v, str) else v for c, v in entry["columns"].items()}
    order = entry.get("sort", "")
    columns = [*shown, *(spec["to"] for spec in shown.values() if "to" in spec)]
    columns += [order.lstrip("-")] if order else []
    path = root / (entry.get("csv") or entry["yaml"])
    rows = chosen(path, entry.get("where", {}), columns, f"table {name!r}")
    if order:
        rows = rows.sort_values(order.lstrip("-"), ascending=order[0] != "-", kind="stable")
    cells = [[cell(row, c, v) for c, v in shown.items()] for row in rows.to_dict("records")]
    return markdown(pd.DataFrame(cells, columns=[spec["heading"] for spec in shown.values()]))


def chosen(path: Path, where: dict[str, Any], columns: Iterable[str], what: str) -> pd.DataFrame:
    """Return the rows of a CSV file, or of a list in YAML, that have these values.

    Raises
    ------
    ConfigError
        If it lacks one of the columns, or has no such row; `what` says who asks.
    """
    is_csv = path.suffix == ".csv"
    rows = pd.read_csv(path) if is_csv else pd.DataFrame(yaml.safe_load(path.read_text("utf-8")))
    for column in (*columns, *where):
        one_of(column, map(str, rows), f"column of {path.name} for {what},")
    for column, values in where.items():
        rows = rows[rows[column].isin(values if isinstance(values, list) else [values])]
    if rows.empty:
        raise ConfigError(f"{what} keeps no row of {path.name}; see its `where`")
    return rows


def cell(row: Any, column: str, spec: dict[str, Any]) -> str:
    """Return a value of a row as text, by ``decimals`` and ``percent``; with ``to`` an interval."""
    if end := spec.get("to"):
        low, high = (cell(row, each, spec | {"to": None}) for each in (column, end))
        return f"[{low}, {high}]" if low else ""
    value = row[column]
    if not isinstance(value, str) and pd.isna(value):
        return ""
    if "decimals" in spec:
        return f"{value * (100 if spec.get('percent') else 1):.{spec['decimals']}f}"
    return " ".join(str(value).split())
