"""Tables of the documentation are written from results/, and wrong entries are refused."""

import pytest
import yaml

from experiments.report import doc_tables
from tests.commands import ROOT

PAGE = "before\n<!-- table t -->\nold\n<!-- end -->\nafter\n"
ENTRY = {
    "csv": "results/a/t.csv",
    "columns": {
        "label": "method",
        "x": {"heading": "x (%)", "percent": True, "decimals": 1},
        "low": {"heading": "from, to", "to": "high", "decimals": 0},
        "kind": "kind",
    },
    "where": {"kind": [1, 2]},
    "sort": "-x",
}


@pytest.fixture
def root(tmp_path):
    """A repository of one table."""
    for folder in ("docs", "results/a"):
        (tmp_path / folder).mkdir(parents=True)
    rows = "label,x,low,high,kind\na,0.125,1,2,1\nb|c,0.5,,,2\ne,1,1,2,3\n"
    (tmp_path / "results/a/t.csv").write_text(rows, encoding="utf-8")
    for page in ("README.md", "CONTRIBUTING.md", "docs/page.md"):
        (tmp_path / page).write_text(PAGE, encoding="utf-8")
    return tmp_path


def with_entry(root, name="t", **changes):
    text = yaml.safe_dump({name: ENTRY | changes}, sort_keys=False)
    (root / "docs" / "tables.yaml").write_text(text, encoding="utf-8")


def test_a_table_is_written_between_its_marks_and_once(root):
    with_entry(root)
    assert len(doc_tables.write(root)) == 3
    assert (root / "docs" / "page.md").read_text(encoding="utf-8") == (
        "before\n<!-- table t -->\n"
        "| method | x (%) | from, to | kind |\n|---|---|---|---|\n"
        "| b\\|c | 50.0 |  | 2 |\n| a | 12.5 | [1, 2] | 1 |\n"
        "<!-- end -->\nafter\n"
    )
    assert doc_tables.write(root) == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"name": "other"}, "'t'.*other"),
        ({"columns": {"y": "y"}}, "'y'"),
        ({"where": {"y": 1}}, "'y'"),
        ({"sort": "-y"}, "'y'"),
        ({"where": {"kind": 4}}, "no row"),
    ],
)
def test_a_wrong_entry_is_refused_with_what_is_wrong(root, changes, named):
    with_entry(root, **changes)
    with pytest.raises(ValueError, match=named):
        doc_tables.write(root)
    assert (root / "README.md").read_text(encoding="utf-8") == PAGE


def test_every_table_of_this_repository_is_as_the_results_have_it(monkeypatch):
    written = []
    monkeypatch.setattr(doc_tables, "write_text", lambda path, text: written.append(path))
    assert doc_tables.write(ROOT) == written == [], "run make compare"
