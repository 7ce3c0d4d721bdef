"""The documentation as a site: it builds strictly, links lead somewhere, defaults are true."""

import html
import inspect
import re
from importlib.util import find_spec
from pkgutil import resolve_name
from urllib.parse import unquote, urlsplit

import pytest

from tests.commands import ROOT, python

pytestmark = pytest.mark.skipif(find_spec("mkdocs") is None, reason="no mkdocs: make extras")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    answer = python("-m", "mkdocs", "build", "--strict", "--site-dir", folder)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return folder


def test_links_and_pictures_of_the_site_lead_to_what_is_there(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: {*re.findall(r'\bid="([^"]+)"', text)} for path, text in pages.items()}
    dead, n_links = [], 0
    for path, text in pages.items():
        for link in {*re.findall(r'(?:href|src)="([^"]+)"', text)}:
            parts = urlsplit(html.unescape(link))
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_there = target.is_file()
            if target in anchors and parts.fragment:
                is_there = unquote(parts.fragment) in anchors[target]
            dead += [] if is_there else [(path.name, link)]
            n_links += 1
    assert n_links > 500
    assert not dead


def test_defaults_of_the_reference_are_those_of_the_signatures(site):
    wrong, n_defaults = [], 0
    for name, rows in parameters(site):
        of = resolve_name(name)
        signature = inspect.signature(of).parameters
        for parameter, rendered in rows:
            default = signature[parameter.lstrip("*")].default
            if default is inspect.Parameter.empty:
                is_right = rendered == ("{}" if parameter.startswith("**") else "required")
            else:
                is_right = eval(rendered, vars(inspect.getmodule(of))) == default
            wrong += [] if is_right else [(name, parameter, rendered, default)]
            n_defaults += 1
    assert n_defaults > 100
    assert not wrong


def parameters(site):
    """Each documented callable of the reference, and the name and default of its parameters."""
    page = (site / "docs" / "reference.html").read_text(encoding="utf-8")
    _, *parts = re.split(r'<h[3-6] id="([\w.]+)"', page)
    named = dict(zip(parts[::2], parts[1::2], strict=True))
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^::: (\S+)$", text, flags=re.MULTILINE)} <= {*named}
    for name, part in named.items():
        table = re.search(r"Parameters:</span>.*?</table>", part, flags=re.DOTALL)
        if table:
            rows = re.findall(r'<tr class="doc-section-item">(.*?)</tr>', table[0], flags=re.DOTALL)
            cells = [re.findall(r"<td>(.*?)</td>", row, flags=re.DOTALL) for row in rows]
            yield name, [(plain(row[0]), plain(row[-1])) for row in cells]


def plain(cell):
    """The text of a cell."""
    return html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
