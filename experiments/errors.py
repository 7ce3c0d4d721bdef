"""Errors that a user or a machine has caused, each in one sentence with the valid choices."""

import errno
import re
import shutil
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from hydra.errors import (
    ConfigCompositionException,
    HydraException,
    MissingConfigException,
    OverrideParseException,
)
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from experiments.atomic import CannotWrite, at_fault, cannot_write
from experiments.config import ConfigError, suggest, visible
from experiments.datasets import DataError
from experiments.engine.code import Refused
from experiments.engine.interruption import GO_ON, WorkerDied
from experiments.system import program

#: What a user can cause: printed as a sentence, not as a stack.
PROBLEMS = (
    ConfigError,
    DataError,
    CannotWrite,
    WorkerDied,
    Refused,
    HydraException,
    OmegaConfBaseException,
)

#: The command that shows all names.
LIST = f" ({'python run.py' if program() == 'run.py' else 'manifest-run'} --list shows all)"

#: The files that a run has written before its first result.
OF_A_START = {".hydra", "run.log", "progress.json"}

#: The beginning of Hydra's sentence on a config file.
IN_CONFIG = re.compile(r"In '(.+?)': ")

#: Configs of Hydra's plugins, and the extra of this project that brings each.
PLUGINS = {"submitit_slurm": "cluster", "submitit_local": "cluster", "optuna": "search"}


def user_message(error: BaseException) -> str | None:
    """The sentence on what a user or a machine has caused; None for a fault of ours."""
    # Hydra says of a module that did not fit into memory that it was not found.
    if limit := next(filter(None, map(_limit_message, _causes(error))), None):
        return limit
    if isinstance(error, PROBLEMS):
        return sentence(error)
    if mark := getattr(error, "problem_mark", None):  # PyYAML's, through Hydra
        place = f"{mark.name}, line {mark.line + 1}, column {mark.column + 1}"
        problem = getattr(error, "problem", error)
        return visible(f"{place}: no YAML ({problem}); see to indentation and quotes")
    if isinstance(error, OSError) and (at_fault(error) or _is_of_run_folder(error)):
        return str(cannot_write(error.filename, error))
    return _cluster_message(error)


def leave_no_trace(error: BaseException, folder: Path) -> None:
    """Remove the folder of a run that a mistake of the user has ended, if it holds no result.

    Its parents ``outputs/NAME`` and ``outputs``, which the run has made by default, go with it if
    they are empty.

    Parameters
    ----------
    error : BaseException
        The error that has ended the run.
    folder : Path
        The folder of the run; with another file than those of a start it stays.
    """
    if not isinstance(error, ConfigError | DataError) or not folder.is_dir():
        return
    if {path.name for path in folder.iterdir()} <= OF_A_START:
        shutil.rmtree(folder, ignore_errors=True)
        parents = folder.parents[:2]
        with suppress(OSError):  # They hold other runs.
            for parent in parents if parents[-1].name == "outputs" else ():
                parent.rmdir()


def sentence(error: BaseException) -> str:
    """One sentence on what was given and what is valid."""
    group, _, given = str(getattr(error, "missing_cfg_file", "")).rpartition("/")
    if given in PLUGINS:
        return f"{group} needs a plugin that is not installed: pip install '.[{PLUGINS[given]}]'"
    if isinstance(error, MissingConfigException) and error.options is not None:
        return f"there is no {group} {given!r}{suggest(given, sorted(error.options))}{LIST}"
    cause = error.__cause__ or error
    if isinstance(error, ConfigCompositionException):
        cause = error.__context__ or error  # Hydra names no cause of what a config file says.
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.parent_node is not None:
        file = f"{config[1]}: " if (config := IN_CONFIG.match(str(error))) else ""
        return file + _unknown_key(cause)
    if isinstance(cause, OmegaConfBaseException):
        key = f"{cause.full_key}: " if cause.full_key else ""
        return key + str(cause.msg or cause).splitlines()[0]
    if "INTERVAL_SWEEP" in str(error):
        return "an interval needs a search: add hydra/sweeper=search, or list values with commas"
    if isinstance(error, OverrideParseException):
        return visible(f"{error.override} cannot be read; write KEY=VALUE, a list as 'KEY=[A,B]'")
    if isinstance(error, DataError):  # It may list the columns of a table, one a line.
        return visible("\n".join(line.rstrip() for line in str(error).splitlines()))
    return visible(" ".join(str(error).split()))


def _is_of_run_folder(error):
    """True if Hydra could not make the folder of the run."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(error.filename) and {"run_job", "mkdir"} <= {frame.name for frame in frames}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _limit_message(error):
    """The sentence on a machine, or an account, that is too small; None for another error."""
    text = str(error)
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return f"too many files are open at once; raise the limit (ulimit -n 1024), and {GO_ON}"
    starved = isinstance(error, RuntimeError) and "start new thread" in text
    starved |= isinstance(error, ImportError) and "allocate memory" in text.lower()
    starved |= isinstance(error, ImportError) and "failed to map" in text
    if starved or isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return (
            "there is too little memory; run with fewer workers (workers=1), or raise the limit "
            f"(ulimit -v), and {GO_ON}"
        )
    return None


def _cluster_message(error):
    """The sentence on what submitit says of Slurm; None for another error."""
    text = str(error)
    if type(error).__name__ == "UncompletedJobError":
        return f"{' '.join(text.splitlines()[:2])}; {GO_ON}"
    if 'not detect "srun"' in text:
        return "hydra/launcher=slurm needs Slurm, and there is no srun on this machine"
    if text.startswith("sbatch: error: "):
        return f"Slurm refuses the jobs: {text.splitlines()[0].removeprefix('sbatch: error: ')}"
    return None


def _unknown_key(cause):
    parent: DictConfig = cause.parent_node
    where = str(cause.full_key).rpartition(".")[0]
    choices = sorted(str(key) for key in parent)
    if where == "method":
        choices = [choice for choice in choices if choice != "scorers"]
        return f"no chosen method has a parameter {cause.key!r}{suggest(cause.key, choices)}"
    sentence = f"there is no key {cause.full_key!r}{f' in {where}' if where else ''}"
    if not choices:
        return f"{sentence}, which is empty; a plus before it adds one: +{cause.full_key}=VALUE"
    return f"{sentence}{suggest(cause.key, choices)}"
