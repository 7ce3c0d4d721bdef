"""Format tables and numbers as text."""

import string
from typing import Any

import numpy as np
import pandas as pd


class Format(string.Formatter):
    """Python's formats of values; a percentage has no sign, and a missing value is empty.

    >>> FORMAT.format("{a:.1%}, {b:.2f}, {c}", a=0.5, b=float("nan"), c="x")
    '50.0, , x'
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format a value."""
        if pd.isna(value):
            return ""
        text = super().format_field(value, format_spec)
        return text.removesuffix("%") if format_spec.endswith("%") else text


FORMAT = Format()


def markdown(table: pd.DataFrame) -> str:
    """Format a table as Markdown.

    >>> print(markdown(pd.DataFrame({"a": [1, 2], "b": ["x", "y|z"]})), end="")
    | a | b |
    |---|---|
    | 1 | x |
    | 2 | y\\|z |
    """
    lines = ["| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
    for row in table.itertuples(index=False):
        lines.append("| " + " | ".join(str(value).replace("|", r"\|") for value in row) + " |")
    return "\n".join(lines) + "\n"


def aligned(table: pd.DataFrame, widest: int = 48) -> str:
    """Format a table for a terminal: texts left, numbers right, cells cut to a width.

    Numbers have at most three decimals; a cell without a value is empty.

    >>> print(aligned(pd.DataFrame({"name": ["a", "a long one"], "n": [1.5, None]}), 6), end="")
    name        n
    a       1.500
    a lon…
    """

    def text(value):
        text = f"{value:.3f}" if isinstance(value, float) else " ".join(str(value).split())
        return "" if pd.isna(value) else cut(text, widest)

    columns = []
    for name, values in table.items():
        texts = [text(value) for value in (name, *values)]
        side = ">" if pd.api.types.is_numeric_dtype(values) else "<"
        columns.append([f"{text:{side}{max(map(len, texts))}}" for text in texts])
    lines = zip(*columns, strict=True)
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)


def cut(text: str, widest: int) -> str:
    """Return a text, cut to at most `widest` characters."""
    return text if len(text) <= widest else text[: widest - 1] + "…"


def number(value: float, digits: int = 2) -> str:
    """Format a number with at most `digits` decimals; empty for NaN.

    Values that differ only by rounding have the same text.

    >>> number(86.904), number(40.0), number(-0.001), number(float("nan"))
    ('86.9', '40', '0', '')
    >>> number(83.75, 1), number(83.75 - 1e-13, 1)
    ('83.8', '83.8')
    """
    if pd.isna(value):
        return ""
    rounded = round(round(float(value), digits + 8), digits) + 0.0  # Never -0.
    return np.format_float_positional(rounded, trim="-")


def interval(low: float, high: float, digits: int = 2) -> str:
    """Format an interval; empty if there is none.

    >>> interval(80.25, 90)
    '[80.25, 90]'
    """
    return "" if pd.isna(low) else f"[{number(low, digits)}, {number(high, digits)}]"


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
