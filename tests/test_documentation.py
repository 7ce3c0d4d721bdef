"""The documentation: the site builds, examples run, and commands can be started."""

import contextlib
import io
import re
import shlex
import warnings
from importlib.util import find_spec

import pandas as pd
import pytest
import yaml
from hydra.errors import HydraException

from experiments.config import ConfigError
from experiments.report.html import PAPER
from scripts import marks
from tests.commands import ROOT, python
from tests.experiments.conftest import composed


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """A function from Python code to what it prints; a warning of a category is an error."""
    monkeypatch.chdir(tmp_path)

    def found(code, category=Warning):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("error", category)
            exec(compile(code, "<documentation>", "exec"), {"__name__": "__main__"})
        return out.getvalue()

    return found


def test_the_examples_run_and_say_something(printed):
    for path in (ROOT / "docs" / "examples").glob("*.py"):
        assert printed(path.read_text(encoding="utf-8"), UserWarning).strip(), path


builds_the_site = pytest.mark.skipif(
    find_spec("mkdocs") is None, reason="mkdocs is not installed: make extras"
)


@builds_the_site
def test_the_site_builds_without_a_warning(tmp_path):
    answer = python("-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert (tmp_path / "index.html").is_file()
    page = (tmp_path / "reference.html").read_text(encoding="utf-8")
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for name in re.findall(r"^::: (\S+)$", text, flags=re.MULTILINE):
        assert re.search(f'<h3[^>]*id="{re.escape(name)}"', page), name


def test_every_page_is_in_the_navigation():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    named = set(re.findall(r"[\w/]+\.md", yaml.safe_dump(settings["nav"])))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert pages == named


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: A command that a reader copies -> the words of it; a line that ends with a backslash goes on.
COMMAND = re.compile(r"^(?:\$ |> )?((?:make|\.venv/bin/python)\b.*)$")


def blocks(page, language):
    """The code blocks of a page that are marked with a language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


def commands():
    """The commands of all pages, each a list of words."""
    for page in PAGES:
        for block in blocks(page, "console"):
            for line in re.sub(r"\\\n>?\s*", " ", block).splitlines():
                if found := COMMAND.match(line):
                    yield page.name, shlex.split(found[1], comments=True)


def test_the_python_of_the_pages_runs_from_top_to_bottom(printed):
    for page in (ROOT / "README.md", ROOT / "docs" / "start.md"):
        code = blocks(page, "python")
        assert code, page.name
        told = printed("\n".join(code))
        for shown in blocks(page, "text"):
            assert shown in told, page.name


def test_every_command_of_the_pages_can_be_started():
    """Targets and scripts exist; the arguments of run.py compose to a config of a known kind."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    composed_ones, wrong = 0, []
    for page, words in commands():
        if words[0] == "make":
            assert {word for word in words[1:] if "=" not in word} <= targets, (page, words)
        elif words[0].endswith("python") and words[1] != "-m":
            assert (ROOT / words[1]).is_file(), (page, words)
        if words[1:2] == ["run.py"] and not {"--help", "--list"} & set(words):
            # A reader's own method has no file here, and a variable of the shell no value.
            words = [word.replace(",mine]", "]") for word in words if "$" not in word]
            if not any(word.startswith("experiment=") for word in words):
                continue
            try:
                composed(*first_of_sweep(words[2:]))
            except (ConfigError, HydraException) as error:
                wrong.append(f"{page}: {' '.join(words)}: {error}")
            composed_ones += 1
    assert composed_ones > 15
    assert not wrong, "\n".join(wrong)


def first_of_sweep(words):
    """The arguments of a sweep's first job, without those of Hydra itself."""
    if not {"-m", "--multirun"} & set(words):
        return [word for word in words if not word.startswith("-")]
    kept = []
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith(("-", "hydra")) or "(" in value:
            continue
        first = re.match(r"(\[[^]]*\]|[^,]*)", value)
        kept.append(f"{name}{equals}{first[0] if first else value}")
    return kept


MARKED = {name: (ROOT / name).read_text(encoding="utf-8") for name in marks.PAGES}


def test_marked_numbers_are_those_of_the_results():
    for name, text in MARKED.items():
        assert marks.NUMBER.search(text), name
        assert marks.filled(text, ROOT / "results") == text, f"{name}: run make compare"


#: Experiment -> the claim that its row in the README is about.
HEADLINES = {
    "xor100": "xor100.correct_of_2.manifest",
    "madelon": "madelon.best_test_acc_full.manifest",
    "colon": "colon.best_test_acc.manifest",
    "colon_embedded": "colon.embedded_49_13.manifest",
    "prostate": "prostate.best_test_acc.manifest",
}


#: Numbers of the README's text, marked as those of other pages are.
IN_WORDS = (
    "2.00<!--xor100 manifest correct-->",
    "0.98<!--xor100 relieff correct-->",
    "0.02<!--xor100 anova correct-->",
    "45<!--recovery_few_samples/curves case=xor500 value=200 relieff recovered%-->",
    "82.9<!--arena/ranks problems=held-out n_train=together max:accuracy%-->",
    "80.3<!--arena/ranks problems=held-out n_train=together manifest_regularized accuracy%-->",
    "0.17<!--arena/ranks problems=held-out n_train=together relieff p_holm-->",
    "82.5<!--arena/ranks problems=held-out n_train=together manifest_set accuracy%-->",
    "90.4<!--madelon ranking_share=0.05 manifest accuracy%-->",
    "10.0<!--hypercube manifest correct-->",
    "79.9<!--colon_nested tuning=nested manifest accuracy%-->",
    "81.7<!--colon_nested tuning=nested all_features accuracy%-->",
)


def test_the_numbers_of_the_readme_are_those_of_the_results():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for marked in IN_WORDS:
        assert marks.filled(marked, ROOT / "results") == marked
        assert marked.partition("<")[0] in text


def test_the_table_of_the_readme_has_the_numbers_and_the_figures_of_the_results():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    table = [line.split("|") for line in lines if "| `experiment=" in line]
    rows = {re.findall(r"experiment=(\w+)", cells[2])[0]: cells for cells in table}
    claims = pd.read_csv(ROOT / "results" / "claims.csv").set_index("claim")
    for name, claim in HEADLINES.items():
        _, _, _, published, ours, *_ = rows[name]
        assert f"{float(claims['published'][claim]):.1f}" in published, name
        assert f"{claims['ours'][claim]:.1f}" in ours, name
    for name, cells in rows.items():
        assert cells[1].strip().startswith(PAPER.get(name, "Fig. 10").split(" (")[0]), name


def test_a_wrong_number_in_a_page_is_found():
    results = ROOT / "results"
    number = "2.00<!--xor100 manifest correct-->"
    table = "<!--rows xor100 manifest | label=method, correct.2=found-->\n"
    right = marks.filled(f"{number} {table}<!--end-->", results)
    assert "2.00<!--" in right
    assert "| ManiFeSt | 2.00 |" in right
    for wrong in (right.replace("2.00<", "1.90<"), right.replace("| 2.00 |", "| 1.90 |")):
        assert wrong != right
        assert marks.filled(wrong, results) == right
    for mark in (
        "xor100 nobody correct",
        "xor100 correct",
        "xor100 manifest wrong",
        "xor manifest a",
    ):
        with pytest.raises(ValueError, match=mark):
            marks.filled(f"1<!--{mark}-->", results)


def test_the_arithmetic_of_a_mark(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "t.csv").write_text("method,x y,share\np,1000,0.25\nq q,3,0.5\n")
    for mark, value in (
        ("a/t p x_y", "1,000.0"), ("a/t p -share%", "-25.0"), ("a/t p 100-share%", "75.0"),
        ("a/t max:share", "0.5"), ("a/t count:share", "2.0"), ("a/t method!=p x_y", "3.0"),
        ("a/t q_q mean:share%", "50.0"), ("a/t method~q share", "0.5"),
        ("a/t x_y=3.0 share", "0.5"),
    ):  # fmt: skip
        assert marks.filled(f"9,9.9<!--{mark}-->", tmp_path) == f"{value}<!--{mark}-->", mark


def cells_that_differ(text, table):
    """Cells of a Markdown table that are not those of the CSV table, to the digits they have."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    header, _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]
    assert set(header) <= set(table.columns)
    assert len(rows) == len(table)
    for row, stored in zip(rows, table.to_dict("records"), strict=True):
        for name, cell in zip(header, row, strict=True):
            try:
                mantissa, _, exponent = cell.partition("e")
                last = int(exponent or 0) - len(mantissa.partition(".")[2])
                is_equal = abs(float(cell) - float(stored[name])) <= 0.51 * 10.0**last
            except ValueError:
                is_equal = cell == str(stored[name])
            if not is_equal:
                yield name, cell, stored[name]


def test_tables_beside_a_csv_have_its_numbers():
    """Tables of measurements that no row makes again: the two files tell the same."""
    folder = ROOT / "results"
    for name in ("benchmarks/filters", "benchmarks/score", "benchmarks/growth"):
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
        table = pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
        assert list(cells_that_differ(text, table)) == [], name
    text = "| a | b |\n|---|---|\n| x | 1.5 |\n"
    wrong = pd.DataFrame({"a": ["x"], "b": ["2.5"]})
    assert list(cells_that_differ(text, wrong)) == [("b", "1.5", "2.5")]
