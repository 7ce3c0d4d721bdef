"""The documentation: the site builds without a warning, and the examples run."""

import os
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]


def test_the_examples_run_and_say_something(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    for path in (ROOT / "docs" / "examples").glob("*.py"):
        command = [sys.executable, "-W", "error::UserWarning", str(path)]
        answer = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout.strip(), path


builds_the_site = pytest.mark.skipif(
    find_spec("mkdocs") is None, reason="mkdocs is not installed: make extras"
)


@builds_the_site
def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, str(ROOT / "scripts" / "docs.py"), "--to", str(tmp_path / "site")]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    reference = (tmp_path / "site" / "docs" / "reference.html").read_text(encoding="utf-8")
    for name in ("ManiFeSt", "manifest_score", "relieff", "information_gain"):
        assert f">{name}<" in reference or f"{name}</span>" in reference


@builds_the_site
def test_a_link_that_leads_nowhere_is_found(tmp_path, monkeypatch, capsys):
    links = ["data.md#nowhere", "nowhere.md"]
    script = runpy.run_path(str(ROOT / "scripts" / "docs.py"))
    stage = script["stage"]

    def with_the_link(folder):
        stage(folder)
        with (folder / "docs" / "method.md").open("a", encoding="utf-8") as page:
            page.writelines(f"[more]({link})\n" for link in links)

    monkeypatch.setitem(script["build"].__globals__, "stage", with_the_link)
    assert script["build"](tmp_path / "site") != 0
    told = capsys.readouterr().err
    assert all(link in told for link in links), told


def test_every_page_is_in_the_navigation():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    named = {path for entry in settings["nav"] for path in entry.values()}
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert pages <= named


def test_a_claim_without_a_number_of_ours_leaves_its_sentence_out(tmp_path):
    says = runpy.run_path(str(ROOT / "scripts" / "readme.py"))["says"]
    claim = "prostate.best_test_acc.manifest"
    (tmp_path / "claims.csv").write_text(f"claim,ours\n{claim},\n")
    assert "prostate" not in says(tmp_path)
    (tmp_path / "claims.csv").write_text(f"claim,ours\n{claim},94.46\n")
    assert says(tmp_path)["prostate"][1] == "94.5 %"
