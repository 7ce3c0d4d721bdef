"""Turn errors that a user or a machine has caused into one sentence with a remedy."""

import re
import traceback

from hydra._internal import defaults_list, utils
from hydra.errors import (
    ConfigCompositionException,
    HydraException,
    MissingConfigException,
    OverrideParseException,
)
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from experiments.config import CONFIGS, ToldError, suggest, visible
from experiments.files import FULL, CannotWrite

#: Most characters of a message by Hydra, which may quote a whole config.
LONGEST = 400


def sentence(error: BaseException) -> str | None:
    """Say what was given and what is valid; return None for an error of the program.

    The result is one sentence, except that the errors of a table may take several lines.
    """
    if isinstance(error, ToldError | CannotWrite):
        return visible(str(error))
    if isinstance(error, FileNotFoundError):
        if error.filename:
            return visible(f"there is no {error.filename}")
        return "the folder in which the command was started is gone; change to another one"
    if isinstance(error, OSError) and error.strerror and (error.filename or error.errno in FULL):
        return visible(str(CannotWrite(error.filename or "a file", error)))
    if hasattr(error, "problem_mark"):  # PyYAML's, through Hydra
        return visible(f"{' '.join(str(error).split())}; check indentation and quotes")
    if isinstance(error, HydraException | OmegaConfBaseException):
        return visible(_of_hydra(error)[:LONGEST])
    if key := re.search(r"^ *full_key: (.+)", str(error), re.MULTILINE):  # OmegaConf's
        return visible(f"{key[1]}: {str(error).splitlines()[0]}")
    places = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, ValueError | TypeError) and places[-1:] == [defaults_list.__file__]:
        return f"give the name of a choice for a group, such as method=NAME: {error} (see --list)"
    if places[-1:] == [utils.__file__] and isinstance(error, ValueError):
        return visible(str(error))  # of flags
    return None


def _of_hydra(error: Exception) -> str:
    group, _, given = str(getattr(error, "missing_cfg_file", "") or "").rpartition("/")
    if isinstance(error, MissingConfigException) and error.options is not None:
        return f"there is no {group} {given!r}{suggest(given, sorted(error.options))} (see --list)"
    text = " ".join(str(error).split())
    if "Ambiguous value for argument" in text:
        name, _, value = text.split("'")[1].partition("=")
        return f"{name}={value} is several values; write '{name}=[{value}]', or -m for a run each"
    if isinstance(error, OverrideParseException):
        return f"the value of {error.override} cannot be read; write KEY=VALUE, a list 'KEY=[A,B]'"
    cause = error.__cause__ or error
    if isinstance(error, ConfigCompositionException):
        cause = error.__context__ or error  # Hydra gives no cause for errors in a config file.
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.parent_node is not None:
        return _unknown_key(cause)
    if isinstance(cause, OmegaConfBaseException):
        key = f"{cause.full_key}: " if cause.full_key else ""
        return key + str(cause.msg or cause).splitlines()[0]
    return text


def _unknown_key(cause: ConfigAttributeError | ConfigKeyError) -> str:
    """Return a sentence about an unknown key; on the command line, groups are keys as well."""
    where = str(cause.full_key).rpartition(".")[0]
    choices = sorted(str(key) for key in cause.parent_node or ())
    if where == "method":
        choices = [choice for choice in choices if choice != "scorers"]
        return f"no chosen method has a parameter {cause.key!r}{suggest(cause.key, choices)}"
    if not where:
        choices = sorted({*choices, *(path.name for path in CONFIGS.iterdir() if path.is_dir())})
    unknown = f"there is no key {cause.full_key!r}{f' in {where}' if where else ''}"
    if not choices:
        return f"{unknown}, which is empty; to add the key, use a plus: +{cause.full_key}=VALUE"
    return f"{unknown}{suggest(cause.key, choices)}"
