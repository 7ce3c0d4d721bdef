"""The stored rows of a run, as all reports read them."""

from pathlib import Path

import pandas as pd


def read_rows(folder: Path) -> pd.DataFrame:
    """Return the rows of features in their own order, one for each judgement.

    Rows that number a random order of the features in the column "columns" are left out: they say
    how far a result depends on the order.

    Parameters
    ----------
    folder : Path
        The folder of a run, with ``rows.parquet``.
    """
    rows = pd.read_parquet(folder / "rows.parquet")
    return rows[rows["columns"].isna()] if "columns" in rows else rows
