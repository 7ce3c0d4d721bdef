"""Two formats of expression data with samples in columns: GEO's series matrix, and GCT."""

import re
from collections.abc import Callable

import numpy as np

from experiments.datasets.columns import Columns, samples_name
from experiments.datasets.dataset import Damaged
from experiments.datasets.layout import Record, rectangle
from experiments.datasets.wording import some, twins

Records = Callable[[list[str], int], list[Record]]


def geo(lines: list[str], records: Records) -> Columns | None:
    """A series matrix of GEO: lines that begin with ! describe the samples; None if it is none."""
    marks = [line[:100].strip().strip('"').lower() for line in lines]
    if not (n := marks.count("!series_matrix_table_begin")):
        return None
    if n > 1:
        raise Damaged(f"it has {n} series matrices; write each into a file of its own")
    start = marks.index("!series_matrix_table_begin")
    end = [*marks, "!series_matrix_table_end"].index("!series_matrix_table_end")
    found = rectangle(records(lines[start + 1 : end], start + 2), "line", fixed=True)
    about = [r for r in records(lines[:start], 1) if r.cells and r.cells[0].startswith("!Sample_")]
    attributes = _attributes(about, len(found.names) - 1)
    for record in about:
        if len(record.cells) != len(found.names):
            raise Damaged(
                f"line {record.line} ({record.cells[0]}) has {len(record.cells) - 1} values for "
                f"{len(found.names) - 1} samples; get a whole copy"
            )
    if (known := list(attributes.get("geo_accession", found.names[1:]))) != found.names[1:]:
        raise Damaged(
            f"!Sample_geo_accession and the header name other samples ({some(known, 2)}; "
            f"{some(found.names[1:], 2)}); bring them into one order"
        )
    said = f"a series matrix of GEO, {len(lines) - (end - start)} lines on the series and samples"
    return _turned(found.names[1:], found.rows, 1, attributes, said, found.notes)


def _attributes(about: list[Record], n: int) -> dict[str, list[str]]:
    """Attributes of samples by name; a name with two values for a sample becomes several names."""
    lines: dict[str, dict[str, list[list[str]]]] = {}
    for record in about:
        name, cells = record.cells[0].removeprefix("!Sample_"), record.cells[1:]
        if len(cells) != n:
            continue
        channel, found = "sample", {name: cells}
        if name.startswith("characteristics"):
            channel, found = name.removeprefix("characteristics").strip("_"), {}
            for at, cell in enumerate(cells):
                key, colon, value = cell.partition(":")
                if not colon:  # The line names what has no name of its own.
                    key, value = name, cell
                if value.strip():
                    found.setdefault(key.strip(), [""] * n)[at] = value.strip()
        for key, values in found.items():
            lines.setdefault(key, {}).setdefault(channel, []).append(values)
    attributes: dict[str, list[str]] = {}
    for key, channels in lines.items():
        if whole := _merged([values for part in channels.values() for values in part]):
            attributes[key] = whole
            continue
        for channel, part in channels.items():
            if whole := _merged(part):
                attributes[f"{key} ({channel})"] = whole
            else:
                numbered = enumerate(part, 1)
                attributes |= {f"{key} ({channel}, {number})": v for number, v in numbered}
    return attributes


def _merged(lines: list[list[str]]) -> list[str] | None:
    """Lines of values as one line; None if two of them differ for a sample."""
    cells = [set(filter(None, several)) for several in zip(*lines, strict=True)]
    return [next(iter(c), "") for c in cells] if all(len(c) < 2 for c in cells) else None


def gct(lines: list[str], records: Records) -> Columns | None:
    """A table of GenePattern, version 1.2 or 1.3; None if it is none."""
    version = re.fullmatch(r"#1\.([23])[\s,;]*", lines[0]) if lines else None
    if version is None:
        return None
    sizes = [int(size) for size in re.findall(r"\d+", lines[1])] if len(lines) > 1 else []
    about_features, n_attributes = sizes[2:4] if version[1] == "3" and len(sizes) > 3 else (1, 0)
    n_about = 1 + about_features
    found = rectangle(records(lines[2:], 3), "line", fixed=True)
    n_rows, n_samples = len(found.rows) - n_attributes, len(found.names) - n_about
    if sizes[:2] != [n_rows, n_samples]:
        raise Damaged(
            f"its second line says {sizes[:2]} rows and columns, but it has {n_rows} and "
            f"{n_samples}; get a whole copy"
        )
    if told := twins([row.cells[0] for row in found.rows[:n_attributes]], "rows"):
        raise Damaged(told)
    attributes = {row.cells[0]: row.cells[n_about:] for row in found.rows[:n_attributes]}
    said = f"gct, the columns {some(found.names[1:n_about])} describe features"
    rows = found.rows[n_attributes:]
    return _turned(found.names[n_about:], rows, n_about, attributes, said, found.notes)


def _turned(samples, rows, n_about, attributes, said, notes) -> Columns:
    """The table with samples in rows, and what is known about them apart from the features."""
    names = [row.cells[0] for row in rows]
    values = [np.array(row.cells[n_about:], dtype=object) for row in rows]
    index = samples_name(names)
    return Columns(
        [index, *names],
        [np.array(samples, dtype=object), *values],
        f"{said}; samples in columns, the table was turned",
        tuple(notes),
        index=(index,),
        place="column",
        attributes={name: np.array(cells, dtype=object) for name, cells in attributes.items()},
        turned=True,
        places=range(n_about + 1, n_about + 1 + len(samples)),
    )
