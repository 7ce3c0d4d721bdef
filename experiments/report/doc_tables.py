"""Write the tables of the documentation and of the headline from results/.

A table on a page is between two marks, ``<!-- table NAME -->`` and ``<!-- end -->``, and
``docs/tables.yaml`` says what it shows. ``where`` selects rows by their values, and ``sort`` names
a column, with ``-`` in front for descending order::

    NAME:
      csv: results/xor100/summary.csv
      columns:
        label: method                        # the heading
        correct: {heading: share found (%), percent: true, decimals: 1}
        ci_low: {heading: 95 % interval, to: ci_high, decimals: 2}
      where: {method: [manifest, relieff]}
      sort: -correct

A statement of ``results/headline.yaml`` has the texts `ours` and `why` with names in braces, and
under ``values`` the place of each number::

    ours: "{found} of 2"
    values:
      found: {table: results/xor100/summary.csv, where: {method: manifest}, column: correct,
              decimals: 2, percent: false, interval: true}
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
#: Verdict -> its sign and the class of its colour on a page.
VERDICTS = {
    "holds": ("✓", "reproduced"),
    "holds with the scale known": ("✓", "reproduced"),
    "not shown": ("?", "undecided"),
    "cannot be tested": ("–", "none"),
}
#: The columns of headline.csv.
COLUMNS = [
    *("statement", "figure", "experiment", "command", "minutes"),
    *("published", "ours", "verdict", "why"),
]


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
    rows = chosen(root / entry["csv"], entry.get("where", {}), columns, f"table {name!r}")
    if order:
        rows = rows.sort_values(order.lstrip("-"), ascending=order[0] != "-", kind="stable")
    cells = [[cell(row, c, v) for c, v in shown.items()] for row in rows.to_dict("records")]
    return markdown(pd.DataFrame(cells, columns=[spec["heading"] for spec in shown.values()]))


def headline(listed: Path, root: Path) -> pd.DataFrame:
    """Return the statements of ``headline.yaml`` with our numbers, in the order of the file.

    Parameters
    ----------
    listed : Path
        ``headline.yaml``.
    root : Path
        The folder that the paths of its tables begin at.

    Returns
    -------
    DataFrame
        One row for each statement, with :data:`COLUMNS`.

    Raises
    ------
    ConfigError
        If a verdict is not in :data:`VERDICTS`, or if a table does not have exactly one matching
        row.
    """
    rows = []
    for entry in yaml.safe_load(listed.read_text(encoding="utf-8")):
        where, values = f"{listed.name}, {entry['figure']}", {}
        one_of(entry["verdict"], VERDICTS, f"verdict of {where},")
        for name, spec in entry.get("values", {}).items():
            path, column = root / spec["table"], spec["column"]
            found = chosen(path, spec["where"], [column], f"{where}, {name}")
            if len(found) != 1:
                raise ConfigError(f"{where}, {name}: {path.name} has {len(found)} rows, expected 1")
            (row,) = found.to_dict("records")
            ends = cell(row, "ci_low", spec | {"to": "ci_high"}) if spec.get("interval") else ""
            values[name] = f"{cell(row, column, spec)} {ends}".strip()
        rows.append(entry | {key: entry[key].format(**values) for key in ("ours", "why")})
    return pd.DataFrame(rows)[COLUMNS]


def chosen(path: Path, where: dict[str, Any], columns: Iterable[str], what: str) -> pd.DataFrame:
    """Return the rows of a CSV file that have these values.

    Raises
    ------
    ConfigError
        If it lacks one of the columns, or has no such row; `what` says who asks.
    """
    rows = pd.read_csv(path)
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
