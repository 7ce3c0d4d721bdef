"""The rectangle of a table among the records of a text or a sheet: the header and the rows."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from experiments.datasets.columns import INDEX, Columns, shown, some
from experiments.datasets.dataset import Damaged
from experiments.datasets.values import LIKE_NUMBER, NUMBER, WORDS

#: Separator -> two cells that it may have made of one number: 0,5 and 1 234.
SPLIT = {",": re.compile(r"[-+]?\d+\n\d+([eE][-+]?\d+)?")}
SPLIT |= dict.fromkeys((" ", "  "), re.compile(r"[-+]?[1-9]\d{0,2}\n\d{3}([.,]\d+)?"))


class Record(NamedTuple):
    """The cells of a row as texts, and the number of the line, or row, where it begins."""

    line: int
    cells: list[str]


@dataclass
class Rectangle:
    """Names and rows of one length, and sentences on what was left out."""

    names: list[str]
    rows: list[Record]
    notes: list[str]

    def columns(self, said: str, place: str, notes: Sequence[str] = ()) -> Columns:
        """The columns of the rectangle, as texts."""
        cells = list(zip(*(row.cells for row in self.rows), strict=True))
        values = [np.array(column, dtype=object) for column in cells]
        if not self.rows:
            values = [np.empty(0, dtype=object) for _ in self.names]
        places = [row.line for row in self.rows]
        return Columns(self.names, values, said, (*notes, *self.notes), places=places, place=place)


def rectangle(
    records: list[Record], place: str, fixed: bool = False, separator: str = ""
) -> Rectangle:
    """Find the header and the rows among the records.

    Parameters
    ----------
    records : list of Record
    place : {"line", "row"}
        What the number of a record counts.
    fixed : bool
        True if the first record is known to be the header.
    separator : str
        What keeps the columns of a text apart.

    Raises
    ------
    Damaged
        If there is no record, rows differ in length, or a decimal comma may separate columns.
    """
    notes: list[str] = []
    blank = {record.line for record in records if not any(map(str.strip, record.cells))}
    separated = [r.line for r in records if r.line in blank and len(r.cells) > 1]
    filled = [record for record in records if record.line not in blank]
    if not filled:
        raise Damaged("it is empty")
    if separated and place == "line":
        notes.append(_left_out(separated, place, "have no value"))
    width = _usual_width(filled)
    start = 0 if fixed else _header(filled, width)
    if start:
        notes.append(_left_out([r.line for r in filled[:start]], place, "are before the header"))
    header, rows = filled[start], filled[start + 1 :]
    last = len(rows)
    while last > 1 and _is_footer(rows[last - 1], width, blank):
        last -= 1
    if rows[last:]:
        notes.append(_left_out([r.line for r in rows[last:]], place, "are after the data"))
    rows, marked = rows[:last], [r for r in rows[:last] if r.cells[0].startswith("#")]
    if comments := [r.line for r in marked if len(r.cells) < width]:
        notes.append(_left_out(comments, place, "have a leading # and too few values"))
    left_out = set(comments)
    rows = [r for r in rows if r.line not in left_out]
    whole = [r.line for r in marked if r.line not in left_out]
    if whole and len(whole) < len(rows):
        notes.append(f"rows that begin with # and have all values were kept: {place} {some(whole)}")
    names = list(header.cells)
    rows, names = _even(header, rows, names, width, place, notes, separator)
    if not fixed and len(rows) > 2 and _has_units(rows):
        notes.append(
            f"{place} {rows[0].line} has units ({some([c for c in rows[0].cells if c.strip()])}) "
            "and was left out"
        )
        rows = rows[1:]
    return Rectangle(names, rows, notes)


def _left_out(lines: list[int], place: str, why: str) -> str:
    """The sentence on lines that are no rows."""
    one = len(lines) == 1
    if one:
        why = why.replace("have ", "has ").replace("are ", "is ")
    return (
        f"{place}{'' if one else 's'} {some(lines)} {why} and {'was' if one else 'were'} left out"
    )


def _usual_width(records: list[Record]) -> int:
    widths = Counter(len(record.cells) for record in records)
    return max(widths, key=lambda width: (widths[width], width))


def _trimmed(cells: list[str]) -> list[str]:
    """The cells without empty ones at the end."""
    n = len(cells)
    while n and not cells[n - 1].strip():
        n -= 1
    return cells[:n]


def _is_number(cell: str) -> bool:
    return bool(LIKE_NUMBER.fullmatch(cell.strip()))


def _header(records: list[Record], width: int) -> int:
    """The position of the record that names the columns."""
    if width == 1:
        return 0
    for at, record in enumerate(records[:-1]):
        n = len(_trimmed(record.cells))
        following = records[at + 1].cells
        if n < width - 1 or (
            n < width and len(record.cells) < width and len(_trimmed(following)) < width - 1
        ):
            continue
        names_follow = len(_trimmed(following)) >= width - 1 and _are_names(records, at + 1)
        if names_follow and (
            record.cells[0].startswith(("#", "%", "//"))
            or (
                n < width
                and len(set(following)) == len(following)
                and width > 2
                and len(record.cells) < width
            )
        ):
            continue
        if n == 1 == width - 1 and len(record.cells) < width and " " in record.cells[0].strip():
            continue
        return at
    return 0


def _are_names(records: list[Record], at: int) -> bool:
    """True if no cell of this record is a number, and a later one has some in the same columns."""
    later = records[at + 1 : at + 20]
    cells = records[at].cells
    of_numbers = [
        j
        for j in range(len(cells))
        if later
        and all(
            j < len(r.cells) and (_is_number(r.cells[j]) or not r.cells[j].strip()) for r in later
        )
    ]
    return bool(of_numbers) and not any(map(_is_number, cells)) and all(map(str.strip, cells))


def _is_footer(record: Record, width: int, blank: set[int]) -> bool:
    filled = [cell for cell in record.cells if cell.strip()]
    if width < 3 or len(filled) > 1 or not record.cells[0].strip():
        return False
    return len(record.cells) < width or record.line - 1 in blank


def _even(header, rows, names, width, place, notes, separator) -> tuple[list[Record], list[str]]:
    """Rows and names of one length; R's header without a name above the row names is mended."""
    ends_empty = rows and all(len(r.cells) == width and not r.cells[-1].strip() for r in rows)
    if len(names) == width - 1 and not ends_empty and rows:
        split = SPLIT.get(separator)
        if INDEX.fullmatch(names[0].strip()) and split and _may_be_split(rows, split):
            raise Damaged(
                f"each row has one value more than the header has names, and the first name is "
                f"{shown(names[0])}; if a number has a comma or a blank within, enclose it in "
                "quotation marks, or separate columns by semicolons; if row names come first, "
                "name their column in the header"
            )
        notes.append(
            "each row has one value more than the header has names, as R writes tables: the first "
            f"value was taken as a row name, the second one as {shown(names[0])}"
        )
        names = ["", *names]
    elif len(names) == width - 1 and ends_empty:
        rows = [Record(r.line, r.cells[:-1]) for r in rows]
        notes.append("rows end in a separator that the header does not have; it was left out")
    n = len(names)
    if (
        n > width
        and all(len(r.cells) == width for r in rows)
        and not any(map(str.strip, names[width:]))
    ):
        names, n = names[:width], width
    long = [r for r in rows if len(r.cells) > n and not any(map(str.strip, r.cells[n:]))]
    if long:
        notes.append(f"{len(long)} rows end in a separator that the others do not have")
        rows = [
            Record(r.line, r.cells[:n])
            if len(r.cells) > n and not any(map(str.strip, r.cells[n:]))
            else r
            for r in rows
        ]
    uneven = [r for r in rows if len(r.cells) != n]
    if uneven:
        told = [f"{place} {r.line} has {len(r.cells)} values" for r in uneven]
        lines = ",".join(str(r.line) for r in uneven[:5])
        raise Damaged(
            f"{len(uneven)} of {len(rows)} rows have another length than the header, which names "
            f"{n}: {some(told)} ({place} {uneven[0].line} begins with "
            f"{shown(', '.join(uneven[0].cells[:3]))}); mend them, or leave them out by "
            f"dataset.skip=[{lines}{',...' if len(uneven) > 5 else ''}]"
        )
    return rows, names


def _may_be_split(rows: list[Record], split: re.Pattern) -> bool:
    """True if two columns side by side may be the parts of numbers."""
    return any(
        all(split.fullmatch("\n".join(row.cells[at : at + 2])) for row in rows)
        for at in range(len(rows[0].cells) - 1)
    )


def _has_units(rows: list[Record]) -> bool:
    """True if the first row has units: texts above numbers alone, and nothing above texts."""
    first, others = rows[0].cells, [row.cells for row in rows[1:]]
    above = []
    for cell, *column in zip(first, *others, strict=True):
        present = [c for c in column if c.strip()]
        if present and all(NUMBER.fullmatch(c.strip()) for c in present):
            if _is_number(cell):
                return False
            above.append(cell.strip())
        elif cell.strip():
            return False
    return any(cell and cell.lower() not in WORDS for cell in above)
