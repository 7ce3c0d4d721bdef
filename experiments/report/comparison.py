"""Compare the summaries of several runs: their measure, and how far it is from the first run's."""

from collections.abc import Mapping

import pandas as pd

from experiments.config import ConfigError
from experiments.evaluation.statistics import difference_interval
from experiments.report.columns import COLUMNS, heading, measure_of
from experiments.report.text import aligned, texts

#: Columns that identify the same row in several summaries.
KEYS = ("label", "case_label", "part_label", "class_1", "class_2", "tuning", "ranking_samples")


def side_by_side(summaries: Mapping[str, pd.DataFrame]) -> str:
    """Return the measure of runs for a terminal, a row for each method of any of them.

    Parameters
    ----------
    summaries : mapping of str to DataFrame
        The summary of each run, by a name. If all have the same measure, each but the first has a
        column of differences from the first. Their intervals take the runs as independent (see
        :func:`experiments.evaluation.statistics.difference_interval`).

    Raises
    ------
    ConfigError
        If a summary has no measure, or its rows cannot be told apart.
    """
    names, measures = [*summaries], [measure_of(each) for each in summaries.values()]
    keys = [key for key in KEYS if all(key in each for each in summaries.values())]
    for name, measure in zip(names, measures, strict=True):
        if not measure or not keys or summaries[name].duplicated(keys).any():
            raise ConfigError(f"the summary of {name} has no measure for each of its methods")
    table = pd.DataFrame(columns=keys)
    columns = {heading(key): f"{{{key}:{COLUMNS.get(key, ('', ''))[1]}}}" for key in keys}
    for i, (name, measure) in enumerate(zip(names, measures, strict=True)):
        part = summaries[name].reindex(columns=[*keys, measure, "ci_low", "ci_high"])
        part.columns = pd.Index([*keys, f"mean_{i}", f"low_{i}", f"high_{i}"])
        table = part if i == 0 else table.merge(part, how="outer", on=keys)
        form = COLUMNS.get(measure, ("", ".4g"))[1]
        columns[f"{heading(measure)} ({name})"] = f"{{mean_{i}:{form}}}"
        columns[f"95 % interval ({name})"] = f"[{{low_{i}:{form}}}, {{high_{i}:{form}}}]"
        if i and len({*measures}) == 1:
            table = table.join(_differences(table, i))
            columns[f"{name} minus {names[0]}"] = f"{{difference_{i}:{form}}}"
            columns[f"95 % interval ({name} minus {names[0]})"] = (
                f"[{{below_{i}:{form}}}, {{above_{i}:{form}}}]"
            )
    shown = texts(table, columns)
    return aligned(shown[[name for name in shown if shown[name].ne("").any()]], 60)


def _differences(table: pd.DataFrame, i: int) -> pd.DataFrame:
    """Return the differences of run number i from the first, with their intervals."""
    found = pd.DataFrame(index=table.index)
    found[f"difference_{i}"] = table[f"mean_{i}"] - table["mean_0"]
    ends = []
    for row in table.to_dict("records"):
        own, first = (row[f"low_{i}"], row[f"high_{i}"]), (row["low_0"], row["high_0"])
        ends.append(difference_interval(row[f"mean_{i}"], own, row["mean_0"], first))
    found[[f"below_{i}", f"above_{i}"]] = ends
    return found
