"""What who runs the installation asks for on the command line: an admin, the end of the demo accounts, its health."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from backend.core import health, production
from backend.core.config import Settings


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `admin` and `health` to the command line."""
    admins = commands.add_parser("admin", help="who may look after everybody's accounts")
    actions = admins.add_subparsers(dest="action", required=True)
    granted = actions.add_parser("grant", help="make an account that has confirmed its address an admin")
    granted.add_argument("email")
    actions.add_parser("remove-demo", help="remove the demo accounts and what is theirs")
    commands.add_parser("health", help="exit status 1 and a line for each thing that a person should look at")


async def admin(settings: Settings, options: argparse.Namespace) -> int:
    """`admin grant <e-mail>` and `admin remove-demo`."""
    if options.action == "remove-demo":
        print(f"Removed {await production.remove_demo_accounts(settings)} demo accounts.")
        return 0
    if not await production.grant_admin(settings, options.email):
        print(f"error: no account has confirmed the address {options.email}: register it first", file=sys.stderr)
        return 1
    print(f"{options.email} is an admin, once signed in with a second factor.")
    return 0


async def tell_health(settings: Settings, product_migrations: Path) -> int:
    """`health`."""
    problems = await health.problems(settings, product_migrations)
    print("\n".join(problems) or "All is well.")
    return 1 if problems else 0
