"""Hydra's complaints in one sentence, with the valid choices."""

from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from experiments.config import ConfigError, suggest
from experiments.datasets.dataset import DataError

#: What a user can cause: printed as a sentence, not as a stack.
PROBLEMS = (ConfigError, DataError, HydraException, OmegaConfBaseException)


def spread_methods(arguments: list[str]) -> list[str]:
    """``method=a,b`` as the list ``method=[a,b]``, which is what it means in a single run.

    Under multirun a comma makes a sweep, and arguments stay as they are.
    """
    if {"-m", "--multirun"} & set(arguments):
        return arguments
    return [
        f"method=[{argument[len('method=') :]}]"
        if argument.startswith("method=") and "," in argument and "[" not in argument
        else argument
        for argument in arguments
    ]


def sentence(error: BaseException) -> str:
    """What was given, what is valid."""
    if isinstance(error, MissingConfigException) and error.options is not None:
        group, _, given = str(error.missing_cfg_file).rpartition("/")
        return f"there is no {group} {given!r}{suggest(given, sorted(error.options))}"
    cause = error.__cause__ or error
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.parent_node is not None:
        return _unknown_key(cause)
    if isinstance(cause, OmegaConfBaseException):
        key = f"{cause.full_key}: " if cause.full_key else ""
        return key + str(cause.msg or cause).splitlines()[0]
    return " ".join(str(error).split())


def _unknown_key(cause):
    parent: DictConfig = cause.parent_node
    where = str(cause.full_key).rpartition(".")[0]
    choices = sorted(str(key) for key in parent)
    return (
        f"there is no key {cause.full_key!r}{f' in {where}' if where else ''}"
        f"{suggest(cause.key, choices)}"
    )
