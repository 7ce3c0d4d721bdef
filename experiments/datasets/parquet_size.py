"""How much a Parquet file declares, read from its footer and from the headers of its pages.

pyarrow unpacks each page to what its header declares, which need not be what the footer says. And
its own functions for these numbers end the whole process where a footer is damaged.
Format: Apache Parquet, `FileMetaData` and `PageHeader` in Thrift's compact protocol.
"""

import mmap
from collections.abc import Iterator
from pathlib import Path

from experiments.datasets.dataset import Damaged

MAGIC = b"PAR1"
# Fields by their numbers in the format.
FILE_ROWS, FILE_GROUPS = 3, 4
GROUP_COLUMNS, GROUP_ROWS = 1, 3
COLUMN_META = 3
VALUES, PACKED, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11
PAGE_UNPACKED, PAGE_PACKED = 2, 3


def declared_size(path: Path) -> tuple[int, int]:
    """Return the number of rows, and of bytes that all pages together unpack to.

    Raises
    ------
    Damaged
        If the parts of the file contradict one another.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise Damaged("it is not a Parquet file, or its start is missing")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if content[-len(MAGIC) :] != MAGIC:
                raise Damaged("it is not a whole Parquet file: its end is missing")
            length = int.from_bytes(content[-8:-4], "little")
            try:
                return _of_file(content, len(content) - 8 - length)
            except (IndexError, RecursionError, KeyError) as error:
                raise Damaged("its footer or a page of it is damaged") from error


def _of_file(content: mmap.mmap, start: int) -> tuple[int, int]:
    footer = Compact(content, start)
    n_rows = n_found = n_bytes = n_packed = 0
    for field, kind in footer.fields():
        if field == FILE_ROWS:
            n_rows = footer.integer()
        elif field == FILE_GROUPS:
            for _ in range(footer.length()):
                rows, unpacked, packed = _of_group(footer, content)
                n_found, n_bytes, n_packed = n_found + rows, n_bytes + unpacked, n_packed + packed
                if n_packed > len(content):
                    raise Damaged("its columns are longer than the file")
        else:
            footer.skip(kind)
    if n_rows != n_found:
        raise Damaged(f"its parts have {n_found} rows, but it declares {n_rows}")
    return n_rows, n_bytes


def _of_group(footer: "Compact", content: mmap.mmap) -> tuple[int, int, int]:
    """Rows, bytes unpacked and bytes packed of a group of rows."""
    n_rows, unpacked, packed, n_values = 0, 0, 0, set()
    for field, kind in footer.fields():
        if field == GROUP_ROWS:
            n_rows = footer.integer()
        elif field == GROUP_COLUMNS:
            for _ in range(footer.length()):
                column = footer.numbers(within=COLUMN_META)
                n_values.add(column[VALUES])
                if not 0 <= column[PACKED] <= len(content) - packed:
                    raise Damaged("its columns are longer than the file")
                packed += column[PACKED]
                unpacked += _of_pages(content, column)
        else:
            footer.skip(kind)
    if n_values - {n_rows}:
        raise Damaged("not every column of it has one value a row")
    return n_rows, unpacked, packed


def _of_pages(content: mmap.mmap, column: dict[int, int]) -> int:
    # A column without rows may have a dictionary only; no page starts at 0.
    offsets = column[DATA_PAGE], column.get(DICTIONARY_PAGE, 0)
    start = min(filter(None, offsets), default=0)
    page, total = Compact(content, start), 0
    while page.at < start + column[PACKED]:
        header = page.numbers()
        if min(header[PAGE_UNPACKED], header[PAGE_PACKED]) < 0:
            raise Damaged("a page of it has no proper header")
        total += header[PAGE_UNPACKED]
        page.at += header[PAGE_PACKED]
    return total


class Compact:
    """A position in bytes that are written in Thrift's compact protocol."""

    def __init__(self, content: mmap.mmap, at: int) -> None:
        if at < 0:
            raise IndexError("before the start")
        self.content, self.at = content, at

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def unsigned(self) -> int:
        """An integer of seven bits a byte, at most 64 bits."""
        value = self.byte()
        if value < 0x80:
            return value
        value &= 0x7F
        for shift in range(7, 70, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise IndexError("no end of an integer")

    def integer(self) -> int:
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and kind of each field of a structure; its value must be read before the next."""
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            yield number, head & 0x0F

    def length(self) -> int:
        """The number of items of a list, which here are structures."""
        head = self.byte()
        return self.unsigned() if head >> 4 == 15 else head >> 4

    def numbers(self, within: int | None = None) -> dict[int, int]:
        """The integers of a structure by their fields, or of the structure in one of its fields."""
        found = {}
        for field, kind in self.fields():
            if field == within:
                found = self.numbers()
            elif kind in (4, 5, 6) and within is None:
                found[field] = self.integer()
            else:
                self.skip(kind)
        return found

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        match kind:
            case 1 | 2:  # a truth value, which is its kind
                pass
            case 3:
                self.at += 1
            case 4 | 5 | 6:
                self.unsigned()
            case 7:
                self.at += 8
            case 8:  # after the length, which is read first
                length = self.unsigned()
                self.at += length
            case 9 | 10:
                head = self.byte()
                for _ in range(self.unsigned() if head >> 4 == 15 else head >> 4):
                    # In a list, a truth value has a byte of its own.
                    self.skip(3 if head & 0x0F in (1, 2) else head & 0x0F)
            case 12:
                for _, inner in self.fields():
                    self.skip(inner)
            case _:
                raise IndexError("no such kind")
