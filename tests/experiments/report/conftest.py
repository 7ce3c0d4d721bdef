"""Claims that are compared with made-up results."""

import shutil

import pytest

from experiments.report.claims import compare
from tests.experiments.report.stored_results import store
from tests.experiments.report.test_claims import PAPER


@pytest.fixture
def outcomes(tmp_path):
    """A function from a stored experiment to the rows of its claims."""

    def found(experiment, **tables):
        shutil.rmtree(tmp_path / experiment, ignore_errors=True)
        store(tmp_path, experiment, **tables)
        return compare(PAPER, tmp_path).set_index("claim").to_dict("index")

    return found
