"""The inside of the sandbox: it confines its own process, then runs a module in it.

`python -m backend.core.confined <limits> <module> [arguments]` is started by core.sandbox only. Before the limits are
set, only the standard library is imported.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import runpy
import signal
import sys
from pathlib import Path

# Exit statuses of our own; a module uses those below.
OUT_OF_MEMORY, FORBIDDEN = 101, 102
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Confines this process and runs the module; without a module it only says whether it could be confined."""
    limits = json.loads(arguments[0])
    _die_with(limits["parent"])
    if limits["isolate"]:
        try:
            leave_the_network()
        except OSError:
            return FORBIDDEN
    if len(arguments) == 1:
        return 0
    _limit(limits)
    sys.argv = arguments[1:]
    try:
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    except MemoryError:
        return OUT_OF_MEMORY
    return 0


def _die_with(parent: int) -> None:
    """End this process when its parent is killed, so that no decoder outlives its worker."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def leave_the_network() -> None:
    """Enter a user namespace whose network is empty; even its loopback is down. Raises OSError.

    The user id stays the same, because without it no file could be created. Root's rights are given up.
    """
    user, group = os.getuid(), os.getgid()
    kernel = ctypes.CDLL(None, use_errno=True)
    if kernel.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")


def _limit(limits: dict[str, int]) -> None:
    # One second between the word and the blow: the kernel sends SIGXCPU, which says why, only below the hard limit.
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu_s"], limits["cpu_s"] + 1))
    for what, most in (
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))
    if limits["isolate"]:
        # Counted within the namespace; outside of one all processes of this user would count.
        resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
    # A file that grows too large is an error to be told, not a death.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
