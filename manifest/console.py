"""The commands of the package, and the folders that it carries: filters, experiments, configs.

In a checkout these are folders beside this package. A wheel has them in one folder inside the
package, so that no other name is taken among the installed packages; they are imported by their own
names when a command, or ``from manifest import baselines``, asks for them.
"""

import argparse
import importlib
import runpy
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType

NAME = "manifest-fs"
HERE = Path(__file__).resolve().parent
_INSIDE = HERE / "_carried"
#: The folder of `baselines`, `experiments`, `configs` and run.py.
FOLDER = _INSIDE if _INSIDE.is_dir() else HERE.parent


def version() -> str:
    """The version of this package: that of its checkout, else that of the installed package."""
    declared = HERE.parent / "pyproject.toml"
    if declared.is_file():
        project = tomllib.loads(declared.read_text(encoding="utf-8")).get("project", {})
        if project.get("name") == NAME:
            return str(project["version"])
    return metadata.version(NAME)


def carried(name: str) -> ModuleType:
    """Import a package that this one carries.

    Parameters
    ----------
    name : {"baselines", "experiments"}

    Raises
    ------
    ImportError
        If another package of that name comes first, or a package that it needs is not installed.
    """
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    module = importlib.import_module(name)
    if FOLDER not in Path(str(module.__file__)).resolve().parents:
        raise ImportError(
            f"{name} is {module.__file__}, and {NAME} needs its own in {FOLDER}; rename the other "
            "one, or start Python where it is not found"
        )
    return module


def run() -> None:
    """Run one experiment, as ``python run.py`` does in a checkout."""
    sys.path.insert(0, str(FOLDER))  # before other packages of these names, in workers too
    runpy.run_path(str(FOLDER / "run.py"), run_name="__main__")


def select() -> None:
    """Answer which features of a table to keep: ``manifest-select my.csv --target status``."""
    parser = argparse.ArgumentParser(prog="manifest-select", description=select.__doc__)
    parser.add_argument("table", help="csv, tsv, xlsx, parquet and more")
    parser.add_argument("--target", help="the column of labels")
    parser.add_argument("--version", action="version", version=f"{NAME} {version()}")
    given, settings = parser.parse_known_args()
    chosen = ["experiment=select", f"dataset.path={given.table}"]
    chosen += [f"dataset.target={given.target}"] if given.target else []
    sys.argv[1:] = [*chosen, *settings]
    run()
