"""Writes the TypeScript types of the tables, from the catalog of a freshly migrated database, and the catalogue.

The shape is the one supabase-js expects of a `Database` type. Narrower than the CLI's generator on one point: Row,
Insert and Update offer only the columns that a browser (anon or authenticated) may read and write, so the compiler
refuses what the database refuses. The layout is the one oxfmt leaves alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from scripts import gen_catalog, migration
from scripts.paths import ROOT

OUTPUT = ROOT / "web" / "src" / "data" / "database.gen.ts"

HEADER = """\
// Generated from the database by `python -m scripts.gen_types`; a test fails when it is stale.
// Insert and Update hold only the columns that the browser may write.
"""

JSON = "type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]\n"

SCALARS: Mapping[str, str] = {
    **dict.fromkeys(("int2", "int4", "int8", "float4", "float8", "numeric"), "number"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid", "inet", "tsvector", "bytea"), "string"),
    **dict.fromkeys(("date", "time", "timetz", "timestamp", "timestamptz", "interval"), "string"),
    **dict.fromkeys(("json", "jsonb"), "Json"),
    "bool": "boolean",
    "void": "undefined",
    "record": "Record<string, unknown>",
}

# Base type behind any domain or array, so that a value is typed by what PostgREST sends.
TYPES_SQL = """
with recursive unwrapped as (
  select oid as type_id, oid as base_id, false as is_array from pg_type
  union all
  select
    unwrapped.type_id,
    case when pg_type.typtype = 'd' then pg_type.typbasetype else pg_type.typelem end,
    is_array or pg_type.typcategory = 'A'
  from unwrapped join pg_type on pg_type.oid = base_id
  where pg_type.typtype = 'd' or (pg_type.typcategory = 'A' and pg_type.typelem <> 0)
)
select
  unwrapped.type_id, base.typname as name, base.typtype = 'e' as is_enum, base.typtype = 'c' as is_composite,
  bool_or(is_array) over (partition by unwrapped.type_id) as is_array,
  namespace.nspname = 'public' as is_public, coalesce(relation.relkind in ('v', 'm'), false) as is_view
from unwrapped
join pg_type base on base.oid = base_id
join pg_namespace namespace on namespace.oid = base.typnamespace
left join pg_class relation on relation.oid = base.typrelid
where base.typtype <> 'd' and not (base.typcategory = 'A' and base.typelem <> 0)
"""

COLUMNS_SQL = """
select
  relation.relname as relation, relation.relkind in ('v', 'm') as is_view, attname as name, atttypid as type_id,
  attnotnull as is_required, (atthasdef or attidentity <> '') as has_default,
  browser.may_select, browser.may_insert, browser.may_update
from pg_attribute
join pg_class relation on relation.oid = attrelid
cross join lateral (
  select
    bool_or(has_column_privilege(role, relation.oid, attnum, 'select')) as may_select,
    bool_or(has_column_privilege(role, relation.oid, attnum, 'insert')) as may_insert,
    bool_or(has_column_privilege(role, relation.oid, attnum, 'update')) as may_update
  from unnest(array['anon', 'authenticated']) as role
) as browser
where relation.relnamespace = 'public'::regnamespace and relation.relkind in ('r', 'p', 'v', 'm')
  and not relation.relispartition and attnum > 0 and not attisdropped
order by relation.relname collate "C", attname collate "C"
"""

RELATIONSHIPS_SQL = """
select
  source.relname as relation, conname as name, target.relname as target,
  array(select attname::text from unnest(conkey) with ordinality as key (number, place)
    join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns,
  array(select attname::text from unnest(confkey) with ordinality as key (number, place)
    join pg_attribute on attrelid = confrelid and attnum = number order by place) as target_columns,
  exists (select from pg_constraint own where own.conrelid = constraints.conrelid and own.contype in ('p', 'u')
    and own.conkey @> constraints.conkey and own.conkey <@ constraints.conkey) as is_one_to_one
from pg_constraint constraints
join pg_class source on source.oid = conrelid
join pg_class target on target.oid = confrelid
where contype = 'f' and source.relnamespace = 'public'::regnamespace and target.relnamespace = 'public'::regnamespace
order by conname collate "C"
"""

FUNCTIONS_SQL = """
select
  proname as name, prorettype as type_id, proretset as is_set, pronargdefaults as defaults,
  coalesce(proallargtypes, proargtypes::oid[]) as argument_types,
  coalesce(proargmodes::text[], array_fill('i'::text, array[pronargs])) as argument_modes,
  coalesce(proargnames, '{}') as argument_names
from pg_proc
where pronamespace = 'public'::regnamespace and prokind = 'f' and prorettype <> 'trigger'::regtype
  and (has_function_privilege('anon', oid, 'execute') or has_function_privilege('authenticated', oid, 'execute'))
order by proname collate "C"
"""

ENUMS_SQL = """
select typname as name, array_agg(enumlabel::text order by enumsortorder) as labels
from pg_type join pg_enum on enumtypid = pg_type.oid
where typnamespace = 'public'::regnamespace
group by typname order by typname collate "C"
"""


@dataclass(frozen=True)
class Catalog:
    """What the catalog queries answered."""

    types: Mapping[int, asyncpg.Record]
    columns: Sequence[asyncpg.Record]
    relationships: Sequence[asyncpg.Record]
    functions: Sequence[asyncpg.Record]
    enums: Sequence[asyncpg.Record]

    def type_name(self, type_id: int) -> str:
        """Return the TypeScript type of the value that PostgREST sends for a Postgres type."""
        found = self.types[type_id]
        name = SCALARS.get(found["name"], "unknown")
        if found["is_enum"] and found["is_public"]:
            name = f"Database['public']['Enums']['{found['name']}']"
        elif found["is_composite"] and found["is_public"]:
            group = "Views" if found["is_view"] else "Tables"
            name = f"Database['public']['{group}']['{found['name']}']['Row']"
        return f"{name}[]" if found["is_array"] else name


async def generate(database_url: str) -> str:
    """Return the text of the types file for a migrated database."""
    connection = await asyncpg.connect(database_url)
    try:
        catalog = Catalog(
            types={row["type_id"]: row for row in await connection.fetch(TYPES_SQL)},
            columns=await connection.fetch(COLUMNS_SQL),
            relationships=await connection.fetch(RELATIONSHIPS_SQL),
            functions=await connection.fetch(FUNCTIONS_SQL),
            enums=await connection.fetch(ENUMS_SQL),
        )
    finally:
        await connection.close()
    return "\n".join((HEADER, JSON, _database(catalog)))


def _database(catalog: Catalog) -> str:
    sections = {
        "Tables": _relations(catalog, views=False),
        "Views": _relations(catalog, views=True),
        "Functions": [(row["name"], _function(catalog, row)) for row in catalog.functions],
        "Enums": [(row["name"], _union(row["labels"])) for row in catalog.enums],
        "CompositeTypes": [],
    }
    public = _object([(name, _object(members)) for name, members in sections.items()])
    internal = _object([("PostgrestVersion", "'12'")])
    return f"export type Database = {_object([('__InternalSupabase', internal), ('public', public)])}\n"


def _relations(catalog: Catalog, *, views: bool) -> list[tuple[str, str]]:
    names = dict.fromkeys(row["relation"] for row in catalog.columns if row["is_view"] is views)
    return [(name, _relation(catalog, name, is_view=views)) for name in names]


def _relation(catalog: Catalog, name: str, *, is_view: bool) -> str:
    columns = [row for row in catalog.columns if row["relation"] == name]
    members = [("Row", _row(catalog, (c for c in columns if c["may_select"])))]
    if not is_view:
        members.append(("Insert", _row(catalog, (c for c in columns if c["may_insert"]), optional="insert")))
        members.append(("Update", _row(catalog, (c for c in columns if c["may_update"]), optional="update")))
    links = [_relationship(row) for row in catalog.relationships if row["relation"] == name]
    members.append(
        (
            "Relationships",
            "[" + "".join(f"\n{link}," for link in links).replace("\n", "\n  ") + "\n" * bool(links) + "]",
        )
    )
    return _object(members)


def _row(catalog: Catalog, columns: Iterable[asyncpg.Record], optional: str = "") -> str:
    members = []
    for column in columns:
        nullable = not column["is_required"]
        may_miss = optional == "update" or (optional == "insert" and (nullable or column["has_default"]))
        suffix = " | null" if nullable else ""
        members.append((column["name"] + "?" * may_miss, catalog.type_name(column["type_id"]) + suffix))
    return _object(members) if members else "Record<string, never>"


def _relationship(row: asyncpg.Record) -> str:
    return _object(
        [
            ("foreignKeyName", _quoted(row["name"])),
            ("columns", _tuple(row["columns"])),
            ("isOneToOne", str(row["is_one_to_one"]).lower()),
            ("referencedRelation", _quoted(row["target"])),
            ("referencedColumns", _tuple(row["target_columns"])),
        ]
    )


def _function(catalog: Catalog, row: asyncpg.Record) -> str:
    arguments = list(zip(row["argument_names"], row["argument_types"], row["argument_modes"], strict=True))
    inputs = [(name, catalog.type_name(type_id)) for name, type_id, mode in arguments if mode in "ib"]
    outputs = [(name, catalog.type_name(type_id)) for name, type_id, mode in arguments if mode in "obt"]
    required = len(inputs) - row["defaults"]
    named = [(name + "?" * (place >= required), kind) for place, (name, kind) in enumerate(inputs)]
    returned = _object(outputs) if outputs else catalog.type_name(row["type_id"])
    return _object(
        [
            ("Args", _object(sorted(named)) if named else "never"),
            ("Returns", returned + "[]" * row["is_set"]),
        ]
    )


def _quoted(name: str) -> str:
    return f"'{name}'"


def _union(labels: Iterable[str]) -> str:
    return " | ".join(_quoted(label) for label in labels)


def _tuple(names: Iterable[str]) -> str:
    return "[" + ", ".join(_quoted(name) for name in names) + "]"


def _object(members: Sequence[tuple[str, str]]) -> str:
    if not members:
        return "{ [_ in never]: never }"
    lines = (f"{key}: {value}".replace("\n", "\n  ") for key, value in members)
    return "{\n" + "".join(f"  {line}\n" for line in lines) + "}"


async def main() -> None:
    """Write the types file and the catalogue from a throw-away database."""
    async with migration.migrated_database() as url:
        write(OUTPUT, await generate(url))
        catalog, legal_claims = await gen_catalog.generate(url)
        write(gen_catalog.OUTPUT, catalog)
        write(gen_catalog.LEGAL_OUTPUT, legal_claims)


def write(path: Path, text: str) -> None:
    """Write the file unless it has this content already."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    asyncio.run(main())
