"""The labels of a second table, joined to the rows of the first by their names."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from experiments.datasets import formats
from experiments.datasets.columns import TableOptions, as_texts, refuse_twins, shown, some
from experiments.datasets.dataset import DataError, unknown


def joined(
    file: Path,
    target: str,
    row_names: Sequence[str] | None,
    index: str,
    options: TableOptions,
    notes: list[str],
) -> npt.NDArray:
    """The label of each row, None where the second table lacks it.

    Raises
    ------
    DataError
        If the second table is not there, the rows have no names, no column of it or more than one
        matches them, or a name is not unique.
    """
    other = Path(options.labels or "").expanduser()
    if not other.is_file():
        raise DataError(f"there is no file {other}; give dataset.labels, from {Path.cwd()}")
    if row_names is None:
        raise DataError(
            f"{file}: dataset.labels needs row names to match; name their column by dataset.index"
        )
    columns = formats.read(other)
    refuse_twins(other, columns.names)
    table = dict(zip(columns.names, map(as_texts, columns.values), strict=True))
    table = {name: [(cell or "").strip() for cell in cells] for name, cells in table.items()}
    if target not in table:
        raise DataError(f"{other}: {unknown('column', target, list(table))}")
    names = [name.strip() for name in row_names]
    key = _key(other, {n: v for n, v in table.items() if n != target}, names, index, options, notes)
    keys = table[key]
    again = [n for part in (names, keys) for n, k in Counter(part).items() if k > 1]
    if again := [name for name in again if name in set(names)]:
        raise DataError(
            f"{other}: sample names must be unique in both tables to match them, but "
            f"{some(map(shown, again))} {'is' if len(again) == 1 else 'are'} in more rows than one"
        )
    place = {name: row for row, name in enumerate(keys)}
    more = [name for name in place if name not in set(names)]
    absent = [name for name in names if name not in place]
    if absent and options.unlabelled != "drop":
        raise DataError(
            f"{other}: {len(absent)} of {len(names)} samples of {file.name} are not in its column "
            f"{_called(key)} ({some(absent)}); its row names must be the table's, or "
            "dataset.unlabelled=drop leaves these samples out"
        )
    notes.append(f"the classes come from {other.name}, matched by {_called(key)}")
    if more:
        notes.append(
            f"{len(more)} samples of {other.name} are not in the table and were left out: "
            f"{some(more)}"
        )
    values = columns.values[columns.names.index(target)]
    texts = as_texts(values)
    found = [texts[place[name]] if name in place else None for name in names]
    return np.array(found, dtype=object)


def _called(name: str) -> str:
    return shown(name) if name else "without a name"


def _key(other: Path, columns, names, index, options: TableOptions, notes: list[str]) -> str:
    """The column of the second table that has the row names of the first."""
    if options.labels_index is not None:
        if options.labels_index not in columns:
            raise DataError(f"{other}: {unknown('column', options.labels_index, list(columns))}")
        return options.labels_index
    wanted = set(names)
    matched = {name: len(wanted & set(cells)) for name, cells in columns.items()}
    alike = [
        n
        for n in columns
        if n.strip().lower() == index.strip().lower() and 2 * matched[n] >= len(wanted)
    ]
    if len(alike) == 1 and index:
        return alike[0]
    most = max(matched.values(), default=0)
    if most == 0:
        raise DataError(
            f"{other}: {len(wanted)} of {len(wanted)} samples are not in it ({some(names)}); its "
            f"row names must be the table's, and its columns are {some(map(shown, columns))}"
        )
    running = [name for name in columns if _is_running(columns[name])]
    named = max((matched[name] for name in columns if name not in running), default=0)
    if 2 * named >= len(wanted):
        better = [n for n in columns if matched[n] == named and n not in running]
    else:
        better = [n for n in columns if matched[n] == most]
    if len(better) > 1:
        raise DataError(
            f"{other}: {len(better)} columns match the samples "
            f"({some([_called(name) for name in better])}); which column has their names? "
            f"dataset.labels_index={better[-1]}"
        )
    if better[0] in running:
        notes.append(
            f"{other.name} is matched by running numbers, the column {_called(better[0])}: "
            "check that both tables number the same samples"
        )
    return better[0]


def _is_running(cells: Sequence[str]) -> bool:
    numbers = [str(number) for number in range(len(cells) + 1)]
    return list(cells) in (numbers[1:], numbers[:-1])
