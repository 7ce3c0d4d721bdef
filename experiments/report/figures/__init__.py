"""Figures, one module for each: it reads the tables of a run and returns matplotlib figures.

A figure module has ``draw(folder, **options) -> dict of file stem to Figure``. A config names the
module, or a mapping has its ``name`` and options. Figures show what the tables hold; they compute
nothing new. Matplotlib is imported by the first figure that is drawn.
"""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from experiments.config import one_of

__all__ = ["caption", "check", "draw", "module_of", "names", "options_of"]

#: A module's name, or the name with the options of its function ``draw`` and a ``caption``.
Choice = str | Mapping[str, Any]


def names() -> list[str]:
    """The names of all figures."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(__path__)
        if module.name != "style" and not module.name.startswith("_")
    )


def name_of(figure: Choice) -> str:
    """The name of a figure; an unknown one is a ConfigError."""
    name = figure if isinstance(figure, str) else figure.get("name", "")
    return one_of(name, names(), "figure")


def module_of(figure: Choice) -> ModuleType:
    """The module of a figure; an unknown name is a ConfigError."""
    return importlib.import_module(f"{__name__}.{name_of(figure)}")


def options_of(figure: Choice) -> dict[str, Any]:
    """The options of a figure.

    Raises
    ------
    ConfigError
        If the figure does not have an option.
    """
    if isinstance(figure, str):
        return {}
    options = {key: value for key, value in figure.items() if key not in ("name", "caption")}
    known = list(inspect.signature(module_of(figure).draw).parameters)[1:]
    for key in options:
        one_of(key, known, f"option of the figure {name_of(figure)},")
    return options


def check(figure: Choice) -> None:
    """Raise a ConfigError if a run could not draw its figure: no such name, or no such option."""
    name_of(figure)
    options_of(figure)


def caption(figure: Choice) -> str:
    """The caption of a figure: its own, or the docstring of its module; in one line."""
    if not isinstance(figure, str) and figure.get("caption"):
        return " ".join(figure["caption"].split())
    path = Path(__file__).with_name(f"{figure if isinstance(figure, str) else figure['name']}.py")
    if not path.is_file():
        return ""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(text.replace("`", "").split())


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
    from experiments.report.figures import style

    return style.write(module_of(figure), Path(folder), options_of(figure))
