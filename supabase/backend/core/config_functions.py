"""The settings of edge functions: `[functions.<slug>]` and `[edge_runtime]`, with the CLI's keys.

How long a function may take and how large its request may be stands in the function's own file (edge/api.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Function:
    """One edge function; `verify_jwt = false` is for webhooks that bring their own signature."""

    enabled: bool = True
    verify_jwt: bool = True


@dataclass(frozen=True)
class EdgeRuntime:
    """How functions run: `oneshot` looks for changed files at each call, `per_worker` loads a function once.

    `secrets` are what functions may read of the environment, by name; empty when the variable is not set.
    """

    enabled: bool = True
    policy: Literal["oneshot", "per_worker"] = "per_worker"
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
