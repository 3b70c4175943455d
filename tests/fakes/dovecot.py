"""A real IMAP server for tests: Debian's Dovecot on a port of loopback, with all its files in one folder.

`python -m tests.fakes.dovecot PORT` runs it until it is ended, for browser tests. Any name is an account; all
have the same password. With the address of a provider it takes tokens too (XOAUTH2), and asks there whose they are.
"""

from __future__ import annotations

import getpass
import grp
import imaplib
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PASSWORD = "segreta-per-le-app"
PATIENCE_S = 20
CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
mail_location = maildir:~/Maildir
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
namespace inbox {{
  inbox = yes
  mailbox "Posta inviata" {{
    auto = subscribe
    special_use = \\Sent
  }}
}}
{logins}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
"""
LOGINS = """
auth_mechanisms = plain xoauth2
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {file}
}}
"""
INTROSPECTION = """
introspection_mode = get
introspection_url = {url}/introspect?token=
username_attribute = email
active_attribute = active
active_value = true
"""


def program() -> str | None:
    """Return where Dovecot is; None when it is not installed."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])
    return shutil.which("dovecot", path=path)


@contextmanager
def serving(port: int, provider_url: str | None = None) -> Iterator[None]:
    """Serve while the block runs."""
    # Its sockets need a short path.
    made = tempfile.TemporaryDirectory(prefix="dovecot-", ignore_cleanup_errors=True)
    with made as folder, _serving(Path(folder), port, provider_url):
        yield


@contextmanager
def _serving(folder: Path, port: int, provider_url: str | None) -> Iterator[None]:
    found = program()
    assert found is not None, "install dovecot-imapd"
    is_root = os.geteuid() == 0
    # Root may not have mail; its server hands mailboxes to an account without rights.
    owner = pwd.getpwnam("nobody") if is_root else pwd.getpwuid(os.geteuid())
    (folder / "mail").mkdir(parents=True)
    if is_root:
        os.chown(folder / "mail", owner.pw_uid, owner.pw_gid)
        folder.chmod(0o755)
    user = "dovecot" if is_root else getpass.getuser()
    logins = folder / "oauth2.conf.ext"
    logins.write_text(INTROSPECTION.format(url=provider_url))
    config = folder / "dovecot.conf"
    config.write_text(
        CONFIG.format(
            folder=folder, port=port, password=PASSWORD, user=user, uid=owner.pw_uid, gid=owner.pw_gid,
            logins=LOGINS.format(file=logins) if provider_url else "",
            group=grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name,
        )
    )  # fmt: skip
    child = subprocess.Popen([found, "-F", "-c", str(config)], stdin=subprocess.DEVNULL)
    try:
        _await(port, child, folder)
        yield
    finally:
        child.terminate()
        child.wait(PATIENCE_S)


def _await(port: int, child: subprocess.Popen[bytes], folder: Path) -> None:
    ends_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_at and child.poll() is None:
        try:
            imaplib.IMAP4("127.0.0.1", port, timeout=5).shutdown()
        except (OSError, imaplib.IMAP4.abort):
            time.sleep(0.05)
        else:
            return
    log = folder / "log"
    raise RuntimeError(log.read_text() if log.exists() else "Dovecot did not start")


def deliver(port: int, account: str, content: bytes, folder: str = "INBOX") -> None:
    """Put a message into a mailbox."""
    with imaplib.IMAP4("127.0.0.1", port, timeout=10) as client:
        client.login(account, PASSWORD)
        answer, told = client.append(f'"{folder}"', "", "", content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
        assert answer == "OK", told


if __name__ == "__main__":
    with serving(int(sys.argv[1])):
        print("ready", flush=True)
        sys.stdin.read()
