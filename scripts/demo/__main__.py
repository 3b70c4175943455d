"""`python -m scripts.demo`: fill the demo account of this installation, when it is due."""

from __future__ import annotations

import asyncio
import logging
import sys
import time

from backend.core import config
from scripts.demo import fill


def main() -> int:
    """Run it."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    began = time.monotonic()
    if asyncio.run(fill.fill(config.load())):
        fill.logger.info("the demo account is filled (%.1f s)", time.monotonic() - began)
    return 0


if __name__ == "__main__":
    sys.exit(main())
