"""Where time goes: stages share out what a ledger was open for, and the provenance tells them."""

import itertools
import json
import threading

import pytest

from experiments.engine import timing
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store, key_of
from experiments.engine.timing import ledger, stage
from experiments.evaluation.methods import resolve
from experiments.protocols.base import Run
from experiments.protocols.recovery import run

XOR = ["experiment=xor100", "profile=smoke", "method=[anova,manifest]"]


@pytest.fixture
def clock(monkeypatch):
    """Wall time that passes by one second whenever it is read, CPU time by a tenth."""
    monkeypatch.setattr(timing.time, "perf_counter", map(float, itertools.count()).__next__)
    monkeypatch.setattr(timing.time, "process_time", (n / 10 for n in itertools.count()).__next__)


def test_a_stage_is_booked_without_those_inside_it(clock):
    with ledger("rest") as spent, stage("outer"):
        with stage("inner"):
            pass
        with stage("inner"):
            pass
    # Read at the ledger's begin, then at each of six turns and at its end.
    assert {name: wall for name, (wall, _) in spent.items()} == {"rest": 2, "outer": 3, "inner": 2}
    for wall, cpu in spent.values():
        assert cpu == pytest.approx(wall / 10)


def test_a_stage_ends_with_its_block_whatever_happens(clock):
    @stage("failing")
    def fail(again):
        if again:
            fail(False)
        raise RuntimeError

    with ledger("rest") as spent:
        with pytest.raises(RuntimeError):
            fail(True)
        with stage("next"):
            pass
    assert {name: wall for name, (wall, _) in spent.items()} == {"rest": 3, "failing": 3, "next": 1}


def test_a_ledger_inside_another_books_for_itself(clock):
    with ledger("rest") as outer, stage("units"), ledger("unit") as inner, stage("svm"):
        pass
    assert set(inner) == {"unit", "svm"}
    assert set(outer) == {"rest", "units"}
    assert outer["units"][0] > sum(wall for wall, _ in inner.values())


def test_threads_have_ledgers_of_their_own():
    def other():
        with stage("elsewhere"):
            pass

    with ledger("rest") as spent:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert set(spent) == {"rest"}


def test_without_a_ledger_nothing_is_kept(clock):
    with stage("svm"):
        pass
    with ledger("rest") as spent:
        pass
    assert set(spent) == {"rest"}


def test_what_workers_had_and_did_not_use_is_idle():
    run = {"tables": (1.0, 1.0), timing.UNITS: (10.0, 0.5)}
    units = {"SVM": (11.0, 10.0), timing.START_UP: (4.0, 4.0)}
    total = timing.of_all(run, units, seconds=12.0, capacity=20.0)
    assert total == {
        "tables": (1.0, 1.0),
        "SVM": (11.0, 10.0),
        timing.START_UP: (4.0, 4.0),
        timing.IDLE: (4.0, 0.0),
    }
    # On a cluster nobody knows what was there.
    assert timing.of_all(run, units, seconds=12.0, capacity=0.0)[timing.IDLE] == (0.0, 0.0)


def test_a_key_tells_its_kind():
    assert key_of("accuracy", of='a "quoted" text').kind == "accuracy"


def test_cpu_seconds_are_told_once():
    timing.cpu_seconds()
    before = timing._used
    told = [timing.cpu_seconds() for _ in range(3)]
    assert not any(first for _, first in told)
    assert sum(seconds for seconds, _ in told) == pytest.approx(timing._used - before)


@pytest.mark.parametrize("workers", [1, 2])
def test_stages_of_units_add_up_to_no_more_than_the_units(compose, tmp_path, workers):
    config = compose(*XOR, f"workers={workers}", f"store={tmp_path}/store")
    outcome = Outcome()
    timing.cpu_seconds()
    run.run(Run(config, resolve(config), Store(config.store), outcome))
    inside = {name: spent for name, spent in outcome.stages.items() if name != timing.START_UP}
    assert {"data", "store", "recovery", "scores: anova", "scores: manifest"} <= set(inside)
    assert all(wall >= 0 and cpu >= 0 for wall, cpu in inside.values())
    assert sum(wall for wall, _ in inside.values()) <= outcome.seconds <= outcome.capacity
    assert sum(cpu for _, cpu in outcome.stages.values()) <= outcome.cpu
    # Workers have a memory of their own; without any there is nothing to tell.
    assert (outcome.peak is not None) == (workers > 1)


def test_the_provenance_tells_stages_cpu_and_memory(run):
    for name in ("first", "again"):
        folder, _ = run(*XOR, folder=name)
        record = json.loads((folder / "provenance.json").read_text())
        seconds, booked = record["seconds"], record["stages"]
        assert {"wall", "units", "cpu"} <= set(seconds)
        assert record["peak_memory"]["run"] > 2**20
        assert record["peak_memory"]["worker"] is None
        assert {"start-up", "store", "tables", "figure", "idle"} <= set(booked)
        # Rounded to four digits each.
        assert sum(s["cpu"] for s in booked.values()) <= seconds["cpu"] + 1e-4 * len(booked)
        assert ("scores: manifest" in booked) == (name == "first")
