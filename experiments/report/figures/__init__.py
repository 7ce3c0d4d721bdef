"""Draw figures from the tables of a run; each module has one kind of figure.

A figure module has ``draw(folder, **options) -> dict of file stem to Figure``. A config has the
name of the module, or a mapping with its ``name``, its options and a ``caption``. Figures show the
contents of the tables and compute nothing new. The first drawn figure imports matplotlib.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from experiments.config import one_of
from experiments.files import atomic_write

__all__ = ["check", "draw"]

#: A module's name, or the name with the options of its function ``draw`` and a ``caption``.
Choice = str | Mapping[str, Any]

# Files have no date, so that the same tables give the same file.
_FORMATS = {".png": {"Software": None}, ".pdf": {"CreationDate": None}}


def check(figure: Choice) -> tuple[str, dict[str, Any]]:
    """Return the name of a figure and its options; empty for an experiment without a figure.

    Raises
    ------
    ConfigError
        If there is no figure of that name, or no such option.
    """
    if not figure:
        return "", {}
    options = {"name": figure} if isinstance(figure, str) else {"name": "", **figure}
    names = sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "style")
    name = one_of(options.pop("name"), names, "figure")
    options.pop("caption", None)
    if options:
        known = list(inspect.signature(_drawing(name)).parameters)[1:]
        for key in options:
            one_of(key, known, f"option of the figure {name},")
    return name, options


def _drawing(name: str) -> Callable[..., dict[str, Any]]:
    return importlib.import_module(f"{__name__}.{name}").draw


def draw(figure: Choice, folder: Path) -> list[Path]:
    """Draw a figure from the tables in a folder and write it there, as PNG and PDF.

    Parameters
    ----------
    figure : str or mapping
        As :func:`check` takes it, and with its errors.
    folder : Path
        Folder of a run.

    Returns
    -------
    list of Path
        The files, PNG before PDF.
    """
    name, options = check(figure)
    if not name:
        return []
    import matplotlib.pyplot as plt

    from experiments.report.figures.style import STYLE

    written = []
    with plt.style.context(STYLE):
        for stem, picture in _drawing(name)(folder, **options).items():
            for suffix, metadata in _FORMATS.items():
                path = folder / f"{stem}{suffix}"
                with atomic_write(path) as part:
                    picture.savefig(part, metadata=metadata)
                # All formats use the layout of the first, which needs two drawings.
                picture.set_layout_engine("none")
                written.append(path)
            plt.close(picture)
    return written
