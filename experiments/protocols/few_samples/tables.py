"""Tables of this kind: accuracies at each number of features, and images as rows."""

import numpy as np
import pandas as pd

from experiments.evaluation.comparison import (
    accuracy_columns,
    deviation,
    holm_columns,
    reference_of,
)


def accuracies(rows: pd.DataFrame, methods, in_order: dict) -> pd.DataFrame:
    """One row a method, ranking share and number of features, with the interval over the draws.

    Parameters
    ----------
    rows : DataFrame
        One row a draw and number of features, of each method.
    methods : list of Method
        The first one, or ManiFeSt, is what "difference" subtracts the method from, draw by draw.
    in_order : dict
        See :func:`experiments.protocols.accuracy.run.in_orders`. "order_std" is the standard
        deviation over these orders of the mean accuracy over the draws that have them.
    """
    if rows.empty:
        return pd.DataFrame()
    reference, found = reference_of(methods), []
    axes = ["ranking_share", "n_features"]
    sizes = sorted(rows["n_features"].unique())
    moved = {at[:2]: _order_columns(taken, sizes) for at, taken in in_order.items()}
    for (share, size), here in rows.groupby(axes, sort=True):
        tests = here.pivot(index="split", columns="method", values="test")
        differences = _differences(tests, reference, methods)
        for method in methods:
            if method.name not in tests:
                continue
            row = {"method": method.name, "label": method.label}
            row |= dict(zip(axes, (share, size), strict=True))
            own = tests[method.name].dropna()
            row |= {**accuracy_columns(own.to_numpy(), 0.0), "n_splits": len(own)}
            row |= moved.get((method.name, share), {}).get(size, {})
            found.append({**row, **differences.get(method.name, {})})
    table = pd.DataFrame(found)
    return table.astype({"n_orders": "Int64"}) if "n_orders" in table else table


def _order_columns(taken, sizes):
    """Number of features -> how far the orders without a failure move the mean accuracy there."""
    complete = [found for found in taken.values() if None not in found]
    if not complete:
        return {}
    means = np.array([np.mean([one.choice.test for one in found], axis=0) for found in complete])
    return {
        size: {"n_orders": len(complete), "order_std": deviation(of_size)}
        for size, of_size in zip(sizes, means.T, strict=True)
    }


def _differences(tests, reference, methods):
    """Other method -> its columns of the reference minus it, draw by draw, tested together."""
    found = {}
    for name in (m.name for m in methods if m.name in tests and reference in tests):
        both = tests[[reference, name]].dropna().to_numpy() if name != reference else np.empty(0)
        if len(both):
            found[name] = both[:, 0] - both[:, 1]
    names = {"ci_low": "difference_low", "ci_high": "difference_high"}
    rows = holm_columns(list(found.values()), 0.0)
    return {
        method: {names.get(column, column): x for column, x in row.items()}
        for method, row in zip(found, rows, strict=True)
    }


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracies with their intervals in percent: a row a method, a column a number of features."""
    if table.empty:
        return table
    accuracy, low, high = (100 * table[name] for name in ("accuracy", "ci_low", "ci_high"))
    text = [
        f"{mean:.2f}{'' if np.isnan(begin) else f' [{begin:.2f}, {end:.2f}]'}"
        for mean, begin, end in zip(accuracy, low, high, strict=True)
    ]
    wide = table.assign(text=text).pivot_table(
        index=["ranking_share", "label"],
        columns="n_features",
        values="text",
        aggfunc="first",
        sort=False,
    )
    return wide.reset_index().rename_axis(columns=None)


def pictures(method, data, train, found, n_difference) -> list[dict]:
    """Images as rows: a sample of each class, eigenvectors of M and of each D, and the score.

    Parameters
    ----------
    method : Method
    data : Dataset
    train : ndarray of int
        The training rows of the draw.
    found : Row
        Of :func:`experiments.protocols.few_samples.units.show`.
    n_difference : int
        How many eigenvectors it has of each D.
    """
    labels = np.unique(data.y)
    d = data.X.shape[1]

    def row(name, pixels, *, label=None, value=np.nan):
        image = {"image": name, "class": label, "eigenvalue": value}
        pixels = np.asarray(pixels, dtype=np.float64)
        return {"method": method.name, "label": method.label, **image, "pixels": pixels}

    rows = []
    for label in labels:
        first = train[data.y[train] == label][0]
        rows.append(row("sample", data.X[first], label=data.label_names[label]))
    means = found["mean_vectors"].reshape(-1, d)
    for value, vector in zip(found["mean_values"], means, strict=True):
        rows.append(row("mean", vector, value=value))
    # Two classes have one difference operator, which is that of the first.
    values_of = found["difference_values"].reshape(-1, n_difference)
    vectors_of = found["difference_vectors"].reshape(-1, n_difference, d)
    for label, values, of_class in zip(labels, values_of, vectors_of, strict=False):
        for value, vector in zip(values, of_class, strict=True):
            rows.append(row("difference", vector, label=data.label_names[label], value=value))
    return [*rows, row("score", found["score"])]
