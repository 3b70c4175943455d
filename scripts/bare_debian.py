"""Prove the set-up on a bare Debian: make one in a folder, then install and start the product in it.

The Debian has nothing but Python, make and the certificates of its package registries. Needs root, which `mmdebstrap`
and `unshare` ask for; another user is told that the proof is left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts import machine
from scripts.paths import ROOT

RELEASE = "bookworm"
PACKAGES = ("python3", "make", "ca-certificates")
TOOL = machine.Need(("mmdebstrap",), lambda: shutil.which("mmdebstrap") is not None, "A bare Debian")
# The settings of this machine for its registries, where it has them.
REGISTRIES = ("/etc/pip.conf", "/etc/npmrc", "/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt")
APT_SETTINGS = Path("/etc/apt/apt.conf.d")
CHECKOUT = "/srv/socio"
# A throw-away stack on free ports: it starts every process of the product and ends with the command.
START = "make setup && .venv/bin/python -m scripts.stack -- true"


def main() -> int:
    """Make the Debian, run set-up and start in it; return the exit status."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        print("    LEFT OUT: needs root on a Debian", flush=True)
        return 0
    machine.offer(TOOL)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        root.chmod(0o755)
        command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}", RELEASE, str(root)]
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode != 0:
            return 1
        for name in (*REGISTRIES, *map(str, APT_SETTINGS.glob("99*"))):
            copy_file(Path(name), root / name.lstrip("/"))
        copy_file(Path.home() / ".npmrc", root / "root" / ".npmrc")
        clone = ["git", "-c", f"safe.directory={ROOT}", "clone", "--quiet", "--depth=1", ROOT.as_uri()]
        subprocess.run([*clone, f"{root}{CHECKOUT}"], check=True)
        return subprocess.run(inside(root), env=environment(root), stdin=subprocess.DEVNULL).returncode


def copy_file(source: Path, target: Path) -> None:
    """Copy a file; one that this machine lacks is left out."""
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def inside(root: Path) -> list[str]:
    """Return the command that installs and starts the product below a root, with namespaces that end with it."""
    mounts = f"mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev"
    script = f'{mounts} && exec chroot {root} sh -c "cd {CHECKOUT} && {START}"'
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]


def environment(root: Path) -> dict[str, str]:
    """Return our environment without the paths that the bare Debian does not have."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not value.startswith("/") or (root / value.lstrip("/")).exists()
    }
    return {**kept, "HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": "/tmp"}  # noqa: S108


if __name__ == "__main__":
    sys.exit(main())
