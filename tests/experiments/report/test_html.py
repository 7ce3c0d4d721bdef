"""The page of the comparison: well-formed, complete, self-contained, the same bytes each time."""

import base64
import json
import runpy
from html.parser import HTMLParser

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from experiments.report.claims import compare, summary
from experiments.report.claims.names import distinct
from experiments.report.claims.paper import load
from experiments.report.claims.render import by_experiment, counted, terminal
from experiments.report.claims.words import (
    PHRASES,
    PLACES,
    SUBJECTS,
    in_words,
    note_in_words,
)
from experiments.report.html import page
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.stored_results import judged, store
from tests.experiments.report.test_claims import PAPER

VOID = {"meta", "link", "img", "input", "br"}
COMPARE = runpy.run_path(str(CONFIGS.parent / "scripts" / "compare.py"))


class Reader(HTMLParser):
    """What a page holds; fails where tags do not match."""

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


def picture(path):
    """A small picture of one colour."""
    matplotlib.image.imsave(path, np.full((70, 140, 3), 0.5))


@pytest.fixture
def results(tmp_path):
    """Results of two experiments, one of which the paper says nothing on."""
    accuracies = np.random.default_rng(0).uniform(0.7, 1, size=(10, 2))
    tables = judged({(name, 1.0): accuracies for name in ("manifest", "gini", "a <b> & c")})
    for experiment in ("colon", "made_up"):
        folder = store(tmp_path, experiment, data={"synthetic": experiment == "made_up"}, **tables)
        picture(folder / "figure_paper.png")
        (folder / "figure_paper.pdf").write_bytes(b"%PDF")
    return tmp_path


def test_every_claim_is_on_the_page_in_words(results):
    claims = compare(PAPER, results)
    reader = Reader(page(claims, results))
    text = "".join(reader.data)
    for row in claims.to_dict("records"):
        assert in_words(row["claim"]) in text
        assert note_in_words(row["note"], {}) in text
        assert row["verdict"] in text
    rows = [attributes for attributes in reader.all("tr") if "data-choice" in attributes]
    assert [row["id"] for row in rows] == claims["claim"].tolist()
    assert [row["data-choice"] for row in rows] == claims["verdict"].tolist()
    headers = [attributes for attributes in reader.all("th") if attributes["scope"] == "row"]
    # The claims, the counts, and two summaries of three methods under two readings.
    assert len(headers) == len(claims) + len(summary(claims)) + 2 * 6
    ids = [attributes["id"] for attributes in reader.all("section")]
    assert ids == ["verdict", "claims", *dict.fromkeys(claims["experiment"]), "made_up"]
    inside = [a["href"] for a in reader.all("a") if a["href"].startswith("#")]
    assert inside == [f"#{i}" for i in ids]
    assert text.count("The paper states no number on these.") == 1
    assert text.count("Synthetic samples.") == 1


def test_no_claim_is_a_raw_key():
    """Each name in the ids of the claims has its words, and two claims have not the same."""
    claims = load(PAPER)
    words = [(claim.experiment, in_words(claim.id)) for claim in claims]
    assert not [said for _, said in words if "_" in said or not said]
    assert len(set(words)) == len(words)
    for claim in claims:
        assert {part for part in claim.id.split(".") if "_" in part} <= {
            *SUBJECTS, *PHRASES, *PLACES, "4_9", "3_8", "1_7", "5_6", "1_6", "0_6", "near_0",
        }  # fmt: skip


def test_every_figure_is_inside_and_described(results):
    images = Reader(page(compare(PAPER, results), results)).all("img")
    assert len(images) == 2
    for image in images:
        assert base64.b64decode(image["src"].removeprefix("data:image/png;base64,"))[1:4] == b"PNG"
        assert image["alt"].startswith("Title of ")
        assert "the highest accuracy has" in image["alt"]
        assert (image["width"], image["height"]) == ("84", "42")


def test_a_report_of_the_run_is_linked_where_there_is_one(results):
    claims = compare(PAPER, results)
    assert "report.html" not in page(claims, results)
    (results / "colon" / "report.html").write_text("")
    hrefs = [a["href"] for a in Reader(page(claims, results)).all("a")]
    assert [href for href in hrefs if "report" in href] == ["colon/report.html"]


def test_what_the_paper_says_stands_beside_the_counts(results):
    reader = Reader(page(compare(PAPER, results), results, {"colon": ("86.9 <%>", "so it is")}))
    assert {"86.9 <%>", "so it is"} <= set(reader.data)


def test_texts_of_tables_are_texts(results):
    reader = Reader(page(compare(PAPER, results), results))
    assert not reader.all("b")
    assert "".join(reader.data).count("a <b> & c") >= 4


def test_titles_are_texts_in_headings_and_in_attributes(results):
    path = results / "colon" / "provenance.json"
    record = json.loads(path.read_text())
    record["config"]["title"] = title = 'An "<i>odd</i>" title'
    path.write_text(json.dumps(record))
    reader = Reader(page(compare(PAPER, results), results))
    assert not reader.all("i")
    assert title in "".join(reader.data)
    assert reader.all("img")[0]["alt"].startswith(f"{title}. ")


def test_the_command_writes_the_same_bytes_again(results, capsys):
    names = ("claims.csv", "claims.md", "index.html")
    COMPARE["main"](["--results", str(results)])
    first = {name: (results / name).read_bytes() for name in names}
    COMPARE["main"](["--results", str(results)])
    assert {name: (results / name).read_bytes() for name in names} == first
    assert all(str(results).encode() not in content for content in first.values())
    claims = pd.read_csv(results / "claims.csv")
    assert f"\n{counted(claims)}\n" in capsys.readouterr().out
    assert len(claims) == len(compare(PAPER, results))
    assert set(claims["claim"]) <= set(first["claims.md"].decode().replace("|", " ").split())


def test_the_terminal_fits_and_counts_all(results):
    claims = compare(PAPER, results)
    lines = terminal(claims).splitlines()
    assert max(map(len, lines)) <= 120
    judged_claims = claims["verdict"].isin(["agrees", "differs", "too wide to say"])
    assert len(lines) == judged_claims.sum() + 3 > 4
    assert lines[-1] == counted(claims)
    once = len(distinct(claims))
    assert lines[-1].startswith(f"{once} claims, without {len(claims) - once} repeats: ")
    assert by_experiment(claims).count("\n## ") == claims["experiment"].nunique()
