"""Made-up curves of the accuracy protocol, and what figures of them hold."""

import numpy as np
import pandas as pd

SIZES = [1, 5, 20, 100]
SHARES = {0.05: 20, 0.3: 120, 1.0: 400}
METHODS = {
    "anova": "ANOVA",
    "relieff": "ReliefF",
    "manifest": "ManiFeSt",
    "manifest_relieff": "ManiFeSt + ReliefF",
    "brought": "A new one",
}


def made_up():
    """curves.csv and summary.csv of made-up accuracies under both readings."""
    rng = np.random.default_rng(0)
    curves, summary = [], []
    for reading in ("paper", "nested"):
        for method, label in METHODS.items():
            for share, samples in SHARES.items():
                head = {
                    "method": method,
                    "label": label,
                    "combination": method == "manifest_relieff",
                    "reading": reading,
                    "ranking_share": share,
                    "ranking_samples": samples,
                }
                curves += [
                    {
                        **head,
                        "n_features": size,
                        "validation_mean": rng.uniform(0.8, 0.9),
                        "validation_std": 0.02,
                        "test_mean": rng.uniform(0.6, 0.8),
                        "test_std": rng.uniform(0.01, 0.05),
                    }
                    for size in SIZES
                ]
                accuracy = rng.uniform(0.7, 0.8)
                summary.append(
                    {
                        **head,
                        "accuracy": accuracy,
                        "std": rng.uniform(0.01, 0.05),
                        "ci_low": accuracy - 0.1,
                        "ci_high": accuracy + 0.1,
                        "n_features": 20,
                    }
                )
        everything = {"method": "all_features", "label": "All features", "combination": False}
        everything |= {"reading": reading, "ranking_share": 1.0, "ranking_samples": 400}
        accuracy = 0.55 if reading == "paper" else 0.58
        summary.append({**everything, "accuracy": accuracy, "std": 0.01, "n_features": 100})
    return {"curves": pd.DataFrame(curves), "summary": pd.DataFrame(summary)}


def part(table, **where):
    """The rows that have these values."""
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def has_curve(axis, x, y, *, linestyle=None):
    """Whether one of an axis' lines goes through these points, in percent."""
    return any(
        np.array_equal(line.get_xdata(), x)
        and np.allclose(line.get_ydata(), 100 * np.asarray(y))
        and (linestyle is None or line.get_linestyle() == linestyle)
        for line in axis.get_lines()
    )


def words(figure):
    """All that stands in the legends of a figure."""
    legends = [*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend())]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def heights(collection):
    """Lowest and highest point of a shaded area at each x, in percent."""
    points = collection.get_paths()[0].vertices
    return {
        x: (column.min(), column.max()) for x in SIZES for column in [points[points[:, 0] == x, 1]]
    }
