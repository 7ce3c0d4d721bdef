"""The text of ``run.py --list``: experiments in the paper's order, or the choices of a group."""

import re
import textwrap

from experiments.config import CONFIGS, TOPICS, about, one_of, place_of, topic_of

#: The filters that the paper compares.
OF_PAPER = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
#: Columns of a terminal that the list fits into.
WIDTH = 80


def list_text(group: str = "") -> str:
    """All experiments, or all choices of a group such as "methods".

    Raises
    ------
    ConfigError
        If there is no such group.
    """
    names = sorted(path.stem for path in (CONFIGS / "experiment").glob("*.yaml"))
    if not group:
        parts = [
            _listed(heading, "experiment", [n for n in names if topic_of(n) == topic])
            for topic, heading in TOPICS.items()
        ]
        return "\n".join([*parts, "More: --list methods, --list datasets, --list profiles\n"])
    folder = one_of(group, ("methods", "datasets", "profiles"), "list").removesuffix("s")
    names = sorted(path.stem for path in (CONFIGS / folder).glob("*.yaml"))
    if folder != "method":
        return (
            _listed(
                f"{folder.capitalize()}s ({folder}=NAME)".replace("Dataset", "Data set"),
                folder,
                names,
            )
            + "\n"
        )
    own = [name for name in names if name.startswith("manifest")]
    others = [name for name in names if name not in (*own, *OF_PAPER)]
    return "\n".join(
        [
            _listed("Filters of the paper (method=NAME or method=[NAME,NAME])", folder, OF_PAPER),
            _listed("ManiFeSt", folder, own),
            _listed("Other methods", folder, others),
        ]
    )


def _listed(heading, group, names):
    """A heading, and a line or two for each name, in the order of the paper's figures."""
    lines, width = [heading], max(map(len, names))
    in_order = sorted(names, key=_number) if group == "experiment" else names
    for name in in_order:
        head = f"  {name:<{width}}  "
        if group == "experiment":
            figure, time = place_of(name)
            head += f"{figure:<8} {time:<7} "
        lines.append(
            textwrap.fill(
                head + about(group, name),
                WIDTH,
                subsequent_indent=" " * len(head),
                break_on_hyphens=False,
            )
        )
    return "\n".join([*lines, ""])


def _number(experiment):
    """The place of an experiment in the paper: figures, then tables, then the rest."""
    kind, _, number = place_of(experiment)[0].partition(" ")
    rank = ("Fig.", "Table", "Sec.").index(kind) if kind in ("Fig.", "Table", "Sec.") else 3
    return rank, int(re.sub(r"\D", "", number) or 0)
