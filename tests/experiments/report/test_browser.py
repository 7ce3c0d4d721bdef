"""A page in a real browser: it fits two widths, and asks nobody for anything."""

import json
import shutil

import pytest

from experiments.kinds import stored_facts
from experiments.report import pages
from tests.experiments.conftest import CONFIGS

pytestmark = pytest.mark.slow


@pytest.fixture
def browser():
    """Headless Chromium, which tells what it logs and whom it asks."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no chromium and chromedriver on the path")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(driver)) as started:
        yield started


def test_a_page_fits_every_width_and_asks_nobody(browser, tmp_path):
    """Only tables scroll sideways."""
    folder = tmp_path / "run"
    shutil.copytree(CONFIGS.parent / "results" / "colon", folder)
    path = pages.write(folder, stored_facts(folder))
    browser.get(path.as_uri())
    for width in (1280, 400):
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
    assert browser.get_log("browser") == []
    told = (json.loads(one["message"])["message"] for one in browser.get_log("performance"))
    sent = (one["params"] for one in told if one["method"] == "Network.requestWillBeSent")
    asked = [one["request"]["url"] for one in sent]
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
