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
DISAGREE = "parts disagree"


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
    for (question, source), parts in pairs.groupby(["question", "source"], sort=False):
        head = {"question": question, "source": source}
        of_each_change = []
        for change, parts_of_change in parts.groupby("other", sort=False):
            words = parts_of_change["word"]
            answer = common(words)
            of_each_change.append(answer)
            rows.append({**head, "other": change, **_counts(words, WORDS), "answer": answer})
        answer = of_changes(of_each_change)
        rows.append({**head, "other": "", **_counts(parts["word"], WORDS), "answer": answer})
    return pd.DataFrame(rows)


def by_question(answered: pd.DataFrame) -> pd.DataFrame:
    """Count the sources with each answer: a row for each question, from :func:`answers`.

    "not shown" counts those with another answer than *needed*.
    """
    of_questions = answered[answered["other"] == ""]
    rows = []
    for question, given in of_questions.groupby("question", sort=False)["answer"]:
        counts = _counts(given, (*WORDS, DISAGREE))
        counts["not shown"] = len(given) - counts["needed"]
        rows.append({"question": question, "n_sources": len(given), **counts})
    return pd.DataFrame(rows)


def _counts(given: pd.Series, words: Sequence[str]) -> dict[str, int]:
    """Return how often each word is given."""
    return {word: int((given == word).sum()) for word in words}


def by_source(answered: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each source with its answer to each question, from :func:`answers`.

    Where parts disagree, it says how many of them have which word.
    """
    of_questions = answered[answered["other"] == ""]
    of_questions = of_questions.assign(answer=of_questions.apply(_answer_or_counts, axis=1))
    wide = of_questions.pivot(index="source", columns="question", values="answer")
    wide = wide.reindex(index=of_questions["source"].unique())
    wide = wide[answered["question"].unique()]
    return wide.fillna("not run").reset_index()


def _answer_or_counts(answer: pd.Series) -> str:
    """Return the answer to a question on a source, or the counts of words if parts disagree."""
    if answer["answer"] != DISAGREE:
        return str(answer["answer"])
    counts = [f"{answer[word]} {word}" for word in WORDS if answer[word]]
    return ", ".join(counts)


def common(words: Iterable[str]) -> str:
    """Return the word that parts have in common; open ones say nothing if another is decided."""
    decided_words = {*words} - {"open"}
    if not decided_words:
        return "open"
    return decided_words.pop() if len(decided_words) == 1 else DISAGREE


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
