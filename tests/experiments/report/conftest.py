"""Small results of made-up runs, as experiments write them, and a claim beside them."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml

from experiments.report.claims import compare


@pytest.fixture
def decided(tmp_path):
    """A function from an entry of paper.yaml and tables to the row of the claim."""

    def row(entry, *, n=10, kind="accuracy", test_size=0.1, **tables):
        entry = {"id": "one", "figure": "Fig. 1", "says": "it does", "folder": "made", **entry}
        (tmp_path / "paper.yaml").write_text(yaml.safe_dump({"claims": [entry]}))
        if tables:
            store(tmp_path, "made", n=n, kind=kind, test_size=test_size, **tables)
        return compare(tmp_path / "paper.yaml", tmp_path).iloc[0].to_dict()

    return row


def store(
    results,
    experiment,
    *,
    profile="paper",
    n=10,
    kind="accuracy",
    test_size=0.1,
    data=None,
    config=None,
    **tables,
):
    """Write results/EXPERIMENT: provenance and tables.

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
        "data": {"name": experiment, "verified": True, **(data or {})},
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
            "dataset": {},
            "method": {},
            "protocol": {"kind": kind, "n_repetitions": n, "test_size": test_size},
            **(config or {}),
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
