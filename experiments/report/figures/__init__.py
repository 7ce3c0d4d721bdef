"""Figures, one module for each: it reads the tables of a run and returns matplotlib figures.

A figure module has ``draw(folder, **options) -> dict of file stem to Figure``. A config names the
module, or a mapping has its ``name`` and options. Figures show what the tables hold; they compute
nothing new. Matplotlib is imported by the first figure that is drawn.
"""

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.config import one_of
from experiments.files import atomic_write
from experiments.report.findings import TUNINGS
from experiments.report.stored import provenance_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["caption", "check", "draw", "drawn", "heading", "names", "title"]

#: A module's name, or the name with the options of its function ``draw`` and a ``caption``.
Choice = str | Mapping[str, Any]

# Files hold no date, so that the same tables give the same file.
_FORMATS = {".png": {"Software": None}, ".pdf": {"CreationDate": None}}


def names() -> list[str]:
    """The names of all figures."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(__path__)
        if module.name != "style" and not module.name.startswith("_")
    )


def check(figure: Choice) -> tuple[str, dict[str, Any]]:
    """The name of a figure and its options; an unknown name or option is a ConfigError.

    An experiment without rows has no figure: the name is empty.
    """
    if not figure:
        return "", {}
    options = {"name": figure} if isinstance(figure, str) else {"name": "", **figure}
    name = one_of(options.pop("name"), names(), "figure")
    options.pop("caption", None)
    if options:
        module = importlib.import_module(f"{__name__}.{name}")
        for key in options:
            known = list(inspect.signature(module.draw).parameters)[1:]
            one_of(key, known, f"option of the figure {name},")
    return name, options


def caption(figure: Choice) -> str:
    """The caption of a figure: its own, or the docstring of its module; in one line."""
    if not isinstance(figure, str) and figure.get("caption"):
        return " ".join(figure["caption"].split())
    path = Path(__file__).with_name(f"{figure if isinstance(figure, str) else figure['name']}.py")
    if not path.is_file():
        return ""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(text.replace("`", "").split())


#: Ending of a figure's name, beside a run's first one -> what it shows.
_BESIDE = {
    "samples": "By the number of training samples",
    "others": "The other filters",
    "tsne": "Test samples, mapped to the plane by t-SNE",
    "pareto": "Accuracy, stability and time",
    "regret": "Distance to the best method of each problem",
    "heatmap": "The features that differ most, clustered",
    "accuracy": "Accuracy by the number of features",
}


def heading(stem: str) -> str:
    """The words that set a figure apart from the others of its run; none for the first one."""
    ending = stem.removeprefix("figure").strip("_")
    if pair := re.fullmatch(r"(\d)_(\d)", ending):
        return f"Classes {pair[1]} and {pair[2]}"
    words = f"Protocol {ending}" if ending in TUNINGS else ending.replace("_", " ")
    return _BESIDE.get(ending, words)


def title(config: Mapping[str, Any], stem: str) -> str:
    """The title of a run's figure: the experiment, and the start of the caption or the heading."""
    run, about = config.get("title") or config.get("name", ""), heading(stem)
    shown = re.split(r"[.;:](?: |$)", caption(config.get("figure") or ""))[0]
    if about in _BESIDE.values():
        about, shown = "", about
    if about.startswith("Classes"):
        run = run.partition(",")[0]
    run = ", ".join(filter(None, [run, _lower(about)]))
    return f"{run} {shown}" if run[-1:] in ("", "?") else f"{run}: {_lower(shown)}"


def _lower(words: str) -> str:
    """The words with a small first letter; one that stands alone is a symbol."""
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def drawn(figure: Choice, folder: Path) -> "Iterator[tuple[str, Figure]]":
    """The Matplotlib figures of a run with their file stems, each closed after its turn.

    The style of all figures holds between the first turn and the last.
    """
    import matplotlib.pyplot as plt

    from experiments.report.figures.style import STYLE_SHEET, set_title

    name, options = check(figure)
    module = importlib.import_module(f"{__name__}.{name}")
    config = provenance_of(folder).get("config", {"figure": figure})
    with plt.style.context(STYLE_SHEET):
        for stem, picture in module.draw(folder, **options).items():
            set_title(picture, title(config, stem))
            yield stem, picture
            plt.close(picture)


def draw(figure: Choice, folder: Path) -> list[Path]:
    """Draw a figure from the tables in a folder and write it there, as PNG and PDF.

    Parameters
    ----------
    figure : str or mapping
        One of :func:`names`, or a mapping with this "name" and options.
    folder : Path
        Folder of a run.

    Returns
    -------
    list of Path
        The files, PNG before PDF.

    Raises
    ------
    ConfigError
        If there is no figure of that name, or no such option.
    """
    written = []
    for stem, picture in drawn(figure, Path(folder)):
        for suffix, metadata in _FORMATS.items():
            path = Path(folder) / f"{stem}{suffix}"
            with atomic_write(path) as part:
                picture.savefig(part, metadata=metadata)
            # All formats have the layout of the first, which takes two drawings; the others one.
            picture.set_layout_engine("none")
            written.append(path)
    return written
