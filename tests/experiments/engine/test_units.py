"""Units of work: the same whatever runs beside them, stored once, whole or not at all."""

import json
import os
import socket

import numpy as np
import pandas as pd
import pytest

from experiments.atomic import PART, atomic_write
from experiments.engine import seeds
from experiments.engine.keys import key_of
from experiments.engine.store import Store
from experiments.engine.unit_file import describe
from experiments.evaluation.scoring import rank
from experiments.runner import run_experiment
from tests.experiments.conftest import SMALL

XOR = ["experiment=xor100", "profile=smoke", "protocol.n_repetitions=4"]


def contents(folder):
    return {name: (folder / name).read_bytes() for name in ("summary.csv", "features.csv")}


def test_workers_do_not_change_a_byte(run):
    methods = "method=[anova,relieff,manifest,manifest_relieff]"
    one, _ = run(*XOR, methods, folder="one", store="one", workers=0)
    two, _ = run(*XOR, methods, folder="two", store="two", workers=2)
    assert contents(one) == contents(two)
    pd.testing.assert_frame_equal(
        pd.read_parquet(one / "rows.parquet"), pd.read_parquet(two / "rows.parquet")
    )


def test_workers_do_not_change_a_byte_of_accuracies(run, table):
    overrides = [*SMALL, f"dataset.path={table}", "method=[ig,manifest]"]
    one, _ = run(*overrides, folder="one", store="one", workers=0)
    two, _ = run(*overrides, folder="two", store="two", workers=2)
    for name in ("summary.csv", "curves.csv"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_other_methods_do_not_change_a_methods_rows(run):
    alone, _ = run(*XOR, "method=relieff", folder="alone", store="alone")
    beside, _ = run(*XOR, "method=[gini,relieff,manifest]", folder="beside", store="beside")
    rows = pd.read_parquet(beside / "rows.parquet")
    rows = rows[rows["method"] == "relieff"].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.read_parquet(alone / "rows.parquet"), rows)


def units(folder):
    return json.loads((folder / "provenance.json").read_text())["units"]


def test_what_is_stored_is_not_run_again(run):
    first, _ = run(*XOR, "method=[anova,relieff]", folder="first")
    again, _ = run(*XOR, "method=[anova,relieff]", folder="again")
    assert units(first)["reused"] == units(again)["computed"] == 0
    assert units(first)["computed"] == units(again)["reused"] > 0
    assert contents(first) == contents(again)
    more, _ = run(*XOR, "method=[anova,relieff,gini]", "protocol.n_repetitions=5", folder="more")
    assert units(more)["reused"] == units(first)["computed"]


def test_refresh_computes_again_what_is_stored(run):
    first, _ = run(*XOR, "method=[anova,relieff]", folder="first")
    again, _ = run(*XOR, "method=[anova,relieff]", "refresh=true", folder="again")
    assert units(again) == units(first)
    assert contents(first) == contents(again)


def test_what_workers_warn_of_is_in_the_log_of_the_run(compose, tmp_path, caplog):
    """Once, however many units warn."""
    config = compose(*XOR, "method=gini", f"store={tmp_path}/store", "workers=2")
    config.method = {"scorers": {"talkative": {"call": "tests.experiments.scorers:talkative"}}}
    assert run_experiment(config, tmp_path / "run") == 0
    told = [text for text in caplog.messages if "a word of warning" in text]
    assert len(told) == 1
    assert "UserWarning" in told[0]


def test_a_damaged_unit_is_computed_again(run, tmp_path):
    first, _ = run(*XOR, "method=gini", folder="first")
    units_on_disk = sorted((tmp_path / "store").rglob("*.parquet"))
    damaged = next(path for path in units_on_disk if describe(path).text.startswith('["ranking"'))
    damaged.write_bytes(damaged.read_bytes()[:40])
    again, _ = run(*XOR, "method=gini", folder="again")
    assert units(again)["computed"] == 1
    assert contents(first) == contents(again)


def fails_on_some(X, y):
    """A scorer that gives up on samples whose first value is 1."""
    if len(X) == 50 and X[0, 0] == 1:
        raise RuntimeError("no score today")
    return X.mean(axis=0)


def test_a_failing_unit_is_reported_and_stops_nothing_else(compose, tmp_path):
    config = compose(*XOR, "protocol.n_repetitions=8", "method=gini", f"store={tmp_path}/store")
    broken = {"call": "tests.experiments.engine.test_units:fails_on_some"}
    config.method = {"scorers": {**config.method.scorers, "broken": broken}}
    config.workers = 0
    assert 0 < run_experiment(config, tmp_path / "run") < 8
    summary = pd.read_csv(tmp_path / "run" / "summary.csv").set_index("method")
    assert summary.loc["gini", "n_draws"] == 8
    assert not summary.loc["gini", "failed"]
    assert summary.loc["broken", "failed"]
    assert "no score today" in units(tmp_path / "run")["failed"][0]


def fails_on_all(X, y):
    """A scorer that gives up on every sample of the experiments."""
    if len(X) > 24:
        raise RuntimeError("no score at all")
    return X.mean(axis=0)


@pytest.mark.parametrize("kind", ["recovery", "accuracy"])
def test_where_everything_fails_the_table_says_so(compose, table, tmp_path, kind):
    overrides = XOR if kind == "recovery" else [*SMALL, f"dataset.path={table}"]
    config = compose(*overrides, "method=gini", f"store={tmp_path}/store", "workers=0")
    config.method = {
        "scorers": {"broken": {"call": "tests.experiments.engine.test_units:fails_on_all"}}
    }
    assert run_experiment(config, tmp_path / "run") > 0
    summary = pd.read_csv(tmp_path / "run" / "summary.csv")
    assert set(summary["method"]) == {"broken"}
    assert not list((tmp_path / "run").glob("*.png"))
    assert set(units(tmp_path / "run")["failed"]) == {"RuntimeError: no score at all"}


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "folder" / "table.csv"
    with atomic_write(path) as part:
        part.write_text("old")

    def interrupted():
        with atomic_write(path) as part:
            part.write_text("half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("mask", [0o002, 0o077])
def test_all_files_of_a_run_have_the_mode_of_the_umask(run, tmp_path, mask):
    """So a group can share a store, and nobody else reads what is private."""
    before = os.umask(mask)
    try:
        folder, _ = run("experiment=toy", "profile=smoke", figures=True)
    finally:
        os.umask(before)
    paths = [*folder.rglob("*"), *(tmp_path / "store").rglob("*")]
    assert {path.suffix for path in paths} >= {".parquet", ".csv", ".json", ".png"}
    for path in paths:
        usual = 0o777 if path.is_dir() else 0o666
        assert path.stat().st_mode & 0o777 == usual & ~mask, path


def test_what_a_killed_run_left_is_gone_after_the_next(run, tmp_path):
    left = f"{PART}{socket.gethostname()}-{2**22 + 1}-0"  # there is no process of that number
    for folder in (tmp_path / "run", tmp_path / "store" / ".parts"):
        folder.mkdir(parents=True)
        (folder / left).touch()
    run("experiment=toy", "profile=smoke")
    assert not list(tmp_path.rglob(f"{PART}*"))


def test_store_gives_back_what_it_took(tmp_path):
    store = Store(tmp_path)
    row = {"test": np.arange(6.0).reshape(2, 3) / 7, "correct": 2, "ambiguous": True}
    key = key_of("scores", [], axis=1)
    assert store.get(key) is None
    store.put(key, row)
    found = store.get(key) or {}
    np.testing.assert_array_equal(found["test"].reshape(2, 3), row["test"])
    assert (found["correct"], found["ambiguous"]) == (2, True)
    assert store.get_or_compute(key, lambda: pytest.fail("it is there"))["correct"] == 2


def test_keys_differ_by_every_determinant():
    keys = {
        key_of("scores", [], a=1),
        key_of("accuracy", [], a=1),
        key_of("scores", [], a=2),
        key_of("scores", [], b=1),
        key_of("scores", [], a=1, b=None),
        key_of("scores", [], a="1"),
    }
    assert len(keys) == 6
    assert key_of("scores", [], a=1, b=2) == key_of("scores", [], b=2, a=1)


def test_streams_depend_on_their_axes_alone():
    def draw(*axes):
        return seeds.generator(*axes).random(4).tolist()

    assert draw(0, "split", 3) == draw(0, "split", 3)
    different = [draw(0, "split", 3), draw(1, "split", 3), draw(0, "split", 4), draw(0, "ties", 3)]
    assert len({tuple(values) for values in different}) == 4
    assert draw(0, "a", "b") != draw(0, "ab")


def test_ranking_is_by_score_and_ties_favour_no_position():
    scores = np.array([0.0, 3.0, 1.0, 3.0, 1.0])
    firsts = []
    for seed in range(200):
        order = rank(scores, np.random.default_rng(seed))
        assert (np.diff(scores[order]) <= 0).all()
        firsts.append(order[0])
    share = np.mean(np.array(firsts) == 1)
    assert 0.35 < share < 0.65
    assert set(firsts) == {1, 3}
