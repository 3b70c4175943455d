-- Import batches: one row for each imported file of contacts, its counts and its state.
--
-- Error codes raised:
--   SC031  there is no such import, or it is closed

create type public.import_kind as enum ('csv', 'vcard', 'xlsx');

create type public.import_state as enum ('in_corso', 'fatto', 'annullato');

create table public.import_batches (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  file_name public.single_line not null,
  kind public.import_kind not null,
  total integer not null,
  created integer not null default 0,
  updated integer not null default 0,
  skipped integer not null default 0,
  failed integer not null default 0,
  -- Rows that the client could not read and did not send.
  rejected integer not null default 0,
  state public.import_state not null default 'in_corso',
  consent jsonb,
  -- Tags that the import created.
  new_tags uuid[] not null default '{}',
  created_at timestamptz not null default now(),
  finished_at timestamptz,

  unique (user_id, id),
  constraint total_fits check (total between 0 and 100000),
  constraint rejected_fits check (rejected between 0 and 100000),
  constraint consent_is_an_object check (jsonb_typeof(consent) = 'object' and char_length(consent::text) <= 10000)
);
comment on table public.import_batches is 'Files of contacts that were imported, and how far.';
comment on column public.import_batches.consent is
  'What everybody in the file agreed to: {channels, purpose, state, legal_basis, wording, source, at}; null: nothing is known.';
comment on column public.import_batches.rejected is
  'Rows of the file that the client refused and never sent; `total` counts those it sends, `failed` those refused here.';

create index import_batches_latest on public.import_batches (user_id, created_at desc);

create function private.lock_import(_batch uuid, _states public.import_state[])
  returns public.import_batches
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _found public.import_batches;
begin
  select * into _found from public.import_batches
  where user_id = auth.uid() and id = _batch and state = any (_states) for update;
  if not found then
    raise exception 'no such open import' using errcode = 'SC031';
  end if;
  return _found;
end
$$;
comment on function private.lock_import(uuid, public.import_state[]) is 'An import of the caller, locked; SC031 if there is none in such a state.';
revoke all on function private.lock_import from public, anon, authenticated, service_role;

create function public.finish_import(_batch uuid)
  returns public.import_batches
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _finished public.import_batches;
begin
  perform private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  update public.import_batches set state = 'fatto', finished_at = coalesce(finished_at, now())
  where id = _batch returning * into _finished;
  -- Whoever waited for it sees its end; after a minute they may have looked elsewhere.
  if _finished.finished_at - _finished.created_at > interval '1 minute' then
    perform private.notify(
      _finished.user_id, 'importazione_conclusa', 'Importazione conclusa: ' || _finished.file_name,
      format('Contatti nuovi: %s, aggiornati: %s, saltati: %s, non riusciti: %s.', _finished.created, _finished.updated,
        _finished.skipped, _finished.failed + _finished.rejected),
      null, 'import:' || _batch
    );
  end if;
  return _finished;
end
$$;
comment on function public.finish_import(uuid) is 'Closes an import of the caller: no row can be added to it any more.';
revoke all on function public.finish_import from public, anon, authenticated, service_role;
grant execute on function public.finish_import to authenticated;

create function public.begin_import(
  _file_name text, _kind public.import_kind, _total integer, _consent jsonb default null, _rejected integer default 0
)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _id uuid;
begin
  -- What cannot be read is refused now, not at the first row.
  perform value::public.consent_channel from jsonb_array_elements_text(_consent -> 'channels') as value;
  perform (_consent ->> 'purpose')::public.consent_purpose, (_consent ->> 'state')::public.consent_state,
    (_consent ->> 'legal_basis')::public.single_line, (_consent ->> 'source')::public.single_line;
  if (_consent ->> 'at')::timestamptz > now() then
    raise exception 'a consent cannot be of tomorrow' using errcode = '22023';
  end if;
  insert into public.import_batches (user_id, file_name, kind, total, consent, rejected)
    values (auth.uid(), _file_name, _kind, _total, nullif(_consent, 'null'), _rejected)
    returning id into _id;
  return _id;
end
$$;
comment on function public.begin_import(text, public.import_kind, integer, jsonb, integer) is
  'Opens an import of the caller and answers its id; _rejected rows of the file are not sent. Consent of the whole file: '
  '{channels: ["email"], purpose: "marketing", state: "dato", legal_basis, wording, source, at}; without a purpose '
  '«marketing», without a state «dato».';
revoke all on function public.begin_import from public, anon, authenticated, service_role;
grant execute on function public.begin_import to authenticated;

alter table public.import_batches enable row level security;

create policy "owners read their imports" on public.import_batches
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.import_batches from public, anon, authenticated, service_role;
grant select on public.import_batches to authenticated, service_role;

alter table public.import_batches replica identity using index import_batches_user_id_id_key;
