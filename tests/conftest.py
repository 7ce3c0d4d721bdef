"""Fixtures of all tests, the offline mirror of the data, and the order of the tests."""

import gc
import os
import signal
from importlib import metadata, util
from pathlib import Path

import pytest
from hypothesis import settings
from packaging.version import Version

# A test measures no time: a busy machine is no fault.
settings.register_profile("repository", deadline=None)
settings.load_profile("repository")

BESIDE_THE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def mirror() -> Path:
    """Folder with the real data sets, each NAME.npz; never part of the repository."""
    named = os.environ.get("MANIFEST_DATA")
    folder = Path(named) if named else BESIDE_THE_CHECKOUT
    if (folder / "index.json").is_file():
        return folder
    reason = f"no data mirror at {folder}; set MANIFEST_DATA to a folder with NAME.npz files"
    if os.environ.get("CI"):
        pytest.fail(f"CI must have the data: {reason}")
    pytest.skip(reason)


def pytest_configure() -> None:
    """Make short runs short; the processes that tests start do the same.

    Hundreds of runs start here, and each would compile all modules anew if they were not kept. What
    jax compiles runs for less time than its compilation takes; without fusion it takes half of it.
    Threads of a library in each of several workers wait for one another most of the time.
    """
    for library in ("OPENBLAS", "OMP", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    gc.set_threshold(100_000, 20, 20)  # All objects of the libraries are looked at less often.
    # A newer jaxlib ends the process at this flag.
    if util.find_spec("jaxlib") and Version(metadata.version("jaxlib")) < Version("0.11"):
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false")
    # What a shell starts in the background ignores interrupts, and the runs of tests would, too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests come first: no worker is idle at the end.

    No filter warns, not even in a library that it calls.
    """
    for item in items:
        if "baselines" in item.path.parts and "embedded" not in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("error"))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
