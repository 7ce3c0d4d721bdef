"""Compute a random sample of the committed rows again, and compare it with results/.

    python scripts/reproduce.py                 all folders, in half an hour
    python scripts/reproduce.py toy xor100      some of them
    python scripts/reproduce.py --full          a larger sample
    python scripts/reproduce.py --data FOLDER   where the data lie; without it they are fetched
    python scripts/reproduce.py --adopt         results whose code has changed

At least five random rows of each method and folder are computed, and sixty of each scorer over all
folders (--full: sixty of each method and folder); what is computed waits in outputs/reproduce, so
that an interrupted call goes on. Of a split under "nested", the first check of a method ranks in
the inner folds, too; others compare the test accuracy alone.

Where Algorithm 2 does not determine a score ("ambiguous"), rounding decides it, and OpenBLAS and
NumPy bring other code for other processors. So a check takes the code that computed the folder, if
this machine can run it, unless OPENBLAS_CORETYPE or NPY_DISABLE_CPU_FEATURES is set already; see
experiments/engine/processor.py. Then all values must be equal. Elsewhere, and with other versions
of packages, ambiguous rankings are left out, and numbers may differ by 1e-5 of the largest.

With --adopt, a folder whose code has changed and whose rows come out byte for byte takes the
digests of this revision in its provenance, which says so under "verified". Otherwise the rows that
differ are printed, and results/due.yaml lists the folder.

The exit status is 1 if a folder does not come out again.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.adoption import check_all, write_check


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="folders of results/")
    parser.add_argument("--data", metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--workers", type=int, default=2, help="default: 2")
    parser.add_argument("--adopt", action="store_true", help="adopt results by a sample of units")
    parser.add_argument("--full", action="store_true", help="a larger sample")
    parser.add_argument("--check", type=json.loads, metavar="JSON", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    data = chosen.data and str(Path(chosen.data).resolve())
    if chosen.check is not None:
        return write_check(chosen.names[0], chosen.check, data, chosen.workers, chosen.adopt)
    sys.exit(check_all(chosen.names, data, chosen.workers, chosen.full, chosen.adopt) > 0)


if __name__ == "__main__":
    main()
