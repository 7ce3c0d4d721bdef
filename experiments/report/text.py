"""Format tables and numbers as text."""

import numpy as np
import pandas as pd


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
    columns = []
    for name, values in table.items():
        texts = [cut(_in_a_line(value), widest) for value in (name, *values)]
        side = ">" if pd.api.types.is_numeric_dtype(values) else "<"
        columns.append([f"{text:{side}{max(map(len, texts))}}" for text in texts])
    lines = zip(*columns, strict=True)
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)


def _in_a_line(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:.3f}"
    return "" if value is None or value is pd.NA else " ".join(str(value).splitlines())


def cut(text: object, widest: int) -> str:
    """Return the text of a value, cut to at most `widest` characters."""
    text = str(text)
    return text if len(text) <= widest else text[: widest - 1] + "…"


def number(value: float, digits: int = 2) -> str:
    """Format a number with at most `digits` decimals; empty for NaN.

    Values that differ only by rounding have the same text.

    >>> number(86.904), number(40.0), number(-0.001), number(float("nan")), number(float("-inf"))
    ('86.9', '40', '0', '', '-∞')
    >>> number(83.75, 1), number(83.75 - 1e-13, 1)
    ('83.8', '83.8')
    """
    if pd.isna(value):
        return ""
    if np.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{round(value, digits + 8):.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def percent(share: float) -> str:
    """Format a share in percent.

    >>> percent(0.8333), percent(1.0)
    ('83.3 %', '100 %')
    """
    return f"{number(100 * share, 1)} %"


def interval(low: float, high: float, digits: int = 2) -> str:
    """Format an interval; empty if there is none.

    >>> interval(80.25, 90)
    '[80.25, 90]'
    """
    return "" if pd.isna(low) else f"[{number(low, digits)}, {number(high, digits)}]"


def probability(p: float) -> str:
    """Format a p- or q-value without an exponent.

    >>> probability(0.0312), probability(0.00042), probability(3e-9), probability(1.0)
    ('0.031', '0.0004', '< 0.0001', '1')
    """
    if pd.isna(p):
        return ""
    text = "< 0.0001" if p < 1e-4 else number(p, 2 if p >= 0.1 else 3 if p >= 0.001 else 4)
    return "> 0.05" if text == "0.05" and p > 0.05 else text


def plain_interval(low: float, high: float) -> str:
    """Format an interval as "low to high", three significant digits of its width; NaN: empty.

    >>> plain_interval(-0.92814, -0.00002), plain_interval(1.3171, 2.9), plain_interval(-88, 123456)
    ('-0.928 to 0', '1.32 to 2.9', '0 to 123000')
    """
    if pd.isna(low):
        return ""
    width = high - low
    if not (np.isfinite(width) and width > 0):
        return f"{plain_number(low)} to {plain_number(high)}"
    decimals = 2 - int(np.floor(np.log10(width)))
    ends = (round(float(end), decimals) + 0.0 for end in (low, high))
    return " to ".join(np.format_float_positional(end, trim="-") for end in ends)


def plain_number(value: float, digits: int = 3) -> str:
    """Format a number with `digits` significant digits, without an exponent.

    >>> plain_number(123456.0), plain_number(-0.012345), plain_number(2.0)
    ('123000', '-0.0123', '2')
    """
    if not np.isfinite(value):
        return number(value)
    return np.format_float_positional(value, precision=digits, fractional=False, trim="-")


def duration(seconds: float) -> str:
    """Format seconds in a suitable unit: 42 s, 12 min, 3.5 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"
