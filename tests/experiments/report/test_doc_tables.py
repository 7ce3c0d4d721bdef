"""Tables of the documentation are written from results/, and wrong entries are refused."""

import pytest
import yaml

from experiments.report import doc_tables
from tests.commands import ROOT

PAGE = "before\n<!-- table t -->\nold\n<!-- end -->\nafter\n"
ENTRY = {
    "csv": "t.csv",
    "columns": {
        "method": "{label}",
        "x (%)": "{x:.1%}",
        "from, to": "[{low:.0f}, {high:.0f}]",
        "kind": "{kind}",
    },
    "where": {"kind": [1, 2]},
    "sort": "-x",
}


def written(root, name="t", **changes):
    """The pages that change in a repository of one table, README.md first."""
    for folder in ("docs", "results"):
        (root / folder).mkdir()
    (root / "t.csv").write_text("label,x,low,high,kind\na,0.125,1,2,1\nb|c,,3,4,2\ne,1,1,2,3\n")
    text = yaml.safe_dump({name: ENTRY | changes}, sort_keys=False)
    (root / "docs" / "tables.yaml").write_text(text, encoding="utf-8")
    for page in ("README.md", "CONTRIBUTING.md", "docs/page.md"):
        (root / page).write_text(PAGE, encoding="utf-8")
    return doc_tables.write(root)


def test_a_table_is_written_between_its_marks_and_once(tmp_path):
    page, *others = written(tmp_path)
    assert len(others) == 2
    assert page.read_text(encoding="utf-8") == (
        "before\n<!-- table t -->\n"
        "| method | x (%) | from, to | kind |\n|---|---|---|---|\n"
        "| a | 12.5 | [1, 2] | 1 |\n| b\\|c |  | [3, 4] | 2 |\n"
        "<!-- end -->\nafter\n"
    )
    assert doc_tables.write(tmp_path) == []


@pytest.mark.parametrize("changes", [
    {"name": "other"}, {"columns": {"y": "{y}"}}, {"where": {"y": 1}}, {"sort": "-y"},
    {"where": {"kind": 4}},
])  # fmt: skip
def test_a_wrong_entry_is_refused_before_anything_is_written(tmp_path, changes):
    with pytest.raises((KeyError, ValueError), match=r"'t'|y|no row"):
        written(tmp_path, **changes)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == PAGE


def test_every_table_of_this_repository_is_as_the_results_have_it(monkeypatch):
    monkeypatch.setattr(doc_tables, "write_text", lambda *_: None)
    assert doc_tables.write(ROOT) == [], "run make compare"
