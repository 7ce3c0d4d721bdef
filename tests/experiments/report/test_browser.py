"""The pages in a real browser: they sort and filter, and ask nobody for anything."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.kinds import stored_facts
from experiments.report.claims import compare
from experiments.report.html import page
from experiments.runner import run_experiment
from tests.experiments.conftest import CONFIGS, SMALL, composed, small_table
from tests.experiments.kinds.test_select import QUICK, planted

ROOT = CONFIGS.parent
SVM = ["protocol.log2_C=[1]", "protocol.log2_gamma=[-11,-8]"]
#: Kind -> a run of it that takes about a second.
RUNS = {
    "accuracy": [
        *(*SMALL, "method=[anova,gini,manifest]", "protocol.readings=[paper,nested]"),
        *("protocol.inner_folds=2", "protocol.grid_size=1", "protocol.sizes=[1,4,12]"),
    ],
    "recovery": ["experiment=toy", "protocol.n_repetitions=2"],
    "few_samples": ["experiment=mnist_multiclass", "method=[anova,random]", *SVM],
    "cone": ["experiment=operators"],
    "images": ["experiment=mnist"],
    "propositions": [
        "experiment=propositions",
        "~protocol.datasets.mnist",
        "~protocol.datasets.madelon",
        "protocol.max_features=10",
    ],
    "select": [
        *QUICK,
        "method=[anova,relieff]",
        "protocol.n_features=3",
        "protocol.n_repetitions=2",
    ],
}
PAGES = ["front", *RUNS]
GROUND = "return getComputedStyle(document.body).backgroundColor"
DATA_OF_THE_MIRROR = ("images", "propositions")

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
    started = webdriver.Chrome(options=options, service=service)
    yield started
    started.quit()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A function from the name of a page to its path; each is made once."""
    found: dict[str, Path] = {}

    def path_of(name, mirror=None):
        if name not in found:
            folder = tmp_path_factory.mktemp(name)
            found[name] = front(folder) if name == "front" else report(folder, name, mirror)
        return found[name]

    return path_of


def front(folder):
    """The front page of the results of this repository."""
    results = ROOT / "results"
    path = folder / "index.html"
    for stored in results.glob("*/provenance.json"):
        (folder / stored.parent.name).symlink_to(stored.parent)
    text = page(compare(results / "paper.yaml", results), results, stored_facts)
    path.write_text(text, "utf-8")
    return path


def report(folder, kind, mirror):
    """The report of a small run of a kind."""
    overrides = [*RUNS[kind], "profile=smoke", "workers=0", f"store={folder / 'store'}"]
    if kind == "accuracy":
        overrides.append(f"dataset.path={small_table(folder)}")
    elif kind == "select":
        planted(24, 8, ["gene 0003", "gene 0005"], 4.0).to_csv(folder / "a.csv")
        overrides.append(f"dataset.path={folder / 'a.csv'}")
    elif mirror is not None:
        overrides.append(f"data.home={mirror}")
    assert run_experiment(composed(*overrides), folder / "run") == 0
    return folder / "run" / "report.html"


@pytest.fixture
def opened(browser, made, request):
    """A function that opens a page at a width, dark or light."""

    def opened(name, width=1280, theme="light"):
        mirror = request.getfixturevalue("mirror") if name in DATA_OF_THE_MIRROR else None
        path = made(name, mirror)
        shown = Opened(browser)
        shown.looked_at(width, theme)
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
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        scheme = [{"name": "prefers-color-scheme", "value": theme}]
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def click(self, selector, number=0):
        self.run("document.querySelectorAll(arguments[0])[arguments[1]].click()", selector, number)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.run(script, selector)

    def asked(self):
        """The addresses that it has asked for."""
        told = [
            json.loads(one["message"])["message"] for one in self.browser.get_log("performance")
        ]
        sent = [one for one in told if one["method"] == "Network.requestWillBeSent"]
        asked = [one["params"]["request"]["url"] for one in sent]
        return [url for url in asked if not url.startswith("data:")]


@pytest.mark.parametrize("name", PAGES, scope="module")
def test_a_page_shows_itself_at_every_width_and_asks_nobody(opened, made, name):
    shown = opened(name)
    pictures = "article" if name == "front" else "figure"
    assert shown.count(f"{pictures} img") == shown.count(pictures) > 0
    grounds = set()
    for width in (1280, 400):
        for theme in ("light", "dark"):
            shown.looked_at(width, theme)
            assert shown.run("return document.documentElement.scrollWidth") <= width
            grounds.add((theme, shown.run(GROUND)))
    assert len(grounds) == 2
    assert shown.browser.get_log("browser") == []
    first, *pictures = shown.asked()
    assert first == made(name).as_uri()
    beside = [
        url.startswith(made(name).parent.as_uri()) and url.endswith(".png") for url in pictures
    ]
    assert all(beside)
    assert name == "front" or not pictures
    assert made(name).stat().st_size < (1e6 if name == "front" else 5e6)


@pytest.mark.parametrize("name", PAGES, scope="module")
def test_contrast_names_and_alternative_texts(opened, name):
    """What axe-core finds wrong: nothing; contrasts also where it is dark and narrow."""
    axe = Path(os.environ.get("AXE_CORE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
    if not axe.is_file():
        pytest.skip("no axe-core: npm install --no-save axe-core, or AXE_CORE=PATH/axe.min.js")
    shown = opened(name)
    shown.run("document.querySelectorAll('details').forEach((e) => (e.open = true))")
    shown.run(axe.read_text("utf-8"))
    for width, theme, rules in (
        (1280, "light", {}),
        (400, "dark", {"runOnly": ["color-contrast"]}),
    ):
        shown.looked_at(width, theme)
        options = {"resultTypes": ["violations"], "preload": False, **rules}
        found = shown.browser.execute_async_script(
            "axe.run(arguments[0]).then(arguments[arguments.length - 1])", options
        )
        wrong = [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in found["violations"]]
        assert wrong == []
        assert {"color-contrast"} <= {rule["id"] for rule in found["passes"]}


def test_an_alternative_text_states_the_result(opened):
    labels = "return [...document.querySelectorAll('figure img')].map((e) => e.alt)"
    (text,) = opened("recovery").run(labels)
    assert "ManiFeSt finds" in text
    for label in opened("accuracy").run(labels):
        assert "ManiFeSt reaches" in label


@pytest.mark.parametrize(("name", "table"), [("front", 0), ("accuracy", 0), ("select", 0)])
def test_a_table_sorts_by_numbers_both_ways(opened, name, table):
    """Columns of numbers are in order after a click, and in the other one after a second."""
    shown = opened(name)
    rows = f"document.querySelectorAll('table')[{table}]"
    heads = shown.run(f"return [...{rows}.tHead.rows[0].cells].map((c) => c.textContent)")
    known = {"front": "ours", "accuracy": "accuracy, %", "select": "score"}[name]
    column = heads.index(known)
    values = (
        f"return [...{rows}.tBodies[0].querySelectorAll('tr:not(.total)')]"
        f".map((r) => parseFloat(r.cells[{column}].dataset.key ?? r.cells[{column}].textContent))"
    )
    before = shown.run(values)
    for sign in (1, -1):
        shown.run(f"{rows}.tHead.rows[0].cells[{column}].querySelector('button').click()")
        after = shown.run(values)
        assert sorted(after) == sorted(before)
        assert after == sorted(before, reverse=sign < 0)
    assert shown.run(f"return {rows}.tHead.rows[0].cells[{column}].ariaSort") == "descending"


def test_claims_are_filtered_by_outcome_and_by_words(opened):
    shown = opened("front")
    claims = pd.read_csv(ROOT / "results" / "claims.csv")
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
    shown = opened("recovery", theme="dark")
    dark = shown.run(GROUND)
    assert shown.texts("#theme") == ["Light"]
    shown.click("#theme")
    light = shown.run(GROUND)
    assert light != dark
    assert shown.texts("#theme") == ["Dark"]
    # What was chosen holds for the next page.
    assert opened("cone", theme="dark").run(GROUND) == light
    shown.run("localStorage.clear()")


def test_the_answer_has_all_its_figures(opened):
    shown = opened("select")
    assert shown.count("figure") == 3
    table = shown.run(
        "return [...document.querySelectorAll('table')].find((t) => "
        "t.caption.textContent.startsWith('Features in common')).innerText"
    )
    numbers = np.array([line.split("\t")[1:] for line in table.splitlines()[-2:]], dtype=float)
    np.testing.assert_array_equal(numbers, numbers.T)
    assert (np.diag(numbers) == 100).all()
