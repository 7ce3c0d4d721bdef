"""Draw figures from the tables of a run.

A figure is a function ``(folder, **options) -> dict of file stem to Figure``. A config has its
name, or a mapping with its ``name``, its options and a ``caption``. Figures show the contents of
the tables and compute nothing new. The first drawn figure imports matplotlib.
"""

import importlib
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.config import ConfigError, one_of
from experiments.files import atomic_write
from experiments.report.stored import provenance_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Figure -> the module that has its function.
FIGURES = {
    **dict.fromkeys(["arena", "points", "tuning"], "points"),
    **dict.fromkeys(["ablation", "controls", "labels"], "controls"),
    **dict.fromkeys(["curves", "sweep"], "curves"),
    **dict.fromkeys(["hypercube", "kinds", "score_panels"], "recovery"),
    **dict.fromkeys(["digits", "operators"], "operators"),
}
# Files have no date, so that the same tables give the same file.
_FORMATS = {".png": {"Software": None}, ".pdf": {"CreationDate": None}}


def check(figure: str | Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of a figure and its options; empty for an experiment without a figure.

    Raises
    ------
    ConfigError
        If there is no figure of that name, or it has no such option.
    """
    options = {"name": figure} if isinstance(figure, str) else figure
    if not isinstance(options, Mapping) or not isinstance(options.get("name"), str):
        raise ConfigError(f"figure must be a name or {{name: NAME, OPTION: VALUE}}, got {figure!r}")
    options = dict(options)
    name = options.pop("name")
    options.pop("caption", None)
    if not name:
        return "", {}
    one_of(name, FIGURES, "figure")
    _, *known = signature(_drawing(name)).parameters
    for option in options:
        one_of(option, known, f"option of figure {name}")
    return name, options


def _drawing(name: str) -> Any:
    """Return the function of a figure."""
    return getattr(importlib.import_module(f"{__name__}.{FIGURES[name]}"), name)


def pictures(name: str, options: dict[str, Any], folder: Path) -> dict[str, "Figure"]:
    """Return the figures of a name and its options by their stems, and that of a run's controls."""
    drawn = _drawing(name)(folder, **options)
    config = provenance_of(folder).get("config", {})
    methods = config.get("method", {}).get("scorers", {})
    if any(name in methods for name in config.get("controls", [])):
        drawn |= _drawing("controls")(folder)
    return drawn


def draw(figure: str | Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw a figure from the tables in a folder and write it there, as PNG and PDF.

    A run with controls has a second figure of them.

    The figure is as :func:`check` takes it, with its errors, and the folder that of a run. Returns
    the files, PNG before PDF.
    """
    name, options = check(figure)
    if not name:
        return []
    import matplotlib.pyplot as plt

    from experiments.report.figures.style import STYLE

    written = []
    with plt.style.context(STYLE):
        for stem, picture in pictures(name, options, folder).items():
            for suffix, metadata in _FORMATS.items():
                path = folder / f"{stem}{suffix}"
                with atomic_write(path) as part:
                    picture.savefig(part, metadata=metadata)
                # All formats use the layout of the first, which needs two drawings.
                picture.set_layout_engine("none")
                written.append(path)
            plt.close(picture)
    return written
