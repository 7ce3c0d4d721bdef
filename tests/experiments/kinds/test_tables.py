"""The tables of most kinds: cells computed by hand from a few stored rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from experiments.kinds import KINDS, load
from experiments.kinds.arena.practical import signed_rank
from experiments.kinds.arena.tables import EQUIVALENCE, OUTCOMES
from experiments.kinds.base import tables_of
from tests.experiments.conftest import composed


def made(rows, *overrides, regions=None, **stored):
    """The tables of a config from rows that are lists of dicts."""
    config = composed(*overrides)
    if regions is not None:
        config.protocol.regions = regions
    tables = {name: pd.DataFrame(table) for name, table in {"rows": rows, **stored}.items()}
    return tables_of(load(config.protocol.kind), tables, config)


def half(values, overlap=0.0):
    """Half of a 95 % interval, by Nadeau and Bengio."""
    n = len(values)
    return stats.t.ppf(0.975, n - 1) * np.std(values, ddof=1) * np.sqrt(1 / n + overlap)


def test_accuracy():
    """At the best number of features, splits overlap; a difference is the reference's minus."""
    tests = {
        "manifest": [[0.9, 0.5], [0.8, 0.5], [0.7, 0.5]],
        "anova": [[0.5, 0.6]] * 2 + [[0.5, 0.9]],
    }
    rows = [
        {"method": method, "label": method, "combination": False, "tuning": "paper", "split": split}
        | {"ranking_share": 1.0, "ranking_samples": 40, "n_test": 10, "n_train": 40, "test": test}
        | {"parameters": "", "n_features": size, "validation": test + 0.05, "chosen": False}
        | {"log2_C": 0.0, "log2_gamma": 0.0, "ambiguous": False, "stability": 0.5}
        | {"chosen_stability": np.nan}
        for method, of_splits in tests.items()
        for split, of_sizes in enumerate(of_splits)
        for size, test in zip((5, 10), of_sizes, strict=True)
    ]
    overrides = "experiment=colon", "method=[manifest,anova]", "protocol.tuning=[paper]"
    tables = made(rows, *overrides)
    (pair,) = tables["pairs"].to_dict("records")
    differences = [0.3, 0.2, -0.2]
    assert pair["difference"] == pytest.approx(0.1)
    assert pair["ci_high"] - pair["difference"] == pytest.approx(half(differences, 10 / 40))
    row = tables["summary"].set_index("method").loc["manifest"]
    assert (row["accuracy"], row["n_features"]) == (pytest.approx(0.8), 5)
    assert row["accuracy"] - row["ci_low"] == pytest.approx(half([0.9, 0.8, 0.7], 10 / 40))
    assert (row["n_errors"], row["n_tested"]) == (6, 30)
    curve = tables["curves"].set_index(["method", "n_features"])
    assert curve.loc[("anova", 10), "test_mean"] == pytest.approx(0.7)


def test_recovery():
    found = {"manifest": [2, 2, 1], "anova": [0, 1, 0]}
    rows = [
        {"method": method, "parameters": "", "tuned": tuned, "draw": draw, "ambiguous": False}
        | {"correct": n if tuned else 2, "relevant": [0, 1]}
        | {"scores": [1.0, 3.0, 2.0] if draw else [0.0, 4.0, 1.0]}
        for method, of_draws in found.items()
        for draw, n in enumerate(of_draws)
        for tuned in (True, False)
    ]
    tables = made(rows, "experiment=xor100", "method=[manifest,anova]")
    summary = tables["summary"].set_index("method")
    assert summary["correct"].to_dict() == pytest.approx({"manifest": 5 / 3, "anova": 1 / 3})
    assert (summary["n_draws"] == 3).all()
    (pair,) = tables["pairs"].to_dict("records")
    assert pair["difference"] == pytest.approx(4 / 3)
    assert pair["difference"] - pair["ci_low"] == pytest.approx(half([2, 1, 1]))
    features = tables["features"].set_index(["method", "feature"])["mean"]
    assert features["anova"].to_list() == pytest.approx([0, 1, (0.25 + 0.5 + 0.5) / 3])


def test_arena():
    """Colon is one source of two data sets; on golub, all splits take all features.

    The SVM on all features and a control are never the best, and may be ahead of all.
    """
    methods = "anova", "relieff", "all_features", "anova_blind"
    tests = {
        "colon": [[0.8, 0.6], [0.7, 0.7], [0.5, 0.5], [0.9, 0.9]],
        "Colon, continuous": [[0.6, 0.6], [0.8, 0.8], [0.9, 0.9], [0.9, 0.9]],
        "golub": [[0.7, 0.7]] * 4,
    }
    rows = [
        {"data_set": name, "n_train": "20", "n_samples": 20, "method": method, "label": method}
        | {"split": split, "n_features": 300 if "all_features" in (method, name) else 5}
        | {"test": test, "validation": 0.8}
        | {"chosen": True, "parameters": "", "ambiguous": False, "stability": 0.5}
        | {"chosen_stability": 0.5}
        for name, of_methods in tests.items()
        for method, of_splits in zip(methods, of_methods, strict=True)
        for split, test in enumerate(of_splits)
    ]
    problems = [
        {"data_set": name, "n_train": "20", "n_samples": 20, "n_test": 10, "n_features": 300}
        | {"samples": 62, "classes": 2, "smallest_class": 22, "scaling": "none"}
        | {"standing": "verified", "fingerprint": "f", "source": "s"}
        for name in tests
    ]
    left_out = pd.DataFrame(columns=["data_set", "method", "what", "reason"])
    overrides = [
        *("experiment=arena", "protocol.datasets=[colon,colon_continuous,golub]"),
        *(f"method=[{','.join(methods)}]", "controls=[anova_blind]"),
    ]
    tables = made(rows, *overrides, problems=problems, left_out=left_out)
    accuracy = tables["problems"].set_index(["data_set", "method"])
    row = accuracy.loc[("colon", "anova")]
    assert (row["accuracy"], row["source"], row["held_out"]) == (pytest.approx(0.7), "colon", True)
    assert row["accuracy"] - row["ci_low"] == pytest.approx(min(0.7, half([0.8, 0.6], 10 / 20)))
    assert accuracy.loc[("golub", "relieff"), "accuracy"] == pytest.approx(0.7)
    ranks = tables["ranks"].query("n_train == 'together'").set_index("method")
    # On colon 0.65 and 0.75, on golub all features are chosen by both.
    assert ranks["mean_rank"].to_dict() == {"anova": (2 + 1.5) / 2, "relieff": (1 + 1.5) / 2}
    assert (ranks["n_sources"] == 2).all()
    assert ranks["accuracy"]["relieff"] == pytest.approx((0.75 + 0.7) / 2)
    regret = tables["regret"].set_index("method")
    regrets = {"anova": (0 + 0.2) / 2 / 2, "relieff": 0, "all_features": (0.2 - 0.1) / 2 / 2}
    regrets["anova_blind"] = (-0.2 - 0.1) / 2 / 2
    assert regret["regret"].to_dict() == pytest.approx(regrets)
    assert regret["largest_regret"]["anova"] == pytest.approx(0.2)
    practical = tables["practical"].set_index("method").loc["relieff"]
    assert (practical["difference"], practical["n_sources"]) == (pytest.approx(0.05 / 2), 2)
    expected = signed_rank([0.05, 0.0], EQUIVALENCE)
    assert practical[[*OUTCOMES]].tolist() == pytest.approx(expected, abs=0.01)


def test_images():
    """The share of the pixels where the averages differ, of those of the leading eigenvectors."""
    averages = {4: [1.0, 3.0, 0.0, 0.0], 9: [1.0, 0.0, 1.0, 2.0]}
    head = {"class_1": 4, "class_2": 9, "geometry": "spsd", "name_1": "4", "name_2": "9"}
    pictures = {f"average_{label}": [pixels] for label, pixels in averages.items()}
    pictures |= {"mean_1": [averages[4]], "mean_2": [averages[9]]}
    pictures |= {"score": [[1.0] * 4] * 2, "leading": [[0.1, 0.6, 0.1, 0.2], [0.1, 0.4, 0.1, 0.4]]}
    rows = [
        {**head, "draw": draw, "image": name, "pixels": pixels}
        | dict.fromkeys(("scale_1", "scale_2", "rank", "n_ambiguous", "delta"), 1.0 + draw)
        for name, of_draws in pictures.items()
        for draw, pixels in enumerate(of_draws)
    ]
    protocol = "protocol.pairs=[[4,9]]", "protocol.n_repetitions=2"
    tables = made(
        rows, "experiment=mnist", *protocol, regions={"top": [[0, 0, 0, 0], [0, 0, 1, 1]]}
    )
    row, top = tables["differences"].to_dict("records")
    # Pixels 1 and 3 differ by more than half of the largest difference.
    assert (row["n_pixels"], row["area"], row["ink"]) == (2, 0.5, pytest.approx(5 / 8))
    assert row["leading"] == pytest.approx((0.8 + 0.8) / 2)
    assert (top["region"], top["n_pixels"], top["leading"]) == ("top", 1, pytest.approx(0.5))
    (region,) = tables["regions"].to_dict("records")
    assert (region["score"], region["ink"]) == (0.5, pytest.approx(5 / 8))
    (row,) = tables["summary"].to_dict("records")
    assert (row["rank"], row["n_draws"]) == (1.5, 2)
    ink = np.array(averages[4]) + averages[9]
    correlation = np.corrcoef(np.array(averages[4]), ink)[0, 1]
    assert row["mean_1_ink_correlation"] == pytest.approx(correlation)


def test_every_kind_has_a_test_here():
    tested = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    of_own_files = {"ablation", "cone", "few_sample_recovery"}
    assert {*KINDS} - of_own_files <= tested
