"""``run.py --help``: what can be chosen, a line for each."""

import re
from pathlib import Path

from experiments.config import CONFIGS

#: Group of configs -> its heading.
GROUPS = {
    "experiment": "Experiments (experiment=NAME)",
    "method": "Methods (method=NAME or method=NAME,NAME)",
    "dataset": "Data sets (dataset=NAME), where another than the experiment's own is wanted",
    "profile": "Profiles (profile=NAME)",
}

HEAD = """\
Run one experiment: python run.py experiment=NAME [profile=NAME] [KEY=VALUE ...]
Your own table:     python run.py experiment=select dataset.path=my.csv dataset.target=COLUMN
"""

FOOT = """\
Keys that every experiment has
  workers=N           processes; the results are the same for any number (0: none but the run's own)
  seed=N              another draw of everything random
  store=FOLDER        where finished units are kept; a run that was killed goes on at its next start
  refresh=true        compute units again that are stored
  data.home=FOLDER    where data sets lie; without it they are fetched
  method.KEY=VALUE    a parameter of every chosen method that has it, in place of its grid

Examples
  python run.py experiment=xor100 profile=paper
  python run.py experiment=colon data.home=FOLDER method=manifest,relieff
  python run.py -m experiment=xor100 method=manifest method.scale_factor=0.05,0.1,0.5,1
  python run.py -m 'experiment=glob(*)' profile=smoke hydra/launcher=joblib

The whole config of a run, without running it: python run.py experiment=NAME --cfg job
"""


def text() -> str:
    """What ``--help`` prints: every choice of :data:`GROUPS` with what it is; 100 columns."""
    parts = [HEAD]
    for group, heading in GROUPS.items():
        found = {path.stem: about(path) for path in sorted((CONFIGS / group).glob("*.yaml"))}
        width = max(map(len, found))
        parts.append("\n".join([heading, *(f"  {k:<{width}}  {v}" for k, v in found.items()), ""]))
    return "\n".join([*parts, FOOT])


def about(path: Path) -> str:
    """What a config is: the line of it that begins with ``#:``; empty where there is none."""
    said = re.search(r"^#:(.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return said.group(1).strip() if said else ""
