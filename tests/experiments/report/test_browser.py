"""The pages in a real browser: they sort and filter, and ask nobody for anything."""

import json
import os
import shutil
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from experiments.kinds import stored_facts
from experiments.report import pages
from experiments.run import run_experiment
from tests.experiments.conftest import CONFIGS, composed
from tests.experiments.kinds.test_select import QUICK, planted

RESULTS = CONFIGS.parent / "results"
#: A run for the pages that no committed rows give: an own table, and several data sets in a second.
RUNS = {
    "arena": (
        *("experiment=arena", "method=[manifest_regularized,anova,relieff]"),
        "protocol.n_train=[20,30,all]",
    ),
    "select": (
        *QUICK,
        "method=[anova,relieff]",
        "protocol.n_features=3",
        "protocol.n_repetitions=2",
    ),
}
#: Reports of committed rows, one for each kind of page.
STORED = [
    *("colon", "xor100", "mnist", "mnist_multiclass", "operators", "propositions"),
    *("recovery_few_samples", "colon_embedded"),
]
PAGES = ["index", *STORED, *RUNS]
#: All widths and themes that a page is looked at in.
LOOKS = [(width, theme) for width in (1280, 400) for theme in ("light", "dark")]
GROUND = "return getComputedStyle(document.body).backgroundColor"
SCREEN = 800

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
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
    service = webdriver.ChromeService(driver)
    with webdriver.Chrome(options=options, service=service) as started:
        started.set_script_timeout(300)
        yield started


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function from the name of a page to its path; each is made once."""

    @cache
    def path_of(name):
        """The front page, the report of committed rows, or that of a small run."""
        if name == "index":
            return RESULTS / "index.html"
        at = tmp_path_factory.mktemp(name)
        folder = at / "run"
        if name in STORED:
            shutil.copytree(RESULTS / name, folder)
            return pages.write(folder, stored_facts(folder))
        planted(24, 8, ["gene 0003", "gene 0005"], 4.0).to_csv(at / "a.csv")
        table = [f"dataset.path={at / 'a.csv'}"] if name == "select" else []
        overrides = ["profile=smoke", "workers=1", f"store={at / 'store'}", *table]
        assert run_experiment(composed(*RUNS[name], *overrides), folder) == 0
        return folder / "report.html"

    return path_of


@pytest.fixture
def opened(browser, made):
    """A function that opens a page, dark or light."""

    def opened(name, theme="light"):
        path = made(name)
        shown = Opened(browser)
        shown.looked_at(1280, theme)
        for kind in ("browser", "performance"):
            browser.get_log(kind)
        browser.get(path.as_uri())
        return shown

    return opened


class Opened:
    """A page in the browser, by the CSS selectors of its parts."""

    def __init__(self, browser):
        self.browser = browser

    def looked_at(self, width, theme):
        """From now on, at a width and dark or light."""
        size = {"width": width, "height": SCREEN, "deviceScaleFactor": 1, "mobile": False}
        scheme = [{"name": "prefers-color-scheme", "value": theme}]
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.run(script, selector)

    def asked(self):
        """The addresses that it has asked for."""
        log = self.browser.get_log("performance")
        told = (json.loads(one["message"])["message"] for one in log)
        sent = (one["params"] for one in told if one["method"] == "Network.requestWillBeSent")
        asked = (one["request"]["url"] for one in sent)
        return [url for url in asked if not url.startswith("data:")]


@pytest.mark.parametrize("name", PAGES, scope="module")
def test_a_page_shows_itself_at_every_width_and_asks_nobody(opened, made, name):
    """Only tables scroll sideways, and the first screen has the finding."""
    shown = opened(name)
    pictures = "article" if name == "index" else "figure"
    assert shown.count(f"{pictures} img") == shown.count(pictures) > 0
    grounds = set()
    for width, theme in LOOKS:
        shown.looked_at(width, theme)
        assert shown.run("return document.documentElement.scrollWidth") <= width
        ends = "return document.querySelector('h2.finding, .answer').getBoundingClientRect().bottom"
        assert shown.run(ends) <= SCREEN
        screens = shown.run("return document.documentElement.scrollHeight") / SCREEN
        assert name != "index" or width < 1280 or screens <= 4
        grounds.add((theme, shown.run(GROUND)))
    assert len(grounds) == 2
    assert shown.browser.get_log("browser") == []
    first, *others = shown.asked()
    assert first == made(name).as_uri()
    near = made(name).parent.as_uri()
    assert all(url.startswith(near) and url.endswith(".png") for url in others)
    assert name == "index" or not others
    assert made(name).stat().st_size < (1e6 if name == "index" else 5e6)


@pytest.mark.parametrize("name", PAGES, scope="module")
def test_contrast_names_and_alternative_texts(opened, name):
    """axe-core finds no fault, folded or unfolded."""
    modules = CONFIGS.parent / "node_modules"
    axe = Path(os.environ.get("AXE_CORE") or modules / "axe-core" / "axe.min.js")
    if not axe.is_file():
        pytest.skip("no axe-core: npm install --no-save axe-core, or AXE_CORE=PATH/axe.min.js")
    shown = opened(name)
    shown.run("document.querySelectorAll('details').forEach((e) => (e.open = true))")
    # Contrast is measured only of what is in view, so nothing scrolls and nothing is cut.
    shown.run(
        "document.head.insertAdjacentHTML('beforeend', '<style>*, .table .wide "
        "{ max-height: none !important }</style>')"
    )
    shown.run(axe.read_text("utf-8"))
    for look in LOOKS:
        shown.looked_at(*look)
        found = shown.browser.execute_async_script(
            "axe.run({resultTypes: ['violations'], preload: false}).then(arguments[0])"
        )
        wrong = [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found["violations"]]
        assert wrong == [], look
        assert "color-contrast" in {rule["id"] for rule in found["passes"]}


def test_an_alternative_text_states_the_result(opened):
    for name, words in (("xor100", "ManiFeSt finds"), ("colon", "ManiFeSt reaches")):
        alt = opened(name).run("return document.querySelector('figure img').alt")
        assert words in alt


@pytest.mark.parametrize(
    ("name", "heading"), [("index", "ours"), ("colon", "accuracy, %"), ("select", "effect")]
)
def test_a_table_sorts_by_numbers_both_ways(opened, name, heading):
    """Columns of numbers are in order after a click, and in the other one after a second."""
    shown = opened(name)
    rows = "document.querySelector('table')"
    heads = shown.run(f"return [...{rows}.tHead.rows[0].cells].map((c) => c.textContent)")
    column = heads.index(heading)
    values = (
        f"return [...{rows}.tBodies[0].rows]"
        f".map((r) => parseFloat(r.cells[{column}].dataset.key ?? r.cells[{column}].textContent))"
        ".filter((number) => !isNaN(number))"
    )
    before = shown.run(values)
    for sign in (1, -1):
        shown.run(f"{rows}.tHead.rows[0].cells[{column}].querySelector('button').click()")
        after = shown.run(values)
        assert after == sorted(before, reverse=sign < 0)
    assert shown.run(f"return {rows}.tHead.rows[0].cells[{column}].ariaSort") == "descending"


def test_claims_are_filtered_by_outcome_and_by_words(opened):
    shown = opened("index")
    claims = pd.read_csv(RESULTS / "claims.csv")
    visible = "#claims tbody tr:not([hidden])"
    n_differs = int((claims["outcome"] == "different").sum())
    assert shown.count(visible) == n_differs > 0
    shown.click("[data-choice='inconclusive']")
    both = claims["outcome"].isin(["different", "inconclusive"]).sum()
    assert shown.count(visible) == both
    for choice in ("different", "inconclusive"):
        shown.click(f"button[data-choice='{choice}']")
    assert shown.count(visible) == len(claims)
    filled = (
        "const i = document.querySelector('#claims input'); i.value = arguments[0];"
        "i.dispatchEvent(new Event('input'))"
    )
    shown.run(filled, "hypercube reproduced")
    texts = shown.texts(visible)
    assert texts
    assert all("Hypercube" in text and "reproduced" in text for text in texts)
    assert shown.texts("#claims output") == [f"{len(texts)} of {len(claims)} rows"]
    # An address that names a claim shows it, whatever has hidden it.
    name = claims.loc[claims["experiment"] == "xor100", "claim"].iloc[0]
    assert shown.run("return document.getElementById(arguments[0]).hidden", name)
    shown.run("location.hash = arguments[0]; dispatchEvent(new Event('hashchange'))", name)
    assert not shown.run("return document.getElementById(arguments[0]).hidden", name)


def test_the_switch_turns_dark_into_light(opened):
    shown = opened("xor100", theme="dark")
    dark = shown.run(GROUND)
    assert shown.texts("#theme") == ["Light"]
    shown.click("#theme")
    light = shown.run(GROUND)
    assert light != dark
    assert shown.texts("#theme") == ["Dark"]
    # What was chosen holds for the next page.
    assert opened("operators", theme="dark").run(GROUND) == light
    shown.run("localStorage.clear()")
