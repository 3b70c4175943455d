-- Consents of a contact, with the proof of each. Copy and erasure of a contact's data: 69_contact_rights.sql.
--
-- Error codes raised:
--   PT404  the caller has no such contact (PostgREST answers 404)

create type public.consent_channel as enum ('email', 'telefono', 'whatsapp', 'posta');

create type public.consent_purpose as enum ('servizio', 'marketing', 'profilazione');

create type public.consent_state as enum ('dato', 'negato', 'revocato', 'non_richiesto');

create table public.consents (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  channel public.consent_channel not null,
  purpose public.consent_purpose not null,
  state public.consent_state not null,
  legal_basis public.single_line,
  -- The wording that the person agreed to.
  wording text,
  -- The place where the consent was given: a form, a call, a paper.
  source public.single_line,
  at timestamptz not null default now(),
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (contact_id, channel, purpose),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint wording_fits check (char_length(wording) between 1 and 5000)
);
comment on table public.consents is 'What a contact allows now, per channel and purpose; written by record_consent() only.';

create table public.consent_events (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- No foreign key: the proof outlives the contact, whose id then identifies no person.
  contact_id uuid not null,
  channel public.consent_channel not null,
  purpose public.consent_purpose not null,
  state public.consent_state not null,
  legal_basis public.single_line,
  wording text,
  source public.single_line,
  at timestamptz not null default now(),
  created_at timestamptz not null default now(),

  unique (user_id, id)
);
comment on table public.consent_events is
  'Proof of every consent that was given, refused or taken back: only added to. A merge may change whom it is about.';

create index consents_contact on public.consents (user_id, contact_id);

create index consent_events_contact on public.consent_events (user_id, contact_id, at desc);

create function private.refuse_change_of_consent()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- Goes with the account; otherwise only a merge may say that two contacts were one.
  if tg_op = 'DELETE' and (
    not exists (select from auth.users where id = old.user_id) or private.is_being_erased(old.user_id)
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' then
    old.contact_id := new.contact_id;
    if new is not distinct from old then
      return new;
    end if;
  end if;
  raise exception 'what was agreed to is never changed' using errcode = '23001';
end
$$;
comment on function private.refuse_change_of_consent() is 'Makes consent_events append-only.';
revoke all on function private.refuse_change_of_consent from public, anon, authenticated, service_role;

create function private.set_consent(
  _user_id uuid, _contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose,
  _state public.consent_state, _legal_basis text, _wording text, _source text
)
  returns public.consents
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _consent public.consents;
begin
  -- What was answered to a contact that was merged counts for the one that is left: no refusal is lost.
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  perform from public.contacts where user_id = _user_id and id = _contact_id for no key update;
  select * into _consent from public.consents
  where contact_id = _contact_id and channel = _channel and purpose = _purpose;
  -- The same again, as by a second click, proves nothing new.
  if (_consent.state, _consent.legal_basis::text, _consent.wording, _consent.source::text)
    is not distinct from (_state, _legal_basis, _wording, _source)
  then
    return _consent;
  end if;
  insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source)
  on conflict (contact_id, channel, purpose) do update
    set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording,
      source = excluded.source, at = excluded.at
  returning * into _consent;
  insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source, _consent.at);
  return _consent;
end
$$;
comment on function private.set_consent is
  'Writes down what a contact of a person, or the one it was merged into, allows for a channel and a purpose, with its '
  'proof; PT404 if it is none.';
revoke all on function private.set_consent from public, anon, authenticated, service_role;

-- Security definer because a consent changes only together with its proof, through this function.
create function public.record_consent(
  _contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state,
  _legal_basis text default null, _wording text default null, _source text default null
)
  returns public.consents
  language sql volatile security definer
  set search_path = ''
as $$
  select private.set_consent(
    (select auth.uid()), _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source
  )
$$;
comment on function public.record_consent is 'private.set_consent for a contact of the caller.';
revoke all on function public.record_consent from public, anon, authenticated, service_role;
grant execute on function public.record_consent to authenticated;

alter table public.consents enable row level security;
alter table public.consent_events enable row level security;

create policy "owners read their consents" on public.consents
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their consent events" on public.consent_events
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.consents from public, anon, authenticated, service_role;
grant select on public.consents to authenticated, service_role;

revoke all on public.consent_events from public, anon, authenticated, service_role;
grant select on public.consent_events to authenticated, service_role;

create trigger refuse_change before update or delete on public.consent_events
  for each row execute function private.refuse_change_of_consent();

create trigger refuse_truncation before truncate on public.consent_events
  for each statement execute function private.refuse_change_of_consent();

alter table public.consents replica identity using index consents_user_id_id_key;
