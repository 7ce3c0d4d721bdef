"""The commands of the package, and the folders that it carries: filters, experiments, configs.

In a checkout these are folders beside this package. A wheel has them in one folder inside the
package, so that no other name is taken among the installed packages; they are imported by their own
names when a command, or ``from manifest import baselines``, asks for them.
"""

import argparse
import importlib
import re
import runpy
import sys
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from types import ModuleType

NAME = "manifest-fs"
HERE = Path(__file__).resolve().parent
_INSIDE = HERE / "_carried"
#: The folder of `baselines`, `experiments`, `configs` and run.py.
FOLDER = _INSIDE if _INSIDE.is_dir() else HERE.parent

#: The page on settings, which a checkout has.
PAGE = HERE.parent / "docs" / "own_data.md"

#: Option -> its metavariable, and what it does.
OPTIONS = {
    "target": ("COLUMN", "the column of the classes; without it columns are listed"),
    "groups": ("COLUMN", "patients, sites or batches whose samples belong together"),
    "adjust": ("A,B", "covariates to adjust for, such as age,batch"),
    "missing": ("HOW", "gaps: median fills them, drop leaves features out"),
    "transform": ("HOW", "log1p, log2 or rank"),
    "drop": ("A,B", "columns that are neither features nor classes"),
    "index": ("COLUMN", "the column of row names; null says that there is none"),
    "labels": ("FILE", "a second table with classes, groups or covariates, joined by row names"),
    "sheet": ("NAME", "the sheet of a workbook"),
    "n-features": ("N", "number of features to keep; without it the data decide"),
    "method": ("A,B", "methods to compare, such as anova,relieff"),
    "profile": ("NAME", "fast (minutes), paper (more repetitions) or smoke (a trial)"),
    "workers": ("N", "processes; by default one for each core"),
    "out": ("FOLDER", "folder of the results"),
}
#: Option -> the key of the config that it sets.
KEYS = {name: f"dataset.{name}" for name in OPTIONS} | {
    **{name: name for name in ("method", "profile", "workers")},
    "n-features": "protocol.n_features",
    "out": "hydra.run.dir",
}
#: Options that take several names.
LISTS = ("adjust", "drop", "method")


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


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(
        "manifest-select",
        description="Which features of a table differ between its classes, and can the class be "
        "predicted? The page report.html has the answer.",
        epilog="Settings of run.py can be added as KEY=VALUE"
        + (f"; {PAGE} lists them." if PAGE.is_file() else "."),
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=24, width=96),
    )
    made.add_argument(
        "path",
        nargs="*",
        metavar="FILE KEY=VALUE",
        help="csv, tsv, xlsx, parquet, arff, ...; without a file: an example",
    )
    for name, (metavar, words) in OPTIONS.items():
        made.add_argument(f"--{name}", dest=KEYS[name], metavar=metavar, help=words)
    made.add_argument("--version", action="version", version=f"{NAME} {version()}")
    made.add_argument("--transpose", action="store_true", help="rows are features")
    return made


def overrides(arguments: Sequence[str]) -> list[str]:
    """The overrides of run.py that stand for the arguments."""
    made = parser()
    known = vars(made.parse_intermixed_args(arguments))
    given = known["path"]
    further = [
        one for one in given if re.match(r"[~+]*\w[\w./@]*=", one) and not Path(one).exists()
    ]
    paths = [one for one in given if one not in further]
    if len(paths) > 1:
        made.error(f"one table is expected, got {' and '.join(paths)}")
    found = ["experiment=select", *(f"dataset.path={_quoted(one)}" for one in paths)]
    for name, key in KEYS.items():
        value = known[key]
        if value is not None and name in LISTS:
            found.append(f"{key}=[{','.join(_quoted(one.strip()) for one in value.split(','))}]")
        elif value is not None:
            found.append(f"{key}={_quoted(value)}")
    found += ["dataset.transpose=true"] if known["transpose"] else []
    return [*found, *further]


def in_options(message: str) -> str:
    """The message with options of manifest-select in place of the settings that they stand for.

    A setting that a shell needs in quotation marks stays, since KEY=VALUE is understood, too.
    """
    message = message.replace("dataset.transpose=true", "--transpose")
    message = message.replace("python run.py experiment=select", "manifest-select")
    message = re.sub(r"(?<!')\bdataset\.path=", "", message)
    for name, key in KEYS.items():
        value = r"\[([\w.,-]+)\]" if name in LISTS else r"([^\s\[,;)]+)"
        if "." in key:
            setting = rf"(?<!')\b{re.escape(key)}"
            message = re.sub(f"{setting}={value}", rf"--{name} \1", message)
            message = re.sub(rf"{setting}\b(?!=)", f"--{name}", message)
    return message


def _quoted(value: str) -> str:
    """A value as Hydra reads it back, whatever characters it has."""
    if re.fullmatch(r"[\w./-]+", value):
        return value
    # A backslash is itself, unless a quotation mark follows.
    escaped = re.sub(r"(\\*)('|$)", lambda found: 2 * found[1] + ("\\'" if found[2] else ""), value)
    return f"'{escaped}'"


def select() -> None:
    """Answer what differs between the classes of a table: ``manifest-select my.csv``."""
    sys.argv[1:] = overrides(sys.argv[1:])
    run()


if __name__ == "__main__":
    select()
