"""Write the text of ``run.py --list``: experiments by the paper, or the choices of a group."""

import textwrap

from experiments import config
from experiments.config import CONFIGS, about, duration, experiment_file, in_order, one_of

#: Group of configs -> the headings of its list; methods have three.
HEADINGS = {
    "experiment": ["Experiments: figure of the paper, time on two cores with profile=paper"],
    "method": ["Filters of the paper (method=NAME, method=[NAME,NAME])", "ManiFeSt", "Others"],
    "dataset": ["Data sets (dataset=NAME)"],
    "profile": ["Profiles (profile=NAME)"],
}
#: Width of the list, in characters of a terminal.
WIDTH = 80


def list_text(group: str = "experiments") -> str:
    """List the experiments in the order of the paper, or "methods", "datasets" or "profiles".

    Raises
    ------
    ConfigError
        If there is no such group.
    """
    folder = one_of(group, [f"{name}s" for name in HEADINGS], "list").removesuffix("s")
    names = sorted(path.stem for path in (CONFIGS / folder).glob("*.yaml"))
    parts = [in_order(names) if folder == "experiment" else names]
    if folder == "method":
        of_paper = [name for name in names if config.entry_of(name).get("of_paper")]
        filters = [name for name in of_paper if config.family_of(name) == "filter"]
        own = [name for name in names if config.is_own(name)]
        parts = [filters, own, [name for name in names if name not in (*filters, *own)]]
    return "\n".join(_listed(*part, folder) for part in zip(HEADINGS[folder], parts, strict=True))


def _listed(heading: str, names: list[str], folder: str) -> str:
    """Return a heading, and one or two lines for each name."""
    lines, width = [heading], max(map(len, names))
    for name in names:
        places, text = [], about(folder, name)
        if folder == "experiment":
            own = experiment_file(name)
            places = [own.get("of_paper") or "-", duration(own.get("minutes", 0))]
            text = own.get("about", "")
        head = f"  {name:<{width}}  " + "".join(f"{place:<8}" for place in places)
        indent = " " * len(head)
        filled = textwrap.fill(head + text, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
        lines.append(filled)
    return "\n".join([*lines, ""])
