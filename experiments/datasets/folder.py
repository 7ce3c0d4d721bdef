"""A local folder as a source: NAME.npz, .mat, .csv, .parquet or .arff, the first that is there."""

from pathlib import Path

from experiments.datasets import formats
from experiments.datasets.dataset import DataError
from experiments.datasets.verify import Raw


def find(home: Path, name: str) -> Path | None:
    """Return the file of `name` in `home`, or None.

    Raises
    ------
    DataError
        If `home` is not a folder.
    """
    if not home.is_dir():
        raise DataError(
            f"The data folder {home} does not exist; set data.home or MANIFEST_DATA to a folder "
            f"with files such as {name}.npz, or to nothing for a download"
        )
    files = (home / f"{name}{suffix}" for suffix in formats.READERS)
    return next((file for file in files if file.is_file()), None)


def read(file: Path) -> Raw:
    """Read X and labels from a file of one of the formats."""
    table = formats.read(file)
    return Raw(table.X, table.labels, table.feature_names, str(file))
