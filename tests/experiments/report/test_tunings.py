"""The table of tunings: published errors as accuracies, beside ours of the same method."""

import pandas as pd
import pytest

from experiments.report.tunings import CLAIMS, FOLDER, tunings


def test_each_method_has_its_accuracy_by_tuning(tmp_path):
    rows = [
        {"tuning": tuning, "method": method, "label": method.upper(), "accuracy": accuracy}
        | {"n_features": 10 * place, "parameters": parameters}
        for method, parameters, base in (("a", None, 0.5), ("b", "k=3, scale=True", 0.6))
        for place, tuning in enumerate(("paper", "icml", "once", "oracle"))
        for accuracy in [base + place / 100]
    ]
    (tmp_path / FOLDER).mkdir()
    pd.DataFrame(rows).to_csv(tmp_path / FOLDER / "summary.csv", index=False)
    notes = {"b": "b; standard deviation 3 there", "a": "a"}
    claims = [
        {"claim": f"{CLAIMS}{name}", "note": notes[name], "published": error}
        for name, error in (("b", 12.5), ("a", 20))
    ]
    found = tunings(
        pd.DataFrame([*claims, {"claim": "other", "note": "", "published": 1}]), tmp_path
    )
    assert found["method"].tolist() == ["a", "b"]
    assert found["n_tuned"].tolist() == [0, 1]
    assert found["published"].tolist() == [80, 87.5]
    assert found.loc[found["method"] == "b", ["icml", "paper", "once", "oracle"]].to_numpy()[
        0
    ].tolist() == pytest.approx([61, 60, 62, 63])
    assert found["n_features"].tolist() == [20, 20]
