"""Group new errors of browsers for admins, and open again the groups that are back.

The place of an error is the file that it was written in, by the source maps: the script that has the code may be
another one in the next release. Without a map it is the name of the script.
"""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import source_maps

EVERY = timedelta(minutes=1)
# The largest take a tenth of a second each, and visitors write the names.
MAX_SCRIPTS = 20


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Group what came since the last run."""
    frames = await context.call("private.fresh_error_frames")
    await context.call("private.group_errors", await asyncio.to_thread(places_of, frames))


def places_of(errors: dict[str, list[dict[str, Any]]]) -> dict[str, str | None]:
    """Return the file that each error came from, None where no map says it."""
    scripts = Counter(frame["file"] for frames in errors.values() for frame in frames)
    files = {
        (script, *place): file
        for script, _ in scripts.most_common(MAX_SCRIPTS)
        for place, file in source_maps.files_of(
            script,
            {(one["line"], one["column"]) for frames in errors.values() for one in frames if one["file"] == script},
        ).items()
    }
    return {
        error: next((file for one in frames if (file := files.get((one["file"], one["line"], one["column"])))), None)
        for error, frames in errors.items()
    }
