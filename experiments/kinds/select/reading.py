"""The table as it was read, in two files, for whoever wants to check it before a run."""

import io
import json
from collections.abc import Sequence

import numpy as np
import pandas as pd

from experiments.datasets import Dataset
from experiments.datasets.user_table import UserTable
from experiments.evaluation.data import described
from experiments.kinds import base
from experiments.kinds.select.features import names_of


def as_read(data: Dataset, notes: Sequence[str]) -> base.Results:
    """The files read.json and read.parquet, and no rows.

    read.json has `features` (names in the order of the file), `labels` (a text for each row),
    `row_names` (a list, or null) and `notes` (sentences on what was detected). read.parquet has the
    features as float64, rows in the order of the file, before gaps are filled.
    """
    of_user = data if isinstance(data, UserTable) else None
    rows = np.argsort(of_user.file_rows) if of_user else np.arange(len(data.y))
    names, row_names = names_of(data), of_user.row_names if of_user else None
    about = {
        "features": names,
        "labels": [data.label_names[int(value)] for value in data.y[rows]],
        "row_names": None if row_names is None else [row_names[row] for row in rows],
        "notes": list(notes),
    }
    buffer = io.BytesIO()
    pd.DataFrame(np.asarray(data.X, dtype=np.float64)[rows], columns=names).to_parquet(buffer)
    text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
    return base.Results(
        pd.DataFrame(),
        described(data),
        files={"read.json": text.encode(), "read.parquet": buffer.getvalue()},
        text=f"{len(rows)} rows and {len(names)} features were read; read.json has the details",
        is_final=True,
    )
