"""Pages of single runs, one module for each: it reads the files of a run and returns HTML.

A page module has ``page(folder) -> str``. Like figures, pages compute nothing new.
"""

import importlib
import pkgutil
from pathlib import Path

from experiments.atomic import atomic_write
from experiments.config import one_of

#: The file that a page becomes.
FILE = "index.html"


def names() -> list[str]:
    """The names of all pages."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def write(name: str, folder: Path) -> Path:
    """Write a page into the folder of a run, and return its path.

    Raises
    ------
    ConfigError
        If there is no page of that name.
    """
    module = importlib.import_module(f"{__name__}.{one_of(name, names(), 'page')}")
    path = folder / FILE
    with atomic_write(path) as part:
        part.write_text(module.page(folder), encoding="utf-8")
    return path
