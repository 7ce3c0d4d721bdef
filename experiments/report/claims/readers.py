"""The five readers of claims: each finds the quantities of a claim in a folder of results.

A reader takes the folder and the arguments under ``with`` in ``paper.yaml``, and returns the
quantities of the claim. A claim about several, such as "above all others", must hold for each.
:func:`number` and :func:`count` also return the noise of a published number.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import deviation_interval
from experiments.report.claims.folder import (
    Accuracies,
    Draws,
    Folder,
    Gaps,
    Missing,
    accuracies,
    found,
)
from experiments.report.claims.noise import (
    ONE_REPEAT_PAIRED,
    SHOWN,
    Noise,
    Quantity,
    bootstrap,
    noise_of,
)


class Found(NamedTuple):
    """The result of a reader."""

    quantities: list[Quantity]
    #: The noise of a published number; None if the claim is not about a number.
    noise: Noise | None = None
    #: Numbers beside it: "std" and "features".
    beside: dict[str, str] = {}  # noqa: RUF012


def number(
    folder: Folder,
    method: str,
    tuning: str = "paper",
    repetitions: int | None = None,
    n_features: int | None = None,
    *,
    error: bool = False,
) -> Found:
    """Return the mean test accuracy of a method, or its error, in percent.

    It is the best one over the numbers of features, or that at one of them.
    """
    here = accuracies(folder, tuning, 1.0, repetitions or 0)
    name, values = here.name(method), here.values(method, n_features)
    noise = noise_of(values, here.block, here.together)
    row = here.summary.set_index("method").loc[name]
    value = float(values.mean())
    if error:
        is_pooled = here.study >= folder.n and pd.notna(row.get("n_errors"))
        value = 100 * row["n_errors"] / row["n_tested"] if is_pooled else 100 - value
    low, high = deviation_interval(values.std(ddof=1), len(values), SHOWN)
    beside = {"std": f"{values.std(ddof=1):.2f} [{low:.2f}, {high:.2f}]"}
    beside["features"] = f"{row['n_features']:.0f}"
    return Found([noise.of(value, name)], noise, beside)


def count(
    folder: Folder,
    method: str | None = None,
    by: str | None = None,
    case: str | None = None,
    features: list[int] | None = None,
) -> Found:
    """Return the mean number of relevant features found, over the draws.

    With ``by``, one for each value of a column of the rows. With a case and features, the share of
    the draws that select each feature.
    """
    if features is not None:
        table, n = folder.table("features", {"case": case, "method": method}), folder.n
        quantities = []
        for name, share in table.set_index("feature")["selected"].loc[features].items():
            deviation = float(np.sqrt(share * (1 - share) * n / (n - 1)))
            quantities.append(Noise(deviation, n, limits=(0.0, 1.0)).of(share, f"f{name}"))
        return Found(quantities)
    draws = Draws(folder)
    limits = (0.0, draws.most)
    if by is not None:
        groups = folder.rows.groupby(by, sort=False)["correct"]
        found = [noise_of(v, 0, limits=limits).of(v.mean(), str(key)) for key, v in groups]
        return Found(found)
    values = draws.values(method or "")
    noise = noise_of(values, 0, limits=limits)
    return Found([noise.of(values.mean(), draws.name(method or ""))], noise)


def pairwise(
    folder: Folder,
    pairs: list[list[Any]],
    of: str = "",
    method: str = "",
    tuning: str = "paper",
    share: float = 1.0,
) -> Found:
    """Return the mean difference of two methods, for each pair of sides.

    Parameters
    ----------
    folder : Folder
    pairs : list of pairs of sides
        A side is a method; "own" for that of the claim; a list of methods, of which those in the
        results are used; or a mapping: ``method``, and ``n_features`` or ``share``, the share of
        the rows for ranking; or ``value``, a number instead of a method.
    of : {"", "correct", "accuracy"}
        The relevant features, or the accuracies, of draws; by default the accuracies of splits.
    method : str
        The method of the claim.
    tuning, share
        Of accuracies of splits.
    """
    source = Draws(folder, of) if of else accuracies(folder, tuning, share)
    return Found([*_pairs(source, pairs, method)])


def _side(source, own: str, side) -> Iterator[tuple[str, Any]]:
    """The name and the values of each method of a side."""
    side = dict(side) if isinstance(side, dict) else {"method": side}
    if "value" in side:
        yield f"{side['value']:g}", side["value"]
        return
    asked, here = side.pop("method"), source
    if share := side.pop("share", None):
        here = accuracies(source.folder, source.tuning, share)
    present = here.rows["method"].unique()
    is_list = isinstance(asked, list)
    names = [n for a in asked if (n := found(a, present))] if is_list else [asked]
    where = "".join(f" at {n} features" for n in side.values())
    where += f" from {share:g} of the rows" if share else ""
    for name in names:
        stored = here.name(own if name == "own" else name)
        yield f"{stored}{where}", here.values(stored, **side)


def _pairs(source, pairs, own: str = "") -> Iterator[Quantity]:
    """The mean of each difference, on the repetitions that both sides have."""
    limits = (-source.most, source.most)
    for entry in pairs:
        for (one, values), (other, others) in product(*(_side(source, own, s) for s in entry)):
            if one != other:
                difference = (values - others).dropna()
                among = (source.block, source.paired)
                noise = noise_of(difference, *among, limits, ONE_REPEAT_PAIRED)
                yield noise.of(difference.mean(), f"{one} minus {other}")


def eigenvalue(
    folder: Folder, table: str, value: str, where: dict[str, Any], over: tuple[str, ...] = ()
) -> Found:
    """Return a column of the chosen rows of a table, divided by the largest of other columns.

    A column VALUE_std has its deviation over draws; without this column a value has no noise.
    """
    chosen = folder.table(table, where)
    quantities = []
    for row in chosen.to_dict("records"):
        if row.get("n_pixels") == 0:
            raise Missing("no pixel differs by that much")
        base = max((row[name] for name in over), default=1.0)
        n = int(row.get("n_draws", folder.n))
        noise = Noise(row.get(f"{value}_std", 0.0) / base, n, limits=None)
        name = str(row.get("region", row.get("dataset", "")))
        quantities.append(noise.of(row[value] / base, name))
    return Found([one for one in quantities if np.isfinite(one.value)])


def curve(folder: Folder, pairs: list[list[Any]], of: str, tuning: str = "paper") -> Found:
    """Return differences of the gap between validation and test, or ratios of the best sizes.

    The gap is the mean over the numbers of features. The best size is the number of features with
    the best mean accuracy, resampled over the splits. Sides are methods or lists of them.
    """
    if of == "gap":
        return Found([*_pairs(Gaps(folder, tuning), pairs)])
    return Found([_ratio(accuracies(folder, tuning), *entry) for entry in pairs])


def _ratio(here: Accuracies, one, other) -> Quantity:
    grids = [here.grid(name).dropna() for name in (one, other)]
    kept = grids[0].index.intersection(grids[1].index)

    def sizes(weights, grid):
        means = (weights @ grid.loc[kept].to_numpy()).round(9)
        return grid.columns.to_numpy(float)[means.argmax(-1)]

    value, interval = bootstrap(lambda w: sizes(w, grids[0]) / sizes(w, grids[1]), len(kept))
    return Quantity(value, interval, f"{here.name(one)} over {here.name(other)}")


#: The name in ``paper.yaml`` -> the reader.
READERS: dict[str, Callable[..., Found]] = {
    function.__name__: function for function in (number, count, pairwise, eigenvalue, curve)
}
