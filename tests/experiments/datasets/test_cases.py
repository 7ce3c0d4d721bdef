"""The cases of the shared folder, judged by their own judge in this process."""

import contextlib
import io
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import datasets
from experiments.datasets.columns import TableOptions
from experiments.datasets.user_table import read_table
from tests.commands import ROOT

FOLDER = Path(os.environ.get("MANIFEST_CASES", ROOT.parent / "shared" / "cases"))
#: `make cases` runs them: whole runs of an experiment, and tables of 25 MB.
WHOLE_RUNS = ("07-", "08-", "16-", "28-")
#: A python that notes what it is asked to judge, and does all else as it is.
STAND_IN = """#!/bin/sh
case "$1" in
  */check.py) printf '%s\\n' "$@" >> "$RECORD"; echo >> "$RECORD" ;;
  *) exec "$REAL" "$@" ;;
esac
"""


def judged(folder: Path, tmp_path: Path) -> list[list[str]]:
    """The arguments of each judgement that a case asks for."""
    stand_in, record = tmp_path / "python", tmp_path / f"{folder.name}.txt"
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    variables = {"PY": str(stand_in), "REAL": sys.executable, "REPO": str(ROOT)}
    subprocess.run(
        ["bash", str(folder / "run.sh")],
        env=os.environ | variables | {"RECORD": str(record), "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )
    asked: list[list[str]] = [[]]
    for line in record.read_text("utf-8").splitlines():
        asked += [[]] if not line else []
        if line:
            asked[-1].append(line)
    return [arguments for arguments in asked if arguments]


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the shared folder with the cases is not here")
def test_every_case_holds(tmp_path, monkeypatch):
    def load(name, path, target, reading):
        return read_table(Path(path), target, TableOptions(**reading))

    monkeypatch.setattr(datasets, "load", load)
    monkeypatch.setenv("REPO", str(ROOT))
    judge = (FOLDER / "check.py").read_text("utf-8")
    # The judge starts a run for each table, which takes seconds; its other way is the reader.
    (tmp_path / "check.py").write_text(judge.replace("by_command() or by_reader()", "by_reader()"))
    wrong = {}
    cases = [f for f in sorted(FOLDER.iterdir()) if (f / "run.sh").is_file()]
    for folder in cases:
        if folder.name.startswith(WHOLE_RUNS):
            continue
        for arguments in judged(folder, tmp_path):
            said = io.StringIO()
            monkeypatch.setattr(sys, "argv", arguments)
            with contextlib.redirect_stdout(said), pytest.raises(SystemExit) as ended:
                runpy.run_path(str(tmp_path / "check.py"))
            if ended.value.code:
                wrong[" ".join(arguments[1:3])] = said.getvalue()
    assert not wrong
    assert len(cases) > 10
