"""A port of a test's own server, which is known before the server is there."""

from __future__ import annotations

import socket


def opened() -> socket.socket:
    """Listen on a free port of this machine.

    Made for TCP by name, as a server's own sockets are: of others asyncio does not switch Nagle's algorithm off, and
    each answer in two parts would wait 40 ms for an acknowledgement.
    """
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    door.bind(("127.0.0.1", 0))
    door.listen(128)
    return door
