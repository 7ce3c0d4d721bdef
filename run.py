"""Run one experiment of the paper: ``python run.py experiment=xor100``; ``--help`` lists all.

Composes the config, runs the experiment, prints a table and where the results lie.
"""

import os
import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode

from experiments.config import register, validate
from experiments.messages import PROBLEMS, sentence, spread_methods


@hydra.main(version_base="1.3", config_path="configs", config_name="config")
def main(config):
    job = HydraConfig.get()
    try:
        validate(config)  # before the slow imports
        from experiments.runner import run_experiment

        failed = run_experiment(config, Path(job.runtime.output_dir))
    except PROBLEMS as error:
        if job.mode == RunMode.MULTIRUN:
            raise
        sys.exit(f"run.py: {sentence(error)}")
    if failed:
        sys.exit(f"{failed} units failed; see the table and the log above")


if __name__ == "__main__":
    register()
    sys.argv[1:] = spread_methods(sys.argv[1:])
    # Hydra then raises what it would print at length, and one sentence is printed below.
    in_full = os.environ.setdefault("HYDRA_FULL_ERROR", "1") != "1"
    try:
        main()
    except PROBLEMS as error:
        sys.exit(f"run.py: {sentence(error)}")
    except KeyboardInterrupt:
        sys.exit("interrupted; run the same command again to go on from the finished units")
