"""Pages and tables: well-formed, complete, without dead links; the same from an empty clone."""

import re
import shutil
from html.parser import HTMLParser

import pandas as pd
import pytest
import yaml

from experiments.config import ConfigError
from experiments.files import as_csv, write_text
from experiments.report import pages
from experiments.report.columns import MOST, latex, measure_of, summary_table, terminal
from experiments.report.doc_tables import COLUMNS, VERDICTS, headline
from experiments.report.stored import with_results
from experiments.report.tunings import CLAIMS, FOLDER, SHOWN, tunings
from scripts import compare as script
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.conftest import store

ROOT = CONFIGS.parent
RESULTS = ROOT / "results"
VOID = {"meta", "link", "img", "input", "br", "path", "circle"}


class Reader(HTMLParser):
    """The contents of a page; it fails if tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict]] = []
        self.data: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.data.append(data)

    def all(self, tag, key):
        return [attrs[key] for name, attrs in self.seen if name == tag and key in attrs]


@pytest.fixture
def run(tmp_path):
    """The folder of a made-up run with hostile names."""
    summary = [
        {"tuning": "paper", "method": name, "label": f"<b>{name}</b>", "accuracy": accuracy}
        | {"std": 0.1, "ci_low": accuracy - 0.1, "ci_high": accuracy + 0.1, "n_features": 20}
        for name, accuracy in (("gini", 0.7), ("manifest", 0.875))
    ]
    config = {"title": "<script>alert(1)</script>", "figure": {"caption": "Seen."}}
    folder = store(tmp_path, "made", summary=summary, config=config)
    shutil.copy(RESULTS / "toy" / "figure.png", folder / "figure_paper.png")
    (folder / "differences.txt").write_text("protocol.n_repetitions: here 10, paper 50\n")
    return folder


def test_a_page_has_title_figure_summary_settings_and_the_command(run):
    text = pages.write(run).read_text("utf-8")
    page = Reader(text)
    said = " ".join(page.data)
    assert "<script>alert" not in text
    assert "<b>gini" not in text
    assert page.all("img", "src") == ["figure_paper.png"]
    assert all(page.all("img", "alt"))
    assert said.index("<b>manifest") < said.index("<b>gini")
    assert "87.5" in said
    assert "[77.5, 97.5]" in said
    assert "protocol.n_repetitions: here 10, paper 50" in said
    assert "python run.py experiment=made" in said
    assert "Seen." in said
    for link in page.all("a", "href"):
        assert link.endswith(".pdf") or (run / link).is_file()


def test_a_page_of_a_run_whose_tasks_all_failed_says_which(tmp_path):
    folder = store(tmp_path, "made", summary=[{"method": "gini", "failed": True}])
    path = folder / "provenance.json"
    text = path.read_text().replace('"failed": []', '"failed": ["gini: <singular>"]')
    path.write_text(text)
    said = " ".join(Reader(pages.write(folder).read_text("utf-8")).data)
    assert "gini: <singular>" in said


def test_the_front_page_has_the_headline_and_a_card_for_each_experiment_in_order():
    page = Reader((RESULTS / "index.html").read_text("utf-8"))
    cards = page.all("article", "id")
    assert sorted(cards) == with_results(RESULTS)
    first = ["operators", "mnist", "xor100", "madelon", "hypercube", "colon", "fashion_mnist"]
    assert cards[: len(first)] == first
    said = " ".join(" ".join(page.data).split())
    for row in pd.read_csv(RESULTS / "headline.csv").to_dict("records"):
        assert row["statement"] in said
        assert row["verdict"] in said
    for link in [*page.all("a", "href"), *page.all("img", "src")]:
        if link.startswith("#"):
            assert link[1:] in cards or link == "#gisette"
        elif "://" not in link:
            assert (RESULTS / link).resolve().is_file(), link


def test_each_method_has_its_accuracy_by_tuning_beside_the_published_one():
    claims = pd.read_csv(RESULTS / "claims.csv")
    claims = claims[claims["claim"].str.startswith(CLAIMS)]
    claims["published"] = claims["published"].astype(float)
    found = tunings(claims, RESULTS).set_index("method")
    summary = pd.read_csv(RESULTS / FOLDER / "summary.csv").set_index(["method", "tuning"])
    for tuning in SHOWN:
        accuracies = 100 * summary.xs(tuning, level="tuning")["accuracy"]
        assert found[tuning].to_numpy() == pytest.approx(accuracies[found.index].to_numpy())
    assert sorted(100 - found["published"]) == pytest.approx(sorted(claims["published"]))
    assert found["n_tuned"].is_monotonic_increasing
    assert list(found.loc[["anova", "manifest_relieff"], "n_tuned"]) == [0, 2]


def test_pictures_have_the_sizes_of_their_files():
    (first, *_) = pages.figures(RESULTS / "mnist")
    assert first["source"] == "figure_4_9.png"
    assert first["width"] > first["height"] > 100


def test_every_statement_has_numbers_of_committed_tables():
    fresh, stored = headline(RESULTS / "headline.yaml", ROOT), pd.read_csv(RESULTS / "headline.csv")
    pd.testing.assert_frame_equal(fresh.astype(str), stored.astype(str))
    assert len(fresh) <= 10
    assert set(fresh["verdict"]) <= set(VERDICTS)
    numbers = re.compile(r"\d+\.\d+")
    for entry in yaml.safe_load((RESULTS / "headline.yaml").read_text("utf-8")):
        assert not numbers.search(re.sub(r"\{\w+\}", "", entry["ours"])), entry["figure"]


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ({"verdict": "yes"}, "not shown"),
        ({"values": {"a": {"where": {"method": "none"}}}}, "no row"),
        ({"values": {"a": {"where": {"methdo": "x"}}}}, "method"),
    ],
)
def test_a_statement_with_a_fault_is_refused(tmp_path, change, known):
    write_text(tmp_path / "t.csv", as_csv(pd.DataFrame({"method": ["x"], "correct": [1.5]})))
    value = {"table": "t.csv", "where": {"method": "x"}, "column": "correct", "decimals": 2}
    entry: dict = dict.fromkeys(COLUMNS, "a") | {"ours": "{a} of 2", "verdict": "holds"}
    entry |= {"values": {"a": value}}
    path = tmp_path / "headline.yaml"
    path.write_text(yaml.safe_dump([entry]))
    assert headline(path, tmp_path)["ours"].tolist() == ["1.50 of 2"]
    if "values" in change:
        change = {"values": {"a": {**value, **change["values"]["a"]}}}
    path.write_text(yaml.safe_dump([entry | change]))
    with pytest.raises(ConfigError, match=known):
        headline(path, tmp_path)


@pytest.mark.parametrize("experiment", with_results(RESULTS))
def test_a_summary_is_sorted_by_its_measure_and_has_at_most_eight_columns(experiment):
    summary = pd.read_csv(RESULTS / experiment / "summary.csv")
    table, measure = summary_table(summary), measure_of(summary)
    assert 1 <= len(table.columns) <= MOST
    assert all(isinstance(value, str) for value in table.to_numpy().ravel())
    if measure == "accuracy":
        tuning = table["tuning"] if "tuning" in table else pd.Series("", table.index)
        for _, part in table.groupby(tuning):
            assert part["accuracy, %"].astype(float).is_monotonic_decreasing


def test_the_columns_of_a_terminal_have_one_width_and_long_tables_are_cut():
    rows = [
        {"method": f"m{i}", "label": f"m{i}", "correct": float(i), "std": 1.0} for i in range(60)
    ]
    first, *_, last = terminal(pd.DataFrame(rows)).splitlines()
    assert first.split() == ["method", "relevant", "features", "found"]
    assert "20 more" in last


def test_a_summary_for_latex_has_the_columns_of_the_page(capsys):
    script.main(["--latex", "colon"])
    lines = capsys.readouterr().out.splitlines()
    table = summary_table(pd.read_csv(RESULTS / "colon" / "summary.csv"))
    assert lines[0] == r"\begin{tabular}{l" + "r" * (len(table.columns) - 1) + "}"
    assert lines[1] == r"\toprule"
    assert len(lines) == len(table) + 6
    assert all(line.count(" & ") == len(table.columns) - 1 for line in lines if "&" in line)
    assert r"a\_b \& c" in latex(
        pd.DataFrame({"label": ["a_b & c"], "accuracy": [1.0], "std": [0]})
    )


def test_two_runs_stand_side_by_side_row_by_row(capsys):
    script.main(["colon", "colon_nested"])
    head, *rows = capsys.readouterr().out.splitlines()
    assert "colon: accuracy" in head
    assert "colon_nested: accuracy" in head
    own = next(row for row in rows if row.startswith("ManiFeSt  ") and " paper " in row)
    assert len(re.findall(r"\[", own)) == 2
    with pytest.raises(SystemExit, match="two runs"):
        script.main(["colon"])
    with pytest.raises(SystemExit, match="colon"):
        script.main(["colno", "colon"])


@pytest.mark.slow
def test_an_empty_clone_makes_the_same_bytes(tmp_path):
    """All that compare.py writes follows from rows, provenance and the lists in results/."""
    made = ("*/*.csv", "*/differences.txt", "claims.*", "headline.csv", "index.html")
    for folder in ("results", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for name in ("README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    results = tmp_path / "results"
    files = sorted(path for pattern in made for path in results.glob(pattern))
    files = [path for path in files if path.parent.name != "benchmarks"]
    before = {path: path.read_bytes() for path in files}
    for path in files:
        path.unlink()
    script.write(results)
    assert {path: path.read_bytes() for path in files} == before
