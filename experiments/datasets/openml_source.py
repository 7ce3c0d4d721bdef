"""OpenML as a source, through the `openml` package, with limits on time and size.

The package has no time-out, keeps whatever it wrote in its cache, and prefers a Parquet file
without a checksum over the ARFF with one. So each call gets a cache folder of its own that is
gone afterwards, sessions that keep to the limits, and ARFF. Two processes never share a file. The
server is the one in the user's configuration of the package.
"""

import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import requests

from experiments.datasets import formats
from experiments.datasets.dataset import DataError
from experiments.datasets.download import PermanentError, Session, Transfer, persist
from experiments.datasets.limits import LIMITS, Limits
from experiments.datasets.table import Table

log = logging.getLogger(__name__)
MISREAD = (KeyError, TypeError, ValueError)  # what the package makes of an answer of another kind
ONE_AT_A_TIME = threading.Lock()  # the package's configuration is global


def fetch(
    number: int,
    *,
    limits: Limits = LIMITS,
    expected: int | None = None,
    progress: bool = False,
) -> tuple[Table, str]:
    """Return the table with this number, and where it is. Labels stay as they are written.

    Parameters
    ----------
    number : int
    limits : Limits
        How long the download may take, and how much memory the table.
    expected : int, optional
        How many bytes the ARFF should have; see `Transfer`.
    progress : bool
        Whether to show a bar.

    Raises
    ------
    DataError
        If it cannot be had within the limits, its MD5 is wrong, or the ARFF is damaged.
    """
    import openml
    from openml.exceptions import OpenMLServerException, PyOpenMLError

    with (
        ONE_AT_A_TIME,
        tempfile.TemporaryDirectory() as scratch,
        Transfer(limits, expected) as transfer,
        _configured(scratch, partial(Session, transfer, progress)),
    ):
        where = f"OpenML data set {number} at {openml.config.get_server_base_url()}"

        def attempt() -> Any:
            try:
                return openml.datasets.get_dataset(
                    number,
                    download_data=True,
                    download_qualities=False,
                    download_features_meta_data=False,
                )
            except OpenMLServerException as error:  # the server says what is wrong
                if error.code == openml._api_calls.DATABASE_CONNECTION_ERRCODE:
                    raise  # it is overloaded
                raise PermanentError(str(error)) from error

        dataset = persist(attempt, (PyOpenMLError, OSError, *MISREAD), transfer)
        ignored = [*(dataset.ignore_attribute or ()), *filter(None, [dataset.row_id_attribute])]
        path = Path(dataset.data_file)
        try:
            target = dataset.default_target_attribute
            table = formats.read(path, target, ignore=ignored, limits=limits)
        except DataError as error:
            raise DataError(str(error).replace(str(path), "its ARFF")) from error
    return table, where


@contextmanager
def _configured(scratch: str, session: Callable[[], Session]) -> Iterator[None]:
    """Let the package use `scratch`, ARFF and these sessions; put everything back at the end."""
    import openml

    config: Any = openml.config
    calls: Any = openml._api_calls
    before = (config._root_cache_directory, config.connection_n_retries)
    modules = (calls.requests, calls.logging)
    parquet = os.environ.get("OPENML_SKIP_PARQUET")

    try:
        config.set_root_cache_directory(scratch)
        config.connection_n_retries = 1
        calls.requests = SimpleNamespace(
            Session=session,
            exceptions=requests.exceptions,
            codes=requests.codes,
            utils=requests.utils,
            Response=requests.Response,
        )
        # It warns through the root logger of every answer that is not compressed.
        calls.logging = SimpleNamespace(info=log.debug, warning=log.debug)
        os.environ["OPENML_SKIP_PARQUET"] = "true"
        yield
    finally:
        config.set_root_cache_directory(before[0])
        config.connection_n_retries = before[1]
        calls.requests, calls.logging = modules
        if parquet is None:
            del os.environ["OPENML_SKIP_PARQUET"]
        else:
            os.environ["OPENML_SKIP_PARQUET"] = parquet
