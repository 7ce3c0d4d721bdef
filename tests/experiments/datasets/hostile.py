"""Small files that declare or hold far more than they should, one function each.

All of them would take at least 128 MiB; `LIMIT` is a tenth of a GiB.
"""

import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.lib import format as npy

LIMIT = 0.1
MIB = 1 << 20
N = 128 * MIB
MEMORY = r"takes more memory than data\.max_gib=0\.1 allows; set data\.max_gib higher if you trust"
#: What is said of a file: it does not fit; it is damaged, so that a higher limit would not help;
#: or its texts, held once, fit, and it is refused for what they say.
TOO_LARGE = rf"{MEMORY}|it ended the process that read it .* data\.max_gib=0\.1 allows"
LIES = "cannot be read: it is damaged|: expected X"
FITS = "have a single sample|no column called 'y'"
#: Name -> the suffix of a file, the function that writes it, and what is said of it.
FILES: dict[str, tuple[str, Callable[[Path], None], str]] = {}


def hostile(suffix: str, said: str = TOO_LARGE) -> Callable:
    """List a function among the files."""

    def listed(write: Callable[[Path], None]) -> Callable[[Path], None]:
        FILES[write.__name__] = suffix, write, said
        return write

    return listed


def _header(shape: tuple[int, ...], descr: str = "|i1") -> bytes:
    text = io.BytesIO()
    npy.write_array_header_1_0(text, {"descr": descr, "fortran_order": False, "shape": shape})
    return text.getvalue()


def _npz(path: Path, X: bytes, zeros: int = 0, **more: bytes) -> None:
    labels = io.BytesIO()
    np.save(labels, np.arange(4) % 2)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in {"y": labels.getvalue(), **more}.items():
            archive.writestr(f"{name}.npy", content)
        with archive.open("X.npy", "w") as file:
            file.write(X)
            for _ in range(zeros // MIB):
                file.write(bytes(MIB))


@hostile(".npz")
def packed_npz(path: Path) -> None:
    _npz(path, _header((4, N // 4)), N)


@hostile(".npz")
def npz_with_a_lying_header(path: Path) -> None:
    _npz(path, _header((10**6, 10**6), "<f8"))


def _declare(path: Path, size: int, content: bytes) -> None:
    """Let the directory say that X has so many bytes, which start like this."""
    archive = bytearray(path.read_bytes())
    entry = archive.rindex(b"PK\x01\x02")
    checksum = zlib.crc32(content.ljust(size, b"\0")) if size < MIB else 0
    archive[entry + 16 : entry + 20] = checksum.to_bytes(4, "little")
    archive[entry + 24 : entry + 28] = size.to_bytes(4, "little")
    path.write_bytes(archive)


@hostile(".npz", LIES)
def npz_with_a_lying_directory(path: Path) -> None:
    """The directory says 1000 bytes, the header 4 MiB, and the packed stream has more."""
    _npz(path, _header((4, MIB)), N)
    _declare(path, 1000, _header((4, MIB)))


@hostile(".npz", LIES)
def npz_with_a_huge_directory_size(path: Path) -> None:
    _npz(path, _header((4, 10**9 - 1)))
    _declare(path, 4 * 10**9, b"")


@hostile(".npz")
def npz_of_long_names(path: Path) -> None:
    names = _header((2,), f"<U{N // 8}") + bytes(N)
    _npz(path, _header((4, 2)) + bytes(8), feature_names=names)


@hostile(".npz")
def npz_without_a_value(path: Path) -> None:
    _npz(path, _header((4, 0)), feature_names=_header((10**12,), "<U0"))


@hostile(".npz", LIES)
def npz_of_endless_rows_without_features(path: Path) -> None:
    _npz(path, _header((10**12, 0)))


def _element(kind: int, content: bytes) -> bytes:
    padded = content + bytes(-len(content) % 8)
    return np.array([kind, len(content)], "<u4").tobytes() + padded


def _matrix_head(shape: tuple[int, int], size: int) -> bytes:
    """An array X of int8 up to its values."""
    flags = _element(6, np.array([8, 0], "<u4").tobytes())
    head = flags + _element(5, np.array(shape, "<i4").tobytes()) + _element(1, b"X")
    values = np.array([1, size], "<u4").tobytes()
    return np.array([14, len(head) + 8 + size], "<u4").tobytes() + head + values


def _mat(path: Path, *parts: bytes) -> None:
    packed = zlib.compressobj(1)
    content = b"".join([packed.compress(part) for part in parts] + [packed.flush()])
    start = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    path.write_bytes(start + np.array([15, len(content)], "<u4").tobytes() + content)


@hostile(".mat")
def packed_mat(path: Path) -> None:
    _mat(path, _matrix_head((4, N // 4), N), *[bytes(MIB)] * (N // MIB))


@hostile(".mat", LIES)
def mat_that_goes_on(path: Path) -> None:
    """It declares an array of 16 bytes, and the packed stream does not end there."""
    _mat(path, _matrix_head((4, 4), 16), *[bytes(MIB)] * (N // MIB))


@hostile(".mat")
def mat_with_a_lying_size(path: Path) -> None:
    _mat(path, _matrix_head((4, 10**9 - 40), 4 * 10**9 - 160))


@hostile(".mat", LIES)
def mat_of_many_dimensions(path: Path) -> None:
    """The list of its dimensions would be far longer than the file."""
    flags = _element(6, np.array([8, 0], "<u4").tobytes())
    size = 16 * MIB
    head = flags + np.array([5, size], "<u4").tobytes()
    name = _element(1, b"X")
    start = np.array([14, len(head) + size + len(name)], "<u4").tobytes()
    _mat(path, start + head, *[bytes(MIB)] * 16, name)


@hostile(".mat", LIES)
def mat_of_many_cells(path: Path) -> None:
    """Each cell would be an object of its own; such an array is left out."""
    flags = _element(6, np.array([1, 0], "<u4").tobytes())
    head = flags + _element(5, np.array([1, 2 * MIB], "<i4").tobytes()) + _element(1, b"X")
    size = len(head) + 16 * MIB
    _mat(path, np.array([14, size], "<u4").tobytes() + head, *[bytes(MIB)] * 16)


@hostile(".parquet")
def parquet_of_equal_rows(path: Path) -> None:
    """A column of equal values takes a few bytes, however long it is."""
    n = MIB
    table = pa.table({"a": np.zeros(n), "b": np.zeros(n), "y": np.arange(n) % 2 == 0})
    with pyarrow.parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(10):
            writer.write_table(table)


@hostile(".parquet", FITS)
def parquet_with_a_long_label(path: Path) -> None:
    labels = pa.array(["a" * MIB] + ["b"] * 999)
    pyarrow.parquet.write_table(pa.table({"a": np.zeros(1000), "y": labels}), path)


@hostile(".parquet")
def parquet_of_packed_text(path: Path) -> None:
    """Every row has a long text, and all of them pack to a few kilobytes."""
    labels = pa.array(["a" * MIB] * (N // MIB))
    table = pa.table({"a": np.zeros(len(labels)), "y": labels})
    pyarrow.parquet.write_table(
        table, path, compression="zstd", use_dictionary=False, write_statistics=False
    )


@hostile(".parquet")
def parquet_with_a_lying_footer(path: Path) -> None:
    """The footer declares nothing, the headers of the pages more than the limit."""
    parquet_of_packed_text(path)
    group = pyarrow.parquet.read_metadata(path).row_group(0)
    content = path.read_bytes()
    for size in (group.column(1).total_uncompressed_size, group.total_byte_size):
        content = content.replace(_varint(2 * size, 0), _varint(0, len(_varint(2 * size, 0))))
    path.write_bytes(content)
    group = pyarrow.parquet.read_metadata(path).row_group(0)
    assert group.total_byte_size == group.column(1).total_uncompressed_size == 0


def _varint(value: int, length: int) -> bytes:
    """Seven bits a byte, of at least this length."""
    digits: list[int] = []
    while value >= 0x80 or len(digits) < length - 1:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*digits, value])


@hostile(".arff")
def sparse_arff(path: Path) -> None:
    head = "".join(f"@attribute a{column} real\n" for column in range(2000))
    path.write_text(f"@relation r\n{head}@attribute y {{0, 1}}\n@data\n" + "{}\n" * 20_000)


@hostile(".arff", FITS)
def arff_with_a_long_label(path: Path) -> None:
    rows = f"1,{'a' * 130_000}\n" + "1,b\n" * 1000
    path.write_text("@relation r\n@attribute a real\n@attribute y string\n@data\n" + rows)


@hostile(".csv", FITS)
def csv_with_a_long_label(path: Path) -> None:
    path.write_text(f"a,y\n1,{'a' * MIB}\n" + "1,b\n" * 1000)


@hostile(".csv", FITS)
def csv_of_short_columns(path: Path) -> None:
    names = ",".join(f"g{column}" for column in range(40_000))
    path.write_text("\n" + names + "\n" + ("0," * 39_999 + "1\n") * 2)


@hostile(".csv")
def file_of_nothing(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(N)
