"""Build the documentation as a site: docs/, the README and the reference of the code.

    python scripts/docs.py [--to FOLDER]      default: outputs/site

The pages link to pictures and tables in results/, beside docs/. They are copied together first, so
that every link leads somewhere inside the site. Each object of the reference has its own page. A
warning is an error.
"""

import importlib
import inspect
import re
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What the pages may link to, besides one another.
PARTS = (
    *("*.md", "docs/**/*", "results/**/*.png", "results/**/*.md", "results/*.yaml"),
    *("results/*/rows.parquet", "LICENSE"),
)


def stage(folder: Path) -> None:
    """Copy the pages and what they link to, each to its own place."""
    for pattern in PARTS:
        for path in ROOT.glob(pattern):
            if path.is_file():
                copy = folder / path.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)


def stage_code(folder: Path) -> None:
    """Copy the packages of the reference; a role such as :func:`name` becomes `name`."""
    for package in ("manifest", "baselines"):
        for path in (ROOT / package).rglob("*.py"):
            copy = folder / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            code = path.read_text(encoding="utf-8")
            copy.write_text(re.sub(r":(?:func|class|mod|meth):(?=`)", "", code), encoding="utf-8")


def stage_reference(page: Path) -> None:
    """Give each object that the reference names a page, and the reference a line with its link."""
    sys.path.insert(0, str(ROOT))

    def line(found: re.Match[str]) -> str:
        place, _, name = found[1].rpartition(".")
        about = inspect.getdoc(getattr(importlib.import_module(place), name)) or ""
        own = page.parent / "reference" / f"{found[1]}.md"
        own.parent.mkdir(exist_ok=True)
        own.write_text(f"[Reference](../reference.md)\n\n::: {found[1]}\n", encoding="utf-8")
        return f"- [`{found[1]}`](reference/{own.name}): {about.partition(chr(10))[0]}"

    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"^::: (\S+)$", line, text, flags=re.MULTILINE), encoding="utf-8")


def build(to: Path) -> int:
    """Build the site into a folder; the exit status of the builder."""
    with tempfile.TemporaryDirectory() as name:
        pages = Path(name) / "pages"
        stage(pages)
        stage_reference(pages / "docs" / "reference.md")
        stage_code(Path(name) / "code")
        settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
        settings = settings.replace("docs_dir: .", "docs_dir: pages")
        config = Path(name) / "mkdocs.yml"
        config.write_text(settings.replace("paths: [.]", "paths: [code]"), encoding="utf-8")
        # Not with --quiet: mkdocs would then count no warnings, and --strict would fail for none.
        command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        command += ["--config-file", str(config), "--site-dir", str(to.resolve())]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if said.returncode:
            print(said.stdout + said.stderr, file=sys.stderr)
        return said.returncode


def main(arguments: list[str] | None = None) -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=ROOT / "outputs" / "site")
    to = parser.parse_args(arguments).to
    if status := build(to):
        sys.exit(status)
    print(f"the site begins at {to / 'index.html'}")


if __name__ == "__main__":
    main()
