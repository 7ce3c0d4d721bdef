"""The texts of docs that ``make compare`` writes from the claims and the settings.

A block stands between two marks that name it. For single numbers see :mod:`scripts.marks`.
"""

import re
from pathlib import Path

import pandas as pd

from experiments.files import write_text
from experiments.report.claims.render import VERSIONS, in_words, summary_table
from scripts import marks, settings

#: Page, beside the folder of results -> the blocks between its marks.
PAGES = {
    "docs/results.md": ("outcomes",),
    "docs/differences.md": ("settings",),
}


def blocks(results: Path, claims: pd.DataFrame) -> dict[str, str]:
    """The text of each block of :data:`PAGES`, from the results and their claims."""
    return {
        "outcomes": "".join(
            f"\n{in_words(claims, version)}\n\n{summary_table(claims, version)}"
            for version in VERSIONS
        ),
        "settings": settings.table(results),
    }


def write(results: Path, claims: pd.DataFrame) -> None:
    """Write the blocks and marks of the pages beside a folder of results, if they differ."""
    texts = blocks(results, claims)
    for page in marks.PAGES:
        path = results.resolve().parent / page
        if not path.is_file():
            continue
        text = before = path.read_text(encoding="utf-8")
        for name in PAGES.get(page, ()):
            start, end = f"<!-- {name}: written by scripts/readme.py -->\n", "<!-- end -->"
            parts = re.split(f"({start}).*?({end})", text, flags=re.DOTALL)
            if len(parts) != 4:
                raise ValueError(f"there must be one block {name!r} between its two marks")
            first, mark, end, last = parts
            text = f"{first}{mark}{texts[name]}\n{end}{last}"
        if (text := marks.filled(text, results)) != before:
            write_text(path, text)
