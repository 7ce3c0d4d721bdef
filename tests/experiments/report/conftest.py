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

    def row(entry, *, n=10, **tables):
        entry = {"id": "one", "figure": "Fig. 1", "says": "it does", "folder": "made", **entry}
        (tmp_path / "paper.yaml").write_text(yaml.safe_dump({"claims": [entry]}))
        if tables:
            store(tmp_path, "made", n=n, **tables)
        return compare(tmp_path / "paper.yaml", tmp_path).iloc[0].to_dict()

    return row


def store(results, name, *, profile="paper", n=10, config=(), failed=(), **tables):
    """Write results/NAME, provenance and tables, and return the folder."""
    folder = results / name
    folder.mkdir(parents=True, exist_ok=True)
    for stem, table in tables.items():
        if stem == "rows":
            pd.DataFrame(table).to_parquet(folder / "rows.parquet", index=False)
        else:
            pd.DataFrame(table).to_csv(folder / f"{stem}.csv", index=False)
    protocol = {"n_repetitions": n, "test_size": 0.1}
    whole = {"name": name, "title": f"Title of {name}", "figure": "curves", "protocol": protocol}
    record = {
        **{"profile": profile, "overrides": [f"experiment={name}"], "git": "0123abc"},
        "data": {"name": name, "verified": True},
        "tasks": {"failed": list(failed)},
        "config": {**whole, "method": {}, **dict(config)},
    }
    (folder / "provenance.json").write_text(json.dumps(record))
    (folder / "differences.txt").write_text("protocol.n_repetitions: here 10, paper 50\n")
    return folder


def accurate(means, noise=0.01):
    """Test accuracies of ten splits around the mean of a method, and clearly worse ones."""
    rng, tests = np.random.default_rng(0), {}
    for name, mean in means.items():
        drawn = mean + noise * rng.normal(size=10)
        tests[name] = np.column_stack([drawn, drawn - 0.1])
    return tests


def recovered(correct):
    """Tables "summary" and "rows" of a recovery experiment, of method -> correct by draw."""
    most = list(range(max(max(values) for values in correct.values())))
    rows = [
        {"method": method, "tuned": tuned, "draw": draw, "correct": value if tuned else 0}
        | {"relevant": most}
        for method, values in correct.items()
        for tuned in (False, True)
        for draw, value in enumerate(values)
    ]
    return {"summary": [{"method": method} for method in correct], "rows": rows}


def evaluated(tests, validation=None):
    """Tables "summary" and "rows" of an accuracy experiment, for 10 and 40 features.

    Both arguments are dicts of method, or (method, share of the rows that rank), to an array of
    shape (n_splits, 2) for the tuning "paper"; under "nested" the test accuracies are lower.
    """
    rows, summary = [], []
    for key, accuracies in tests.items():
        method, share = (key, 1.0) if isinstance(key, str) else key
        best = int(accuracies.mean(axis=0).argmax())
        for name, shift in (("paper", 0), ("nested", -0.2)):
            head = {"method": method, "ranking_share": share, "tuning": name}
            accuracy = accuracies[:, best].mean() + shift
            ends = {"ci_low": accuracy - 0.1, "ci_high": accuracy + 0.1}
            summary.append({**head, "accuracy": accuracy, **ends, "n_features": (10, 40)[best]})
            seen = (validation or tests)[key]
            rows += [
                {**head, "split": split, "n_features": size, "validation": v, "test": test + shift}
                for split in range(len(accuracies))
                for size, v, test in zip((10, 40), seen[split], accuracies[split], strict=True)
            ]
    return {"summary": summary, "rows": rows}
