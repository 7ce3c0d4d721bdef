"""How much a Parquet file declares, read from its footer and from the headers of its pages.

pyarrow unpacks each page to what its header declares, which need not be what the footer says. And
its own functions for these numbers end the whole process where a footer is damaged.
Format: Apache Parquet, `FileMetaData` and `PageHeader` in Thrift's compact protocol.
"""

import mmap
from pathlib import Path
from typing import Any

from experiments.datasets.dataset import Damaged
from experiments.datasets.limits import Limits

MAGIC = b"PAR1"
FOOTER_BYTES = 100  # of memory, for a byte of the footer: what an empty dict and its place take
HEADER_VALUES = 1000  # that the header of a page may hold; the format knows about thirty
# Fields by their numbers in the format.
FILE_ROWS, FILE_GROUPS = 3, 4
GROUP_COLUMNS, GROUP_ROWS = 1, 3
COLUMN_META = 3
VALUES, PACKED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11
PAGE_UNPACKED, PAGE_PACKED = 2, 3


def declared_size(path: Path, limits: Limits) -> tuple[int, int]:
    """Return the number of rows, and of bytes that all pages together unpack to.

    Raises
    ------
    Damaged
        If the parts of the file contradict one another.
    DataError
        If the footer alone would take more memory than the limit.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise Damaged("it is not a Parquet file, or its start is missing")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content[-len(MAGIC) :] != MAGIC:
                raise Damaged("it is not a whole Parquet file: its end is missing")
            length = int.from_bytes(content[-8:-4], "little")
            limits.allow(FOOTER_BYTES * length, f"{path}: its footer")
            try:
                return _of_file(content, len(content) - 8 - length)
            except (IndexError, RecursionError, KeyError, TypeError, AttributeError) as error:
                raise Damaged("its footer or a page of it is damaged") from error


def _of_file(content: mmap.mmap, start: int) -> tuple[int, int]:
    footer = Compact(content, start, len(content)).structure()
    n_rows = n_bytes = n_packed = 0
    for group in footer[FILE_GROUPS]:
        n_rows += group[GROUP_ROWS]
        for chunk in group[GROUP_COLUMNS]:
            column = chunk[COLUMN_META]
            n_packed += column[PACKED]
            if column[PACKED] < 0 or n_packed > len(content):
                raise Damaged("its columns are longer than the file")
            if column[VALUES] != group[GROUP_ROWS]:
                raise Damaged("not every column of it has one value a row")
            n_bytes += _of_pages(content, column)
    if n_rows != footer[FILE_ROWS]:
        raise Damaged(f"its parts have {n_rows} rows, but it declares {footer[FILE_ROWS]}")
    return n_rows, n_bytes


def _of_pages(content: mmap.mmap, column: dict[int, int]) -> int:
    # A column without rows may have a dictionary only; no page starts at 0.
    offsets = column[DATA_PAGE], column.get(DICTIONARY_PAGE, 0)
    start = min(filter(None, offsets), default=0)
    at, total = start, 0
    while at < start + column[PACKED]:
        page = Compact(content, at, HEADER_VALUES)
        header = page.structure()
        if min(header[PAGE_UNPACKED], header[PAGE_PACKED]) < 0:
            raise Damaged("a page of it has no proper header")
        total += header[PAGE_UNPACKED]
        at = page.at + header[PAGE_PACKED]
    return total


class Compact:
    """A position in bytes in Thrift's compact protocol, and how many values may follow it."""

    def __init__(self, content: mmap.mmap, at: int, n_values: int) -> None:
        if at < 0:
            raise IndexError("before the start")
        self.content, self.at, self.left = content, at, n_values

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def unsigned(self) -> int:
        """An integer of seven bits a byte, at most 64 bits."""
        value = 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise IndexError("no end of an integer")

    def integer(self) -> int:
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def structure(self) -> dict[int, Any]:
        """The values of a structure by the numbers of their fields."""
        found, number = {}, 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            found[number] = self.value(head & 0x0F)
        return found

    def value(self, kind: int) -> Any:
        """A value of this kind; None for a truth value, a fraction or a text, as none is needed."""
        self.left -= 1
        if self.left < 0:
            raise IndexError("too many values")
        match kind:
            case 1 | 2:  # a truth value, which is its kind
                return None
            case 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.integer()
            case 7 | 8:
                length = 8 if kind == 7 else self.unsigned()
                self.at += length - 1
                self.byte()  # fails beyond the end of the file
                return None
            case 9 | 10:
                head = self.byte()
                # In a list, a truth value has a byte of its own.
                inner = 3 if head & 0x0F in (1, 2) else head & 0x0F
                length = self.unsigned() if head >> 4 == 15 else head >> 4
                return [self.value(inner) for _ in range(length)]
            case 12:
                return self.structure()
            case _:
                raise IndexError("no such kind")
