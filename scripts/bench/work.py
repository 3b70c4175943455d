"""The screens people live in: lists, search, board and timeline must cost the same however many others there are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from scripts.bench import crowd, scale
from scripts.bench.goals import Result
from scripts.bench.scale import Scale
from scripts.bench.stage import Stage

FLAT = 1.3
MANY, MANY_MS = 100_000, 30
# Beginnings, stems, parts, slips of the keyboard, addresses and digits; frequent ones and rare ones.
WORDS = (
    "mar",
    "rossi",
    "giulia",
    "cantine",
    "quercia",
    "esposto",
    "posta78@brera.it",
    "377",
    "studio brera 77",
)
# Parts of titles: of every sixth task, of few, and of one.
TITLE_PARTS = ("ferr", "iamare r", "ssi 7", "vo per", " 777")
TASKS = (
    "/tasks?select=*,contact:contacts!tasks_user_id_contact_id_fkey(id,name),"
    "waiting:contacts!tasks_user_id_waiting_for_fkey(id,name)&deleted_at=is.null"
)
OPEN_TASKS = f"{TASKS}&state=neq.fatto&order=id.asc&limit=250"
# A person with a thousand tasks has two hundred open ones: a page of as many of a person with more.
AS_MANY_OPEN_TASKS = OPEN_TASKS.replace("limit=250", "limit=200")


async def work(stage: Stage) -> list[Result]:
    """Each query as the client sends it, with a million rows in its tables to a thousand, and by its plan."""
    person, prolific = stage.people[:2]
    async with scale.scale(person, (prolific, MANY), crowd.fill) as both:
        results = [await scale.flat(both, what, paths, FLAT) for what, paths in (await _requests(both)).items()]
        results += [
            await scale.grown(both, f"{what}, {MANY:,} to 1,000", paths, FLAT)
            for what, paths in (
                ("search of tasks", _title_searches()),
                ("page of open tasks", [AS_MANY_OPEN_TASKS]),
                ("page of the board", [_board()]),
            )
        ]
        return [*results, await _search_of_many(both)]


async def _requests(both: Scale) -> dict[str, list[str]]:
    """List the requests of the client (web/src/data: contacts, tasks, deals, contacts-timeline, contact-search)."""
    by_name = "/contact_list?select=*&type=eq.persona&order=name.asc.nullslast,id.asc&limit=100"
    _, first = await scale.taken_ms(both.large, both.person, by_name)
    last, contacts = first[-1], [row["id"] for row in first]
    name = quote(f'"{last["name"]}"')
    done = f"{TASKS}&state=eq.fatto&parent_id=is.null&completed_at=not.is.null"
    return {
        "contacts by name": [by_name],
        "contacts by name, second page": [
            f"{by_name}&name=gte.{quote(last['name'])}&or=(name.gt.{name},and(name.eq.{name},id.gt.{last['id']}))"
        ],
        "contacts by next touch": [by_name.replace("order=name", "order=next_touch_at")],
        "open tasks (Oggi, list, kanban)": [OPEN_TASKS],
        "tasks done": [f"{done}&order=completed_at.desc,id.desc&limit=100"],
        "search of contacts": [_search(word) for word in WORDS],
        "search of tasks": _title_searches(),
        "board of deals": [_board()],
        "timeline of a contact": [
            f"/timeline?select=*&contact_id=eq.{contact}&order=at.desc,id.desc&limit=50" for contact in contacts
        ],
    }


def _board() -> str:
    deal = (
        "/deals?select=*,contact:contacts!deals_user_id_contact_id_fkey(id,name),tasks(count)&deleted_at=is.null"
        "&tasks.state=neq.fatto&tasks.deleted_at=is.null"
    )
    year_ago = f"{datetime.now(UTC) - timedelta(days=365):%Y-%m-%dT%H:%M:%SZ}"
    recent = "&".join(f"or=({end}.is.null,{end}.gte.{year_ago})" for end in ("won_at", "lost_at"))
    return f"{deal}&{recent}&order=id.asc&limit=250"


def _title_searches() -> list[str]:
    return [f"/rpc/search_tasks?_text={quote(part)}" for part in TITLE_PARTS]


def _search(words: str) -> str:
    return f"/rpc/search_contacts?_query={quote(words)}&_limit=6"


async def _search_of_many(both: Scale) -> Result:
    """Measure the slow searches of a person with fifty times as many contacts, and check the plans inside."""
    paths = [_search(WORDS[number % len(WORDS)]) for number in range(scale.REQUESTS)]
    p95, p50, cpu_ms = await scale.searched(both, paths)
    inside = "select count(*) from public.search_contacts($1, 6)"
    read = [
        table
        for person in (both.person, both.prolific)
        for table in await scale.scanned_inside(both, person, inside, WORDS)
    ]
    details = f"p95 {p95:.0f} ms, p50 {p50:.0f}; {cpu_ms:.0f} ms CPU each"
    what = f"search among {MANY:,}, p95, to {MANY_MS} ms"
    return scale.judged(Result("work", what, p95 / MANY_MS, 1, details), read)
