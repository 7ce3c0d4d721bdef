"""Format tables and numbers as text."""

import string
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd


class _Format(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if pd.isna(value):
            return ""
        text = super().format_field(value, format_spec)
        return text.removesuffix("%") if format_spec.endswith("%") else text


def texts(table: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return a table of texts, from a heading and a format of the values of a row for each column.

    Formats are Python's, but a percentage has no sign. Without any known value a text is empty.

    >>> table = pd.DataFrame({"a": [0.5, None], "b": [0.25, None], "c": ["x", "y"]})
    >>> texts(table, {"of c": "c is {c}", "interval": "[{a:.1%}, {b:.1f}]"})["interval"].tolist()
    ['[50.0, 0.2]', '']
    """
    rows = table.to_dict("records")
    shown = {}
    for heading, form in columns.items():
        shown[heading] = [_text(form, row) for row in rows]
    return pd.DataFrame(shown)


def _text(form: str, row: dict[Any, Any]) -> str:
    """Return the formatted values of a row; empty if it has none of them."""
    for _, name, _, _ in string.Formatter().parse(form):
        if name and pd.notna(row[name]):
            return _Format().format(form, **row).strip()
    return ""


def markdown(table: pd.DataFrame) -> str:
    """Format a table as Markdown.

    >>> print(markdown(pd.DataFrame({"a": [1, 2], "b": ["x", "y|z"]})), end="")
    | a | b |
    |---|---|
    | 1 | x |
    | 2 | y\\|z |
    """
    lines = [_line(table.columns), "|" + "---|" * len(table.columns)]
    for row in table.itertuples(index=False):
        lines.append(_line([str(value).replace("|", r"\|") for value in row]))
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def aligned(table: pd.DataFrame, widest: int = 48) -> str:
    """Format a table for a terminal, in columns of at most a width; missing values are empty.

    >>> print(aligned(pd.DataFrame({"name": ["a", "a long one"], "n": [1.5, None]}), 6), end="")
    name    n
    a       1.5
    a lon…
    """
    columns = []
    for name, values in table.items():
        cells = []
        for value in (name, *values.astype(object).fillna("")):
            cell = " ".join(str(value).split())
            if len(cell) > widest:
                cell = cell[: widest - 1] + "…"
            cells.append(cell)
        width = max(map(len, cells))
        columns.append([cell.ljust(width) for cell in cells])
    text = ""
    for row in zip(*columns, strict=True):
        text += "  ".join(row).rstrip() + "\n"
    return text


def plain_number(value: float, digits: int = 3) -> str:
    """Format a number with `digits` significant digits, without an exponent; empty for NaN.

    >>> plain_number(123456.0), plain_number(-0.012345), plain_number(2.0)
    ('123000', '-0.0123', '2')
    """
    if pd.isna(value):
        return ""
    return np.format_float_positional(value, precision=digits, fractional=False, trim="-")


def probability(p: float) -> str:
    """Format a p- or q-value with two significant digits.

    >>> probability(0.0312), probability(0.00042), probability(3e-9), probability(1.0)
    ('0.031', '0.00042', '< 0.0001', '1')
    """
    text = "< 0.0001" if p < 1e-4 else plain_number(p, 2)
    return "> 0.05" if text == "0.05" and p > 0.05 else text
