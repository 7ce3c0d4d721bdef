"""Build the site from the folders of the repository, so that links between files lead somewhere."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
#: What pages link to. A link to another file fails, since the site is built strictly.
PARTS = ("*.md", "LICENSE", "docs/*.md", "docs/*/*", "results/**/*", "tests/manifest/*.py")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Replace the pages of docs/ by all parts, each at its place in the repository."""
    for file in [*files.documentation_pages(), *files.media_files()]:
        if Path(file.abs_src_path or "").is_relative_to(config.docs_dir):
            files.remove(file)
    for path in sorted({path for part in PARTS for path in ROOT.glob(part)}):
        place = path.relative_to(ROOT).as_posix()
        if place == "results/index.html":
            files.append(File.generated(config, place, content=_to_pages(path)))
        elif path.is_file() and path.suffix not in (".parquet", ".html"):
            files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def _to_pages(path: Path) -> str:
    """Return a page of results/ with links to the pages of the site in place of their sources."""
    text = path.read_text(encoding="utf-8").replace('README.md"', 'index.html"')
    return re.sub(r'(href="[^":]+)\.md([#"])', r"\1.html\2", text)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Lead a link to a folder of results/, or to its claims, to that part of the page of all."""
    markdown = re.sub(r"(\]\([./]*results)/claims\.csv\)", r"\1/index.html#claims)", markdown)
    markdown = re.sub(r"(\]\([./]*results)/(\w+)\)", r"\1/index.html#\2)", markdown)
    return re.sub(r"(\]\([./]*results)\)", r"\1/index.html)", markdown)
