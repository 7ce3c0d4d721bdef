"""The rectangle of a table among the records of a text or a sheet: the header and the rows."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from experiments.datasets.columns import INDEX, Columns, shown, some
from experiments.datasets.dataset import Damaged
from experiments.datasets.values import LIKE_NUMBER, MISSING, NUMBER, WORDS

#: Separator -> two cells that it may have made of one number: 0,5 and 1 234.
SPLIT = {",": re.compile(r"[-+]?\d+\n\d+([eE][-+]?\d+)?")}
SPLIT |= dict.fromkeys((" ", "  "), re.compile(r"[-+]?[1-9]\d{0,2}\n\d{3}([.,]\d+)?"))


class Record(NamedTuple):
    """The cells of a row as texts, and the number of the line, or row, where it begins."""

    line: int
    cells: list[str]


class Rectangle(NamedTuple):
    """Names and rows of one length, and sentences on what was left out."""

    names: list[str]
    rows: list[Record]
    notes: list[str]

    def columns(self, said: str, place: str, notes: Sequence[str] = ()) -> Columns:
        """The columns of the rectangle, as texts."""
        cells = list(zip(*(row.cells for row in self.rows), strict=True)) or [()] * len(self.names)
        values = [np.array(column, dtype=object) for column in cells]
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

    def leave_out(left: list[Record], why: str) -> None:
        if len(left) == 1:
            why = why.replace("have ", "has ").replace("are ", "is ")
        s, were = ("", "was") if len(left) == 1 else ("s", "were")
        if left:
            notes.append(f"{place}{s} {some(r.line for r in left)} {why} and {were} left out")

    blank = {record.line for record in records if not any(map(str.strip, record.cells))}
    filled = [record for record in records if record.line not in blank]
    if not filled:
        raise Damaged("it is empty")
    if place == "line":
        leave_out([r for r in records if r.line in blank and len(r.cells) > 1], "have no value")
    widths = Counter(len(record.cells) for record in filled)
    width = max(widths, key=lambda width: (widths[width], width))
    start = 0 if fixed else _header(filled, width)
    _check_header(filled, start, place)
    leave_out(filled[:start], "are before the header")
    header, rows = filled[start], filled[start + 1 :]
    last = len(rows)
    while last > 1 and _is_footer(rows[last - 1], width, blank):
        last -= 1
    leave_out(rows[last:], "are after the data")
    rows = rows[:last]
    marked = [r for r in rows if r.cells[0].startswith("#")]
    comments = [r for r in marked if len(r.cells) < width]
    leave_out(comments, "have a leading # and too few values")
    whole = [r.line for r in marked if len(r.cells) >= width]
    rows = [r for r in rows if len(r.cells) >= width or not r.cells[0].startswith("#")]
    if whole and len(whole) < len(rows):
        notes.append(f"rows that begin with # and have all values were kept: {place} {some(whole)}")
    again = {r.line for r in rows if width > 1 and _stripped(r) == _stripped(header)}
    leave_out([r for r in rows if r.line in again], "are the header once more")
    rows = [r for r in rows if r.line not in again]
    rows, names = _even(header.cells, rows, width, place, notes, separator)
    if not fixed and len(odd := _numbers_above_numbers(names, rows)) >= len(names) - 1 > 0:
        notes.append(
            f"WARNING {len(odd)} columns are called by numbers ({some(odd)}); if the file has no "
            f"header, {place} {header.line} is a row that was taken for one: write a header"
        )
    if not fixed and len(rows) > 2 and _has_units(rows):
        units = zip(names, rows[0].cells, strict=True)
        if unnamed := [cell for name, cell in units if cell.strip() and not name.strip()]:
            raise Damaged(
                f"{place} {rows[0].line} has {some(map(shown, unnamed))} where {place} "
                f"{header.line} has no name, as a second row of names has; write one row of names"
            )
        notes.append(
            f"{place} {rows[0].line} has units ({some([c for c in rows[0].cells if c.strip()])}) "
            "and was left out"
        )
        rows = rows[1:]
    return Rectangle(names, rows, notes)


def _stripped(record: Record) -> list[str]:
    """The cells without blanks at their ends, and without empty ones at the end."""
    return [cell.strip() for cell in record.cells[: _n_filled(record.cells)]]


def _numbers_above_numbers(names: list[str], rows: list[Record]) -> list[str]:
    """The names that are numbers, as all cells below them are."""
    columns = zip(names, *(row.cells for row in rows), strict=True)
    return [
        name.strip()
        for name, *cells in columns
        if _is_number(name) and cells and all(_is_number(c) or not c.strip() for c in cells)
    ]


def _n_filled(cells: list[str]) -> int:
    """The number of cells without empty ones at the end."""
    return max((at for at, cell in enumerate(cells, 1) if cell.strip()), default=0)


def _is_number(cell: str) -> bool:
    return bool(LIKE_NUMBER.fullmatch(cell.strip()))


def _header(records: list[Record], width: int) -> int:
    """The position of the record that names the columns."""
    if width == 1:
        return 0
    for at, record in enumerate(records[:-1]):
        next_at = at + 1
        if is_comment := _is_comment(record):  # A block of comments may stand above the names.
            rest = range(at + 1, len(records))
            next_at = next((n for n in rest if not _is_comment(records[n])), next_at)
        cells, n = record.cells, _n_filled(record.cells)
        following, n_following = records[next_at], _n_filled(records[next_at].cells)
        is_short = n < width and len(cells) < width
        if n < width - 1 or (is_short and n_following < width - 1):
            continue
        differ = len(set(following.cells)) == len(following.cells)
        # Above the names there may be comments, a title, or names of groups of columns.
        has_gaps = not all(map(str.strip, cells[1:]))
        may_be_title = is_comment or ((is_short or has_gaps) and differ and width > 2)
        if may_be_title and n_following >= width - 1 and _are_names(records, next_at):
            continue
        if n == 1 == width - 1 and is_short and " " in cells[0].strip():
            continue
        return at
    return 0


def _is_comment(record: Record) -> bool:
    return record.cells[0].startswith(("#", "%", "//"))


def _check_header(records: list[Record], start: int, place: str) -> None:
    """Raise Damaged if the header holds numbers and a row before it has names."""
    before = [record for record in records[:start] if _n_filled(record.cells) > 1]
    for record in before if any(map(_is_number, records[start].cells)) else ():
        n = _n_filled(record.cells)
        names = [cell.strip() for cell in record.cells[:n]]
        if len(set(names)) == n and all(names) and not any(map(_is_number, names)):
            beyond = next(r for r in records[:0:-1] if _n_filled(r.cells) > n)
            cell = next(cell for cell in beyond.cells[n:] if cell.strip())
            raise Damaged(
                f"{place} {record.line} has {n} names ({some(names)}), and {place} {beyond.line} "
                f"has {shown(cell)} beyond them; name its column, remove it, or leave lines that "
                "are not of the table out by dataset.skip"
            )


def _are_names(records: list[Record], at: int) -> bool:
    """True if all cells of this record may be names, and later ones are numbers in one column."""
    cells, later = records[at].cells, [record.cells for record in records[at + 1 : at + 20]]
    if any(_is_number(cell) or cell.strip().lower() in MISSING for cell in cells):
        return False
    above_numbers = later and any(
        all(j < len(row) and (_is_number(row[j]) or not row[j].strip()) for row in later)
        for j in range(len(cells))
    )
    return bool(above_numbers)


def _is_footer(record: Record, width: int, blank: set[int]) -> bool:
    filled = [cell for cell in record.cells if cell.strip()]
    if width < 3 or len(filled) > 1 or not record.cells[0].strip():
        return False
    return len(record.cells) < width or record.line - 1 in blank


def _even(
    names: list[str], rows: list[Record], width: int, place: str, notes: list[str], separator: str
) -> tuple[list[Record], list[str]]:
    """Rows and names of one length; R's header without a name above the row names is mended."""
    ends_empty = rows and all(len(r.cells) == width and not r.cells[-1].strip() for r in rows)
    if len(names) == width - 1 and ends_empty:
        rows = [Record(r.line, r.cells[:-1]) for r in rows]
        notes.append("rows end in a separator that the header does not have; it was left out")
    elif len(names) == width - 1 and rows:
        split = SPLIT.get(separator)
        firsts = [row.cells[0].strip() for row in rows]
        if len(set(firsts)) < len(firsts):
            raise Damaged(
                "each row has one value more than the header has names, and the first values "
                f"repeat ({shown(Counter(firsts).most_common(1)[0][0])}), so they are no row names "
                "as R writes them; enclose a number that has a comma in quotation marks, or name "
                "each column in the header"
            )
        doubtful = INDEX.fullmatch(names[0].strip()) or _are_unordered_numbers(firsts)
        if doubtful and split and _may_be_split(rows, split):
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
    last = max((_n_filled(r.cells) for r in rows), default=len(names))
    names = names[: max(_n_filled(names), min(last, len(names)), 1)]
    if not any(map(str.strip, names[width:])) and all(len(r.cells) == width for r in rows):
        names = names[:width]
    n = len(names)
    cut = [r if any(map(str.strip, r.cells[n:])) else Record(r.line, r.cells[:n]) for r in rows]
    if n_cut := sum(len(a.cells) > len(b.cells) for a, b in zip(rows, cut, strict=True)):
        notes.append(f"{n_cut} rows end in a separator that the others do not have")
    if uneven := [r for r in cut if len(r.cells) != n]:
        told = [f"{place} {r.line} has {len(r.cells)} values" for r in uneven]
        lines = ",".join(str(r.line) for r in uneven[:5])
        few = 2 * len(uneven) <= len(rows)
        advice = f", or leave them out by dataset.skip=[{lines}{',...' if len(uneven) > 5 else ''}]"
        raise Damaged(
            f"{len(uneven)} of {len(rows)} rows have another length than the header, which names "
            f"{n}: {some(told)} ({place} {uneven[0].line} begins with "
            f"{shown(', '.join(uneven[0].cells[:3]))}); mend {'them' if few else 'the header'}"
            + (advice if few else "")
        )
    return cut, names


def _are_unordered_numbers(texts: list[str]) -> bool:
    """True for numbers that are no row names of R: the rows that it keeps stay in order."""
    if not all(map(_is_number, texts)):
        return False
    whole = all(text.isdigit() for text in texts)
    return not whole or any(int(a) >= int(b) for a, b in pairwise(texts))


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
