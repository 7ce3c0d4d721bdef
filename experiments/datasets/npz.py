"""Arrays of an .npz archive, checked against their declared sizes before they are unpacked.

numpy's own reader allocates what a header of a few bytes declares. Here, the archive's directory,
the header of the array and the limit must agree first. Nothing is unpickled or extracted.
"""

import io
import math
import zipfile
from collections.abc import Sequence

import numpy.typing as npt
from numpy.lib import format as npy

from experiments.datasets.dataset import Damaged
from experiments.datasets.limits import Limits

SUFFIX = ".npy"
HEADER_BYTES = 1 << 14  # numpy itself refuses headers of more than 10,000 characters
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def names(archive: zipfile.ZipFile) -> list[str]:
    """Return the names of the arrays in the archive."""
    return [name.removesuffix(SUFFIX) for name in archive.namelist() if name.endswith(SUFFIX)]


def read_arrays(
    archive: zipfile.ZipFile, chosen: Sequence[str], limits: Limits, where: str
) -> list[npt.NDArray]:
    """Return the arrays called `chosen`, each without a second copy in memory.

    Raises
    ------
    DataError
        If they would take more memory than the limit.
    Damaged
        If an array is not what the archive declares, or holds Python objects.
    """
    members = [archive.getinfo(name + SUFFIX) for name in chosen]
    limits.allow(sum(member.file_size for member in members), f"{where}: its arrays")
    return [_read(archive, member, limits, where) for member in members]


def _read(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, limits: Limits, where: str
) -> npt.NDArray:
    what = f"the array {member.filename.removesuffix(SUFFIX)}"
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # The standard library unpacks a whole block of any other kind at once, however large.
        raise Damaged(f"{what} is packed in a way that numpy does not use; write it by numpy.savez")
    with archive.open(member) as stream:
        shape, itemsize, start = _declared(stream.read(HEADER_BYTES), what)
    limits.allow_array(shape, f"{where}: {what}", itemsize)
    n_items = math.prod(shape)
    if start + n_items * itemsize != member.file_size or (n_items and not itemsize):
        raise Damaged(f"{what} is not as long as its header says")
    with archive.open(member) as stream:  # it ends at the size that the directory declares
        return npy.read_array(stream, allow_pickle=False)


def _declared(start: bytes, what: str) -> tuple[tuple[int, ...], int, int]:
    """Shape, bytes of an item and bytes of the header, as the header declares them."""
    header = io.BytesIO(start)
    try:
        shape, _, dtype = HEADERS[npy.read_magic(header)](header)
    except Exception as error:  # numpy's parser raises many kinds, not all of them its own
        raise Damaged(f"{what} has no proper header") from error
    if dtype.hasobject:
        raise Damaged(f"{what} holds Python objects, which could run code; save numbers and text")
    if any(size < 0 for size in shape):
        raise Damaged(f"{what} has no proper header")
    return shape, dtype.itemsize, header.tell()
