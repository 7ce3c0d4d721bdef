"""Tables for people."""

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
            formats.get(name, "{}").format(value)
            for name, value in zip(table.columns, row, strict=True)
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
