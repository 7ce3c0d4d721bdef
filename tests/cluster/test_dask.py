"""Units on a dask cluster that is really there."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec

import pytest

from experiments.config import ConfigError
from experiments.engine.dask import answering
from experiments.engine.interruption import GO_ON
from tests.cluster.conftest import XOR
from tests.cluster.dask_cluster import two_processes
from tests.experiments.conftest import project_copy, results, units
from tests.experiments.engine.conftest import started, until
from tests.experiments.scorers import HOLD

BROKEN = "+method.scorers.broken.call=tests.experiments.scorers:refuses"
needs_dask = pytest.mark.skipif(
    find_spec("distributed") is None, reason="no distributed: pip install '.[cluster]'"
)


@needs_dask
def test_a_cluster_computes_what_this_machine_does(run):
    # Two threads: units that disturbed each other would warn in the wrong place.
    with two_processes(threads=2) as scheduler:
        there = run("workers=dask", f"scheduler={scheduler}", BROKEN, folder="there")
    here = run("workers=0", BROKEN, folder="here")
    assert results(there) == results(here)
    assert units(there) == units(here)
    assert "no score today" in units(there)["failed"][0]
    again = run("workers=0", BROKEN, f"store={there / 'store'}", folder="again")
    assert units(again)["reused"] == units(there)["computed"] > 0


@pytest.fixture
def certificate(tmp_path):
    """A certificate that vouches for itself, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl, which makes certificates")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=manifest"]
    command += ["-keyout", str(key), "-out", str(cert), "-days", "2"]
    subprocess.run(command, check=True, capture_output=True)
    return str(cert), str(key)


@needs_dask
def test_a_cluster_may_demand_certificates(run, certificate):
    """Who has none gets no answer; the run's own comes from dask's configuration."""
    import dask
    import distributed  # noqa: F401  # Its settings are there before others take their place.

    cert, key = certificate
    options = ["--protocol", "tls", "--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key]
    tls = {"distributed.comm.tls.ca-file": cert}
    tls |= {"distributed.comm.tls.client.cert": cert, "distributed.comm.tls.client.key": key}
    with dask.config.set(tls), two_processes(1, *options) as scheduler:
        assert scheduler.startswith("tls://127.0.0.1:")
        there = run("workers=dask", f"scheduler={scheduler}", folder="there")
        with dask.config.set(dict.fromkeys(tls)), pytest.raises(ConfigError, match="certificate"):
            answering(scheduler)
        with pytest.raises(ConfigError, match="no scheduler of dask answers"):
            answering(scheduler.replace("tls://", "tcp://"))
    assert units(there)["computed"] > 0
    assert not units(there)["failed"]


@needs_dask
def test_a_worker_with_other_code_is_named_and_left_out(run, tmp_path, caplog):
    other = project_copy(tmp_path / "other")
    scoring = other / "experiments" / "evaluation" / "scoring.py"
    scoring.write_text(scoring.read_text() + "\nextra = 1\n")
    with two_processes(1, stray=other) as scheduler:
        there = run("workers=dask", f"scheduler={scheduler}", folder="there")
    assert results(there) == results(run("workers=0", folder="here"))
    assert not units(there)["failed"]
    said = [record.getMessage() for record in caplog.records if "is left out" in record.msg]
    assert len(said) == 1
    assert "tcp://127.0.0.1:" in said[0]


@needs_dask
def test_a_scheduler_that_dies_ends_a_run_with_one_sentence(tmp_path):
    from distributed import Client

    hold = tmp_path / "hold"
    hold.touch()
    arguments = [*XOR[:-2], "draw=false", "method=[]", "workers=dask"]
    arguments += ["+method.scorers.held.call=tests.experiments.scorers:held"]
    arguments += [f"store={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOLD, str(hold))
        with two_processes(1) as scheduler:
            run = started(*arguments, f"scheduler={scheduler}")
            with Client(scheduler, set_as_default=False) as client:
                until(lambda: any(client.processing().values()), run)
                with suppress(Exception):
                    client.run_on_scheduler(os._exit, 1)
            hold.unlink()
            _, said = run.communicate(timeout=120)
    assert run.returncode == 1
    assert [line for line in said.splitlines() if line.strip()] == [
        f"run.py: dask's scheduler at {scheduler} went away; {GO_ON}"
    ]


@needs_dask
def test_where_no_scheduler_answers_one_sentence_says_so(run):
    with pytest.raises(ConfigError, match="no scheduler of dask answers at scheduler=tcp://127"):
        run("workers=dask", "scheduler=tcp://127.0.0.1:1")


def test_workers_and_scheduler_go_together(run):
    for overrides, expected in (
        (["workers=dask"], "needs scheduler=tcp://HOST:PORT"),
        (["workers=2", "scheduler=tcp://127.0.0.1:1"], "scheduler needs workers=dask, got"),
        (["workers=dusk"], "must be a number, null or dask, got 'dusk'"),
        (["workers=-1"], "workers must be at least 0, got -1"),
    ):
        with pytest.raises(ConfigError, match=expected):
            run(*overrides)


def test_without_dask_the_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"not installed: pip install '\.\[cluster\]'"):
        run("workers=dask", "scheduler=tcp://127.0.0.1:1")
