"""The four readers of claims: each finds the quantities of a claim in a folder of results.

A reader takes the folder and the arguments under ``with`` in ``paper.yaml``, and returns the
quantities of the claim. A claim about several, such as "above all others", must hold for each.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from experiments.evaluation.statistics import deviation_interval
from experiments.report.claims.folder import Folder, Values, stored_name, values_of
from experiments.report.claims.noise import SHOWN, Mean
from experiments.report.stored import chosen


def number(
    folder: Folder,
    method: str,
    tuning: str = "paper",
    repetitions: int | None = None,
    n_features: int | None = None,
    *,
    error: bool = False,
) -> list[Mean]:
    """Return the mean test accuracy of a method, or its error, in percent.

    It is the best one over the numbers of features, or that at one of them.
    """
    here = values_of(folder, "test", tuning, 1.0, repetitions or 0)
    name = here.name(method)
    values = here.values(name, n_features)
    mean = here.mean(values)
    row: Any = here.summary.loc[name]
    if error:
        mean = replace(mean, value=100 * row["n_errors"] / row["n_tested"])
    std = values.std(ddof=1)
    low, high = deviation_interval(std, len(values), SHOWN)
    beside = {
        "std": f"{std:.2f} [{low:.2f}, {high:.2f}]",
        "features": f"{row['n_features']:.0f}",
    }
    return [replace(mean, method=name, beside=beside)]


def count(
    folder: Folder,
    method: str = "",
    by: str | None = None,
    case: str | None = None,
    features: Sequence[int] = (),
) -> list[Mean]:
    """Return the mean number of relevant features found, over the draws.

    With ``by``, one for each value of a column of the rows. With a case and features, the share of
    the draws that select each feature.
    """
    if features:
        return _shares(folder, method, case, features)
    here = values_of(folder, "correct")
    if by is not None:
        groups = folder.rows.groupby(by, sort=False)["correct"]
        return [here.mean(values, str(key)) for key, values in groups]
    name = here.name(method)
    mean = here.mean(here.values(name))
    return [replace(mean, method=name)]


def _shares(folder: Folder, method: str, case: str | None, features: Sequence[int]) -> list[Mean]:
    """Return the share of the draws that select each of these features."""
    n = folder.n
    means = []
    table = chosen(folder.path / "features.csv", {"case": case, "method": method})
    shares = table.set_index("feature")["selected"].loc[[*features]]
    for feature, share in shares.items():
        variance = share * (1 - share)
        deviation = np.sqrt(variance * n / (n - 1))
        means.append(Mean(share, deviation, n, n - 1, limits=(0.0, 1.0), name=f"f{feature}"))
    return means


def pairwise(
    folder: Folder,
    pairs: list[list[Any]],
    of: str = "test",
    method: str = "",
    tuning: str = "paper",
    share: float = 1.0,
    where: Mapping[str, Any] | None = None,
) -> list[Mean]:
    """Return the mean difference of two methods, for each pair of sides.

    Parameters
    ----------
    folder : Folder
    pairs : list of pairs of sides
        A side is a method; "own" for that of the claim; a list of methods, of which those in the
        results are used; or a mapping: ``method``, and ``n_features`` or ``share``, the share of
        the rows for ranking; or ``value``, a number instead of a method; or ``mean``, the mean of
        some methods.
    of, tuning, share, where
        The values that are compared; see :class:`Values`.
    method : str
        The method of the claim.
    """
    here = values_of(folder, of, tuning, share, 0, tuple((where or {}).items()))
    own = here.name(method) if method else ""
    compared = []
    for pair in pairs:
        left_side, right_side = pair
        left = [*_side(here, own, left_side)]
        right = [*_side(here, own, right_side)]
        for name, values in left:
            for other, other_values in right:
                if name == other:
                    continue
                differences = (values - other_values).dropna()
                mean = here.mean(differences, f"{name} minus {other}", paired=True)
                compared.append(replace(mean, method=own))
    return compared


def _side(here: Values, own: str, side: Any) -> Iterator[tuple[str, Any]]:
    """The name and the values of each method of a side."""
    if not isinstance(side, dict):
        side = {"method": side}
    if "value" in side:
        yield f"{side['value']:g}", side["value"]
        return
    if "mean" in side:
        several = [values for _, values in _side(here, own, side["mean"])]
        yield f"the mean of {len(several)}", sum(several) / len(several)
        return
    n_features = side.get("n_features")
    where = f" at {n_features} features" if n_features else ""
    share = side.get("share")
    if share:
        here = values_of(here.folder, here.measure, here.tuning, share)
        where += f" from {share:g} of the rows"
    methods = side["method"]
    if isinstance(methods, str):  # It must exist; of several, those that exist are used.
        names: list[str | None] = [here.name(own if methods == "own" else methods)]
    else:
        names = [stored_name(method, here.methods) for method in methods]
    for name in filter(None, names):
        yield f"{name}{where}", here.values(name, n_features)


def cell(
    folder: Folder, table: str, value: str, where: dict[str, Any], over: Sequence[str] = ()
) -> list[Mean]:
    """Return the cell of each chosen row of a table, divided by the largest of other columns.

    A column VALUE_std has its deviation over draws; without this column a value has no noise.
    """
    n = folder.n
    quantities = []
    for row in chosen(folder.path / f"{table}.csv", where).to_dict("records"):
        base = max((row[name] for name in over), default=1.0)
        deviation = row.get(f"{value}_std", 0.0) / base
        name = row.get("region", "")
        quantities.append(Mean(row[value] / base, deviation, n, n - 1, limits=None, name=name))
    return quantities


#: The name in ``paper.yaml`` -> the reader.
READERS: dict[str, Callable[..., list]] = {
    function.__name__: function for function in (number, count, pairwise, cell)
}
