"""scripts/figures.py: reference results redraw to the same files, from tables alone."""

import runpy
import shutil
from pathlib import Path

import pandas as pd
import pytest

from experiments.report.figures import style

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "figures.py"))


def with_unreadable_labels(experiment, folder):
    """A copy of stored results, a formula that Matplotlib cannot read in each label."""
    shutil.copytree(ROOT / "results" / experiment, folder)
    for path in folder.glob("*.csv"):
        table = pd.read_csv(path)
        labels = [name for name in style.LABELS if name in table]
        table[labels] = table[labels].astype(str) + r"$\q$"
        table.to_csv(path, index=False)
    return folder


def test_a_run_is_redrawn_from_its_tables(tmp_path, capsys):
    folder = with_unreadable_labels("operators", tmp_path / "run")
    pictures = sorted(path.name for path in folder.glob("figure*"))
    for name in pictures:
        (folder / name).unlink()
    SCRIPT["main"]([str(folder)])
    drawn = {path.name for path in folder.glob("figure*")}
    assert drawn == set(pictures)
    told = capsys.readouterr().out.split()
    assert told.pop() == str(folder / "report.html")
    assert len(told) == len(drawn) >= 2


def test_a_run_that_draws_nothing_gets_the_same_figures_later(run):
    drawn, _ = run("experiment=toy", "profile=smoke", folder="drawn", figures=True)
    later, _ = run("experiment=toy", "profile=smoke", "draw=false", folder="later", figures=True)
    pictures = {path.name: path.read_bytes() for path in drawn.glob("figure*")}
    assert pictures
    assert not [*later.glob("figure*"), *later.glob("*.html")]
    SCRIPT["main"]([str(later)])
    assert {path.name: path.read_bytes() for path in later.glob("figure*")} == pictures
    assert (later / "report.html").is_file()


def test_an_unknown_experiment_ends_with_the_valid_ones():
    with pytest.raises(SystemExit, match=r"no experiment with stored results 'colom'.*colon"):
        SCRIPT["main"](["colom"])
