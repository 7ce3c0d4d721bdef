"""Run an experiment, ``python run.py experiment=xor100``, or list all with ``--list``.

Hydra composes the config. With ``-m``, a comma between values starts a sweep with a job for each.
"""

import logging
import os
import signal
import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from experiments import errors, kinds
from experiments.config import CONFIGS
from experiments.listing import list_text


@hydra.main(version_base="1.3", config_path="configs", config_name="config")
def main(config: DictConfig) -> None:
    """Run the experiment of a config; in a sweep, one of its jobs."""
    logging.captureWarnings(True)
    logging.raiseExceptions = False  # A log on a full disk is no fault; the run says so in a line.
    if OmegaConf.is_missing(HydraConfig.get().run, "dir"):
        sys.exit("run.py: hydra.run.dir has no value; give hydra.run.dir=PATH")
    # A command with a typo ends before these imports, which take seconds.
    from experiments import run, sweep

    folder = Path(HydraConfig.get().runtime.output_dir)
    if HydraConfig.get().mode == RunMode.MULTIRUN:
        sweep.run_job(config, folder)
    elif failed := guarded(run.run_experiment, config, folder):
        sys.exit(f"{failed} tasks failed; see the table and the log above")


def guarded(function, *arguments):
    """Call a function; a mistake of the user, or Ctrl-C, ends with one sentence."""
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        sys.exit("run.py: interrupted; start the same command again to resume")
    except Exception as error:
        if (message := errors.sentence(error)) is None:
            raise
        sys.exit(f"run.py: {message}")


if __name__ == "__main__":
    if {"--help", "-h"} & {*sys.argv[1:]}:
        print(OmegaConf.load(CONFIGS / "config.yaml").hydra.help.template)
        sys.exit()
    if "--list" in sys.argv:
        group = sys.argv[sys.argv.index("--list") + 1 :]
        sys.exit(print(guarded(list_text, *group[:1]), end=""))
    for argument in sys.argv[1:]:
        if argument.startswith("--e"):  # --experimental-rerun unpickles a file.
            sys.exit(f"run.py: there is no flag {argument}; write experiment=NAME, see --help")
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra then raises its errors.
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # As Ctrl-C.
    kinds.register()
    guarded(main)
