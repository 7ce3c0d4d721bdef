"""A Slurm of one node on the loopback address, for as long as a test runs.

It needs root and Debian's packages slurm-wlm and munge, and touches no Slurm that is there already:
its ports, key and sockets are its own.
"""

import os
import secrets
import shutil
import socket
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
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=2048 State=UNKNOWN
PartitionName=loopback Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""

# Submitit asks sacct what has become of a job; sacct asks a database, which is not there.
SACCT = """\
#!{python}
import re, subprocess
print("JobID|State|NodeList")
jobs = subprocess.run(["scontrol", "show", "job", "-o"], capture_output=True, text=True).stdout
for job in jobs.splitlines():
    told = dict(re.findall(r"(\\S+?)=(\\S*)", job))
    if "JobId" in told:
        array = told.get("ArrayJobId")
        task = told.get("ArrayTaskId", "")
        task = task if task.isdigit() else f"[{{task}}]"
        name = f"{{array}}_{{task}}" if array else told["JobId"]
        print(name, told["JobState"], told.get("NodeList", ""), sep="|")
"""

#: Puts a daemon onto a machine of the name localhost.
LOCALHOST = ("unshare", "--uts", "sh", "-c", 'hostname localhost && exec "$@"', "sh")


class CannotStart(RuntimeError):
    """The reason why there is no Slurm on this machine."""


def missing() -> str:
    """The reason why there can be no Slurm here; empty if there can."""
    absent = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
    if absent:
        return f"no {', '.join(absent)}; on Debian: apt-get install slurm-wlm munge"
    if os.geteuid() != 0:
        return "Slurm's daemons start jobs as root only"
    if not _named_by_loopback() and subprocess.run([*LOCALHOST, "true"], check=False).returncode:
        return "this machine's name is no name of 127.0.0.1, and may not be another for Slurm"
    return ""


def _named_by_loopback():
    """True if the machine's name, on whose address the daemons listen, is one of loopback."""
    try:
        return socket.gethostbyname(socket.gethostname()).startswith("127.")
    except OSError:
        return False


@contextmanager
def one_node() -> Iterator[dict[str, str]]:
    """The environment in which Slurm's commands speak to a node that is stopped at the end."""
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
        ports = {"controller_port": controller_port, "node_port": node_port}
        (folder / "slurm.conf").write_text(CONFIG.format(host=host, folder=folder, **ports))
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_"))},
            "PATH": f"{folder / 'bin'}{os.pathsep}{PATH}",
            "SLURM_CONF": str(folder / "slurm.conf"),
        }

        def start(ready, *command):
            full = (*LOCALHOST, *command) if as_localhost else command
            log = folder / f"{command[0]}.out"
            stack.enter_context(daemon(full, log, ready, env=environment, cwd=folder))

        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munged.pid"}
        files |= {"log-file": "munged.log", "seed-file": "munge.seed"}
        options = [f"--{name}={folder / file}" for name, file in files.items()]
        start((folder / "munge.socket").is_socket, "munged", "--foreground", *options)
        start(lambda: _ask(environment, "scontrol", "ping"), "slurmctld", "-D")
        idle = ("sinfo", "-h", "-o", "%T")
        start(lambda: "idle" in _ask(environment, *idle), "slurmd", "-D", "-N", host)
        stack.callback(_cancel_all, environment)
        yield environment


def _free_ports(count):
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def daemon(command, log: Path, ready, **options) -> Iterator[None]:
    """A process, once it is ready; at the end it is asked to stop, then made to."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, **options)
    try:
        end = time.monotonic() + 120
        while not ready():
            if process.poll() is not None or time.monotonic() > end:
                told = log.read_text(errors="replace")[-800:]
                raise CannotStart(f"{log.stem} did not start: {told}")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


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
