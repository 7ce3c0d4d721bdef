"""Pages and tables: well-formed, complete, without dead links; the same from an empty clone."""

import re
import shutil
from xml.etree import ElementTree

import pandas as pd
import pytest

from experiments.config import entry_of
from experiments.report import pages
from experiments.report.columns import MOST, latex, measure_of, summary_table, terminal
from experiments.report.stored import with_results
from experiments.report.tunings import FOLDER, SHOWN, tunings
from scripts import compare as script
from tests.commands import ROOT
from tests.experiments.report.conftest import store

RESULTS = ROOT / "results"


def parts(text):
    """The text of a page, its links and its pictures; it fails unless all tags match."""
    page = ElementTree.fromstring(text)
    links = [each.attrib["href"] for each in page.iter("a")]
    return " ".join("".join(page.itertext()).split()), links, [*page.iter("img")]


def test_a_page_has_title_figure_summary_settings_failures_and_the_command(tmp_path):
    """Of a made-up run with hostile names."""
    summary = [
        {"tuning": "paper", "method": name, "label": f"<b>{name}</b>", "accuracy": accuracy}
        | {"std": 0.1, "ci_low": accuracy - 0.1, "ci_high": accuracy + 0.1, "n_features": 20}
        for name, accuracy in (("gini", 0.7), ("manifest", 0.875))
    ]
    config = {"title": "<script>alert(1)</script>", "figure": {"caption": "Seen."}}
    run = store(tmp_path, "made", failed=["ig: <i>"], summary=summary, config=config)
    shutil.copy(RESULTS / "toy" / "figure.png", run / "figure_paper.png")
    page = pages.write(run).read_text("utf-8")
    said, links, (picture,) = parts(page)
    assert picture.attrib["src"] == "figure_paper.png"
    assert picture.attrib["alt"] == config["title"]
    assert said.index("<b>manifest</b>") < said.index("<b>gini</b>")
    for text in ("87.5", "[77.5, 97.5]", "ig: <i>", "python run.py experiment=made", "Seen."):
        assert text in said
    assert "protocol.n_repetitions: here 10, paper 50" in said
    assert all(link.endswith(".pdf") or (run / link).is_file() for link in links)


def test_the_front_page_has_the_headline_a_card_for_each_experiment_and_all_claims():
    """Its links are tested with those of the site."""
    text = (RESULTS / "index.html").read_text("utf-8")
    said, _, _ = parts(text)
    cards = re.findall('<article id="(.*)">', text)
    assert sorted(cards) == with_results(RESULTS)
    first = ["operators", "mnist", "xor100", "madelon", "hypercube", "colon", "fashion_mnist"]
    assert cards[: len(first)] == first
    for row in pd.read_csv(RESULTS / "headline.csv").to_dict("records"):
        assert row["statement"] in said
        assert row["verdict"] in said
    rows = text.split("<tr>")
    for claim in pd.read_csv(RESULTS / "claims.csv").to_dict("records"):
        (told,) = [row for row in rows if f"({claim['claim']})" in row]
        assert claim["outcome"] in told


def test_each_method_has_its_accuracy_by_tuning_beside_the_published_one():
    found = tunings(pd.read_csv(RESULTS / "claims.csv"), RESULTS).set_index("method")
    summary = pd.read_csv(RESULTS / FOLDER / "summary.csv").set_index(["method", "tuning"])
    for tuning in SHOWN:
        accuracies = 100 * summary.xs(tuning, level="tuning")["accuracy"]
        assert found[tuning].to_numpy() == pytest.approx(accuracies[found.index].to_numpy())
    assert found.loc["manifest", "published"] == pytest.approx(100 - 12.9)
    assert found["n_tuned"].is_monotonic_increasing
    assert list(found.loc[["anova", "manifest_relieff"], "n_tuned"]) == [0, 2]


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
    assert r"a\_b" in latex(pd.DataFrame({"label": ["a_b"], "accuracy": [1.0], "std": [0]}))


def test_two_runs_stand_side_by_side_row_by_row(capsys):
    script.main(["colon", "colon_nested"])
    head, *rows = capsys.readouterr().out.splitlines()
    assert "accuracy, % (colon)" in head
    assert "accuracy, % (colon_nested)" in head
    label = entry_of("manifest")["label"]
    own = next(row for row in rows if row.startswith(f"{label}  ") and " paper " in row)
    assert len(re.findall(r"\[", own)) == 3
    with pytest.raises(SystemExit, match="two runs"):
        script.main(["colon"])
    with pytest.raises(SystemExit, match="colon"):
        script.main(["colno", "colon"])


@pytest.mark.slow
def test_an_empty_clone_makes_the_same_bytes(tmp_path):
    """All that compare.py writes follows from rows, provenance and the lists in results/."""
    made = ("*/*.csv", "*/differences.txt", "claims.csv", "gaps.csv", "headline.csv", "index.html")
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
