"""What a sweep measures against the setting that it changes, a line for each method."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from experiments.config import entry_of
from experiments.report.columns import heading
from experiments.report.figures.curves import with_intervals


def draw(folder: Path, *, x: str, groups: Sequence[str] = ()) -> dict[str, Figure]:
    """Draw from sweep.csv.

    Parameters
    ----------
    folder : Path
        The folder of the sweep.
    x : str
        The column of the setting, which has numbers.
    groups : sequence of str
        Columns whose values have a panel each, such as the ways of tuning.
    """
    table = pd.read_csv(folder / "sweep.csv").dropna(subset=["mean"])
    measure = table["measure"].iloc[0]
    labels = [entry_of(name).get("label") or name for name in table["method"]]
    table = table.rename(columns={"mean": measure}).assign(label=labels)
    if groups:
        table["panel"] = table[[*groups]].astype(str).agg(", ".join, axis=1)
        table["panel_label"] = table["panel"]
    words = heading(measure).capitalize().replace(", %", " (%)")
    by = "panel" if groups else ""
    return {"sweep": with_intervals(folder, table, x, measure, x, words, by)}
