"""Tell the answer to an own table: on the terminal, on a page, and in words for a paper."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from jinja2 import ChoiceLoader, FileSystemLoader

from experiments.datasets.dataset import some
from experiments.files import write_text
from experiments.report.pages import TEMPLATES as SHARED
from experiments.table.answer import Answer, Differences
from experiments.table.predict import Chosen, NoPrediction, Prediction

#: A question, its short answer, and a long one.
Words = tuple[str, str, str]
#: Features on the terminal: most that differ, and others; features on the page.
LISTED, MORE, SHOWN = 15, 3, 100
#: Wraps a text for a terminal, without breaking names at hyphens.
wrapped = textwrap.TextWrapper(98, break_on_hyphens=False).fill
#: The templates beside this module, and those of all pages.
OWN = FileSystemLoader(Path(__file__).parent / "templates")
assert SHARED.loader is not None
TEMPLATES = SHARED.overlay(loader=ChoiceLoader([OWN, SHARED.loader]))


def first_answer(differences: Differences) -> Words:
    """Return the first question and its answer."""
    names = differences.features
    number = f"{len(names) or 'none'} of {differences.n_tested}"
    long = f"{some(names) or 'none'}, at a false discovery rate of 5 %"
    return "Which features differ?", number, long


def first_text(answer: Answer, table: pd.DataFrame) -> str:
    """Write the first question for a terminal, in lines of less than 100 characters."""
    classes = ", ".join(f"{name} {n}" for name, n in answer.classes.items())
    sizes = f"{answer.n_samples} samples, {answer.n_features} features"
    head = f"{sizes}; {answer.target}: {classes}"
    warnings = [f"WARNING {warning}" for warning in answer.warnings]
    paragraphs = [head, *answer.notes, *warnings, sentence(answer.answers[0])]
    columns = ["feature", "effect", "effect_low", "effect_high", "higher_in", "q_value", "p_rank"]
    n_rows = min(LISTED, int(table["differs"].sum())) + MORE
    shown = table.head(n_rows)[columns].replace(r"(?s)^(.{23}).{2,}", r"\1…", regex=True)
    text = shown.to_string(index=False, float_format="%.3g")
    return "\n".join([*map(wrapped, paragraphs), "", text])


def last_text(answers: Sequence[Words]) -> str:
    """Write answers for a terminal, a paragraph each."""
    return "\n".join(wrapped(sentence(words)) for words in answers)


def sentence(words: Words) -> str:
    """Write a question and its answers."""
    question, short, long = words
    return f"{question} {short}: {long}."


def answers_of_prediction(
    target: str, prediction: Prediction | NoPrediction, chosen: Chosen
) -> list[Words]:
    """Return the second question, what is chosen, and their answers."""
    if isinstance(prediction, NoPrediction):
        short = "not evaluated"
        long = prediction.reason
    else:
        short = "yes" if prediction.evidence else "not shown"
        long = TEMPLATES.get_template("predicted.txt").render(vars(prediction)).strip()
    size = f"{len(chosen.features)} by {chosen.method}"
    return [
        (f"Can {target} be predicted?", short, long),
        ("Which set is chosen?", size, some(chosen.features) or "none"),
    ]


def paragraph(answer: Answer, transform: str | None, scaling: str) -> str:
    """Write the methods of an answer, for a paper."""
    template = TEMPLATES.get_template("methods.txt")
    return wrapped(template.render(answer=answer, transform=transform, scaling=scaling))


def write(answer: Answer, features: pd.DataFrame, folder: Path) -> list[Path]:
    """Write the page: warnings, three tiles, and the features that differ most."""
    is_first = np.arange(len(features)) < SHOWN
    shown = features[features["chosen"] | is_first]
    ends = np.abs(shown[["deviations_low", "deviations_high"]].to_numpy())
    unit = 40 / np.nanmax(ends, initial=1e-9)
    template = TEMPLATES.get_template("answer.html")
    text = template.render(answer=answer, features=shown.to_dict("records"), unit=unit)
    path = folder / "report.html"
    write_text(path, text)
    return [path]
