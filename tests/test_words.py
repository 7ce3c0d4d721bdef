"""The words of texts that people read: no private terms, and few of the phrases that read twice."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from experiments.command_line import HELP, list_text

from tests.commands import ROOT

#: Words of this project alone -> the word of the field.
PRIVATE = {
    r"too wide to say": "inconclusive",
    r"hangs? together": "are related",
    r"\brooms?\b": "packages",
    r"\bas measured\b": "continuous",
    r"ends? with a sentence": "stops with an error message",
    r"tells? (the )?features apart": "distinguishes features",
    r"at its face": "at the top level",
    r"\bby a hair\b": "by less than 0.1 points",
    r"can agree in no run": "cannot be confirmed",
}
#: Phrases that are read twice -> the largest number of them.
CEILINGS = {
    r"\b[Ww]here (it|they|that|this|there|he|a|an|the|no|all|one|none|both) ": 8,
    r"\b[Tt]hose (that|who|of)\b": 4,
    r"\bstands?\b(?!-in)": 1,
    r"\bbeside\b": 1,
    r"\btells? (\w+ ){0,2}apart\b": 0,
    r"\bof which\b": 1,
}


@cache
def texts() -> dict[str, str]:
    """Place -> the text that a person reads: pages, comments of YAML, help, messages, templates."""
    found = {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
    }
    found.pop("docs/style.md")  # It names the words that are not used.
    for path in ROOT.glob("configs/**/*.yaml"):
        lines = path.read_text("utf-8").splitlines()
        found[str(path.relative_to(ROOT))] = "\n".join(
            x for x in lines if re.search(r"#|: >-|^    \w|\b(title|label):", x)
        )
    found["--help"], found["--list"] = HELP, list_text()
    for path in ROOT.glob("experiments/report/templates/*.[ht]*"):
        found[str(path.relative_to(ROOT))] = path.read_text("utf-8")
    for path in [*ROOT.glob("experiments/**/*.py"), ROOT / "run.py"]:
        found[str(path.relative_to(ROOT))] = "\n".join(messages(path))
    return found


def messages(path: Path) -> list[str]:
    """The texts in a module with a space in them, without docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    statements = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in statements and " " in node.value
    ]


def test_no_text_has_a_word_that_only_this_project_uses():
    found = [
        f"{name}: {match[0]!r}, write {word!r}"
        for name, text in texts().items()
        for term, word in PRIVATE.items()
        for match in re.finditer(term, text)
    ]
    assert not found, "\n".join(found)


def test_phrases_that_are_read_twice_stay_few():
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    for name, text in texts().items():
        for phrase in CEILINGS:
            n = len(re.findall(phrase, text))
            counts[phrase] += n
            places.setdefault(phrase, []).extend([f"{name} ({n})"] if n else [])
    over = [
        f"{phrase}: {counts[phrase]}, at most {most}: {', '.join(places[phrase])}"
        for phrase, most in CEILINGS.items()
        if counts[phrase] > most
    ]
    assert not over, "\n".join(over)


def test_the_glossary_is_short_and_is_linked():
    glossary = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    terms = re.findall(r"^\*\*(.+?)\*\*", glossary, re.MULTILINE)
    assert 10 <= len(terms) == len(set(terms)) <= 20
    linking = [
        path.name for path in ROOT.glob("docs/*.md") if "glossary.md" in path.read_text("utf-8")
    ]
    assert len(linking) >= 4
