"""The rectangle of a table among the records of a text or a sheet: the header and the rows."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from experiments.datasets.columns import INDEX, Columns
from experiments.datasets.dataset import Damaged
from experiments.datasets.values import LIKE_NUMBER, MISSING
from experiments.datasets.wording import FIXED, listed, shown, some

#: Separator -> two cells that it may have made of one number: 0,5 and 1 234.
SPLIT = {",": re.compile(r"[-+]?\d+\n\d+([eE][-+]?\d+)?")}
SPLIT |= dict.fromkeys((" ", "  "), re.compile(r"[-+]?[1-9]\d{0,2}\n\d{3}([.,]\d+)?"))
#: What is said of a table whose header may have no name above the row names.
MORE = "each row has one value more than the header has names"
#: A cell of a line that is drawn around or below the names.
RULE = re.compile(r"\s*:?[-=+]{2,}:?\s*|\s*")


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
    records: list[Record],
    place: str,
    fixed: bool = False,
    separator: str = "",
    is_turned: bool = False,
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
    is_turned : bool
        True if a row is a feature, so that none describes the columns.

    Raises
    ------
    Damaged
        If there is no record, rows differ in length, or a decimal comma may separate columns.
    """
    notes: list[str] = []

    def leave_out(left: list[Record], why: str, of: Sequence[Record] = ()) -> list[Record]:
        if len(left) == 1:
            why = why.replace("have ", "has ").replace("are ", "is ")
        s, were = ("", "was") if len(left) == 1 else ("s", "were")
        gone = {record.line for record in left}
        if left:
            notes.append(f"{place}{s} {some(sorted(gone))} {why} and {were} left out")
        return [record for record in of if record.line not in gone]

    blank = {record.line for record in records if not any(map(str.strip, record.cells))}
    filled = [record for record in records if record.line not in blank]
    if not filled:
        raise Damaged("it is empty")
    rules = [] if fixed else [r for r in filled if all(map(RULE.fullmatch, r.cells))]
    filled = leave_out(rules, "have dashes alone", filled)
    if place == "line":
        leave_out([r for r in records if r.line in blank and len(r.cells) > 1], "have no value")
    widths = Counter(len(record.cells) for record in filled)
    width = max(widths, key=lambda width: (widths[width], width))
    is_ended = not any(r.cells[-1].strip() for r in filled if len(r.cells) == width)
    start = 0 if fixed else _header(filled, width - is_ended)
    _check_header(filled, start, place)
    leave_out(filled[:start], "are before the header")
    header, rows = filled[start], filled[start + 1 :]
    last = len(rows)
    while last > 1 and _is_footer(rows[last - 1], width, blank):
        last -= 1
    rows = leave_out(rows[last:], "are after the data", rows)
    marked = [r for r in rows if r.cells[0].startswith("#")]
    comments = [r for r in marked if len(r.cells) < width]
    rows = leave_out(comments, "have a leading # and too few values", rows)
    whole = [r.line for r in marked if len(r.cells) >= width]
    if whole and len(whole) < len(rows):
        notes.append(f"rows that begin with # and have all values were kept: {place} {some(whole)}")
    again = [r for r in rows if width > 1 and _stripped(r) == _stripped(header)]
    rows = leave_out(again, "are the header once more", rows)
    rows, names = _even(header.cells, rows, width, place, notes, separator)
    if not fixed and (odd := _numbers_above_numbers(names, rows)):
        notes.append(
            f"WARNING {len(odd)} columns are called by numbers ({some(odd)}); if the file has no "
            f"header, {place} {header.line} is a row that was taken for one: write a header"
        )
    n = 0 if fixed or is_turned else _n_descriptions(names, rows)
    notes += [_description(row, names, header.line, place) for row in rows[:n]]
    return Rectangle(names, rows[n:], notes)


def _description(row: Record, names: list[str], header: int, place: str) -> str:
    """The sentence on a row of units or descriptions; Damaged if one is of no name."""
    units = zip(names[1:], row.cells[1:], strict=True)  # Row names may have no name.
    if unnamed := [cell for name, cell in units if cell.strip() and not name.strip()]:
        raise Damaged(
            f"{place} {row.line} has {some(map(shown, unnamed))} where {place} {header} has no "
            "name; write one row of names"
        )
    cells = some([cell for cell in row.cells if cell.strip()])
    return f"{place} {row.line} has units or descriptions ({cells}) and was left out"


def _stripped(record: Record) -> list[str]:
    """The cells without blanks at their ends, and without empty ones at the end."""
    return [cell.strip() for cell in record.cells[: _n_filled(record.cells)]]


def _numbers_above_numbers(names: list[str], rows: list[Record]) -> list[str]:
    """The names that are numbers, as all cells below them are, if the names may be a row.

    They may if all names but one are such numbers, or one name is a text of its own column.
    """
    found, recurs = [], False
    for name, *cells in zip(names, *(row.cells for row in rows), strict=True):
        if not _is_number(name):
            recurs |= bool(name.strip()) and name in cells
        elif cells and all(_is_number(c) or not c.strip() for c in cells):
            found.append(name.strip())
    return found if recurs or len(found) >= len(names) - 1 > 0 else []


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
        beyond = next((r for r in records[:0:-1] if _n_filled(r.cells) > n), None)
        are_names = len(set(names)) == n and all(names) and not any(map(_is_number, names))
        if are_names and beyond:
            cell = next(cell for cell in beyond.cells[n:] if cell.strip())
            raise Damaged(
                f"{place} {record.line} has {n} names ({some(names)}), and {place} {beyond.line} "
                f"has {shown(cell)} beyond them; name its column, remove it, or leave lines that "
                "are not of the table out by dataset.skip"
            )


def _are_names(records: list[Record], at: int) -> bool:
    """True if all cells of this record may be names, and later ones are numbers in one column.

    The first name may be missing, and two lines of units and descriptions may follow the names.
    """
    cells, later = records[at].cells, [record.cells for record in records[at + 1 : at + 20]]
    later = later[2:] or later
    if any(map(_is_number, cells)) or any(c.strip().lower() in MISSING for c in cells[1:]):
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
        rows, width = [Record(r.line, r.cells[:-1]) for r in rows], width - 1
        if names[-1].strip():
            notes.append("rows end in a separator that the header does not have; it was left out")
        else:  # The header ends so, too.
            names = names[:-1]
    if len(names) == width - 1 and rows:
        split = SPLIT.get(separator)
        firsts = [row.cells[0].strip() for row in rows]
        if len(set(firsts)) < len(firsts):
            raise Damaged(
                f"{MORE}, and the first values, which repeat "
                f"({shown(Counter(firsts).most_common(1)[0][0])}), are no row names; enclose a "
                "number that has a comma in quotation marks, or name each column in the header"
            )
        # A name above the row names, or blanks behind the commas between names, as R has neither.
        is_named = not names[0].strip() or INDEX.fullmatch(names[0].strip())
        is_padded = all(name.startswith(" ") for name in names[1:])
        doubtful = is_named or is_padded or _are_no_row_names(firsts)
        if doubtful and split and _may_be_split(rows, split):
            raise Damaged(
                f"{MORE}, and the first name is {shown(names[0])}; if a number has a comma or a "
                "blank within, enclose it in quotation marks, or separate columns by semicolons; "
                "if row names come first, name their column in the header"
            )
        notes.append(
            f"{MORE}, as R writes tables: the first value was taken as a row name, the second one "
            f"as {shown(names[0])}"
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
        few = 2 * len(uneven) <= len(rows)
        advice = f", or leave them out by {listed('skip', [str(r.line) for r in uneven])}"
        raise Damaged(
            f"{len(uneven)} of {len(rows)} rows have another length than the header, which names "
            f"{n}: {some(told)} ({place} {uneven[0].line} begins with "
            f"{shown(', '.join(uneven[0].cells[:3]))}); mend {'them' if few else 'the header'}"
            + (advice if few else "")
            + (f"; {FIXED}" if separator.isspace() and separator != "\t" else "")
        )
    return cut, names


def _are_no_row_names(texts: list[str]) -> bool:
    """True if the texts may be no row names of R: it numbers rows from 1, or names them by texts.

    The whole parts of sorted numbers with a decimal comma increase, too.
    """
    if any(text.lower() in MISSING for text in texts):
        return True
    return all(map(_is_number, texts)) and texts != [str(n) for n in range(1, len(texts) + 1)]


def _may_be_split(rows: list[Record], split: re.Pattern) -> bool:
    """True if two columns side by side may be the parts of numbers."""
    return any(
        all(split.fullmatch("\n".join(map(str.strip, row.cells[at : at + 2]))) for row in rows)
        for at in range(len(rows[0].cells) - 1)
    )


def _n_descriptions(names: list[str], rows: list[Record]) -> int:
    """The number of rows below the names, at most three, that describe the columns."""
    for n in range(1, min(4, len(rows) - 1)):
        if all(_describes(row.cells, names, rows[n:]) for row in rows[:n]):
            return n
    return 0


def _describes(cells: list[str], names: list[str], rows: list[Record]) -> bool:
    """True for a row of units or descriptions: texts above all numbers, and no text of the rows.

    If it has texts above texts, too, these must be new in each column whose texts repeat, and those
    above numbers must differ, or stand where there is no name, or begin with #.
    """
    above, is_new = [], []
    no_name = False
    for cell, name, *column in zip(
        map(str.strip, cells), names, *(row.cells for row in rows), strict=True
    ):
        texts = [text for c in column if (text := c.strip()).lower() not in MISSING]
        if texts and all(map(_is_number, texts)):
            if _is_number(cell):
                return False
            above += [cell] if cell.lower() not in MISSING else []
            no_name |= bool(cell) and not name.strip()
        elif cell:
            if cell in texts:
                return False
            is_new.append(len(set(texts)) < len(texts))
    is_sure = no_name or cells[0].startswith("#") or len(set(above)) == len(above) > 1
    return bool(above) and (not is_new or (any(is_new) and is_sure))
