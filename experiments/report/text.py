"""Tables and numbers as texts for people."""

import textwrap

import pandas as pd


def markdown(table: pd.DataFrame, formats: dict[str, str] | None = None) -> str:
    """A table as Markdown.

    Parameters
    ----------
    table : DataFrame
    formats : dict of str to str, optional
        Column -> format of its values, such as "{:.0e}".

    Returns
    -------
    str

    Examples
    --------
    >>> print(markdown(pd.DataFrame({"a": [1, 2], "b": [0.25, 3]}), {"b": "{:.1f}"}), end="")
    | a | b |
    |---|---|
    | 1 | 0.2 |
    | 2 | 3.0 |
    """
    formats = formats or {}
    lines = ["| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns)]
    for row in table.itertuples(index=False):
        cells = (
            formats.get(name, "{}").format(value).replace("|", r"\|")
            for name, value in zip(table.columns, row, strict=True)
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def aligned(table: pd.DataFrame, widest: int = 48) -> str:
    """A table of texts for a terminal: columns are aligned to the left, long texts are cut.

    Parameters
    ----------
    table : DataFrame of str
    widest : int
        Characters that a column takes at most.

    Returns
    -------
    str

    Examples
    --------
    >>> print(aligned(pd.DataFrame({"name": ["a", "a long one"], "n": ["1", "12"]}), 6), end="")
    name    n
    a       1
    a lon…  12
    """
    lines = [[cut(cell, widest) for cell in row] for row in [table.columns, *table.to_numpy()]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "".join(line.rstrip() + "\n" for line in padded)


def cut(text: object, widest: int) -> str:
    """The text of a value, cut to at most that many characters."""
    text = str(text)
    return text if len(text) <= widest else text[: widest - 1] + "…"


def number(value: float, digits: int = 2) -> str:
    """A number as a text with at most that many decimals, empty for NaN.

    >>> number(86.904), number(40.0), number(-0.001), number(float("nan"))
    ('86.9', '40', '0', '')
    """
    if pd.isna(value):
        return ""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def interval(low: float, high: float, digits: int = 2) -> str:
    """An interval as a text, empty where there is none.

    >>> interval(80.25, 90)
    '[80.25, 90]'
    """
    return "" if pd.isna(low) else f"[{number(low, digits)}, {number(high, digits)}]"


#: Columns that a terminal names in fewer letters.
SHORT = {"n_features": "features", "n_splits": "splits", "n_draws": "draws", "n_top": "top"}
#: Columns that are told once where all rows have the same number.
ONCE = ("n_splits", "n_draws", "failed", "n_failed")


def terminal(table: pd.DataFrame, width: int = 100) -> str:
    """A table of numbers and texts for a terminal, with at most `width` characters in a line.

    What all rows have in common is told once, above. If the table is too wide, the texts of its
    widest column are cut, then columns are left out from the last one on, and the last line names
    them.

    Parameters
    ----------
    table : DataFrame
    width : int

    Returns
    -------
    str

    Examples
    --------
    >>> print(terminal(pd.DataFrame({"label": ["a", "b"], "n_draws": [5, 5], "x": [0.5, None]})))
    5 draws
    <BLANKLINE>
    label     x
        a 0.500
        b
    """
    told = []
    for name in ONCE:
        if name in table and table[name].nunique() == 1 and table[name].notna().all():
            value = table[name].iloc[0]
            if name in SHORT:
                told.append(f"{value} {SHORT[name]}")
            elif value:
                continue
            table = table.drop(columns=name)
    table = table.rename(columns=SHORT)
    head = ", ".join(told) + "\n\n" if told else ""
    left_out: list[str] = []
    while True:
        lines = _lines(table)
        over = max(map(len, lines)) - width
        if over <= 0:
            break
        texts = {
            name: table[name].map(lambda cell: len(str(cell))).max()
            for name in table
            if not pd.api.types.is_numeric_dtype(table[name])
        }
        widest = max(texts, key=lambda name: texts[name], default=None)
        if widest is not None and texts[widest] - over >= max(12, len(str(widest))):
            limit = texts[widest] - over
            table = table.assign(
                **{str(widest): table[widest].fillna("").map(lambda cell, n=limit: cut(cell, n))}
            )
        elif table.shape[1] > 1:
            left_out.insert(0, str(table.columns[-1]))
            table = table.iloc[:, :-1]
        else:
            break
    if left_out:
        named = f"also in summary.csv: {', '.join(left_out)}"
        lines += ["", *textwrap.wrap(named, width, subsequent_indent="  ")]
    return head + "\n".join(lines)


def _lines(table: pd.DataFrame) -> list[str]:
    """The lines of a table; a cell is empty where a row has no such number."""
    with pd.option_context("display.width", None, "display.max_colwidth", None):
        text = table.to_string(index=False, float_format=lambda v: f"{v:.3f}", na_rep="")
    return [line.rstrip() for line in text.splitlines()]
