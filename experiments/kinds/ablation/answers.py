"""Say whether a score needs something, from its differences to the score without it.

The difference d is the score minus a change of it, paired by repetition. A part of the evidence has
a margin that was set before the run, and its word is the first that matches:

- *needed* if d is above 0 (one-sided, 5 %, by Holm over all parts of the change) and its mean is
  above the margin;
- *harmful*, the same reversed;
- *not needed* if the upper end of the 90 % interval of d is below the margin;
- *open* otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from experiments.evaluation.statistics import decided, outside_by_holm

WORDS = ("needed", "not needed", "harmful", "open")
DEPENDS = "depends on the scale"


def words_of(changes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the word of each part of a change.

    Parameters
    ----------
    changes : sequence of mappings
        For each part, the mean "difference", its "interval" at any level, and the "margin".
    """
    intervals = [part["interval"] for part in changes]
    above = outside_by_holm(intervals, (-np.inf, 0.0))
    below = outside_by_holm(intervals, (0.0, np.inf))
    words = []
    for place, part in enumerate(changes):
        if place in above and part["difference"] > part["margin"]:
            words.append("needed")
        elif place in below and part["difference"] < -part["margin"]:
            words.append("harmful")
        elif decided([part["interval"]], (-np.inf, part["margin"])) == "inside":
            words.append("not needed")
        else:
            words.append("open")
    return words


def answers(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the answer of each change, and to each question, on each source of samples.

    Parameters
    ----------
    pairs : DataFrame
        A row for each part and change: the columns question, source, other (the change) and word.

    Returns
    -------
    DataFrame
        For each question and source, a row for each change and one whose "other" is empty. The
        columns of :data:`WORDS` count the words of the parts, and "answer" is drawn from them.
    """
    rows = []
    for (question, source), of_question in pairs.groupby(["question", "source"], sort=False):
        changes = {
            other: common(words)
            for other, words in of_question.groupby("other", sort=False)["word"]
        }
        for other, answer in [*changes.items(), ("", of_changes([*changes.values()]))]:
            parts = of_question[of_question["other"] == other] if other else of_question
            counts = {word: int((parts["word"] == word).sum()) for word in WORDS}
            head = {"question": question, "source": source, "other": other}
            rows.append({**head, **counts, "answer": answer})
    return pd.DataFrame(rows)


def by_question(found: pd.DataFrame) -> pd.DataFrame:
    """Count the sources with each answer: a row for each question, from :func:`answers`."""
    own = found[found["other"] == ""]
    rows = []
    for question, given in own.groupby("question", sort=False)["answer"]:
        counts = {answer: int((given == answer).sum()) for answer in (*WORDS, DEPENDS)}
        rows.append({"question": question, "n_sources": len(given), **counts})
    return pd.DataFrame(rows)


def by_source(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each source with its answer to each question, from :func:`answers`."""
    own, questions = found[found["other"] == ""], [*dict.fromkeys(found["question"])]
    wide = own.pivot(index="source", columns="question", values="answer")
    return wide.reindex([*dict.fromkeys(own["source"])])[questions].fillna("not run").reset_index()


def common(words: Iterable[str]) -> str:
    """Return the word that parts have in common; open ones say nothing if another is decided."""
    found = {*words} - {"open"}
    if not found:
        return "open"
    return found.pop() if len(found) == 1 else DEPENDS


def of_changes(words: Sequence[str]) -> str:
    """Return the answer to a question from those of its changes.

    What is asked for is needed only if every change of it is, and not needed if one of them shows
    it. Otherwise the changes are like parts, of which one that is needed is not enough.
    """
    if "not needed" in words:
        return "not needed"
    if all(word == "needed" for word in words):
        return "needed"
    return common(word for word in words if word != "needed")
