"""A loopback server and an impatient network; the `openml` package kept out of the user's home."""

from collections.abc import Iterator

import pytest

from experiments.datasets import download
from tests.experiments.datasets.loopback import LoopbackServer


@pytest.fixture(scope="session", autouse=True)
def _quiet_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    own = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(own))
        patch.setenv("OPENML_CACHE_DIR", str(own / "openml"))
        patch.setenv("MANIFEST_CACHE", str(own / "cache"))
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.delenv("OPENML_SKIP_PARQUET", raising=False)
        yield


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """An OpenML to which the `openml` package is pointed; two attempts of half a second each."""
    import openml

    running = LoopbackServer()
    monkeypatch.setattr(openml.config, "server", running.api)
    monkeypatch.setattr(
        download, "NETWORK", download.Network(timeout=0.5, attempts=2, first_wait=0.01)
    )
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    yield running
    running.close()
