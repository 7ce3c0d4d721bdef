"""Compare the summaries of several runs: their measure, and how far it is from the first run's."""

from collections.abc import Mapping

import pandas as pd

from experiments.config import ConfigError
from experiments.evaluation.statistics import difference_interval
from experiments.report.columns import form_of, heading, measure_of
from experiments.report.text import aligned, texts

#: Columns that identify the same row in several summaries.
KEYS = ("label", "case_label", "part_label", "class_1", "class_2", "tuning", "ranking_samples")


def side_by_side(summaries: Mapping[str, pd.DataFrame]) -> str:
    """Return the measure of runs for a terminal, a row for each method of any of them.

    The summaries of runs are given by their names. If all have the same measure, each but the first
    has a column of differences from the first. Their intervals take the runs as independent (see
    :func:`experiments.evaluation.statistics.difference_interval`).

    Raises
    ------
    ConfigError
        If a summary has no measure, or its rows cannot be told apart.
    """
    shared = set.intersection(*(set(summary) for summary in summaries.values()))
    keys = [key for key in KEYS if key in shared]
    measures = {}
    for name, summary in summaries.items():
        measure = measure_of(summary)
        if not measure or not keys or summary.duplicated(keys).any():
            raise ConfigError(f"the summary of {name} has no measure for each of its methods")
        measures[name] = measure
    has_one_measure = len({*measures.values()}) == 1
    first, *_ = summaries
    table = pd.DataFrame(columns=keys)
    columns = {}
    for key in keys:
        columns[heading(key)] = f"{{{key}:{form_of(key)}}}"
    for number, (name, measure) in enumerate(measures.items()):
        run = summaries[name].reindex(columns=[*keys, measure, "ci_low", "ci_high"])
        of_run = [f"mean_{number}", f"low_{number}", f"high_{number}"]
        run.columns = pd.Index([*keys, *of_run])
        table = run if number == 0 else table.merge(run, how="outer", on=keys)
        form = form_of(measure, ".4g")
        interval = f"[{{low_{number}:{form}}}, {{high_{number}:{form}}}]"
        columns[f"{heading(measure)} ({name})"] = f"{{mean_{number}:{form}}}"
        columns[f"95 % interval ({name})"] = interval
        if number > 0 and has_one_measure:
            table = table.join(_differences(table, number))
            minus = f"{name} minus {first}"
            interval = f"[{{below_{number}:{form}}}, {{above_{number}:{form}}}]"
            columns[minus] = f"{{difference_{number}:{form}}}"
            columns[f"95 % interval ({minus})"] = interval
    shown = texts(table, columns)
    has_text = (shown != "").any()
    return aligned(shown.loc[:, has_text], 60)


def _differences(table: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return the differences of a run, by its number, from the first one, with their intervals."""
    ends = []
    for row in table.to_dict("records"):
        mean = row[f"mean_{number}"]
        interval = (row[f"low_{number}"], row[f"high_{number}"])
        first_interval = (row["low_0"], row["high_0"])
        ends.append(difference_interval(mean, interval, row["mean_0"], first_interval))
    differences = pd.DataFrame(index=table.index)
    differences[f"difference_{number}"] = table[f"mean_{number}"] - table["mean_0"]
    differences[[f"below_{number}", f"above_{number}"]] = ends
    return differences
