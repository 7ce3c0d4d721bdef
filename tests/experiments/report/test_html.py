"""The page of the comparison: well-formed, complete, self-contained, the same bytes each time."""

import json
import runpy
import struct
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from experiments.report.claims import compare, summary
from experiments.report.claims.render import by_experiment, terminal
from experiments.report.html import page
from tests.experiments.conftest import CONFIGS
from tests.experiments.report.stored_results import judged, store
from tests.experiments.report.test_claims import PAPER

VOID = {"meta", "link", "img", "wbr", "br"}
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


@pytest.fixture
def results(tmp_path):
    """Results of two experiments, one of which the paper says nothing on."""
    accuracies = np.random.default_rng(0).uniform(0.7, 1, size=(10, 2))
    tables = judged({(name, 1.0): accuracies for name in ("manifest", "gini", "a <b> & c")})
    for experiment in ("colon", "made_up"):
        folder = store(tmp_path, experiment, data={"synthetic": experiment == "made_up"}, **tables)
        size = struct.pack(">II", 1400, 700)
        (folder / "figure_paper.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(8) + size)
        (folder / "figure_paper.pdf").write_bytes(b"%PDF")
    return tmp_path


def test_every_claim_is_on_the_page(results):
    claims = compare(PAPER, results)
    reader = Reader(page(claims, results))
    text = "".join(reader.data)
    for row in claims.to_dict("records"):
        assert row["claim"] in text
        assert row["note"] in text
        assert row["verdict"] in text
    headers = [attributes for attributes in reader.all("th") if attributes["scope"] == "row"]
    # The claims, the counts, and two summaries of three methods under two readings.
    assert len(headers) == len(claims) + len(summary(claims)) + 2 * 6
    ids = [attributes["id"] for attributes in reader.all("section")]
    assert ids == [*dict.fromkeys(claims["experiment"]), "made_up"]
    assert [a["href"] for a in reader.all("a") if a["href"].startswith("#")] == [
        f"#{i}" for i in ids
    ]
    assert text.count("The paper states no number on these.") == 1
    assert text.count("Synthetic samples.") == 1


def test_every_figure_exists_and_is_described(results):
    images = Reader(page(compare(PAPER, results), results)).all("img")
    assert [image["src"] for image in images] == [
        "colon/figure_paper.png",
        "made_up/figure_paper.png",
    ]
    for image in images:
        assert (results / image["src"]).is_file()
        assert image["alt"].startswith("Title of ")
        assert image["loading"] == "lazy"
        assert (image["width"], image["height"]) == ("840", "420")


def test_the_page_needs_nothing_from_elsewhere(results):
    reader = Reader(page(compare(PAPER, results), results))
    assert not reader.all("script")
    for tag, attribute in (("img", "src"), ("a", "href"), ("link", "href")):
        for attributes in reader.all(tag):
            assert "//" not in attributes[attribute]
    assert not [attributes for _, attributes in reader.seen if "style" in attributes]


def test_texts_of_tables_are_texts(results):
    reader = Reader(page(compare(PAPER, results), results))
    assert not reader.all("b")
    assert "".join(reader.data).count("a <b> & c") == 4


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
    assert " claims: " in capsys.readouterr().out
    claims = pd.read_csv(results / "claims.csv")
    assert len(claims) == len(compare(PAPER, results))
    assert set(claims["claim"]) <= set(first["claims.md"].decode().replace("|", " ").split())


def test_the_terminal_fits_and_counts_all(results):
    claims = compare(PAPER, results)
    lines = terminal(claims).splitlines()
    assert max(map(len, lines)) <= 120
    judged_claims = claims["verdict"].isin(["agrees", "differs", "too wide to say"])
    assert len(lines) == judged_claims.sum() + 3 > 4
    assert lines[-1].startswith(f"{len(claims)} claims: ")
    assert by_experiment(claims).count("\n## ") == claims["experiment"].nunique()
