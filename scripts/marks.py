"""Numbers and tables of the documentation that are looked up in results/, by marks in the pages.

A mark is an HTML comment, so that a reader of the page does not see it. It stands behind a number,
or around a table, and says where that comes from; ``make compare`` writes both anew::

    84.5<!--colon manifest accuracy%-->

    <!--rows colon/pairs method=manifest | other_label=filter, difference%.1=points-->
    ...
    <!--end-->

A source is ``FOLDER/TABLE``, by default the table ``summary``; ``FOLDER/rows``, or ``claims``.
Conditions follow: ``COLUMN=A,B`` keeps rows with one of these values, ``COLUMN!=A,B`` those
without, ``COLUMN~A`` those that end with it; ``_`` stands for a space; a word alone is a method, or
a claim. Without another condition a table has the tuning ``paper`` and features that were ranked
from all rows. A number names one column of one row, or ``min:COLUMN``, ``max:``, ``mean:``,
``count:`` of several; ``%`` takes it times 100, ``-`` before it turns the sign, ``100-`` takes it
from 100. The number keeps its decimals.
"""

import re
from functools import lru_cache
from pathlib import Path

import pandas as pd

from experiments.report.text import markdown

#: The pages whose numbers have marks, beside the folder of results.
PAGES = (
    *(f"docs/{name}.md" for name in ("start", "faq", "results", "differences", "method", "speed")),
    *(f"docs/{name}.md" for name in ("arena", "open_questions")),
)
NUMBER = re.compile(r"(?P<number>-?\d[\d,]*(?:\.\d+)?)<!--(?!end-->)(?P<mark>[^>]*?)-->")
TABLE = re.compile(r"<!--rows (?P<mark>[^>]*?)-->\n.*?<!--end-->", re.DOTALL)
COLUMN = re.compile(
    r"(?P<sign>-|100-|)(?:(?P<of>min|max|mean|count):)?(?P<name>[^%=]+?)(?P<percent>%?)(?:\.(?P<digits>\d))?"
    r"(?:=(?P<header>.*))?"
)
DEFAULTS = (("tuning", "paper"), ("ranking_share", "1"))


def filled(text: str, results: Path) -> str:
    """The text of a page with its marked numbers and tables as the results have them.

    Raises
    ------
    ValueError
        If a mark does not lead to one number, or to a table; it says which.
    """

    def number(match: re.Match[str]) -> str:
        digits = len(match["number"].partition(".")[2])
        value = _looked_up(_number, match["mark"], results)
        grouped = "," if "," in match["number"] else ""
        return f"{value:{grouped}.{digits}f}<!--{match['mark']}-->"

    def table(match: re.Match[str]) -> str:
        rows = _looked_up(_rows, match["mark"], results)
        return f"<!--rows {match['mark']}-->\n\n{rows}\n<!--end-->"

    return NUMBER.sub(number, TABLE.sub(table, text))


def _looked_up(look_up, mark, results):
    """The number or the table that a mark leads to; an error names the mark."""
    try:
        return look_up(mark, results)
    except (KeyError, OSError, TypeError, ValueError) as error:
        raise ValueError(f"the mark <!--{mark}--> leads to no number: {error}") from error


def _number(mark: str, results: Path) -> float:
    source, *conditions, column = mark.split()
    part, shape = _kept(source, conditions, results), _parsed(column)
    values = pd.to_numeric(_column(part, shape["name"]))
    if shape["of"]:
        values = pd.Series([getattr(values.dropna(), shape["of"])()])
    if len(values) != 1 or values.isna().any():
        raise ValueError(f"{len(values)} rows where one number is needed")
    return _scaled(float(values.iloc[0]), shape)


def _rows(mark: str, results: Path) -> str:
    said, columns = (part.strip() for part in mark.split("|"))
    source, *conditions = said.split()
    part, table = _kept(source, conditions, results), {}
    for shape in map(_parsed, columns.split(",")):
        values = _column(part, shape["name"])
        if shape["digits"] is not None:
            values = [_written(value, shape) for value in pd.to_numeric(values)]
        table[(shape["header"] or shape["name"]).replace("_", " ")] = list(values)
    if part.empty:
        raise ValueError("no row is kept")
    return markdown(pd.DataFrame(table).fillna(""))


def _column(table, name):
    return table[name if name in table else name.replace("_", " ")]


def _written(value, shape):
    return "" if pd.isna(value) else f"{_scaled(value, shape):.{shape['digits']}f}"


def _parsed(column):
    if not (shape := COLUMN.fullmatch(column.strip())):
        raise ValueError(f"{column!r} is no column")
    return shape


def _scaled(value, shape):
    value *= 100 if shape["percent"] else 1
    return {"": value, "-": -value, "100-": 100 - value}[shape["sign"]]


@lru_cache(maxsize=128)
def _table(path: Path, changed: int) -> pd.DataFrame:
    """A table as texts; `changed` is the time of its last change."""
    if path.suffix == ".parquet":
        return pd.read_parquet(path).astype(str)
    return pd.read_csv(path, dtype=str)


def _kept(source, conditions, results):
    """The rows of a table that fulfil the conditions; numbers compare as numbers."""
    name = source if source == "claims" or "/" in source else f"{source}/summary"
    path = results / f"{name}.{'parquet' if name.endswith('/rows') else 'csv'}"
    table = _table(path, path.stat().st_mtime_ns)
    key = "claim" if source == "claims" else "method"
    parsed = [re.findall(r"^(?:(\w+)(!?=|~))?(.*)", each)[0] for each in conditions]
    asked = [(column or key, sign or "=", values) for column, sign, values in parsed]
    named = {column for column, _, _ in asked}
    asked += [(c, "=", value) for c, value in DEFAULTS if c in table and c not in named]
    for column, sign, values in asked:
        texts = _column(table, column)
        if sign == "~":
            table = table[texts.str.endswith(values)]
            continue
        each = [*values.split(","), *values.replace("_", " ").split(",")]
        is_one = texts.map(_same).isin(map(_same, each))
        table = table[is_one if sign == "=" else ~is_one]
    return table


def _same(value):
    """A text that equal numbers share."""
    try:
        return f"{float(value):g}"
    except (TypeError, ValueError):
        return value
