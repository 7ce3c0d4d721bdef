"""Tables whose rows are no samples: samples in columns, and a row for each sample and feature."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.datasets.columns import Columns, as_texts
from experiments.datasets.dataset import DataError
from experiments.datasets.values import LIKE_NUMBER, NUMBER, WORDS, plain_numbers, read_column
from experiments.datasets.wording import FIXED, setting, shown, some

if TYPE_CHECKING:
    from experiments.datasets.roles import Roles


def swap_advice(roles: "Roles", levels: Sequence[int]) -> str | None:
    """Advice if samples and features look swapped; None if they do not."""
    columns, target = roles.columns, roles.target
    names = [name.strip() for name in columns.names]
    if target in names or roles.options.labels or not names or columns.turned:
        return None
    if len(names) == 1:
        return one_column(columns)
    first = columns.values[levels[0] if levels else 0]
    n_rows, n_columns = len(first), len(names)
    texts = [text for text in as_texts(first) if text is not None]
    if target in map(str.strip, texts):
        return (
            f"there is no column called {target!r}, but a row: samples are in columns; add "
            "dataset.transpose=true"
        )
    if plain_numbers(texts) is None and n_rows > 5 * n_columns:
        return (
            f"there is no column called {target!r}, and {n_rows} rows of {n_columns} columns "
            "look as if samples stood in columns; add dataset.transpose=true, with the target "
            "as a row, or dataset.labels=labels.csv with a row a sample"
        )
    return None


def one_column(columns: Columns) -> str:
    """Advice if a file seems to have a single column."""
    advice = f"; if a sign separates columns, dataset.separator names it; {FIXED}"
    return f"one column was found, {shown(columns.names[0])}" + advice * (columns.place == "line")


def refuse_long(roles: "Roles") -> None:
    """Raise a DataError on a long table, with a row for each sample and feature.

    It has one column of numbers, samples that repeat with one label each, and texts that differ
    within each sample.
    """
    numbers, texts, options = [], dict(roles.kept_index), roles.options
    for name, values in zip(roles.columns.names, roles.columns.values, strict=True):
        if name.strip() in {*options.drop, *options.adjust}:
            continue
        cells = [text or "" for text in as_texts(values)]
        if read_column(cells, name, options, set()).is_text:
            texts[name] = cells
        else:
            numbers.append(name)
        if len(numbers) > 1:
            return
    own_labels = as_texts(roles.labels) if roles.labels is not None else []
    for of, samples in texts.items() if numbers else ():
        n = len(set(samples))
        has_one = not own_labels or len(set(zip(samples, own_labels, strict=True))) == n
        if not has_one or n < 3 or 2 * n > len(samples):
            continue
        for key, features in texts.items():
            pairs = set(zip(samples, features, strict=True))
            is_key = len(pairs) == len(samples) > len(set(features)) > 1
            if is_key and not all(map(NUMBER.fullmatch, features)):
                raise DataError(
                    f"{roles.file}: the table looks long: {shown(of)} has {n} different names in "
                    f"{len(samples)} rows, each once with {shown(key)} "
                    f"{some(map(shown, dict.fromkeys(features)), 2)}; a row should be a sample, "
                    f"so turn it, as pandas does by pivot(index={shown(of)}, "
                    f"columns={shown(key)}, values={shown(numbers[0])}); if rows are samples, "
                    f"add {setting('groups', of)}"
                )


def rows_of_few(columns: Columns) -> list[str]:
    """The rows that have classes of samples, if these are in columns: a few texts that repeat."""
    found = []
    for name, *cells in zip(*map(as_texts, columns.values), strict=True):
        texts = [text.strip() for text in cells if text and text.lower() not in WORDS]
        repeated = [n for n in Counter(texts).values() if n > 1]
        are_few = 2 <= len(repeated) <= 10 and 2 * sum(repeated) >= len(texts)
        if name and name.strip() and are_few and not any(map(LIKE_NUMBER.fullmatch, texts)):
            found.append(name)
    return found
