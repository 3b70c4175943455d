"""All writes by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions._shared.assistant.tools import (
    write_contacts,
    write_deals,
    write_drafts,
    write_goals,
    write_interactions,
    write_memory,
    write_new_deal,
    write_new_task,
    write_payments,
    write_subtasks,
    write_tasks,
    write_undo,
)
from functions._shared.assistant.tools.writing import Write

_WRITES: Mapping[str, Write[Any, Any]] = {
    write.name: write
    for module in (
        write_new_task,
        write_tasks,
        write_subtasks,
        write_contacts,
        write_interactions,
        write_new_deal,
        write_deals,
        write_payments,
        write_drafts,
        write_memory,
        write_goals,
    )
    for write in module.WRITES
}
# What takes the others back is none of them.
WRITES = {**_WRITES, write_undo.UndoLastAction.name: write_undo.UndoLastAction(_WRITES)}
