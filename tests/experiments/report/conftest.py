"""Claims that are compared with made-up results, and figures of made-up tables."""

import shutil

import pytest

from experiments.report import figures
from experiments.report.claims import compare
from tests.experiments.report.made_up_curves import made_up
from tests.experiments.report.stored_results import store
from tests.experiments.report.test_claims import PAPER


@pytest.fixture
def verdicts(tmp_path):
    """A function from a stored experiment to the rows of its claims."""

    def found(experiment, **tables):
        shutil.rmtree(tmp_path / experiment, ignore_errors=True)
        store(tmp_path, experiment, **tables)
        return compare(PAPER, tmp_path).set_index("claim").to_dict("index")

    return found


@pytest.fixture
def tables():
    """curves.csv and summary.csv of made-up accuracies under both readings."""
    return made_up()


@pytest.fixture
def drawn(tables, tmp_path):
    """A function from a figure to Matplotlib's figures of the tables as they are by then."""

    def draw(figure):
        for stem, table in tables.items():
            table.to_csv(tmp_path / f"{stem}.csv", index=False)
        return dict(figures.drawn(figure, tmp_path))

    return draw
