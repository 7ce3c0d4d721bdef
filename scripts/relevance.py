"""The figure that explains the relevance without a kernel scale: three groups of planted features.

python scripts/relevance.py     writes results/relevance/parts.csv and figure.png
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments import seeds
from experiments.files import write_csv
from experiments.report import figures
from manifest.relevance import calibrated_relevance

OUTPUT = Path(__file__).resolve().parents[1] / "results" / "relevance"
#: Features of each group, in the order of the columns.
GROUPS = {"mean": 4, "noisy copies": 4, "variance": 4, "association": 8, "noise": 60}


def sample(n=100):
    """Standardised samples of two classes, their labels, and the group of each feature.

    Features differ by 0.8 deviations in the mean, copies of the first of them have a tenth of its
    variance as noise, deviations are 1.6 and 0.6, and correlations of pairs 0.85 and -0.85.
    """
    rng = seeds.generator(0, "relevance")
    groups = np.repeat(list(GROUPS), list(GROUPS.values()))
    y = np.arange(n) % 2
    sign = np.where(y == 1, 1.0, -1.0)[:, None]
    X = rng.normal(size=(n, len(groups)))
    X[:, groups == "mean"] += 0.4 * sign
    copies = groups == "noisy copies"
    X[:, copies] = X[:, :1] + np.sqrt(0.1) * X[:, copies]
    X[:, groups == "variance"] *= np.where(sign > 0, 1.6, 0.6)
    first, second = np.flatnonzero(groups == "association").reshape(-1, 2).T
    X[:, second] = 0.85 * sign * X[:, first] + np.sqrt(1 - 0.85**2) * X[:, second]
    return (X - X.mean(axis=0)) / X.std(axis=0), y, groups


def main():
    X, y, groups = sample()
    result = calibrated_relevance(X, y)
    columns = {name: getattr(result, name) for name in ("association", "mean", "relevance")}
    table = pd.DataFrame({"feature": np.arange(1, len(groups) + 1), "group": groups, **columns})
    OUTPUT.mkdir(exist_ok=True)
    write_csv(OUTPUT / "parts.csv", table.assign(step=result.steps))
    print(*figures.draw("relevance_parts", OUTPUT), sep="\n")


if __name__ == "__main__":
    main()
