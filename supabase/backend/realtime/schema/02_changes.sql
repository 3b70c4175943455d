-- Changes of tables: the publication that names them, and who may see a row.

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
exception when insufficient_privilege then
  raise warning 'No right to make the publication supabase_realtime: changes of tables will not be published';
end
$$;

create or replace function realtime.who_sees(question text, keys jsonb, claims jsonb[]) returns boolean[]
language plpgsql
as $$
-- For each of these claims, one after the other: which of the rows that `question` asks for their bearer sees. One round
-- trip for hundreds of subscribers; the role and the claims end with the transaction. Only the backend's own login may
-- call it. Planning the question costs several times as much as answering it, so it is prepared once: Postgres plans it
-- anew when the role changes, and reads the claims at each execution.
declare
  answer constant text := format('execute realtime_question(%L)', keys);
  seen boolean[] := '{}';
  bearer jsonb;
  visible boolean[];
begin
  if exists (select from pg_prepared_statements where name = 'realtime_question') then
    deallocate realtime_question;  -- left by a policy that failed
  end if;
  execute 'prepare realtime_question(jsonb) as ' || question;
  perform set_config('plan_cache_mode', 'force_generic_plan', true);
  foreach bearer in array claims
  loop
    perform set_config('role', bearer ->> 'role', true), set_config('request.jwt.claims', bearer::text, true);
    execute answer into visible;
    seen := seen || visible;
  end loop;
  deallocate realtime_question;
  return seen;
end
$$;
revoke execute on function realtime.who_sees(text, jsonb, jsonb[]) from public;

-- Where the database gives no replication: the same changes, written down by triggers that the backend installs on the
-- tables of the publication. Read and forgotten within a minute.
create unlogged table if not exists realtime.changes (
  id bigint generated always as identity primary key,
  relation oid not null,
  operation text not null,
  xid xid8 not null default pg_current_xact_id(),
  committed_at timestamptz not null default now(),
  new_row jsonb,
  old_row jsonb
);
create index if not exists changes_xid_id_idx on realtime.changes (xid, id);
alter table realtime.changes enable row level security;

create or replace function realtime.note_change() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into realtime.changes (relation, operation, new_row, old_row)
  values (
    tg_relid, tg_op,
    case when tg_op = 'DELETE' then null else to_jsonb(new) end,
    case when tg_op = 'INSERT' then null else to_jsonb(old) end);
  perform pg_notify('realtime_changes', '');
  return null;
end
$$;
revoke execute on function realtime.note_change() from public;
