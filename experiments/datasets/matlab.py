"""Numeric arrays of a MATLAB file, versions 5 to 7.

A damaged file can crash the process that gives it to scipy's reader, and a downloaded one comes
without a checksum. This reader takes dense real numbers only. It checks each length before use,
and the sizes that the file declares before it unpacks anything.
Format: MathWorks, "MAT-File Level 5 File Format".
"""

import math
import zlib
from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from experiments.datasets.dataset import Damaged
from experiments.datasets.limits import Limits

HEADER, TAG = 128, 8
LONGEST = 256  # bytes of a shape or a name; numpy has at most 64 dimensions
COMPRESSED, MATRIX = 15, 14
NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
# Classes of arrays, and the type that each is meant to have whatever it is stored as.
CLASSES = dict(enumerate(("f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"), start=6))
COMPLEX = 0x0800


def read_arrays(content: bytes, limits: Limits, where: str) -> dict[str, npt.NDArray]:
    """Return the dense real arrays in the file by name; others are left out.

    Raises
    ------
    DataError
        If its arrays would take more memory than the limit.
    Damaged
        If it is no such file, or damaged.
    """
    if content[:10] == b"MATLAB 7.3" or content[:8] == b"\x89HDF\r\n\x1a\n":
        raise Damaged("MATLAB 7.3 files cannot be read; save it with -v7")
    order = {b"IM": "<", b"MI": ">"}.get(content[126:HEADER])
    if order is None or content[124:126] not in (b"\x00\x01", b"\x01\x00"):
        raise Damaged("it is not a MATLAB file of version 5 to 7")
    arrays: dict[str, npt.NDArray] = {}
    for kind, data in _elements(memoryview(content)[HEADER:], order):
        used = sum(array.nbytes for array in arrays.values())
        if kind == COMPRESSED:
            kind, data = _unpacked(data, order, used, limits, where)
        if kind == MATRIX:
            name, array = _matrix(data, order, used, limits, where)
            if array is not None:
                arrays[name] = array
    return arrays


def _unpacked(
    data: memoryview, order: str, used: int, limits: Limits, where: str
) -> tuple[int, memoryview]:
    """Type and content of the element within a compressed one, of just the size it declares."""
    stream = zlib.decompressobj()
    try:
        tag = stream.decompress(data, TAG)
        if len(tag) < TAG:
            raise Damaged("a compressed part of it ends within a tag")
        kind, size = (int(v) for v in np.frombuffer(tag, dtype=f"{order}u4"))
        limits.allow(used + size, f"{where}: its arrays")
        # One byte more than declared, to see whether the stream goes on.
        content = stream.decompress(stream.unconsumed_tail, size + 1)
    except zlib.error as error:
        raise Damaged("a compressed part of it is damaged") from error
    if len(content) != size or not stream.eof:
        raise Damaged("a compressed part of it is not as long as it declares")
    return kind, memoryview(content)


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Yield type and content of each data element."""
    at = 0
    while at < len(data):
        if len(data) - at < TAG:
            raise Damaged("it ends within a tag")
        kind, size = (int(v) for v in np.frombuffer(data[at : at + TAG], dtype=f"{order}u4"))
        if kind >> 16:  # a small element: type and size share four bytes, four more are content
            kind, size, start, end = kind & 0xFFFF, kind >> 16, at + 4, at + TAG
        else:
            start = at + TAG
            end = start + (size if kind == COMPRESSED else -(-size // 8) * 8)
        if start + size > min(end, len(data)):
            raise Damaged("it ends within an array, or a length is wrong")
        yield kind, data[start : start + size]
        at = end


def _matrix(
    data: memoryview, order: str, used: int, limits: Limits, where: str
) -> tuple[str, npt.NDArray | None]:
    """Name and values of an array; None for one that is not dense, real and numeric."""
    parts = list(islice(_elements(data, order), 5))  # four, but a cell array has any number
    if len(parts) < 3 or [kind for kind, _ in parts[:3]] != [6, 5, 1] or len(parts[0][1]) != 8:
        raise Damaged("an array has no proper header")
    if max(len(parts[1][1]), len(parts[2][1])) > LONGEST:
        raise Damaged("the shape or the name of an array is too long")
    flags = int(np.frombuffer(parts[0][1][:4], dtype=f"{order}u4")[0])
    shape = np.frombuffer(parts[1][1], dtype=f"{order}i4").tolist()
    name = parts[2][1].tobytes().decode("latin-1")
    meant = CLASSES.get(flags & 0xFF)
    if meant is None or flags & COMPLEX:
        return name, None
    if len(parts) != 4 or parts[3][0] not in NUMBERS:
        raise Damaged(f"the array {name} has no proper content")
    values = np.frombuffer(parts[3][1], dtype=order + NUMBERS[parts[3][0]])
    if len(shape) < 2 or min(shape) < 0 or math.prod(shape) != values.size:
        raise Damaged(f"the array {name} should have shape {shape}, but holds {values.size}")
    limits.allow(used + 8 * values.size, f"{where}: its arrays")
    limits.allow_array(tuple(shape), f"{where}: the array {name}")
    return name, values.reshape(shape, order="F").astype(meant, copy=False)
