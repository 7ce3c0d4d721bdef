"""Run one experiment of the paper: ``python run.py experiment=xor100``; ``--help`` lists all.

It composes the config, runs the experiment, and prints a table and the folder of the results. With
``-m`` a comma makes a sweep of one job for each value.
"""

if __name__ == "__main__":
    # Ctrl-C must end well from here on, and the imports below take a while; so does that of signal,
    # which imports more than the module that it is made of.
    import _signal as signal
    import os
    import sys

    def leave(number, frame):
        os.write(2, b"interrupted before it began; run the same command again\n")
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # It is ignored under nohup.
            signal.signal(number, leave)
    if sys.getfilesystemencoding() != "utf-8":  # Hydra reads no path of a locale such as C.
        os.execve(sys.executable, sys.orig_argv, os.environ | {"PYTHONUTF8": "1"})

import io
import logging
import os
import sys
from pathlib import Path

from experiments.engine.interruption import (
    end_process,
    leave_at_once,
    listen,
    nobody_reads,
    pending_interrupt,
    tell,
)
from experiments.system import program

#: The status of a program whose reader has gone, by the shell's convention: 128 + SIGPIPE.
UNREAD = 141


def main(config):
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode

    job = HydraConfig.get()
    folder = Path(job.runtime.output_dir)
    logging.captureWarnings(True)
    if job.mode == RunMode.MULTIRUN:
        from experiments.sweep import run_job

        return run_job(config, folder)
    try:
        from experiments.kinds import validate

        validate(config)  # before the slow imports
        from experiments.runner import run_experiment

        failed = run_experiment(config, folder)
    except Exception as error:
        from experiments.errors import leave_no_trace

        leave_no_trace(error, folder)
        end_with(error)
    if failed:
        sys.exit(f"{failed} units failed; see the table and the log above")


def end_with(error):
    """One sentence on what a user or the machine has caused; a fault of ours is shown in full."""
    if (interruption := pending_interrupt()) is not None:
        raise interruption
    if nobody_reads(error):
        sys.exit(UNREAD)
    if isinstance(error, ModuleNotFoundError) and error.name in ("hydra", "omegaconf"):
        cure = "set up the environment with `make run` and then use .venv/bin/python run.py"
        if program() != "run.py":
            cure = "install this package with its extra: pip install '.[select]' in its checkout"
        sys.exit(f"{program()}: {sys.executable} does not have the package {error.name}; {cure}")
    from experiments.errors import user_message

    message = user_message(error)
    if message is None:
        raise error
    if program() == "manifest-select":
        from manifest.console import in_options

        message = in_options(message)
    sys.exit(f"{program()}: {message}")


def command():
    """Give Hydra the arguments; everything slow is imported where Ctrl-C already ends well."""
    if {"-h", "--help"} & set(sys.argv[1:]):
        from experiments.command_line import HELP

        return print(HELP, end="")
    if "--list" in sys.argv[1:]:
        from experiments.command_line import list_text

        return print(list_text(), end="")
    if "--version" in sys.argv[1:]:
        import manifest

        return print(f"manifest-fs {manifest.__version__}")
    import argparse

    import hydra

    from experiments.command_line import (
        normalise_overrides,
        refuse_little_memory,
        refuse_other_package,
    )

    refuse_little_memory()
    refuse_other_package()
    from experiments.kinds import register

    register()
    sys.argv[1:] = normalise_overrides(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):  # a terminal may lack the characters of a path
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    logging.raiseExceptions = False  # a full disk is told once, not with each line of the log
    # Hydra then raises what it would print at length, and one sentence is printed here.
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")
    if hasattr(argparse.ArgumentParser, "_check_help"):
        # Python 3.14 reads each help text at once, and one of Hydra's is no text until it is shown.
        setattr(argparse.ArgumentParser, "_check_help", lambda *_: None)  # noqa: B010
    hydra.main(version_base="1.3", config_path="configs", config_name="config")(main)()


def whole() -> int:
    """The exit status of the program, after all that it has to say."""
    try:
        try:
            listen()
            command()
        except Exception as error:
            end_with(error)
        finally:
            leave_at_once()
    except KeyboardInterrupt as error:
        return tell(error)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return end.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


if __name__ == "__main__":
    end_process(whole())
