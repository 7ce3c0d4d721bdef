"""Fill the statements of ``results/headline.yaml`` with numbers from tables.

An entry has the texts `ours` and `why` with names in braces, and under ``values`` the place of each
number::

    ours: "{found} of 2"
    values:
      found: {table: results/xor100/summary.csv, where: {method: manifest}, column: correct,
              decimals: 2, percent: false, interval: true}
"""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from experiments.config import ConfigError, one_of
from experiments.report.doc_tables import cell, chosen

VERDICTS = ("holds", "holds with the scale known", "not shown", "cannot be tested")
#: The columns of headline.csv.
COLUMNS = [
    *("statement", "figure", "experiment", "command", "minutes"),
    *("published", "ours", "verdict", "why"),
]


def headline(listed: Path, root: Path) -> pd.DataFrame:
    """Return the statements of the paper with our numbers, in the order of the file.

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
        where = f"{listed.name}, {entry.get('figure')}"
        one_of(entry["verdict"], VERDICTS, f"verdict of {where},")
        values = {
            name: _value(root / spec["table"], spec, f"{where}, {name}")
            for name, spec in entry.get("values", {}).items()
        }
        rows.append(entry | {key: entry[key].format(**values) for key in ("ours", "why")})
    return pd.DataFrame(rows)[COLUMNS]


def _value(path: Path, spec: dict[str, Any], where: str) -> str:
    """A number of a table as text, with its interval if that is asked for."""
    rows = chosen(path, spec["where"], [spec["column"]], where)
    if len(rows) != 1:
        raise ConfigError(f"{where}: {path.name} has {len(rows)} rows for {spec['where']}, not 1")
    of = ["ci_low", "ci_high"] if spec.get("interval") else []
    value, *ends = (cell(rows.iloc[0], column, spec) for column in (spec["column"], *of))
    return f"{value} [{', '.join(ends)}]" if ends else value
