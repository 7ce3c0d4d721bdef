"""ARFF in the dialects that Weka writes and reads; every value stays a text."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from experiments.datasets.columns import Columns
from experiments.datasets.dataset import Damaged
from experiments.datasets.wording import shown, some

STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
QUOTED = re.compile(STRING)
ATTRIBUTE = re.compile(rf"@attribute\s+({STRING}|[^\s{{]+)\s*(.*)", re.IGNORECASE | re.DOTALL)
NOMINAL = re.compile(rf"\{{((?>{STRING}|[^}}])*+)\}}", re.DOTALL)
PAIR = re.compile(rf"(?:{STRING}|[^,])+")
WEIGHT = re.compile(r"[,\t]\s*\{\s*[-+.\deE]+\s*\}\s*$")
NUMBERS = ("numeric", "real", "integer")
KINDS = (*NUMBERS, "string", "date")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Attribute(NamedTuple):
    """The name of an attribute, its type, and its values if it is nominal."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


def parse(text: str) -> Columns:
    """The columns of an ARFF file, dense or sparse.

    Read are comments behind attributes, ranges, tabs between values, a comma at the end of a row
    and weights, which are left out with a word.

    Raises
    ------
    Damaged
        If an attribute is not understood, or a row has another number of values.
    """
    lines = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
    attributes = list(_attributes(lines))
    notes: list[str] = []
    places, columns = _rows(lines, attributes, notes)
    for attribute, column in zip(attributes, columns, strict=True):
        other = set(column) - {None, *attribute.values} if attribute.values else set()
        if other:
            raise Damaged(
                f"the attribute {shown(attribute.name)} has values that it does not declare: "
                f"{some(map(shown, sorted(other)))}; correct the list of values in braces"
            )
        if attribute.kind == "integer" and any("." in (v or "") for v in column):
            notes.append(f"the attribute {shown(attribute.name)} is an integer, but has fractions")
    values = [np.array(column, dtype=object) for column in columns]
    names = [attribute.name for attribute in attributes]
    return Columns(names, values, "arff", tuple(notes), places=places, place="line")


def _attributes(lines) -> Iterator[Attribute]:
    """The attributes of the head, which ends with @data."""
    for number, line in lines:
        line = line.strip().removeprefix("\ufeff")
        if not line or line.startswith("%"):
            continue
        if re.match("@data", line, re.IGNORECASE):
            return
        if found := ATTRIBUTE.match(line):
            yield _attribute(_unquoted(found[1]), found[2].strip(), number)
        elif not re.match("@relation", line, re.IGNORECASE):
            raise Damaged(f"line {number} is no @relation, @attribute or @data: {shown(line)}")
    raise Damaged("it has no line @data")


def _attribute(name: str, kind: str, number: int) -> Attribute:
    if kind.startswith("{"):
        if found := NOMINAL.match(kind):
            return Attribute(name, "nominal", tuple(_cells(found[1], ",", number)))
        raise Damaged(f"line {number}: the values of {shown(name)} have no closing brace")
    word = re.split(r"[\s\[%]", kind, maxsplit=1)[0].lower()
    if word not in KINDS:
        raise Damaged(
            f"line {number}: the attribute {shown(name)} has the type {shown(kind)}; "
            f"{', '.join(KINDS)} and {{...}} are read"
        )
    return Attribute(name, word)


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[1]), text[1:-1])
    return text


def _cells(line: str, sign: str, number: int) -> list[str]:
    """The cells of a line; quotation marks of both kinds enclose a cell, a backslash escapes."""
    if "'" not in line and '"' not in line and "\\" not in line:
        return [cell.strip() for cell in line.split(sign)]
    cells, start, at = [], 0, 0
    while at <= len(line):
        if at == len(line) or line[at] == sign:
            cells.append(_unquoted(line[start:at]))
            start = at + 1
        elif line[at] in "'\"" and not line[start:at].strip():
            found = QUOTED.match(line, at)
            if found is None:
                raise Damaged(f"line {number}: quotation marks do not match: {shown(line)}")
            at = found.end() - 1
        at += 1
    return cells


def _rows(lines, attributes: list[Attribute], notes: list[str]):
    """The number of the line of each row, and the texts of each column; None for a missing one."""
    n = len(attributes)
    places: list[int] = []
    rows: list[list[str | None]] = []
    n_sparse = n_weights = n_ends = 0
    # A sparse row leaves out zeros, and the first nominal value.
    left_out = [a.values[0] if a.values else "0" if a.kind in NUMBERS else None for a in attributes]
    sign = ""
    for number, line in lines:
        line = line.strip(" ")
        if not line.strip() or line.startswith("%"):
            continue
        places.append(number)
        if WEIGHT.search(line) and (not line.startswith("{") or line.count("}") == 2):
            line, n_weights = WEIGHT.sub("", line), n_weights + 1
        if line.startswith("{"):
            rows.append(left_out.copy())
            n_sparse += 1
            for position, value in _sparse_row(line, n, number):
                rows[-1][position] = None if value == "?" else value
            continue
        sign = sign or ("\t" if "\t" in line and "," not in line else ",")
        cells = _cells(line, sign, number)
        if len(cells) == n + 1 and not cells[-1]:
            cells, n_ends = cells[:-1], n_ends + 1
        if len(cells) != n:
            raise Damaged(
                f"line {number} has {len(cells)} values, but there are {n} attributes: "
                f"{shown(line)}; commas or tabs separate values"
            )
        rows.append([None if cell in ("?", "") else cell for cell in cells])
    if 0 < n_sparse < len(rows):
        raise Damaged("some of its rows are sparse (in braces), and some are not")
    if n_weights:
        notes.append(f"the weights of {n_weights} rows were left out")
    if n_ends:
        notes.append(f"{n_ends} rows end in a separator, which was left out")
    return places, list(zip(*rows, strict=True)) or [()] * n


def _sparse_row(line: str, n: int, number: int) -> Iterator[tuple[int, str]]:
    """The position and the text of each value that the row does not leave out."""
    if not line.rstrip().endswith("}"):
        raise Damaged(f"line {number} has an opening brace and no closing one")
    inner = line.strip()[1:-1].strip()
    has_quotes = "'" in inner or '"' in inner
    known: set[str] = set()
    for cell in (PAIR.findall(inner) if has_quotes else inner.split(",")) if inner else ():
        position, value = [*cell.split(None, 1), "", ""][:2]
        if not position.isdigit() or int(position) >= n or position in known:
            raise Damaged(
                f"line {number}: {shown(cell)} is no attribute from 0 to {n - 1}, or is there twice"
            )
        known.add(position)
        yield int(position), _unquoted(value)
