"""Small results of made-up runs, as experiments write them, and claims beside them."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from experiments.report.claims import compare
from experiments.report.claims.paper import load
from experiments.report.claims.results_folder import facts
from tests.experiments.conftest import CONFIGS

PAPER = CONFIGS.parent / "results" / "paper.yaml"
#: Claim -> the experiment that decides it.
EXPERIMENTS = {claim.id: claim.experiment for claim in load(PAPER)}


@pytest.fixture
def outcomes(tmp_path):
    """A function from a stored experiment to the rows of its claims."""

    def found(experiment, **tables):
        shutil.rmtree(tmp_path / experiment, ignore_errors=True)
        store(tmp_path, experiment, **tables)
        return compare(PAPER, tmp_path).set_index("claim").to_dict("index")

    return found


@pytest.fixture
def decided(outcomes):
    """A function from a claim and tables of its experiment to its row; it checks the outcome."""

    def row(claim, outcome, **tables):
        found = outcomes(EXPERIMENTS[claim], **tables)[claim]
        assert outcome in (None, found["outcome"]), (claim, found)
        return found

    return row


def store(results, experiment, *, profile="paper", n=10, data=None, dataset=None, **tables):
    """Write results/EXPERIMENT, on the samples of its claims: provenance and tables.

    Returns
    -------
    Path
        The folder.
    """
    folder = results / experiment
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        if name == "rows":
            rows = pd.DataFrame(table)
            if "correct" in rows and "relevant" not in rows:
                relevant = np.arange(int(rows["correct"].max()))
                rows["relevant"] = pd.Series([relevant] * len(rows), dtype=object)
            rows.to_parquet(folder / "rows.parquet", index=False)
        else:
            pd.DataFrame(table).to_csv(folder / f"{name}.csv", index=False)
    record = {
        "profile": profile,
        "seed": 0,
        "data": {"name": [*facts(experiment).samples, experiment][0], "verified": True}
        | (data or {}),
        "tasks": {"computed": 1, "reused": 0, "failed": []},
        "overrides": [f"experiment={experiment}"],
        "git": "0123abc",
        "code": "4567def",
        "python": "3.11.7",
        "packages": {"numpy": "2.4.6"},
        "config": {
            "name": experiment,
            "title": f"Title of {experiment}",
            "figure": "curves",
            "dataset": dataset or {},
            "method": {},
            "protocol": {"kind": "accuracy", "n_repetitions": n, "test_size": 0.1},
        },
    }
    (folder / "provenance.json").write_text(json.dumps(record))
    return folder


def accurate(means, n=10, noise=0.01):
    """Test accuracies of n splits at two numbers of features; the second is clearly worse.

    Parameters
    ----------
    means : dict of method, or (method, share), to float or (float, float)
        The mean at the better number, and the noise if it is another one.
    """
    rng, tests = np.random.default_rng(0), {}
    for name, mean in means.items():
        mean, own = mean if isinstance(mean, tuple) else (mean, noise)
        drawn = mean + own * rng.normal(size=n)
        tests[name] = np.column_stack([drawn, drawn - 0.1])
    return tests


def recovered(correct):
    """Tables "summary" and "rows" of a recovery experiment.

    Parameters
    ----------
    correct : dict of str to sequence of int
        Method -> correct selections of each draw.
    """
    rows = [
        {"method": method, "tuned": tuned, "draw": draw, "correct": value if tuned else 0}
        for method, values in correct.items()
        for tuned in (False, True)
        for draw, value in enumerate(values)
    ]
    summary = [
        {"method": method, "correct": np.mean(values), "n_draws": len(values)}
        for method, values in correct.items()
    ]
    return {"summary": summary, "rows": rows}


def toy(case_a, case_b=(0.1, 0.1), method="manifest"):
    """Tables "features" and "summary" of the toy example: shares of 20 draws with f1, and f5."""
    head, shares = {"method": method, "mean": 0.5, "std": 0.1}, {"a": case_a, "b": case_b}
    features = [
        {**head, "case": case, "feature": feature, "selected": share}
        for case, selected in shares.items()
        for feature, share in zip((1, 5), selected, strict=True)
    ]
    summary = [{"case": case, "method": method, "n_draws": 20} for case in shares]
    return {"features": features, "summary": summary}


def evaluated(tests, sizes=(10, 40), validation=None, tuning="paper"):
    """Tables "summary" and "rows" of an accuracy experiment.

    Parameters
    ----------
    tests : dict of method, or (method, share), to array of shape (n_splits, n_sizes)
        Test accuracies; the share of the rows that rank is 1 by default.
    sizes : sequence of int
    validation : dict of method to array of shape (n_splits, n_sizes), optional
    tuning : str
        The tuning of the numbers; under "nested" they are lower.
    """
    rows, summary = [], []
    for key, accuracies in tests.items():
        method, share = (key, 1.0) if isinstance(key, str) else key
        accuracies = np.asarray(accuracies, dtype=float)
        best = int(accuracies.mean(axis=0).argmax())
        for name, shift in ((tuning, 0), ("nested", -0.2)):
            head = {"method": method, "ranking_share": share, "tuning": name}
            accuracy = accuracies[:, best].mean() + shift
            ends = {"ci_low": accuracy - 0.1, "ci_high": accuracy + 0.1}
            summary.append({**head, "accuracy": accuracy, **ends, "n_features": sizes[best]})
            seen = (validation or {}).get(method, accuracies)
            rows += [
                {**head, "split": split, "n_features": size, "validation": v, "test": test + shift}
                for split in range(len(accuracies))
                for size, v, test in zip(sizes, seen[split], accuracies[split], strict=True)
            ]
    return {"summary": summary, "rows": rows}
