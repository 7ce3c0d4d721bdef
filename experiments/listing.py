"""The text of ``run.py --list``: a line for each experiment, or for each choice of a group."""

import re
import textwrap

from experiments.config import CONFIGS, TOPICS, about, listed_as, topic_of

#: Columns of a terminal that the list fits into.
WIDTH = 80
#: The methods of the paper; its sum of two is the last.
PAPER = (
    *("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff"),
    *("manifest", "manifest_relieff"),
)
#: Word after ``--list`` -> its group of configs and a heading.
GROUPS = {
    "datasets": ("dataset", "Data sets (dataset=NAME)"),
    "methods": ("method", "Methods (method=NAME or 'method=[NAME,NAME]')"),
    "profiles": ("profile", "Profiles (profile=NAME)"),
}


def list_text(what: str = "") -> str:
    """Return what ``--list`` prints: the experiments, or the methods, data sets or profiles."""
    if what == "methods":
        names = _names("method")
        forms = [n for n in names if n.startswith("manifest") or n.endswith("_set")]
        groups = {
            "Methods of the paper (method=NAME or 'method=[NAME,NAME]')": PAPER,
            "Forms of ManiFeSt, and sets of features": [n for n in forms if n not in PAPER],
            "Other filters and variants": [n for n in names if n not in {*PAPER, *forms}],
        }
        return "\n".join(_listed(heading, "method", group) for heading, group in groups.items())
    if what in GROUPS:
        group, heading = GROUPS[what]
        return _listed(heading, group, _names(group))
    parts = [
        _listed(heading, "experiment", sorted(_of_topic(topic), key=_place))
        for topic, heading in TOPICS.items()
    ]
    more = "".join(f"  python run.py --list {word}\n" for word in GROUPS)
    return "\n".join([*parts, f"Times are those of profile=paper on two cores. More:\n{more}"])


def _names(group):
    return sorted(path.stem for path in (CONFIGS / group).glob("*.yaml"))


def _of_topic(topic):
    return [name for name in _names("experiment") if topic_of(name) == topic]


def _place(name):
    """Figures in their order, with Table 1 after Fig. 8, where the paper has it; then the rest."""
    place = listed_as(name).replace("Table 1", "Fig. 8.5")
    number = re.search(r"Fig\. (\d+(?:\.5)?)", place)
    return float(number[1]) if number else 99.0


def _listed(heading, group, names):
    width = min(28, max(map(len, names)))
    lines = []
    for name in names:
        place = f"{listed_as(name):<15}  " if group == "experiment" else ""
        text = f"  {name:<{width}}  {place}"
        lines.append(
            textwrap.fill(
                text + about(group, name),
                WIDTH,
                subsequent_indent=" " * len(text),
                break_on_hyphens=False,
            )
        )
    return "\n".join([heading, *lines, ""])
