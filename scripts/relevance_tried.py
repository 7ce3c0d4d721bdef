"""Forms of the relevance without a kernel scale, tried on the selection sets: see docs/method.md.

    python scripts/relevance_tried.py [--splits N] [--home FOLDER] [--store FOLDER]

Writes results/relevance/tried.csv (13 problems of two classes), classes.csv (two of three classes)
and stop.csv (a rule for the number of features). Ten splits take about half an hour of one core.
Each split is kept in the store, so that a run can be interrupted. The judgement sets of the arena
take no part. Madelon comes from the folder of data or from OpenML.
"""

import argparse
import sys
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.cache import key_of
from experiments.files import write_csv
from manifest.references import SCALE_FACTORS
from scripts.relevance_forms import (
    FILTERS,
    N_TRAIN,
    THREE_CLASSES,
    TWO_CLASSES,
    Form,
    accuracies,
    sizes,
)

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "results" / "relevance"
SPLITS = 10
TAKEN = "scales 0.1, 0.3, 1, 2 (taken)"
LARGEST = "the largest of the operators of the classes (taken)"
SINGLE = {
    "ReliefF (k = 10)": Form(scores="relieff", similarity=()),
    "ANOVA": Form(scores="anova", similarity=()),
    "JMI": Form(scores="jmi", similarity=()),
    "mRMR": Form(scores="mrmr", similarity=()),
}
FORMS = {
    **SINGLE,
    "ManiFeSt at 0.3 medians": Form(scores="manifest", similarity=()),
    "a random choice": Form(scores="random", similarity=()),
    "ReliefF with the choice": Form(scores="relieff"),
    "ANOVA with the choice": Form(scores="anova"),
    TAKEN: Form(),
    "by relevance alone": Form(similarity=()),
    "with a scale of 4": Form(association=(*SCALE_FACTORS, 4.0), mean=(*SCALE_FACTORS, 4.0)),
    "without the scale 0.1": Form(association=SCALE_FACTORS[1:], mean=SCALE_FACTORS[1:]),
    "mean part at 1, 2 and 4 only": Form(mean=(1.0, 2.0, 4.0)),
    "mean part at 2 and 4 only": Form(mean=(2.0, 4.0)),
    "ReliefF calibrated in": Form(joined=("relieff",)),
    "ReliefF and ANOVA calibrated in": Form(joined=("relieff", "anova")),
    "ANOVA in place of the mean part": Form(mean="anova"),
    "M at 0.3 medians": Form(similarity=(0.3,)),
    "M at 0.5": Form(similarity=(0.5,)),
    "M at 2": Form(similarity=(2.0,)),
    "squared correlations in place of M": Form(similarity="correlations"),
    "square root of q": Form(quality="root"),
    "q clipped at 0": Form(quality="clipped"),
    "weight by the variance of z": Form(weight="variance"),
    "square root of the weight": Form(weight="root"),
    "no weight": Form(weight="none"),
    "one permutation": Form(null="one"),
    "another permutation for each scale": Form(null="one a scale"),
    "null from a quarter of the features": Form(null="quarter"),
    "four blocks": Form(n_blocks=4),
    "row norms of D": Form(row_norms=True),
    "references m - s and m + s": Form(view="near"),
    "ranks in place of values": Form(view="ranks"),
    "references at the quantiles 0.05 and 0.95": Form(view="quantiles"),
    "references by the class means": Form(view="class means"),
    "references of each feature": Form(mean_view="own"),
    "closed form of the null of the mean part": Form(null="analytic"),
    "null of resampled classes": Form(null="resampled"),
    "null from the quartiles of the scores": Form(null="empirical"),
    "mean of M at all four scales": Form(similarity=SCALE_FACTORS),
}
CLASSES = {
    **SINGLE,
    LARGEST: Form(),
    "the sum over the operators of the classes": Form(aggregate="sum"),
    "one operator: the root of the sum of squares": Form(aggregate="one"),
    "the sum over pairs of classes": Form(aggregate="pairs"),
    "ANOVA in place of the mean part": Form(mean="anova"),
    "mean part at 1 and 2 only": Form(mean=(1.0, 2.0)),
}


def computed(function, problems, arguments, **forms):
    """The rows of all units, from the store or computed: problem, n_train, split and numbers."""
    store, rows = Store(arguments.store), []
    for split, name, n_train in product(range(arguments.splits), problems, N_TRAIN):
        axes = {"problem": name, "n_train": n_train, "split": split}
        key = key_of(function.__name__, [function, *FILTERS.values()], **axes, said=repr(forms))
        task = partial(function, name, n_train, split, home=arguments.home, **forms)
        rows.append({**axes, **store.get_or_compute(key, task)})
        print(f"{function.__name__}: {name}, {n_train} samples, split {split + 1}", flush=True)
    return pd.DataFrame(rows)


def summary(rows, taken):
    """A row for each form: means over problems, and the difference to the form that was taken.

    `error` is the standard error of the difference over the splits, `deficit` the largest one to
    the best single filter on a problem.
    """
    forms = rows.drop(columns=["problem", "n_train", "split"])
    of_problem = forms.groupby(rows["problem"], sort=False).mean().T
    differences = forms.sub(forms[taken], axis=0).groupby(rows["split"]).mean()
    table = pd.DataFrame({"mean": of_problem.mean(axis=1), "difference": differences.mean()})
    table["error"] = differences.std() / np.sqrt(len(differences))
    table["deficit"] = (of_problem.loc[list(SINGLE)].max() - of_problem).max(axis=1)
    return table.join(of_problem).rename_axis("relevance_and_choice").reset_index()


def stops(rows):
    """Means of the rule for the number of features, for each problem and number of samples."""
    numbers = rows.columns.drop(["problem", "n_train", "split"])
    every = [rows, rows.assign(n_train="all"), rows.assign(problem="all", n_train="all")]
    return pd.concat(
        part.groupby(["problem", "n_train"], sort=False)[list(numbers)].mean().reset_index()
        for part in every
    )


def main(given=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--splits", type=int, default=SPLITS, help="at least 2")
    parser.add_argument("--home", help="folder with madelon.npz")
    parser.add_argument("--store", type=Path, default=ROOT / ".cache" / "relevance_tried")
    parser.add_argument("--to", type=Path, default=OUTPUT, help="folder of the tables")
    arguments = parser.parse_args(given)
    if arguments.splits < 2:
        parser.error("--splits must be at least 2, because one split gives no error")
    several = summary(computed(accuracies, THREE_CLASSES, arguments, forms=CLASSES), LARGEST)
    stop = stops(computed(sizes, TWO_CLASSES, arguments))
    tried = summary(computed(accuracies, TWO_CLASSES, arguments, forms=FORMS), TAKEN)
    arguments.to.mkdir(parents=True, exist_ok=True)
    for name, table in {"classes": several, "stop": stop, "tried": tried}.items():
        write_csv(arguments.to / f"{name}.csv", table.round(4))


if __name__ == "__main__":
    main()
