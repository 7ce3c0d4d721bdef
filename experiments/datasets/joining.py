"""The labels of a second table, joined to the rows of the first by their names."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from experiments.datasets import formats
from experiments.datasets.columns import FORM, INDEX, SECOND, are_running, as_texts, trimmed
from experiments.datasets.dataset import DataError, unknown
from experiments.datasets.roles import Roles
from experiments.datasets.values import NUMBER, visible
from experiments.datasets.wording import cited, setting, shown, some, twins


def joined(roles: Roles) -> list[str | None]:
    """The label of each row, None if the second table lacks it.

    The groups and the covariates that are in the second table alone become attributes of the rows.

    Raises
    ------
    DataError
        If the second table is not there, the rows have no names, no column of it or more than one
        matches them, or a name is not unique.
    """
    options, file, target = roles.options, roles.file, roles.target
    other = Path(options.labels or "").expanduser()
    if not other.is_file():
        raise DataError(f"there is no file {other}; give dataset.labels, from {Path.cwd()}")
    if roles.row_names is None:
        raise DataError(f"{file}: dataset.labels needs row names; dataset.index names their column")
    try:
        columns = formats.read(other, options.of_labels)
    except DataError as error:
        raise DataError(_with_own_keys(str(error))) from error
    said = _with_own_keys(columns.said)
    roles.notes += [f"{other.name}: {said}", *map(_with_own_keys, columns.notes)]
    roles.second = columns
    if told := twins(columns.names):
        raise DataError(f"{other}: {told}")
    table = dict(zip(columns.names, map(as_texts, columns.values), strict=True))
    called = [name for name in table if visible(name) == visible(target)]
    target = target if target in table or len(called) != 1 else called[0]
    if target not in table:
        raise DataError(f"{other}: {unknown('column', target, list(table))} (read as {said})")
    texts = table.pop(target)
    names = [name.strip() for name in roles.row_names]
    stripped = {n: list(map(trimmed, cells)) for n, cells in table.items()}
    key = _key(other, stripped, names, roles)
    keys = stripped[key]
    wanted = set(names) - {""}
    again = [n for part in (names, keys) for n, k in Counter(part).items() if k > 1 and n in wanted]
    if again:
        raise DataError(
            f"{other}: sample names must be unique in both tables to match them, but "
            f"{some(map(shown, again))} {'is' if len(again) == 1 else 'are'} in more rows than one"
        )
    row_of = {key: row for row, key in enumerate(keys) if key}
    absent = [name for name in names if name not in row_of]
    if absent and options.unlabelled != "drop":
        raise DataError(
            f"{other}: {len(absent)} of {len(names)} samples of {file.name} are not in its column "
            f"{cited(key)} ({some(absent)}); its row names must be the table's, or "
            "dataset.unlabelled=drop leaves these samples out"
        )
    roles.notes.append(f"the classes come from {other.name}, matched by the column {cited(key)}")
    if more := [name for name in row_of if name not in wanted]:
        roles.notes.append(
            f"{len(more)} samples of {other.name} are not in the table and were left out: "
            f"{some(more)}"
        )
    rows = [row_of.get(name) for name in names]
    _add_attributes(roles, table, rows)
    labels = [None if row is None else texts[row] for row in rows]
    if roles.own_labels is not None:
        pairs = zip(roles.own_labels, labels, strict=True)
        n = sum(bool(a and b and a.strip() != b.strip()) for a, b in pairs)
        roles.notes.append(
            f"{'WARNING ' if n else ''}{shown(target)} is in both tables and differs in {n} of "
            f"{len(labels)} rows; the second table's was taken"
        )
    return labels


def _with_own_keys(text: str) -> str:
    """The text on the second table, with the keys of that table in place of those of the first."""
    return re.sub(rf"dataset\.({'|'.join(FORM)})\b", rf"dataset.{SECOND}\1", text)


def _add_attributes(roles: Roles, table: dict[str, list], rows: list[int | None]) -> None:
    """Give the rows the groups and the covariates that the second table alone has, in its rows."""
    options, columns = roles.options, roles.columns
    own = {*map(str.strip, columns.names), *roles.index_names, *columns.attributes}
    asked = [name for name in (options.groups, *options.adjust) if name in table]
    if twice := [name for name in asked if name in own]:
        called = some(map(shown, dict.fromkeys(twice)))
        roles.notes.append(f"{called} is in both tables; the first table's was taken")
    found = {
        name: np.array([None if row is None else table[name][row] for row in rows], dtype=object)
        for name in asked
        if name not in own
    }
    roles.joined = list(found)
    roles.columns = replace(columns, attributes={**columns.attributes, **found})


def _key(other: Path, columns: dict[str, list[str]], names: list[str], roles: Roles) -> str:
    """The column of the second table that has the row names of the first."""
    given, index = roles.options.labels_index, roles.index.strip().lower()
    if given is not None:
        if given not in columns:
            raise DataError(f"{other}: {unknown('column', given, list(columns))}")
        return given
    wanted = set(names)
    matched = {name: len(wanted & set(cells)) for name, cells in columns.items()}
    alike = [n for n in columns if n.strip().lower() == index and 2 * matched[n] >= len(wanted)]
    own = [name for name in columns if not are_running(columns[name])]
    named = max((matched[name] for name in own), default=0)
    # The running numbers that R calls X are no column that is called as the index x.
    if len(alike) == 1 and index and (alike[0] in {*own, roles.index} or matched[alike[0]] > named):
        return alike[0]
    most = max(matched.values(), default=0)
    if most == 0:
        raise DataError(
            f"{other}: {len(wanted)} of {len(wanted)} samples are not in it ({some(names)}); its "
            "row names must be the table's, and its columns are "
            f"{some(f'{shown(name)} ({some(map(shown, columns[name]), 2)})' for name in columns)}"
        )
    if 2 * named >= len(wanted):
        may_be = {*own, *(name for name in columns if INDEX.fullmatch(name.strip()))}
        better = [name for name in columns if matched[name] == named and name in may_be]
    else:
        better = [name for name in columns if matched[name] == most]
    if len(better) > 1:
        raise DataError(
            f"{other}: {len(better)} columns match the samples ({some(map(cited, better))}); "
            f"which column has their names? {setting('labels_index', better[-1])}"
        )
    called = [name for name in own if INDEX.fullmatch(name.strip())]
    if called and better[0] not in called and all(map(NUMBER.fullmatch, wanted)):
        raise DataError(
            f"{other}: the numbers in {cited(better[0])} match the samples, and "
            f"{some(map(cited, called))} does not; if they are the samples' names, "
            f"{setting('labels_index', better[0])}"
        )
    if better[0] not in own:
        roles.notes.append(
            f"{other.name} is matched by running numbers, the column {cited(better[0])}: "
            "check that both tables number the same samples"
        )
    return better[0]
