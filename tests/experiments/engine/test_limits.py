"""Too little memory, too few files, a locale without letters: a sentence, or the run works."""

import errno
import os
import resource
import subprocess
import sys

import pytest

from experiments.command_line import LEAST_MEMORY
from experiments.errors import user_message
from tests.experiments.engine.conftest import ROOT

RUN = ["experiment=toy", "profile=smoke", "protocol.n_repetitions=1", "workers=0"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and locales of POSIX")


def run(folder, *arguments, limit=None, **variables):
    def limited():
        resource.setrlimit(*limit)

    return subprocess.run(
        [sys.executable, "run.py", *RUN, f"store={folder}/store", *arguments],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        preexec_fn=limited if limit else None,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ((resource.RLIMIT_NOFILE, (12, 12)), "too many files are open at once; raise the limit"),
        ((resource.RLIMIT_AS, (LEAST_MEMORY << 19,) * 2), "may take 512 MiB of memory and needs"),
    ],
)
def test_a_limit_of_the_machine_is_one_sentence(tmp_path, limit, expected):
    answer = run(tmp_path, f"hydra.run.dir={tmp_path}/run", "workers=1", limit=limit)
    assert answer.returncode == 1
    (line,) = answer.stderr.splitlines()
    assert line.startswith("run.py: ")
    assert expected in line
    assert "Traceback" not in answer.stdout


def as_hydra_says_it():
    """A module that did not fit into memory, as Hydra reports it."""
    try:
        try:
            raise ImportError("a.so: failed to map segment from shared object")
        except ImportError as error:
            raise RuntimeError("Error locating target") from error
    except RuntimeError as error:
        return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), "there is too little memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "there is too little memory"),
        (RuntimeError("can't start new thread"), "there is too little memory"),
        (as_hydra_says_it(), "there is too little memory"),
        (OSError(errno.EMFILE, "Too many open files"), "too many files are open at once"),
    ],
)
def test_what_a_limit_raises_is_told_by_its_cause(error, expected):
    assert (user_message(error) or "").startswith(expected)


@pytest.mark.slow
def test_a_path_may_have_any_letters_in_an_ascii_locale(tmp_path):
    folder = tmp_path / "größe δ"
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    answer = run(folder, f"hydra.run.dir={folder}/run", **plain)
    assert answer.returncode == 0, answer.stderr
    assert (folder / "run" / "summary.csv").exists()
    assert list((folder / "store").glob("??/*.parquet"))
    assert f"results {folder}/run" in answer.stdout
