"""Names of units of work: digests of all that determines a unit, its code included."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from experiments.engine.code import CodeChanged, code_digest, modules_of
from experiments.engine.seeds import canonical_json

#: A key says where a row is stored, and not what it holds.
DECIDES_NUMBERS = False

#: The result of a unit: column -> number, text or array.
Row = dict[str, Any]


class Key(str):
    """The digest that names a unit, 32 hexadecimal digits, and the text that it is made from.

    Attributes
    ----------
    text : str
        The JSON list [kind, {"digest": code, "modules": modules}, determinants].
    modules : tuple of str
        The modules where the unit's code begins.
    code : str
        The digest of that code.
    """

    text: str = ""
    modules: tuple[str, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class Unit:
    """A piece of work: its key, and a function without arguments, which can be pickled."""

    key: Key
    task: Callable[[], Row]


def key_of(kind: str, runs: Iterable[Callable[..., Any]], **determinants) -> Key:
    """The digest of what determines a unit: its axes and the code that computes it.

    Parameters
    ----------
    kind : str
        What the unit is called in the list of a store, such as "scores".
    runs : iterable of callables
        The unit's function and the scorers that it calls. Their modules and all that these import
        are part of the key; see :mod:`experiments.engine.code`.
    **determinants
        JSON values: the axes and parameters of the unit.
    """
    modules = modules_of(runs)
    code = code_digest(modules)
    text = canonical_json([kind, {"digest": code, "modules": modules}, determinants])
    key = Key(digest(text))
    key.text, key.modules, key.code = text, modules, code
    return key


def check_code(key: Key) -> None:
    """Raise CodeChanged if this process has imported other code than the key was made from."""
    if code_digest(key.modules) != key.code:
        raise CodeChanged(
            f"the code of {', '.join(key.modules)}, or what it imports, was edited while this run "
            "started: a worker has imported something else than the run; start it again (and the "
            "workers too, if they run on a cluster)"
        )


def digest(text: str) -> str:
    """32 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
