"""Caches out of the user's home, and no proxy before a server on this machine."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def _quiet_environment(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANIFEST_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield
