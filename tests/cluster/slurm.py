"""A Slurm of one node on the loopback address, for as long as a command or a test runs.

``python tests/cluster/slurm.py COMMAND ...`` starts munge and Slurm in a temporary folder, runs the
command with ``sbatch``, ``srun`` and ``scancel`` answering to it, and stops them. It needs root and
Debian's packages slurm-wlm and munge, and touches no Slurm that is there already: its ports, key
and sockets are its own.
"""

import os
import secrets
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "scontrol")
#: Daemons lie in sbin, which is not on everyone's path.
PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

CONFIG = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
# Without it the daemons listen on every address of the machine.
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
# No cgroups and no accounting: neither is there in a container.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={megabytes} State=UNKNOWN
PartitionName=loopback Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

# Submitit asks sacct what has become of a job; sacct asks a database, which is not there.
SACCT = """\
#!{python}
import re, subprocess
print("JobID|State|NodeList")
jobs = subprocess.run(["scontrol", "show", "job", "-o"], capture_output=True, text=True).stdout
for job in jobs.splitlines():
    found = dict(re.findall(r"(\\S+?)=(\\S*)", job))
    if "JobId" in found:
        array = found.get("ArrayJobId")
        task = found.get("ArrayTaskId", "")
        task = task if task.isdigit() else f"[{{task}}]"
        name = f"{{array}}_{{task}}" if array else found["JobId"]
        print(name, found["JobState"], found.get("NodeList", ""), sep="|")
"""


#: Puts a daemon onto a machine of the name localhost.
LOCALHOST = ("unshare", "--uts", "sh", "-c", 'hostname localhost && exec "$@"', "sh")


class CannotStart(RuntimeError):
    """Why there is no Slurm on this machine."""


def missing() -> str:
    """Why there can be no Slurm here; empty where there can."""
    absent = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
    if absent:
        return f"no {', '.join(absent)}; on Debian: apt-get install slurm-wlm munge"
    if os.geteuid() != 0:
        return "Slurm's daemons start jobs as root only"
    if not _named_by_loopback() and subprocess.run([*LOCALHOST, "true"], check=False).returncode:
        return "this machine's name is no name of 127.0.0.1, and may not be another for Slurm"
    return ""


def _named_by_loopback():
    """Whether the daemons, which listen on the address of the machine's name, stay on loopback."""
    try:
        return socket.gethostbyname(socket.gethostname()).startswith("127.")
    except OSError:
        return False


@contextmanager
def one_node(cores: int = 2, megabytes: int = 2048) -> Iterator[dict[str, str]]:
    """The environment in which Slurm's commands speak to a node that is stopped at the end.

    Parameters
    ----------
    cores, megabytes : int
        What the node claims to have.

    Raises
    ------
    CannotStart
        Where Slurm is missing, or a daemon does not start, with the end of its log.
    """
    if reason := missing():
        raise CannotStart(reason)
    with ExitStack() as stack:
        # A socket's path may have 107 characters: not below a test's own long folder.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm-")))
        folder.chmod(0o711)  # munged insists: whoever may ask must reach its socket
        for name in ("bin", "state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        sacct = folder / "bin" / "sacct"
        sacct.write_text(SACCT.format(python=sys.executable))
        sacct.chmod(0o755)
        as_localhost = not _named_by_loopback()
        host = "localhost" if as_localhost else socket.gethostname().partition(".")[0]
        controller_port, node_port = _free_ports(2)
        (folder / "slurm.conf").write_text(
            CONFIG.format(
                host=host,
                folder=folder,
                controller_port=controller_port,
                node_port=node_port,
                cores=cores,
                megabytes=megabytes,
            )
        )
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))},
            "PATH": f"{folder / 'bin'}{os.pathsep}{PATH}",
            "SLURM_CONF": str(folder / "slurm.conf"),
        }

        def daemon(*command):
            full = (*LOCALHOST, *command) if as_localhost else command
            log = folder / f"{command[0]}.out"
            return stack.enter_context(_daemon(full, log, environment))

        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid"}
        files |= {"log-file": "munged.log", "seed-file": "munge.seed"}
        options = [f"--{name}={folder / file}" for name, file in files.items()]
        munged = daemon("munged", "--foreground", *options)
        _until(lambda: _is_socket(folder / "munge.socket"), munged)
        controller = daemon("slurmctld", "-D")
        _until(lambda: _ask(environment, "scontrol", "ping"), controller)
        node = daemon("slurmd", "-D", "-N", host)
        _until(lambda: "idle" in _ask(environment, "sinfo", "-h", "-o", "%T"), node)
        stack.callback(_cancel_all, environment)
        yield environment


def _free_ports(count):
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def _daemon(command, log, environment):
    """A process in the foreground, with its log; asked to stop at the end, then made to."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=environment, cwd=log.parent, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        yield process, log
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until(ready, daemon, seconds=30):
    process, log = daemon
    end = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None or time.monotonic() > end:
            told = log.read_text(errors="replace")[-800:]
            raise CannotStart(f"{log.stem} did not start: {told}")
        time.sleep(0.05)


def _is_socket(path):
    return path.exists() and stat.S_ISSOCK(path.stat().st_mode)


def _ask(environment, *command):
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    return answer.stdout if answer.returncode == 0 else ""


def _cancel_all(environment):
    """No job outlives the daemons."""
    _ask(environment, "scancel", "--user=root")
    for _ in range(100):
        if not _ask(environment, "squeue", "-h"):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    try:
        with one_node() as slurm:
            sys.exit(subprocess.run(sys.argv[1:] or ["sinfo"], env=slurm, check=False).returncode)
    except CannotStart as error:
        sys.exit(f"no Slurm: {error}")
