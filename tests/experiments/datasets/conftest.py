"""A loopback server and an impatient network; caches out of the user's home."""

from collections.abc import Iterator

import pytest

from experiments.datasets import loading
from experiments.datasets.sources import Network
from tests.experiments.datasets.loopback import LoopbackServer


@pytest.fixture(scope="session", autouse=True)
def _quiet_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANIFEST_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    """A server in the place of OpenML's; two attempts of half a second each."""
    running = LoopbackServer()
    monkeypatch.setattr(loading, "NETWORK", Network(running.api, 0.5, 2, 0.01))
    monkeypatch.delenv("MANIFEST_DATA", raising=False)
    yield running
    running.close()
