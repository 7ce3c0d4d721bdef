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
MOST_LINES, MOST_NAMES = 9, 100
#: Options that a command repeats, in this order: those that only tables have.
OPTIONS = [key for key in vars(TableConfig()) if key not in vars(DatasetConfig())]


class Faults:
    """The errors of a file, each a sentence with its place, and options that resolve them.

    `command` is that of the run, without the options of its table. No option resolves the errors of
    a second file, for which `knows_options` is false.
    """

    def __init__(
        self, path: str, options: TableConfig, command: str, knows_options: bool = True
    ) -> None:
        self.path, self.options, self.command = path, options, command
        self.knows_options = knows_options
        self.messages: list[str] = []
        self.settings: dict[str, Any] = {}
        #: What must be corrected by hand, if options do not resolve all errors.
        self.by_hand = ""

    def add(self, sentence: str, by_hand: str = "the file", **settings: Any) -> None:
        """Add an error and options that resolve it; lists grow, other options keep the first.

        Without options (an empty list is none) the file must be corrected, or what is named.
        """
        self.messages.append(" ".join(sentence.split()))
        given = {k: v for k, v in settings.items() if v != [] and self.knows_options}
        if not given:
            self.by_hand = self.by_hand or by_hand
        for key, value in given.items():
            known = self.settings.setdefault(key, value)
            if isinstance(value, list):
                self.settings[key] = list(dict.fromkeys([*known, *value]))

    def refuse(self, sentence: str = "", **settings: Any) -> NoReturn:
        """Raise a DataError with all errors, in at most ten lines.

        The last line has a whole command: "then: COMMAND" if it reads the file or finds errors that
        are not told here, else "then, with the file corrected: COMMAND".
        """
        if sentence:
            self.add(sentence, **settings)
        lines = self.messages
        if len(lines) > MOST_LINES:
            lines = [*lines[: MOST_LINES - 1], f"and {len(lines) - MOST_LINES + 1} more errors"]
        known = self.settings.items()
        short = {k: v for k, v in known if not isinstance(v, list) or len(v) <= MOST_NAMES}
        command = copied(self.command, self.options, short)
        is_known = len(short) < len(known) or command == copied(self.command, self.options, {})
        by_hand = self.by_hand or ("the file" if is_known else "")
        last = f"then, with {by_hand} corrected: {command}" if by_hand else f"then: {command}"
        raise DataError("\n".join([f"{self.path}: {lines[0]}", *lines[1:], last]))


def copied(command: str, options: TableConfig, more: Mapping[str, Any]) -> str:
    """The command with the options that are given and more, as a shell takes it."""
    default = vars(TableConfig())
    given = {k: v for k in OPTIONS if (v := getattr(options, k)) != default[k]}
    for key, value in more.items():
        if isinstance(value, list):
            value = list(dict.fromkeys([*given.get(key, []), *value]))
        given[key] = value
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
