"""The comparison with the paper as one static page: verdicts, figures, tables, provenance.

The page needs no script and nothing from elsewhere; figures are the files beside it. The same
results give the same bytes.
"""

import ast
import json
import struct
from html import escape
from pathlib import Path

import pandas as pd

from experiments.report.claims.render import basis, counted, readable
from experiments.report.claims.verdict import AGREES, CANNOT, DIFFERS, NOT_RUN
from experiments.report.text import number

FIGURES = Path(__file__).with_name("figures")
#: Verdict -> its mark, so that words and signs tell verdicts apart, not colour alone.
MARKS = {AGREES: "✓", DIFFERS: "≠", NOT_RUN: "–", CANNOT: "×"}
#: Of a picture's pixels to the page's: text in figures is then about as large as that around them.
SCALE = 0.6
#: Columns of a summary that say again what another says.
REPEATED = {"method", "case_label", "combination"}

STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --faint: #f2f2ef; --line: #c9c9c4;
  --agrees: #0b5a37; --differs: #8a2b06; --none: #55554f; --link: #0b4f8a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e4; --paper: #161614; --faint: #22221f;
  --line: #4a4a45; --agrees: #7fd6a8; --differs: #ffb08a; --none: #b5b5ad; --link: #8fc3f2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.25rem 4rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--link); }
h1 { line-height: 1.2; }
h2 { margin: 3rem 0 .25rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p, figcaption, dl { max-width: 46rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide:focus-visible { outline: 2px solid var(--link); }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid var(--line); }
thead th { background: var(--faint); }
tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 11rem; }
.number { text-align: right; white-space: nowrap; }
.verdict { white-space: nowrap; font-weight: 600; }
.agrees { color: var(--agrees); } .differs { color: var(--differs); } .none { color: var(--none); }
.note { min-width: 16rem; }
figure { margin: 1.5rem 0; }
figure img { max-width: 100%; height: auto; background: #fff; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .875rem; }
dd { margin: 0; overflow-wrap: anywhere; }
@media print { nav { display: none; } body { max-width: none; font-size: 9pt; padding: 0; }
  table { font-size: 7.5pt; } .wide { overflow: visible; } thead { display: table-header-group; }
  tr, figure { break-inside: avoid; } h2 { break-after: avoid; }
  figure img { max-height: 22cm; width: auto; } }
"""


def page(claims: pd.DataFrame, results: Path) -> str:
    """The page.

    Parameters
    ----------
    claims : DataFrame
        As :func:`experiments.report.claims.compare` returns them.
    results : Path
        The folder that the page will lie in, with one folder an experiment.

    Returns
    -------
    str
        HTML.
    """
    stored = sorted(path.parent.name for path in results.glob("*/provenance.json"))
    names = list(dict.fromkeys([*claims["experiment"], *stored]))
    title = "ManiFeSt: the paper's claims beside our results"
    links = "".join(f'<li><a href="#{escape(name)}">{escape(name)}</a></li>' for name in names)
    sections = "".join(
        _section(name, claims[claims["experiment"] == name], results / name) for name in names
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p>{escape(counted(claims))}. A published number agrees where it lies in our 95 % interval, given
beside it; a statement is decided by the rule in its note. A wide interval agrees with much: read
the two together. Accuracies are the best over the numbers of features, as the paper reports them,
which is optimistic; the reading <em>nested</em> in the tables is not.</p>
<p>The same as a table: <a href="claims.csv">claims.csv</a>, <a href="claims.md">claims.md</a>.</p>
</header>
<nav aria-label="Experiments"><ul>{links}</ul></nav>
<main>
{sections}</main>
</body>
</html>
"""


def _section(name, claims, folder):
    path = folder / "provenance.json"
    record = json.loads(path.read_text("utf-8")) if path.is_file() else None
    title = (record and record["config"].get("title")) or name
    heading = escape(title) if title == name else f"{escape(title)} <small>({escape(name)})</small>"
    parts = [f'<section id="{escape(name)}">\n<h2>{heading}</h2>\n', *basis(claims, "<p>{}.</p>\n")]
    if record and record["data"].get("synthetic"):
        parts.append("<p><strong>Synthetic samples.</strong></p>\n")
    parts.append(
        _claims(name, claims) if len(claims) else "<p>The paper states no number on these.</p>\n"
    )
    if record:
        parts += [_figure(path, title, record) for path in sorted(folder.glob("*.png"))]
        parts += [_summary(name, folder / "summary.csv"), _provenance(record)]
    return "".join([*parts, "</section>\n"])


def _claims(name, claims):
    rows = []
    for row in readable(claims).to_dict("records"):
        verdict = row["verdict"]
        kind = verdict if verdict in (AGREES, DIFFERS) else "none"
        claim = escape(row["claim"]).replace(".", ".<wbr>")
        rows.append(
            f'<tr><th scope="row">{claim}</th><td>{escape(row["published"])}</td>'
            f'<td class="number">{row["ours"]}</td><td class="number">{row["95 % interval"]}</td>'
            f'<td class="verdict {kind}"><span aria-hidden="true">{MARKS[verdict]}</span> {verdict}'
            f'</td><td class="note">{escape(row["note"])}</td></tr>\n'
        )
    header = ("claim", "published", "ours", "95 % interval", "verdict", "note")
    return _table(f"Claims on {name}", header, rows)


def _figure(path, title, record):
    """A picture with what its module says of it; its size keeps the page from jumping."""
    about = _first_line(FIGURES / f"{record['config'].get('figure')}.py")
    which = path.stem.removeprefix("figure").strip("_").replace("_", " ")
    caption = escape(" ".join(filter(None, [about, f"({which})" if which else ""])))
    size = struct.unpack(">II", path.read_bytes()[16:24])
    width, height = (round(SCALE * pixels) for pixels in size)
    here = f"{path.parent.name}/{path.name}"
    vector = path.with_suffix(".pdf")
    link = f' <a href="{path.parent.name}/{vector.name}">PDF</a>' if vector.is_file() else ""
    return (
        f'<figure><img src="{escape(here)}" alt="{escape(title)}. {caption}" loading="lazy" '
        f'width="{width}" height="{height}">\n<figcaption>{caption}{link}</figcaption></figure>\n'
    )


def _first_line(module):
    if not module.is_file():
        return ""
    return (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]


def _summary(name, path):
    table = pd.read_csv(path)
    if "label" in table:
        table = table[["label", *(c for c in table if c != "label" and c not in REPEATED)]]
    table = table.dropna(axis="columns", how="all")
    numeric = [kind.kind in "iuf" for kind in table.dtypes]
    rows = []
    for first, *rest in table.itertuples(index=False):
        cells = (
            f'<td class="number">{number(cell, 3)}</td>' if is_number else f"<td>{_text(cell)}</td>"
            for cell, is_number in zip(rest, numeric[1:], strict=True)
        )
        rows.append(f'<tr><th scope="row">{_text(first)}</th>{"".join(cells)}</tr>\n')
    return _table(f"Results of {name}", table.columns, rows)


def _text(cell):
    return "" if pd.isna(cell) else escape(str(cell))


def _table(caption, header, rows):
    """Rows under a header; a reader without a mouse can scroll it."""
    columns = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in header)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>\n<thead><tr>{columns}</tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody></table></div>\n"
    )


def _provenance(record):
    """What tells this result from another, without dates."""
    data = record["data"]
    standing = (
        "generated"
        if data.get("generated")
        else "verified"
        if data.get("verified")
        else "unverified"
    )
    if data.get("synthetic"):
        standing = "SYNTHETIC"
    packages = ", ".join(f"{name} {version}" for name, version in record["packages"].items())
    facts = {
        "profile": record["profile"],
        "repetitions": record["config"]["protocol"].get("n_repetitions", 1),
        "seed": record["seed"],
        "samples": f"{data['name']}, {standing} {data.get('fingerprint', '')[:12]}".strip(),
        "failed units": len(record["units"]["failed"]),
        "revision": record["git"] or "not from a git checkout",
        "code": record["code"],
        "packages": f"Python {record['python']}, {packages}",
    }
    entries = "".join(
        f"<dt>{key}</dt><dd>{escape(str(value))}</dd>\n" for key, value in facts.items()
    )
    return f"<dl>\n{entries}</dl>\n"
