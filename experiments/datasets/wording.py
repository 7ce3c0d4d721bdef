"""Names, cells and options as a sentence on a table has them."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence

#: What is said if the columns of a text cannot be separated.
FIXED = "if columns have a fixed width, nothing separates them: export the table as .csv"
#: Names that an error lists at most, and the longest text of a cell that it shows.
NAMED, LONGEST = 5, 40


def counted(n: int, noun: str, one: str = "has", more: str = "have") -> str:
    """Return the start of a sentence on n rows, columns or features, with its verb."""
    return f"1 {noun} {one}" if n == 1 else f"{n} {noun}s {more}"


def twins(names: Sequence[str], what: str = "columns") -> str:
    """A sentence on names that two columns have; an empty one if there are none."""
    told = [
        f"{n} {what} are {f'called {shown(name)}' if name else 'without a name'}"
        for name, n in Counter(names).items()
        if n > 1
    ]
    return f"{some(told)}; each needs a name of its own" if told else ""


def some(names: Iterable[object], most: int = NAMED) -> str:
    """The first of the names as a list in a sentence, and how many more there are."""
    listed = [text if len(text := str(name)) <= 200 else f"{text[:200]}..." for name in names]
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if listed[most:] else "")


def shown(text: object) -> str:
    """A text of the file between quotation marks, without signs that a terminal would obey."""
    whole = str(text)
    return repr(whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}...")


def cited(name: str) -> str:
    """A column as a sentence cites it, by its name."""
    return shown(name) if name and not name.startswith("__index") else "without a name"


def setting(key: str, value: object) -> str:
    """An option of a table as a shell takes it."""
    return shlex.quote(f"dataset.{key}={value}")


def listed(key: str, names: Iterable[str], most: int = NAMED) -> str:
    """An option of a table that is a list of texts, as a shell takes it, shortened."""
    quoted = [
        name if re.fullmatch(r"[\w.-]+", name) else '"' + name.replace('"', '\\"') + '"'
        for name in names
    ]
    whole = f"dataset.{key}=[{','.join(quoted[:most])}{',...' if len(quoted) > most else ''}]"
    return shlex.quote(whole) if '"' in whole else whole
