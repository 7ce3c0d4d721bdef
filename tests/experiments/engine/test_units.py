"""Units of work: the same whatever runs beside them, stored once, whole or not at all."""

import os

import pandas as pd
import pytest

from experiments import system
from experiments.atomic import PART, atomic_write
from experiments.engine import seeds
from experiments.engine.keys import key_of
from experiments.report.stored import provenance_of
from experiments.runner import run_experiment
from experiments.system import place
from tests.experiments.conftest import SMALL, results, units
from tests.experiments.kinds.test_recovery_kind import CUBE

XOR = ["experiment=xor100", "profile=smoke", "protocol.n_repetitions=4"]


@pytest.mark.parametrize("kind", [pytest.param("recovery", marks=pytest.mark.slow), "accuracy"])
def test_workers_do_not_change_a_byte(run, table, kind):
    overrides = [*CUBE, "method=[anova,relieff,manifest_relieff]"]
    if kind == "accuracy":
        overrides = [*SMALL, f"dataset.path={table}", "method=[ig,manifest,manifest_relieff]"]
    one, _ = run(*overrides, folder="one", store="one", workers=0)
    two, _ = run(*overrides, folder="two", store="two", workers=2)
    assert results(one) == results(two)


def test_other_methods_do_not_change_a_methods_rows(run):
    alone, _ = run(*XOR, "method=relieff", folder="alone", store="alone")
    beside, _ = run(*XOR, "method=[gini,relieff,manifest]", folder="beside", store="beside")
    rows = pd.read_parquet(beside / "rows.parquet")
    rows = rows[rows["method"] == "relieff"].reset_index(drop=True)
    pd.testing.assert_frame_equal(pd.read_parquet(alone / "rows.parquet"), rows)


def test_what_is_stored_is_not_run_again_but_for_a_refresh(run):
    method = "method=[anova,relieff]"
    first, _ = run(*XOR, method, folder="first")
    again, _ = run(*XOR, method, folder="again")
    refreshed, _ = run(*XOR, method, "refresh=true", folder="refreshed")
    assert units(first)["reused"] == units(again)["computed"] == 0
    assert units(first)["computed"] == units(again)["reused"] > 0
    assert units(refreshed) == units(first)
    assert results(first) == results(again) == results(refreshed)
    more, _ = run(*XOR, "method=[anova,relieff,gini]", "protocol.n_repetitions=5", folder="more")
    assert units(more)["reused"] == units(first)["computed"]


def test_what_workers_warn_of_is_in_the_log_of_the_run(compose, tmp_path, caplog):
    """Once, however many units warn."""
    config = compose(*XOR, "method=gini", f"store={tmp_path}/store", "workers=2")
    config.method = {"scorers": {"talkative": {"call": "tests.experiments.scorers:talkative"}}}
    assert run_experiment(config, tmp_path / "run") == 0
    told = [text for text in caplog.messages if "a word of warning" in text]
    assert len(told) == 1
    assert "UserWarning" in told[0]


def test_where_everything_fails_the_table_says_so(compose, table, tmp_path):
    scorer = {"call": "tests.experiments.scorers:refuses"}
    for kind, overrides in {"xor": XOR, "own": [*SMALL, f"dataset.path={table}"]}.items():
        config = compose(*overrides, "method=gini", f"store={tmp_path}/store", "workers=0")
        config.method = {"scorers": {"broken": scorer}}
        folder = tmp_path / kind
        assert run_experiment(config, folder) > 0
        assert set(pd.read_csv(folder / "summary.csv")["method"]) == {"broken"}
        assert not list(folder.glob("*.png"))
        assert set(units(folder)["failed"]) == {"RuntimeError: no score today"}


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
def test_all_files_of_a_run_have_the_mode_of_the_umask(run, tmp_path):
    for mask in (0o002, 0o077):  # a group can share a store; nobody else reads what is private
        before = os.umask(mask)
        try:
            toy = ["experiment=toy", "profile=smoke"]
            folder, _ = run(*toy, figures=True, folder=f"run{mask}", store=f"store{mask}")
        finally:
            os.umask(before)
        paths = [*folder.rglob("*"), *(tmp_path / f"store{mask}").rglob("*")]
        assert {path.suffix for path in paths} >= {".parquet", ".csv", ".json", ".png"}
        for path in paths:
            usual = 0o777 if path.is_dir() else 0o666
            assert path.stat().st_mode & 0o777 == usual & ~mask, path


def test_what_a_killed_run_left_is_gone_after_the_next(run, tmp_path):
    left = f"{PART}{place()}-{2**22 + 1}-0"  # there is no process of that number
    for folder in (tmp_path / "run", tmp_path / "store" / ".parts"):
        folder.mkdir(parents=True)
        (folder / left).touch()
    run("experiment=toy", "profile=smoke")
    assert not list(tmp_path.rglob(f"{PART}*"))


def test_keys_differ_by_every_determinant():
    others = ({"a": 2}, {"b": 1}, {"a": 1, "b": None}, {"a": "1"})
    keys = {key_of("scores", [], **axes) for axes in ({"a": 1}, *others)}
    assert len({*keys, key_of("accuracy", [], a=1)}) == 6
    assert key_of("scores", [], a=1, b=2) == key_of("scores", [], b=2, a=1)


def test_streams_depend_on_their_axes_alone():
    def draw(*axes):
        return seeds.generator(*axes).random(4).tolist()

    assert draw(0, "split", 3) == draw(0, "split", 3)
    different = [draw(0, "split", 3), draw(1, "split", 3), draw(0, "split", 4), draw(0, "ties", 3)]
    assert len({tuple(values) for values in different}) == 4
    assert draw(0, "a", "b") != draw(0, "ab")


def test_cpu_seconds_are_told_once():
    system.cpu_seconds()
    before = system._used
    told = [system.cpu_seconds() for _ in range(3)]
    assert sum(told) == pytest.approx(system._used - before)


@pytest.mark.slow
def test_the_provenance_tells_time_and_memory(run):
    for workers in (0, 1):
        places = {"folder": f"run{workers}", "store": f"store{workers}"}
        folder, _ = run(*XOR, "method=[anova,manifest]", workers=workers, **places)
        record = provenance_of(folder)
        assert set(record["seconds"]) == {"wall", "units", "cpu"}
        assert min(record["seconds"].values()) > 0
        assert record["peak_memory"]["run"] > 2**20
        # Workers have a memory of their own; without any there is the run's own alone.
        assert (record["peak_memory"]["worker"] is not None) == (workers > 0)
