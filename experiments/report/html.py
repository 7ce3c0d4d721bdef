"""The comparison with the paper as one static page: verdicts, figures, tables, provenance.

The page needs no script and nothing from elsewhere; its figures are the files beside it. The same
results give the same bytes. What the page looks like is in ``templates``; this module collects what
the templates show, and jinja2 escapes every text.
"""

import ast
import json
import struct
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from experiments.report.claims.render import RULE, basis, counted, readable, summary, undecidable
from experiments.report.claims.verdict import AGREES, CANNOT, DIFFERS, NOT_RUN, WIDE
from experiments.report.text import number

FIGURES = Path(__file__).with_name("figures")
#: Verdict -> its sign and its style. The words and the signs tell verdicts apart without colours.
SIGNS = {
    AGREES: ("✓", "agrees"),
    DIFFERS: ("≠", "differs"),
    WIDE: ("?", "undecided"),
    NOT_RUN: ("–", "none"),
    CANNOT: ("×", "none"),
}
#: Pixels on the page for one pixel of a picture; the text in figures is then about as large as the
#: text around them.
SCALE = 0.6
#: Columns of a summary that repeat what another column says.
REPEATED = {"method", "case_label", "combination"}

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def page(claims: pd.DataFrame, results: Path) -> str:
    """The page.

    Parameters
    ----------
    claims : DataFrame
        The claims as :func:`experiments.report.claims.compare` returns them.
    results : Path
        The folder that the page will lie in, with one folder for each experiment.

    Returns
    -------
    str
        HTML.
    """
    with_results = sorted(path.parent.name for path in results.glob("*/provenance.json"))
    names = dict.fromkeys([*claims["experiment"], *with_results])
    experiments = [
        _experiment(name, claims[claims["experiment"] == name], results / name) for name in names
    ]
    template = TEMPLATES.get_template("page.html")
    counts = summary(claims)
    return template.render(
        counts=f"{counted(claims)}. {undecidable(claims)}",
        rule=RULE.replace("*", "").replace("`", ""),
        verdicts=list(counts.columns),
        by_data_set=[(name, row.tolist()) for name, row in counts.iterrows()],
        experiments=experiments,
        signs=SIGNS,
    )


def _experiment(name, claims, folder):
    """What the page shows of one experiment; without results, only its claims."""
    path = folder / "provenance.json"
    shown = {
        "name": name,
        "title": name,
        "basis": basis(claims),
        "claims": readable(claims).to_dict("records"),
        **dict.fromkeys(("synthetic", "figures", "summary", "facts"), ()),
    }
    if path.is_file():
        record = json.loads(path.read_text("utf-8"))
        shown |= {
            "title": record["config"].get("title") or name,
            "synthetic": record["data"].get("synthetic"),
            "figures": [_figure(path, record) for path in sorted(folder.glob("*.png"))],
            "summary": _summary(pd.read_csv(folder / "summary.csv")),
            "facts": _facts(record),
        }
    return shown


def _figure(path, record):
    """A picture with its caption; its size keeps the page from jumping while it loads."""
    about = _first_line(FIGURES / f"{record['config'].get('figure')}.py")
    which = path.stem.removeprefix("figure").strip("_").replace("_", " ")
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    vector = path.with_suffix(".pdf")
    return {
        "picture": f"{path.parent.name}/{path.name}",
        "vector": f"{path.parent.name}/{vector.name}" if vector.is_file() else None,
        "caption": " ".join(filter(None, [about, f"({which})" if which else ""])),
        "width": round(SCALE * width),
        "height": round(SCALE * height),
    }


def _first_line(module):
    """The first line of a module's docstring."""
    if not module.is_file():
        return ""
    return (ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "").partition("\n")[0]


def _summary(table):
    """Header and cells of a summary; the first cell of a row is its name."""
    if "label" in table:
        table = table[["label", *(c for c in table if c != "label" and c not in REPEATED)]]
    table = table.dropna(axis="columns", how="all")
    numeric = [False, *(kind.kind in "iuf" for kind in table.dtypes[1:])]
    rows = [
        [
            {"text": number(cell, 3) if is_number else _text(cell), "is_number": is_number}
            for cell, is_number in zip(row, numeric, strict=True)
        ]
        for row in table.itertuples(index=False)
    ]
    return {"header": list(table.columns), "rows": rows}


def _text(cell):
    return "" if pd.isna(cell) else str(cell)


def _facts(record):
    """What tells this result from another, without dates."""
    data = record["data"]
    kinds = ("synthetic", "generated", "verified")
    standing = next((kind for kind in kinds if data.get(kind)), "unverified")
    standing = standing.replace("synthetic", "SYNTHETIC")
    packages = ", ".join(f"{name} {version}" for name, version in record["packages"].items())
    return {
        "profile": record["profile"],
        "repetitions": record["config"]["protocol"].get("n_repetitions", 1),
        "seed": record["seed"],
        "samples": f"{data['name']}, {standing} {data.get('fingerprint', '')[:12]}".strip(),
        "failed units": len(record["units"]["failed"]),
        "revision": record["git"] or "not from a git checkout",
        "code": code["digest"] if isinstance(code := record["code"], dict) else code,
        "packages": f"Python {record['python']}, {packages}",
    }
