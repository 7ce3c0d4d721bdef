"""The page of the comparison is well-formed, complete, without dead links; tables in a terminal."""

import functools
import json
import posixpath
import re
import shutil
import subprocess
from html.parser import HTMLParser

import matplotlib.image
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.kinds import stored_facts
from experiments.report import columns
from experiments.report.claims import compare
from experiments.report.claims.outcome import NOT_TESTED, OUTCOMES
from experiments.report.claims.paper import load
from experiments.report.claims.render import VERSIONS, by_experiment, in_words, summary, terminal
from experiments.report.findings import TUNINGS, sentences
from experiments.report.html import PAPER as PAPER_FIGURES
from experiments.report.html import _card, note_in_words, page
from experiments.report.pages import PageFacts, write
from experiments.report.pages.experiment import best, content, sure
from scripts import compare as compare_script
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.conftest import PAPER, evaluated, store

VOID = {"meta", "link", "img", "input", "br"}
ROOT = CONFIGS.parent


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

    def all(self, tag):
        return [attributes for name, attributes in self.seen if name == tag]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Results of two experiments, one of which the paper says nothing on."""
    place = tmp_path_factory.mktemp("results")
    accuracies = np.random.default_rng(0).uniform(0.7, 1, size=(10, 2))
    tables = evaluated(dict.fromkeys(("manifest", "gini", "a <b> & c"), accuracies))
    for experiment in ("colon", "made_up"):
        folder = store(place, experiment, data={"synthetic": experiment == "made_up"}, **tables)
        matplotlib.image.imsave(folder / "figure_paper.png", np.full((70, 140, 3), 0.5))
        (folder / "figure_paper.pdf").write_bytes(b"%PDF")
    return place


@pytest.fixture(scope="module")
def claims(stored):
    """All claims beside these results."""
    return compare(PAPER, stored)


@pytest.fixture(scope="module")
def front(stored, claims):
    """The front page beside these results."""
    return Reader(page(claims, stored, stored_facts))


@pytest.fixture
def results(stored, tmp_path):
    """A copy of the results that a test may change."""
    return shutil.copytree(stored, tmp_path / "results")


def test_a_card_has_its_figure_of_the_paper_its_title_and_its_first_finding(stored):
    for key, end in (("nested", ", protocol nested"), ("9_4", ""), ("", "")):
        run = PageFacts({key: "A reaches 84.5 % [72.9, 96.1] over 50 splits; B 80 %. More."})
        card = _card("colon", stored / "colon", {stored / "colon": run}.__getitem__)
        assert card["title"] == "Fig. 6 · Title of colon"
        assert card["found"] == f"A reaches 84.5 % over 50 splits{end}"
    assert _card("made_up", stored / "made_up", stored_facts)["title"] == "Title of made_up"


def test_cards_are_in_the_papers_order_and_the_others_follow():
    reader = Reader((ROOT / "results" / "index.html").read_text("utf-8"))
    names = [article["id"] for article in reader.all("article")]
    assert names[: len(PAPER_FIGURES)] == list(PAPER_FIGURES)
    assert len(names) == len(set(names)) == len(list((ROOT / "results").glob("*/provenance.json")))


def test_a_page_has_one_finding_on_top_and_a_list_of_the_others(stored, tmp_path):
    said = ["A reaches 84.5 % on 2 sets.", "20 samples: B is 0.5 ahead.", "y = f1: C is level."]
    found = content(stored / "colon", PageFacts({"": " ".join(said)}))["found"]
    assert found[0]["said"] == said
    at = shutil.copytree(stored / "colon", tmp_path / "run")
    text = write(at, PageFacts({"": said[0]})).read_text("utf-8")
    title = said[0].replace(" %", "\u00a0%")
    assert f'<h2 class="finding">{title}</h2>' in text


def test_the_unbiased_accuracy_is_the_first_on_a_page_and_on_its_card():
    assert next(iter(TUNINGS)) == "nested"
    table = pd.DataFrame({"tuning": ["paper", "nested"], "method": "manifest"})
    table = table.assign(label="ManiFeSt", accuracy=[0.9, 0.8], std=0.1)
    assert list(sentences(table, "accuracy", "accuracy", by=("tuning",))) == ["nested", "paper"]
    assert (best(table, {}, True) or {})["first"] == "nested"


def test_intervals_and_tests_are_named_for_what_they_are():
    pairs = pd.DataFrame({"p_holm": [0.01, 0.2, None]})
    summary = pd.DataFrame({"n_draws": [50, 0], "ci_low": [0.1, None]})
    said = "50 draws; 95 % intervals are for the mean over new samples; 1 of 2 differences is "
    said += "significant (paired t-test{}, Holm's adjustment)."
    assert sure(summary, pairs, False) == said.format("")
    allows = " that allows for overlapping training sets"
    assert sure(summary, pairs, True) == said.format(allows)
    one = pd.DataFrame({"n_splits": [1]})
    assert sure(one, pairs[1:], True).startswith("1 split; the only difference is not ")


def test_an_interval_follows_its_measure_in_its_unit_or_is_refused():
    regret = pd.DataFrame({"problems": ["all"], "n_problems": [3], "regret": [0.014]})
    regret = regret.assign(ci_low=0.01, ci_high=0.018, largest_regret=0.056)
    regret = regret.assign(largest_ci_low=0.02, largest_ci_high=0.093)
    told = columns.readable(regret, {}, True)
    assert len({*told["header"]}) == len(told["header"])
    assert [cell["text"] for cell in told["rows"][0][2:]] == [
        *("1.4", "[1.0, 1.8]", "5.6", "[2.0, 9.3]")
    ]
    with pytest.raises(ValueError, match=r"'ci' must follow one of .* n_problems, ci_low, ci_high"):
        columns.readable(regret[["n_problems", "ci_low", "ci_high"]], {}, True)
    own = pd.DataFrame({"square": [4.0], "std": [1.0], "ci_low": [3.0], "ci_high": [5.0]})
    assert columns.readable(own, {})["header"] == ["square", "95 % interval", "standard deviation"]
    assert columns.readable(own.drop(columns="std"), {}, measure="square")["header"][0] == "square"


def test_every_claim_is_on_the_page_in_words(front, claims):
    parts = {"", *(part.strip() for part in front.data)}
    for row in claims.to_dict("records"):
        assert {row["text"], note_in_words(row["note"], {}), row["outcome"]} <= parts
    rows = [attributes for attributes in front.all("tr") if "data-choice" in attributes]
    assert [row["id"] for row in rows] == claims["claim"].tolist()
    assert [row["data-choice"] for row in rows] == claims["outcome"].tolist()
    cards = [attributes["id"] for attributes in front.all("article")]
    assert cards == ["colon", "made_up"]


def test_the_bars_hold_every_claim_that_counts_once_and_the_answer_has_their_sum(front, claims):
    titles = [a["title"] for a in front.all("span") if "title" in a]
    counts = [summary(claims, version).loc["all", list(OUTCOMES)] for version in VERSIONS]
    assert sum(int(title.split()[0]) for title in titles) == sum(each.sum() for each in counts)
    said = [part for part in front.data if "published results can be tested" in part]
    for text, each in zip(said, counts, strict=True):
        tested = each.sum() - each[NOT_TESTED]
        assert f"{tested} published results can be tested" in text


def test_no_claim_is_a_raw_key_and_no_two_have_the_same_words():
    words = [(claim.experiment, claim.text) for claim in load(PAPER)]
    assert not [text for _, text in words if "_" in text or not text]
    assert len(set(words)) == len(words)


def test_every_figure_lies_beside_the_page_and_is_described(front):
    images = front.all("img")
    paths = ["colon/figure_paper.png", "made_up/figure_paper.png"]
    assert [image["src"] for image in images] == paths
    for image in images:
        assert image["alt"].startswith("Title of ")
        assert "protocol paper" in image["alt"]
        assert (image["width"], image["height"]) == ("84", "42")


def test_a_run_has_links_to_its_files_and_none_to_files_that_a_clone_lacks(results, claims):
    before = page(claims, results, stored_facts)
    hrefs = [a["href"] for a in Reader(before).all("a") if a["href"].startswith("colon/")]
    own = len(claims[(claims["experiment"] == "colon") & (claims["profile"] != "")])
    assert hrefs == ["colon/figure_paper.pdf", "colon/summary.csv"] + ["colon/rows.parquet"] * own
    (results / "colon" / "report.html").write_text("")
    assert page(claims, results, stored_facts) == before


@pytest.mark.parametrize("name", ["index.html", "claims.md"])
def test_no_link_is_dead_in_a_clone(name):
    told = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    text = (ROOT / "results" / name).read_text("utf-8")
    assert len(text.encode()) < 1e6
    hrefs = re.findall(r"\]\(([^)#\s]+)\)", text)
    if name.endswith(".html"):
        reader = Reader(text)
        hrefs = [a["href"] for a in reader.all("a") if not a["href"].startswith("#")]
        hrefs += [image["src"] for image in reader.all("img")]
        assert len(hrefs) > 100
    inside = [href for href in hrefs if "://" not in href]
    paths = {posixpath.normpath(f"results/{href}") for href in inside}
    assert paths <= set(told.stdout.splitlines())


def test_texts_of_tables_titles_and_sentences_are_texts(results, claims):
    path = results / "colon" / "provenance.json"
    record = json.loads(path.read_text())
    record["config"]["title"] = title = 'An "<i>odd</i>" title'
    path.write_text(json.dumps(record))
    reader = Reader(page(claims, results, stored_facts))
    assert not reader.all("b") + reader.all("i")
    assert title in "".join(reader.data)
    assert reader.all("img")[0]["alt"].startswith(f"{title}, ")


def test_the_command_writes_the_same_bytes_again(results, capsys, monkeypatch):
    monkeypatch.setattr(compare_script, "remake", lambda folder: None)  # The rows are made up.
    names = ("claims.csv", "claims.md", "index.html")
    compare_script.main(["--results", str(results)])
    first = {name: (results / name).read_bytes() for name in names}
    compare_script.main(["--results", str(results)])
    assert {name: (results / name).read_bytes() for name in names} == first
    assert all(str(results).encode() not in content for content in first.values())
    claims = pd.read_csv(results / "claims.csv")
    assert f"\n{in_words(claims, '2022')}\n" in capsys.readouterr().out
    assert len(claims) == len(load(PAPER))
    assert set(claims["claim"]) <= set(first["claims.md"].decode().replace("|", " ").split())


def test_the_terminal_fits_and_counts_all(claims):
    lines = terminal(claims).splitlines()
    assert max(map(len, lines)) <= 120
    assert len(lines) == claims["diff_low"].notna().sum() + 4 > 5
    assert lines[-2:] == [in_words(claims, version) for version in VERSIONS]
    sections = claims[["version", "experiment"]].drop_duplicates()
    assert by_experiment(claims).count("\n### ") == len(sections)


@pytest.fixture
def clone(tmp_path):
    """The pages and results of this repository, links in place of the folders of runs."""
    (tmp_path / "results").mkdir()
    for path in (ROOT / "results").iterdir():
        if path.is_dir():
            (tmp_path / "results" / path.name).symlink_to(path)
        else:
            shutil.copy(path, tmp_path / "results")
    return tmp_path


@pytest.mark.slow
def test_a_digit_that_is_turned_is_put_back(clone, monkeypatch):
    """In both pages, which are those of this repository.

    What the stored rows say is found once, since it takes most of the time.
    """
    claims = compare(PAPER, ROOT / "results")
    monkeypatch.setattr(compare_script, "compare", lambda listed, results: claims)
    monkeypatch.setattr(compare_script, "stored_facts", functools.cache(stored_facts))
    monkeypatch.setattr(compare_script, "remake", lambda folder: None)
    names = ("results/claims.md", "results/index.html")
    compare_script.main(["--results", str(clone / "results")])
    whole = {name: (clone / name).read_text("utf-8") for name in names}
    assert whole["results/claims.md"] == (ROOT / "results/claims.md").read_text("utf-8")
    for name, text in whole.items():
        start = text.index("reproduced")
        at = next(i for i in range(start, len(text)) if text[i].isdecimal())
        turned = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
        (clone / name).write_text(turned, "utf-8")
    compare_script.main(["--results", str(clone / "results")])
    assert {name: (clone / name).read_text("utf-8") for name in names} == whole


TEXT = st.text("abc ,=0123456789", max_size=60)
COLUMNS = st.dictionaries(
    st.sampled_from(["n_draws", "accuracy", "std", "parameters", "label", "n_features", "other"]),
    st.sampled_from(["text", "number", "whole"]),
    min_size=2,
)


@given(st.data(), COLUMNS, st.integers(1, 5), st.integers(60, 100))
def test_no_line_of_a_terminal_is_wider_and_every_column_is_named(data, chosen, n_rows, width):
    kinds = {"text": TEXT, "number": st.floats(-1e3, 1e3), "whole": st.integers(0, 10**6)}
    table = pd.DataFrame(
        {
            name: data.draw(st.lists(kinds[kind], min_size=n_rows, max_size=n_rows))
            for name, kind in chosen.items()
        }
    )
    text = columns.terminal(table, width=width)
    assert all(len(line) <= width for line in text.splitlines())
    headings = {columns.heading(name).replace(",", "") for name in chosen}
    words = " ".join(text.replace(",", " ").split())
    assert all(" ".join(name.split()) in words for name in headings)


def test_a_terminal_shows_the_table_of_the_page():
    """The best comes first in each protocol, what all rows share is told once, none is hidden."""
    summary = pd.DataFrame(
        {"tuning": ["paper", "nested"] * 3, "method": list("aabbcc"), "label": list("AABBCC")}
    ).assign(accuracy=[0.5, 0.25, 0.75, 0.125, np.nan, np.nan], std=0.1, ci_low=0.1, ci_high=0.9)
    summary = summary.assign(failed=summary["accuracy"].isna(), n_splits=10, n_ambiguous=0)
    *told, nested, paper = columns.terminal(summary, is_share=True).split("\n\n")
    assert told == ["10 splits"]
    assert nested.splitlines()[0] == "protocol nested"
    rows = [line.split() for line in nested.splitlines()[2:]]
    assert rows == [["A", "25.0", "[10.0,", "90.0]", "no"], ["B", "12.5", *rows[0][2:]], rows[2]]
    assert (rows[2][0], rows[2][-1]) == ("C", "yes")
    assert [line[0] for line in paper.splitlines()[2:]] == ["B", "A", "C"]
    many = pd.concat([summary] * 30, ignore_index=True)
    assert "also in summary.csv: 50 rows" in columns.terminal(many)
    long_first = pd.concat(
        [many[many["tuning"] == "nested"], summary[summary["tuning"] == "paper"]]
    )
    assert "also in summary.csv: 50 rows" in columns.terminal(long_first)
    assert "nan" not in columns.terminal(pd.DataFrame({"x": [0.5, None], "y": ["a" * 200, None]}))
