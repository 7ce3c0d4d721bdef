"""The text of ``run.py --list``: a line for every experiment and every choice of a group."""

import textwrap

from experiments.config import CONFIGS, TOPICS, about, topic_of

#: Group of configs -> its heading, below the experiments.
GROUPS = {
    "method": "Methods (method=NAME or method=[NAME,NAME])",
    "dataset": "Data sets (dataset=NAME), if it is not the experiment's own",
    "profile": "Profiles (profile=NAME)",
}
#: Columns of a terminal that the list fits into.
WIDTH = 80


def list_text() -> str:
    """All experiments by topic, then methods, data sets and profiles."""
    parts = [
        _listed(heading, "experiment", [n for n in _names("experiment") if topic_of(n) == topic])
        for topic, heading in TOPICS.items()
    ]
    parts += [_listed(heading, group, _names(group)) for group, heading in GROUPS.items()]
    return "\n".join(parts)


def _names(group: str) -> list[str]:
    return sorted(path.stem for path in (CONFIGS / group).glob("*.yaml"))


def _listed(heading: str, group: str, names: list[str]) -> str:
    width = min(28, max(map(len, names)))
    indent = " " * (width + 4)
    lines = [
        textwrap.fill(
            f"  {name:<{width}}  {about(group, name)}",
            WIDTH,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        for name in names
    ]
    return "\n".join([heading, *lines, ""])
