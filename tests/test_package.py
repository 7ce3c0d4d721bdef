"""The package: what a wheel carries computes the same units, its version and words are in step."""

import os
import re
import shutil
import tomllib
from pathlib import Path

import yaml

from scripts.package import CARRIED
from tests.commands import ROOT, python

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

SAID = """
import sys
import experiments.engine.code as code
if len(sys.argv) > 1:  # as if it were among the installed packages
    code._INSTALLED += (sys.argv[1],)
from experiments.config import CONFIGS
from experiments.cache import key_of
from experiments.evaluation.ranking import rank_and_judge
from manifest import __version__, baselines, console, manifest_score
scorer = baselines.get("baselines.combined.greedy:manifest_greedy")
keys = [key_of("scores", [run], draw=1) for run in (rank_and_judge, manifest_score, scorer)]
print(*keys, console.version(), __version__, CONFIGS.is_dir())
"""


def laid_out(site: Path) -> Path:
    """A wheel's layout: the folders of the repository inside the package, as setup.py makes it."""
    carried = site / "manifest" / "_carried"
    left = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "manifest", site / "manifest", ignore=left)
    for name in ("baselines", "experiments", "configs"):
        shutil.copytree(ROOT / name, carried / name, ignore=left)
    shutil.copy(ROOT / "run.py", carried)
    about = site / "manifest_fs-9.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text("Metadata-Version: 2.4\nName: manifest-fs\nVersion: 9\n")
    return carried


def test_an_sdist_has_the_whole_of_each_folder_that_a_wheel_carries():
    said = [line.split() for line in (ROOT / "MANIFEST.in").read_text().splitlines()]
    folders = {name.rstrip("/") for name in CARRIED if name.endswith("/")}
    assert {words[1] for words in said if words[0] == "graft"} == folders
    assert [words[1:] for words in said if "exclude" in words[0]] == [["*.py[cod]", "*.so"]]


def test_a_unit_has_the_same_key_in_wheel_and_checkout(tmp_path):
    """A foreign pyproject.toml beside the package tells neither of them its version."""
    site = tmp_path / "site-packages"
    carried = laid_out(site)
    (site / "pyproject.toml").write_text('[project]\nname = "other"\nversion = "7"\n')
    installed = {"at": tmp_path, "PYTHONPATH": f"{site}{os.pathsep}{carried}"}
    in_wheel = python("-c", SAID, f"{site}{os.sep}", **installed)
    assert in_wheel.returncode == 0, in_wheel.stderr
    *keys, version, of_module, has_configs = in_wheel.stdout.split()
    assert (version, of_module, has_configs) == ("9", "9", "True")
    in_checkout = python("-c", SAID, at=tmp_path, PYTHONPATH=str(ROOT))
    told = in_checkout.stdout.split()
    assert told == [*keys, *[PROJECT["version"]] * 2, "True"], in_checkout.stderr


def test_another_package_of_this_name_is_named(tmp_path):
    site = tmp_path / "site-packages"
    carried = laid_out(site)
    (site / "manifest" / "__init__.py").write_text('"""Another project."""\n')
    for folder in (carried, ROOT):
        path = f"{site}{os.pathsep}{folder}"
        refused = python("-P", folder / "run.py", at=tmp_path, PYTHONPATH=path)
        assert refused.returncode == 1
        assert "is that of another project, not of manifest-fs" in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_the_command_says_its_own_name_and_leaves_no_folder_of_a_mistake(tmp_path):
    site = tmp_path / "site-packages"
    carried = laid_out(site)
    at = tmp_path / "empty"
    at.mkdir()
    start = "import sys; {}from manifest import console; console.select()"
    for before, expected in {
        "": "there is no file nope.csv",
        "sys.modules['hydra'] = None; ": "pip install '.[select]'",
    }.items():
        script = site / "manifest-select"
        script.write_text(start.format(before))
        ended = python(script, "nope.csv", at=at, PYTHONPATH=f"{site}{os.pathsep}{carried}")
        line = ended.stderr.splitlines()[-1]
        assert ended.returncode == 1
        assert line.startswith("manifest-select: ")
        assert expected in line
        assert not list(at.iterdir())


def test_changelog_and_citation_name_the_last_release():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert re.findall(r"^## .*$", text, re.MULTILINE)[1:] == [
        f"## [{version}] - {date}" for version, date in released
    ]
    allowed = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= allowed
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], str(citation["date-released"])) == released[0]
    numbers = [re.findall(r"\d+", v)[:3] for v in (PROJECT["version"], released[0][0])]
    assert [*map(int, numbers[0])] >= [*map(int, numbers[1])]
