"""A figure as SVG inside a page, and which of its curves belong to which entry of its legend."""

import re
from io import StringIO
from itertools import chain
from typing import NamedTuple

import matplotlib
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch


class Entry(NamedTuple):
    """An entry of a legend: its text, its colour, and the class of the curves that it switches."""

    label: str
    color: str
    key: str


class Inline(NamedTuple):
    """A figure for a page.

    Attributes
    ----------
    svg : str
        The element, without what stands before it in a file.
    entries : list of Entry
    width : int
        In pixels of CSS.
    """

    svg: str
    entries: list[Entry]
    width: int


class _Look(NamedTuple):
    color: str
    marker: str
    line: str


def inline(figure: Figure, name: str) -> Inline:
    """Draw a figure as SVG.

    A curve belongs to the entry of the legend that has its colour and its marker; where two entries
    share both, the kind of line decides. Entries without curves switch nothing and are left out.

    Parameters
    ----------
    figure : Figure
    name : str
        What tells the figure from others on the same page; names inside the SVG begin with it.
    """
    entries = _mark(figure, name)
    buffer = StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    # Names that are only told apart inside this figure: two figures on a page would share them.
    known = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg))
    svg = re.sub(rf'<g id="{re.escape(name)}-(\d+)-\d+"', rf'<g class="{name}-\1"', svg)
    svg = re.sub(r' id="([^"]*)"', lambda m: m[0] if m[1] in known else "", svg)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    width = round(96 * figure.get_figwidth())
    return Inline(re.sub(r' (?:width|height)="[\d.]+pt"', "", svg), entries, width)


def _mark(figure: Figure, name: str) -> list[Entry]:
    """Name the curves of a figure by their entries of the legend; the entries that have any."""
    legends = [*figure.legends, *(legend for axis in figure.axes if (legend := axis.get_legend()))]
    looks: dict[_Look, str] = {}
    for legend in legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=False):
            if handle is not None and (look := _look(handle)):
                looks.setdefault(look, text.get_text().replace(r"\$", "$"))
    curves = chain.from_iterable((*a.lines, *a.collections, *a.patches) for a in figure.axes)
    found: dict[_Look, int] = {}
    for artist in curves:
        look = _match(_look(artist), list(looks))
        if look is not None:
            found[look] = found.get(look, 0) + 1
            artist.set_gid(f"{name}-{list(looks).index(look)}-{found[look]}")
    if len(found) < 2:
        return []
    return [
        Entry(label, look.color, f"{name}-{number}")
        for number, (look, label) in enumerate(looks.items())
        if look in found
    ]


def _match(look: _Look | None, looks: list[_Look]) -> _Look | None:
    """The entry of the legend that a curve belongs to."""
    if look is None:
        return None
    near = [each for each in looks if each.color == look.color]
    near = [each for each in near if each.marker == look.marker or not look.marker] or near
    if len({each.marker for each in near}) == 1 < len(near):
        near = [each for each in near if each.line == look.line] or near
    return near[0] if near else None


def _look(artist: Artist) -> _Look | None:
    """Colour, marker and kind of line; None where there is no one colour."""
    if isinstance(artist, Line2D):
        marker, line = str(artist.get_marker()), str(artist.get_linestyle())
        marker = "" if marker in ("None", "none", " ", "") else marker
        return _Look(to_hex(artist.get_color()), marker, line)
    if isinstance(artist, Patch):
        return _Look(to_hex(artist.get_facecolor()), "", "")
    if isinstance(artist, Collection) and artist.get_array() is None:
        faces = artist.get_facecolor()
        colors = faces if len(faces) else artist.get_edgecolor()
        if len(colors) == 1:
            return _Look(to_hex(colors[0]), "", "")
    return None
