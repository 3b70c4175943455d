-- Messages sent from the database, and the table whose policies guard private channels (REALTIME-03, REALTIME-04).
-- Idempotent. Kept for three days for replay; housekeeping deletes the rest.

create schema if not exists realtime;

create table if not exists realtime.messages (
  id uuid primary key default gen_random_uuid(),
  topic text not null,
  extension text not null,
  event text,
  payload jsonb,
  binary_payload bytea,
  private boolean default false,
  updated_at timestamp not null default now(),
  inserted_at timestamp not null default now()
);
create index if not exists messages_topic_inserted_at_idx on realtime.messages (topic, inserted_at desc)
  where extension = 'broadcast' and private;
create index if not exists messages_inserted_at_idx on realtime.messages (inserted_at);
alter table realtime.messages enable row level security;

-- What is too long for a notification between two processes of the backend, for a minute.
create unlogged table if not exists realtime.parcels (
  id bigint generated always as identity primary key,
  content text not null,
  created_at timestamptz not null default now()
);
alter table realtime.parcels enable row level security;

-- The processes of the backend that serve sockets now.
create unlogged table if not exists realtime.nodes (
  id uuid primary key,
  seen_at timestamptz not null default now()
);
alter table realtime.nodes enable row level security;

create or replace function realtime.topic() returns text
language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;
comment on function realtime.topic() is 'The channel''s name, for policies on realtime.messages.';

-- As upstream, the rights of whoever calls decide: the INSERT policies of realtime.messages, which read the topic. A
-- trigger of the project calls these inside somebody's write, so a refusal is a warning and never breaks it.
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void
language plpgsql
security invoker
set search_path = ''
as $$
declare
  topic_before constant text := current_setting('realtime.topic', true);
begin
  begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (payload, event, topic, private, extension)
    values (
      case when jsonb_typeof(payload) = 'object' and not payload ? 'id'
        then payload || jsonb_build_object('id', gen_random_uuid()) else payload end,
      event, topic, private, 'broadcast');
  exception when others then
    raise warning 'ErrorSendingBroadcastMessage: %', sqlerrm;
  end;
  perform set_config('realtime.topic', coalesce(topic_before, ''), true);
end
$$;
comment on function realtime.send(jsonb, text, text, boolean) is
  'Broadcast to a topic as far as the policies of realtime.messages let the caller; an object without an id gets one.';

create or replace function realtime.send_binary(payload bytea, event text, topic text, private boolean default true)
returns void
language plpgsql
security invoker
set search_path = ''
as $$
declare
  topic_before constant text := current_setting('realtime.topic', true);
begin
  begin
    perform set_config('realtime.topic', topic, true);
    insert into realtime.messages (binary_payload, event, topic, private, extension)
    values (payload, event, topic, private, 'broadcast');
  exception when others then
    raise warning 'ErrorSendingBroadcastMessage: %', sqlerrm;
  end;
  perform set_config('realtime.topic', coalesce(topic_before, ''), true);
end
$$;
comment on function realtime.send_binary(bytea, text, text, boolean) is 'Broadcast bytes to a topic, as realtime.send does.';

create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text, new record, old record,
  level text default 'ROW'
)
returns void
language plpgsql
as $$
declare
  row_data jsonb;
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  row_data := jsonb_build_object(
    'record', case when operation = 'DELETE' then null else to_jsonb(new) end,
    'old_record', case when operation = 'INSERT' then null else to_jsonb(old) end,
    'operation', operation, 'table', table_name, 'schema', table_schema);
  perform realtime.send(row_data, event_name, topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end
$$;

create or replace function realtime.announce_message() returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform pg_notify('realtime_messages', new.id::text);
  return null;
end
$$;
revoke execute on function realtime.announce_message() from public;

create or replace trigger announce_message after insert on realtime.messages
  for each row when (new.extension = 'broadcast') execute function realtime.announce_message();
