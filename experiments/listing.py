"""Write the text of ``run.py --list``: experiments by the paper, or the choices of a group."""

import textwrap

from experiments.config import CONFIGS, TOPICS, about, in_order, one_of, place_of, topic_of

#: Group of configs -> the headings of its list.
HEADINGS = {
    "experiment": tuple(TOPICS.values()),
    "method": ("Filters of the paper (method=NAME, method=[NAME,NAME])", "ManiFeSt", "Others"),
    "dataset": ("Data sets (dataset=NAME)",),
    "profile": ("Profiles (profile=NAME)",),
}
#: The filters that the paper compares.
OF_PAPER = ("gini", "anova", "pearson", "ttest", "fisher", "ig", "laplacian", "relieff")
#: Width of the list, in characters of a terminal.
WIDTH = 80


def list_text(group: str = "experiments") -> str:
    """List the experiments by topic, or the choices of "methods", "datasets" or "profiles".

    Raises
    ------
    ConfigError
        If there is no such group.
    """
    folder = one_of(group, [f"{name}s" for name in HEADINGS], "list").removesuffix("s")
    names = sorted(path.stem for path in (CONFIGS / folder).glob("*.yaml"))
    parts: dict[str, list[str]] = {heading: [] for heading in HEADINGS[folder]}
    for name in in_order(names) if folder == "experiment" else names:
        parts[_heading(folder, name)].append(name)
    return "\n".join(_listed(heading, folder, parts[heading]) for heading in parts)


def _heading(folder, name):
    if folder == "experiment":
        return TOPICS[topic_of(name)]
    first, *more = HEADINGS[folder]
    return first if not more or name in OF_PAPER else more[not name.startswith("manifest")]


def _listed(heading, folder, names):
    """Return a heading, and one or two lines for each name."""
    lines, width = [heading], max(map(len, names))
    for name in names:
        place = place_of(name) if folder == "experiment" else ()
        head = f"  {name:<{width}}  " + "".join(f"{part:<8}" for part in place)
        indent = " " * len(head)
        text = head + about(folder, name)
        lines.append(textwrap.fill(text, WIDTH, subsequent_indent=indent, break_on_hyphens=False))
    return "\n".join([*lines, ""])
