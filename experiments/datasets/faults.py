"""Collect all errors of a user's file, and report them with a command that resolves them."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, NoReturn

from hydra.core.override_parser.types import Quote, QuotedString

from experiments.config import DatasetConfig, TableConfig
from experiments.datasets.dataset import DataError

#: Most lines of a message before its command, and most names in an option of the command.
MOST_LINES, MOST_NAMES = 9, 30
#: Options that a command repeats, in this order: those that only tables have.
OPTIONS = [key for key in vars(TableConfig()) if key not in vars(DatasetConfig())]


class Faults:
    """The errors of a file, each a sentence with its place, and options that resolve them.

    Parameters
    ----------
    path : str
        The file with the errors.
    options : TableConfig
    command : str
        The command of the run without the options of its table.
    """

    def __init__(self, path: str, options: TableConfig, command: str) -> None:
        self.path, self.options, self.command = path, options, command
        self.messages: list[str] = []
        self.settings: dict[str, Any] = {}

    def add(self, sentence: str, **settings: Any) -> None:
        """Add an error and options that resolve it; lists grow, other options keep the first."""
        self.messages.append(" ".join(sentence.split()))
        for key, value in settings.items():
            known = self.settings.setdefault(key, value)
            if isinstance(value, list):
                self.settings[key] = list(dict.fromkeys([*known, *value]))

    def refuse(self, sentence: str = "", **settings: Any) -> NoReturn:
        """Raise a DataError with all errors, in at most ten lines; the last is a whole command."""
        if sentence:
            self.add(sentence, **settings)
        lines, known = self.messages, self.settings.items()
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more errors"]
        short = {k: v for k, v in known if not isinstance(v, list) or 0 < len(v) <= MOST_NAMES}
        last = f"then: {copied(self.command, self.options, short)}"
        raise DataError("\n".join([f"{self.path}: {lines[0]}", *lines[1:], last]))


def copied(command: str, options: TableConfig, more: Mapping[str, Any]) -> str:
    """The command with the options that are given and more, as a shell takes it."""
    default = vars(TableConfig())
    given = {k: v for k in OPTIONS if (v := getattr(options, k)) != default[k]}
    for key, value in more.items():
        given[key] = [*given.get(key, []), *value] if isinstance(value, list) else value
    words = (shlex.quote(f"dataset.{key}={_in_hydra(value)}") for key, value in given.items())
    return " ".join([command, *words])


def _in_hydra(value: Any) -> str:
    """A value in Hydra's grammar, in which words such as null are no texts."""
    if isinstance(value, list):
        return f"[{','.join(map(_in_hydra, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    is_plain = re.fullmatch(r"(?!(null|true|false|nan|inf)$)[a-z_/][a-z0-9_./-]*", value, re.I)
    return value if is_plain else QuotedString(value, Quote.double).with_quotes()
