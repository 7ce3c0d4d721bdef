"""The documentation and its site: links lead somewhere, examples and commands run."""

import contextlib
import doctest
import html
import importlib
import inspect
import io
import re
import shlex
import shutil
import warnings
from pkgutil import resolve_name
from urllib.parse import unquote, urlsplit

import numpy as np
import pandas as pd
import pytest

from tests.commands import ROOT, python
from tests.experiments.conftest import composed

README, CONTRIBUTING, DOCS = ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs"
PAGES = [README, CONTRIBUTING, *sorted(DOCS.glob("*.md"))]


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """A function from Python code to what it prints, in an empty folder; a warning is an error."""
    monkeypatch.chdir(tmp_path)

    def found(code, category=Warning):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("error", category)
            exec(compile(code, "<documentation>", "exec"), {"__name__": "__main__"})
        return out.getvalue()

    return found


def blocks(page, language):
    """The code blocks of a page in a language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "docs/start.md"])
def test_the_python_of_a_page_runs_and_prints_what_the_page_shows(printed, name):
    output = printed("\n".join(blocks(ROOT / name, "python")))
    shown = blocks(ROOT / name, "text")
    assert shown
    for text in shown:
        assert text in output


def test_the_examples_print_something_and_the_python_on_the_method_runs(printed):
    for path in (DOCS / "examples").glob("*.py"):
        assert printed(path.read_text(encoding="utf-8"), UserWarning).strip(), path
    X = "import numpy\nX = numpy.random.default_rng(0).normal(size=(30, 24))\ny = X[:, 0] > 0"
    for name in ("method.md", "method_set.md"):
        printed("\n".join([X, *blocks(DOCS / name, "python")]), UserWarning)


def test_the_steps_that_clean_a_table_give_a_table_of_classes_and_numbers(printed, tmp_path):
    genes = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["s1", "s2"])
    status = pd.Series(["ill", "well"], index=genes.index, name="status")
    genes.join(status).to_csv("study.csv")
    (tmp_path / "selected.txt").write_text("b\n")
    lines = ['!Series_summary\t"Genes and disease state: two samples"']
    lines += ['!Sample_characteristics_ch1\t"tissue: colon"\t"tissue: colon"']
    lines += ['!Sample_characteristics_ch1\t"disease state: ill"\t"disease state: well"']
    series = "\n".join([*lines, genes.T.to_csv(sep="\t", index_label="ID")])
    (tmp_path / "GSE1_series_matrix.txt").write_text(series)
    genes.T.to_csv("matrix.csv")
    status.to_csv("labels.csv", index_label="sample")
    header = [["A title", None, None, None], [None] * 4, ["id", "a", "status", "empty"]]
    rows = [*header, ["s1", 1, "ill", None], ["s2", 2, "well", None], ["a footer"] + [None] * 3]
    pd.DataFrame(rows).to_excel("export.xlsx", index=False, header=False)
    first, *steps = blocks(DOCS / "own_table.md", "python")
    printed(first + "assert list(table) == ['b']", UserWarning)
    assert len(steps) == 3
    for step in steps:
        save = "table.to_csv('clean.csv', index_label='sample')"
        printed(f"import pandas as pd\n{step}\n{save}", UserWarning)
        clean = pd.read_csv("clean.csv", index_col="sample")
        assert clean.pop("status").tolist() == ["ill", "well"]
        assert list(clean.index) == ["s1", "s2"]
        assert np.isfinite(clean.astype(float)).sum(axis=None) > 0


def test_files_that_contributing_names_are_there():
    """Links are those of the site, which has all pages."""
    for name in re.findall(r"\| `([\w/]+\.(?:py|yaml))`", CONTRIBUTING.read_text(encoding="utf-8")):
        assert (ROOT / name).is_file(), name


def test_every_command_of_the_pages_can_be_started():
    """Targets and scripts exist; the arguments of a run that is no sweep are a valid config."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    lines = "\n".join(block for page in PAGES for block in blocks(page, "console"))
    lines, n_composed = re.sub(r"\\\n\s*", " ", lines), 0
    for line in re.findall(r"^\$ ((?:make|python)\b.*)$", lines, flags=re.MULTILINE):
        command, *words = shlex.split(line, comments=True)
        if command == "make":
            assert {word for word in words if "=" not in word} <= targets, line
            continue
        assert (ROOT / words[0]).is_file(), line
        if words[0] == "run.py" and not {"-m", "--help", "--list", "experiment=NAME"} & {*words}:
            composed(*words[1:])
            n_composed += 1
    assert n_composed >= 8


def test_the_filter_the_data_set_and_the_experiment_of_contributing_run(tmp_path):
    """In a copy of the repository, with the files that CONTRIBUTING shows and its line."""
    for name in ("manifest", "baselines", "experiments", "configs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "run.py", tmp_path)
    for block in [*blocks(CONTRIBUTING, "python"), *blocks(CONTRIBUTING, "yaml")]:
        path, _, content = block.removeprefix("# ").partition("\n")
        (tmp_path / path).write_text(content, encoding="utf-8")
    (line,) = blocks(CONTRIBUTING, "text")
    registry, last = tmp_path / "baselines" / "__init__.py", "from .filters.ttest"
    text = registry.read_text(encoding="utf-8")
    text = text.replace(last, f"from .filters.spread import spread\n{last}")
    registry.write_text(text.replace('    "ttest": t_test,\n', f'    "ttest": t_test,\n{line}'))
    X = np.random.default_rng(0).normal(size=(48, 6))
    X[::2, 3] += 3
    table = pd.DataFrame(X).add_prefix("gene").assign(status=["ill", "well"] * 24)
    table.to_csv(tmp_path / "my_table.csv", index=False)
    chosen = ["experiment=mine", "profile=smoke", "hydra.run.dir=out", "draw=false"]
    done = python("run.py", *chosen, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Spread of the means" in (tmp_path / "out" / "summary.csv").read_text()
    rows = pd.read_parquet(tmp_path / "out" / "rows.parquet")
    spread = rows[rows["method"] == "spread"]
    assert set(spread["parameters"]) <= {f"power={power}" for power in (1, 2, 4)}
    assert spread.loc[spread["n_features"] == 1, "test"].mean() > 0.8


def test_the_examples_in_docstrings_hold():
    for package in ("manifest", "baselines", "experiments"):
        for path in (ROOT / package).rglob("*.py"):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(ROOT).with_suffix("").parts
                name = ".".join(parts).removesuffix(".__init__")
                failed, tried = doctest.testmod(importlib.import_module(name))
                assert (failed, tried > 0) == (0, True), name


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs", reason="no mkdocs: make extras")
    folder = tmp_path_factory.mktemp("site")
    answer = python("-m", "mkdocs", "build", "--strict", "--site-dir", folder)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return folder


def test_links_and_pictures_of_the_site_lead_to_what_is_there(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: {*re.findall(r'\bid="([^"]+)"', text)} for path, text in pages.items()}
    dead, n_links = [], 0
    for path, text in pages.items():
        for link in {*re.findall(r'(?:href|src)="([^"]+)"', text)}:
            parts = urlsplit(html.unescape(link))
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_there = target.is_file()
            if target in anchors and parts.fragment:
                is_there = unquote(parts.fragment) in anchors[target]
            dead += [] if is_there else [(path.name, link)]
            n_links += 1
    assert n_links > 500
    assert not dead


def test_defaults_of_the_reference_are_those_of_the_signatures(site):
    wrong, n_defaults = [], 0
    for name, rows in parameters(site):
        of = resolve_name(name)
        signature = inspect.signature(of).parameters
        for parameter, rendered in rows:
            default = signature[parameter.lstrip("*")].default
            if default is inspect.Parameter.empty:
                is_right = rendered == ("{}" if parameter.startswith("**") else "required")
            else:
                is_right = eval(rendered, vars(inspect.getmodule(of))) == default
            wrong += [] if is_right else [(name, parameter, rendered, default)]
            n_defaults += 1
    assert n_defaults > 100
    assert not wrong


def parameters(site):
    """Each documented callable of the reference, and the name and default of its parameters."""
    page = (site / "docs" / "reference.html").read_text(encoding="utf-8")
    _, *parts = re.split(r'<h[3-6] id="([\w.]+)"', page)
    named = dict(zip(parts[::2], parts[1::2], strict=True))
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^::: (\S+)$", text, flags=re.MULTILINE)} <= {*named}
    for name, part in named.items():
        table = re.search(r"Parameters:</span>.*?</table>", part, flags=re.DOTALL)
        if table:
            rows = re.findall(r'<tr class="doc-section-item">(.*?)</tr>', table[0], flags=re.DOTALL)
            cells = [re.findall(r"<td>(.*?)</td>", row, flags=re.DOTALL) for row in rows]
            yield name, [(plain(row[0]), plain(row[-1])) for row in cells]


def plain(cell):
    """The text of a cell."""
    return html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
