"""Write the page of a run, ``report.html``, and the front page of the results, ``index.html``.

Each page is one file beside the figures of the run. Like figures, pages compute nothing new.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from experiments.config import experiment_file, in_order
from experiments.files import write_text
from experiments.report.claims import counts
from experiments.report.columns import own_labels, summary_table
from experiments.report.stored import provenance_of, standing_of, table_of, with_results
from experiments.report.text import plain_number, probability, texts

#: The templates of all pages; jinja2 escapes all texts in those of HTML.
TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
TEMPLATES.filters |= {f.__name__: f for f in (plain_number, probability)}
#: Verdict -> its sign and the class of its colour on a page.
VERDICTS = {
    "holds": ("✓", "reproduced"),
    "holds in part": ("◐", "undecided"),
    "undecided": ("?", "undecided"),
    "does not hold": ("✗", "warning"),
    "not tested": ("–", "none"),
}
#: The columns of all claims on the front page.
CLAIMS = {
    "figure": "{figure}",
    "claim": "{says} ({claim})",
    "published": "{published}",
    "ours": "{ours:z.2f}",
    "95 % interval": "[{ci_low:z.2f}, {ci_high:z.2f}]",
    "margin": "{margin}",
    "90 %, decides": "[{diff_low:z.2f}, {diff_high:z.2f}]",
    "outcome": "{outcome} {direction} {border}",
    "method": "{method}",
    "note": "{note}",
}


def write(folder: Path) -> Path:
    """Write the page of a finished run into its folder, beside its figures; return its path."""
    record = provenance_of(folder)
    config = record["config"]
    figure = config["figure"]
    summary = table_of(folder, "summary.csv")
    tables = [path.name for path in folder.iterdir() if path.suffix in (".csv", ".parquet")]
    values = {
        "run": record,
        "title": config.get("title") or config["name"],
        "about": experiment_file(config["name"]).get("about", ""),
        "caption": figure.get("caption", "") if isinstance(figure, dict) else "",
        "figures": figures(folder),
        "table": summary_table(summary),
        "own": own_labels(summary) if "label" in summary else (),
        "differences": (folder / "differences.txt").read_text("utf-8"),
        "record": yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=100),
        "standing": standing_of(record["data"]),
        "files": sorted(tables),
    }
    path = folder / "report.html"
    write_text(path, TEMPLATES.get_template("run.html").render(values))
    return path


def figures(folder: Path) -> list[str]:
    """Return the figures of a run, first that of the first tuning or pair of classes."""
    row = table_of(folder, "summary.csv").iloc[0]
    of_tuning = f"figure_{row.get('tuning')}.png"
    of_pair = f"figure_{row.get('class_1')}_{row.get('class_2')}.png"
    names = sorted(path.name for path in folder.glob("figure*.png"))
    return sorted(names, key=lambda name: name not in (of_tuning, of_pair))


def front(claims: pd.DataFrame, headline: pd.DataFrame, results: Path) -> str:
    """Return the front page: does the paper hold, a card for each experiment, and all claims.

    The tables are those of :func:`experiments.report.claims.compare` and
    :func:`experiments.report.headline.headline`.
    """
    cards = []
    for name in in_order(with_results(results)):
        config = provenance_of(results / name)["config"]
        entry = experiment_file(name)
        first_named = headline["experiment"].str.partition(", ")[0]
        statements = headline[first_named == name]
        labels = (entry.get("of_paper", ""), config.get("title") or name)
        card: dict[str, Any] = {
            "name": name,
            "label": " · ".join(filter(None, labels)),
            "figure": next(iter(figures(results / name)), ""),
            "outcomes": counts(claims[claims["folder"] == name]),
            "verdicts": list(dict.fromkeys(statements["outcome"])),
            "sentence": statements["why"].iloc[0] if len(statements) else entry.get("about", ""),
            "tables": sorted(path.name for path in (results / name).glob("*.csv")),
        }
        cards.append(card)
    return TEMPLATES.get_template("front.html").render(
        rows=headline.to_dict("records"),
        cards=cards,
        signs=VERDICTS,
        tally=counts(claims),
        claims=texts(claims, CLAIMS),
    )
