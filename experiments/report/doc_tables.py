"""Write the tables of the documentation from results/.

A table on a page is between two marks, ``<!-- table NAME -->`` and ``<!-- end -->``. An entry of
``docs/tables.yaml`` has its file, the columns as :func:`experiments.report.text.texts` takes them,
and perhaps the values of the rows that are shown and a column to sort by, with "-" in descending
order::

    NAME:
      csv: results/xor100/summary.csv
      columns: {method: "{label}", 95 % interval: "[{ci_low:.2f}, {ci_high:.2f}]"}
      where: {method: [manifest, relieff]}
      sort: -correct

An entry with ``line`` is a sentence instead, in which ``{counts}`` are those of the outcomes of
claims, and ``{n}`` is their sum.
"""

import re
from pathlib import Path
from typing import Any

import yaml

from experiments.files import write_text
from experiments.report.claims import counts
from experiments.report.stored import chosen
from experiments.report.text import markdown, texts

TABLE = re.compile(r"(<!-- table (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def write(root: Path) -> list[Path]:
    """Write the tables on all pages of a repository again; return the pages that have changed.

    A KeyError says that there is no such entry or column, a ValueError that no row is left.
    """
    entries = yaml.safe_load((root / "docs" / "tables.yaml").read_text(encoding="utf-8"))

    def filled(mark: re.Match[str]) -> str:
        table = _table(entries[mark["name"]], root)
        return f"{mark[1]}{table}{mark[3]}"

    changed = []
    for page in (root / "README.md", root / "CONTRIBUTING.md", *sorted(root.glob("docs/*.md"))):
        text = page.read_text(encoding="utf-8")
        new_text = TABLE.sub(filled, text)
        if new_text != text:
            write_text(page, new_text)
            changed.append(page)
    return changed


def _table(entry: dict[str, Any], root: Path) -> str:
    rows = chosen(root / entry["csv"], entry.get("where", {}))
    if "line" in entry:
        return entry["line"].format(n=len(rows), counts=counts(rows)) + "\n"
    if "sort" in entry:
        column = entry["sort"].lstrip("-")
        is_ascending = not entry["sort"].startswith("-")
        rows = rows.sort_values(column, ascending=is_ascending, kind="stable")
    return markdown(texts(rows, entry["columns"]))
