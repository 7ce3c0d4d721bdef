"""The faults of a user's file, which are told together, and the command that settles them."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NoReturn

from hydra.core.override_parser.types import Quote, QuotedString

from experiments.config import DatasetConfig, TableConfig
from experiments.datasets.dataset import DataError

#: Lines of a refusal before its command, and names that an option has in it at most.
MOST_LINES, MOST_NAMES = 9, 30
#: Options that a command repeats, in this order: those that other data sets do not have.
OPTIONS = ["path", "target"]
OPTIONS += sorted({f.name for f in fields(TableConfig)} - {f.name for f in fields(DatasetConfig)})


class Faults:
    """The faults of a file, each a sentence with its place, and the options that settle them.

    Parameters
    ----------
    path : str
        The file that the faults are of.
    options : TableConfig
    command : str
        The command of the run without the options of its table.
    """

    def __init__(self, path: str, options: TableConfig, command: str) -> None:
        self.path, self.options, self.command = path, options, command
        self.messages: list[str] = []
        self.settings: dict[str, Any] = {}

    def add(self, sentence: str, **settings: Any) -> None:
        """Add a fault, and options that settle it: lists grow, of other values the first stays."""
        self.messages.append(" ".join(sentence.split()))
        for key, value in settings.items():
            known = self.settings.setdefault(key, value)
            if isinstance(value, list):
                self.settings[key] = list(dict.fromkeys([*known, *value]))

    def refuse(self, sentence: str = "", **settings: Any) -> NoReturn:
        """Raise a DataError with all faults, in ten lines at most; the last is a whole command."""
        if sentence:
            self.add(sentence, **settings)
        lines, known = self.messages, self.settings.items()
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} faults more"]
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
