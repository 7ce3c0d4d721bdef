"""Too little memory, too few files, a locale without letters: a sentence, or the run works."""

import errno
import os
import resource
from functools import partial

import pytest

from experiments.command_line import LEAST_MEMORY
from experiments.errors import user_message
from tests.experiments.engine.conftest import ended, refused, started

RUN = ["experiment=toy", "profile=smoke", "protocol.n_repetitions=1", "workers=0"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits and locales of POSIX")


def run(folder, *arguments, **options):
    """A run that has been started."""
    places = [f"store={folder}/store", f"hydra.run.dir={folder}/run"]
    return started(*RUN, *places, *arguments, encoding="utf-8", **options)


@pytest.mark.slow
def test_a_limit_of_the_machine_is_one_sentence(tmp_path):
    for limit, expected in (
        ((resource.RLIMIT_NOFILE, (12, 12)), "too many files are open at once; raise the limit"),
        ((resource.RLIMIT_AS, (LEAST_MEMORY << 19,) * 2), "may take 512 MiB of memory and needs"),
    ):
        limited = partial(resource.setrlimit, *limit)
        line, _ = refused(run(tmp_path, "workers=1", preexec_fn=limited))
        assert line.startswith("run.py: ")
        assert expected in line


def as_hydra_says_it():
    """A module that did not fit into memory, as Hydra reports it."""
    try:
        try:
            raise ImportError("a.so: failed to map segment from shared object")
        except ImportError as error:
            raise RuntimeError("Error locating target") from error
    except RuntimeError as error:
        return error


def test_what_a_limit_raises_is_told_by_its_cause():
    for error in (
        *(MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")),
        *(RuntimeError("can't start new thread"), as_hydra_says_it()),
    ):
        assert (user_message(error) or "").startswith("there is too little memory"), error
    files = user_message(OSError(errno.EMFILE, "Too many open files")) or ""
    assert files.startswith("too many files are open at once")


@pytest.mark.slow
def test_a_path_may_have_any_letters_in_an_ascii_locale(tmp_path):
    folder = tmp_path / "größe δ"
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    status, out, err = ended(run(folder, env=os.environ | plain))
    assert status == 0, err
    assert (folder / "run" / "summary.csv").exists()
    assert list((folder / "store").glob("??/*.parquet"))
    assert f"results {folder}/run" in out
