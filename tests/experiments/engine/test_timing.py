"""What a run has used: processor time is told once, and the provenance holds it."""

import json

import pytest

from experiments.engine import timing
from experiments.engine.parallel import Outcome
from experiments.engine.store import Store
from experiments.evaluation.method_config import resolve
from experiments.kinds.base import Run
from experiments.kinds.recovery import run as run_recovery

XOR = ["experiment=xor100", "profile=smoke", "method=[anova,manifest]"]


def test_cpu_seconds_are_told_once():
    timing.cpu_seconds()
    before = timing._used
    told = [timing.cpu_seconds() for _ in range(3)]
    assert sum(told) == pytest.approx(timing._used - before)


@pytest.mark.parametrize("workers", [0, 1])
def test_workers_tell_their_memory_and_their_processor_time(compose, tmp_path, workers):
    config = compose(*XOR, f"workers={workers}", f"store={tmp_path}/store")
    outcome = Outcome()
    run_recovery(Run(config, resolve(config), Store(config.store), outcome))
    assert outcome.cpu > 0
    assert outcome.seconds > 0
    # Workers have a memory of their own; where there are none the run's own is all there is.
    assert (outcome.peak is not None) == (workers > 0)


def test_the_provenance_tells_time_and_memory(run):
    for name in ("first", "again"):
        folder, _ = run(*XOR, folder=name)
        record = json.loads((folder / "provenance.json").read_text())
        assert {"wall", "units", "cpu"} == set(record["seconds"])
        assert record["peak_memory"]["run"] > 2**20
        assert record["peak_memory"]["worker"] is None
