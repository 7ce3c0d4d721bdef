"""Figures, one module for each: it reads the tables of a run and returns matplotlib figures.

A figure module has ``draw(folder) -> dict of file stem to Figure``. Figures show what the tables
hold; they compute nothing new. Matplotlib is imported by the first figure that is drawn.
"""

import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

from experiments.config import one_of

__all__ = ["draw", "module_of", "names"]


def names() -> list[str]:
    """The names of all figures."""
    return sorted(
        module.name
        for module in pkgutil.iter_modules(__path__)
        if module.name != "style" and not module.name.startswith("_")
    )


def module_of(name: str) -> ModuleType:
    """The module of a figure; an unknown name is a ConfigError."""
    return importlib.import_module(f"{__name__}.{one_of(name, names(), 'figure')}")


def draw(name: str, folder: Path) -> list[Path]:
    """Draw a figure from the tables in a folder and write it there, as PNG and PDF.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    folder : Path
        Folder of a run.

    Returns
    -------
    list of Path
        The files, PNG before PDF.

    Raises
    ------
    ConfigError
        If there is no figure of that name.
    """
    from experiments.report.figures import style

    return style.write(module_of(name), Path(folder))
