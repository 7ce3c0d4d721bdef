"""Write the text of ``run.py --list``: experiments by the paper, or the choices of a group."""

import textwrap

from experiments.config import CONFIGS, about, in_order, one_of, parts_of

#: Group of configs -> the heading of its list.
HEADINGS = {
    "experiment": "Experiments: figure of the paper, time on two cores with profile=paper",
    "method": "Methods (method=NAME, method=[NAME,NAME])",
    "dataset": "Data sets (dataset=NAME)",
    "profile": "Profiles (profile=NAME)",
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
    lines, width = [HEADINGS[folder]], max(map(len, names))
    for name in in_order(names) if folder == "experiment" else names:
        *place, text = parts_of(name) if folder == "experiment" else [about(folder, name)]
        head = f"  {name:<{width}}  " + "".join(f"{part:<8}" for part in place)
        options = {"subsequent_indent": " " * len(head), "break_on_hyphens": False}
        lines.append(textwrap.fill(head + text, WIDTH, **options))
    return "\n".join([*lines, ""])
