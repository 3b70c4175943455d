-- Contacts: people and companies in one table, what hangs on them, and the cadence «da risentire».
--
-- Every reference to another row of ours names the owner as well: a key of a stranger's row fits nobody else. What is
-- merged or in the trash stays readable by its owner, so that both can be undone; `contact_list` shows the others.
--
-- The cadence: `touch_days` of a contact, else the smallest among its tags. `next_touch_at` is so many days after the
-- last interaction (or after the contact was made); an interaction sets both anew and ends a snooze.

create type public.contact_type as enum ('persona', 'azienda');
create type public.contact_origin as enum ('manuale', 'import', 'whatsapp', 'email', 'documento', 'modulo', 'demo');
create type public.interaction_kind as enum ('chiamata', 'email', 'whatsapp', 'incontro', 'altro');
create type public.interaction_direction as enum ('uscita', 'entrata');
create type public.consent_channel as enum ('email', 'telefono', 'whatsapp', 'posta');
create type public.consent_purpose as enum ('servizio', 'marketing', 'profilazione');
create type public.consent_state as enum ('dato', 'negato', 'revocato', 'non_richiesto');

-- --- Italian fiscal data: as stored, in capitals and without spaces. tests/vectors/tax_ids.json holds the examples. ---

create function private.is_vat_number(_number text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Seven digits of the person, three of the office that gave the number, one check digit (Luhn).
  select case when _number !~ '^[0-9]{7}(0(?!00)[0-9]{2}|100|120|121|888|999)[0-9]$' or _number ~ '^0{7}' then false
    else (
      select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9 else digit * 2 end) % 10 = 0
      from generate_series(1, 11) as place, lateral (select substr(_number, place, 1)::integer as digit) as digits
    )
  end
$$;
comment on function private.is_vat_number(text) is 'Whether a text is a partita IVA: 11 digits, the last by Luhn.';

create function private.is_tax_code(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Letters stand for digits where two people would have the same code (omocodia). A woman's day counts from 41. The
  -- century is unknown; 2000 is a leap year, so it forgives a 29 February.
  select case
    when _code !~ '^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$' then false
    else (
      select day - case when day > 40 then 40 else 0 end between 1
        and extract(day from make_date(2000 + year, month, 1) + interval '1 month - 1 day')
      from (
        select translate(substr(_code, 7, 2), 'LMNPQRSTUV', '0123456789')::integer as year,
          strpos('ABCDEHLMPRST', substr(_code, 9, 1)) as month,
          translate(substr(_code, 10, 2), 'LMNPQRSTUV', '0123456789')::integer as day
      ) as birth
    ) and (
      -- What a character in an odd place counts, by its place in the alphabet or its digit (D.M. 23 December 1976).
      select chr(65 + sum(
          case when place % 2 = 0 then value
            else ('{1,0,5,7,9,13,15,17,19,21,2,4,18,20,11,3,6,8,12,14,16,10,22,25,24,23}'::integer[])[value + 1] end
        )::integer % 26) = substr(_code, 16, 1)
      from generate_series(1, 15) as place, lateral (
        select ascii(substr(_code, place, 1)) - case when substr(_code, place, 1) ~ '[0-9]' then 48 else 65 end as value
      ) as characters
    )
  end
$$;
comment on function private.is_tax_code(text) is
  'Whether a text is the codice fiscale of a person: 16 characters, the birthday exists and the last letter fits.';

create function private.is_sdi_code(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select _code ~ '^[A-Z0-9]{7}$'
$$;
comment on function private.is_sdi_code(text) is 'Whether a text is a codice destinatario of the exchange system.';

create function private.is_email(_address text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select char_length(_address) <= 254
    and _address ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+[.][^[:space:][:cntrl:]@]+$'
$$;
comment on function private.is_email(text) is 'Whether a text has the shape of an e-mail address.';

-- --- Tables ---

create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  type public.contact_type not null default 'persona',
  first_name public.single_line,
  last_name public.single_line,
  business_name public.single_line,
  -- Sorted as people sort: «de Rossi» before «Zanni», accents beside their letter.
  name text collate "und-x-icu" not null generated always as (
    case type
      when 'azienda' then coalesce(business_name::text, btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')))
      else coalesce(
        nullif(btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), business_name::text, ''
      )
    end
  ) stored,
  company_id uuid,
  job_title public.single_line,
  vat_number text,
  tax_code text,
  sdi_code text,
  pec text,
  regime public.single_line,
  address jsonb,
  website text,
  origin public.contact_origin not null default 'manuale',
  touch_days integer,
  last_interaction_at timestamptz,
  next_touch_at timestamptz,
  snoozed_until timestamptz,
  note text,
  merged_into uuid,
  deleted_at timestamptz,
  import_batch_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Also the replica identity: of a deleted row its owner alone is told.
  unique (user_id, id),
  foreign key (user_id, company_id) references public.contacts (user_id, id) on delete set null (company_id),
  -- Who erases the one that is left erases what became part of it.
  foreign key (user_id, merged_into) references public.contacts (user_id, id) on delete cascade,
  constraint a_contact_has_a_name check (name ~ '[^[:space:]]'),
  constraint nobody_works_for_themselves check (company_id <> id),
  constraint a_person_works_for_a_company check (company_id is null or type = 'persona'),
  constraint nobody_is_merged_into_themselves check (merged_into <> id),
  constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  -- Sixteen characters; companies have eleven digits.
  constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code)),
  -- Six characters: an office of the public administration.
  constraint sdi_code_is_one check (private.is_sdi_code(sdi_code) or sdi_code ~ '^[A-Z0-9]{6}$'),
  constraint pec_is_an_address check (private.is_email(pec)),
  constraint address_has_known_parts check (
    jsonb_typeof(address) = 'object' and char_length(address::text) <= 1000
    and address - array['street', 'postal_code', 'city', 'province', 'country'] = '{}'
  ),
  -- Shown as a link: never script.
  constraint website_is_an_address check (
    website ~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$' and char_length(website) <= 500
  ),
  constraint touch_days_fit check (touch_days between 1 and 3650),
  constraint note_fits check (char_length(note) between 1 and 20000)
);
comment on table public.contacts is
  'People and companies of one owner; merged and deleted ones stay until they are purged.';
comment on column public.contacts.next_touch_at is
  'When it is time to be in touch again; null: nobody asked to be reminded.';

create table public.contact_emails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  value text not null,
  norm text not null generated always as (lower(value)) stored,
  label public.single_line,
  is_primary boolean not null default false,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  -- An address belongs to one contact: it is how mail finds its person.
  unique (user_id, norm),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint value_is_an_address check (private.is_email(value))
);
comment on table public.contact_emails is 'E-mail addresses of contacts, each once per owner.';

create table public.contact_phones (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  value public.single_line not null,
  norm text not null,
  label public.single_line,
  is_primary boolean not null default false,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, norm),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint norm_is_e164 check (norm ~ '^\+[1-9][0-9]{6,14}$')
);
comment on table public.contact_phones is 'Telephone numbers of contacts, as typed and as E.164, each once per owner.';

create table public.tags (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  color public.single_line,
  touch_days integer,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  constraint touch_days_fit check (touch_days between 1 and 3650)
);
comment on table public.tags is 'Labels of one owner; touch_days gives every contact that wears it a cadence.';

create table public.contact_tags (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  tag_id uuid not null,
  created_at timestamptz not null default now(),

  primary key (contact_id, tag_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, tag_id) references public.tags (user_id, id) on delete cascade
);
comment on table public.contact_tags is 'Which contact wears which tag.';

create table public.segments (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  -- The filter as the client writes it (web/src/data/contacts.ts); the database never runs it.
  filter jsonb not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  constraint filter_is_an_object check (jsonb_typeof(filter) = 'object' and char_length(filter::text) <= 10000)
);
comment on table public.segments is 'Saved filters of the contact list.';

create table public.notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint body_fits check (body ~ '[^[:space:]]' and char_length(body) <= 20000)
);
comment on table public.notes is 'What the owner wrote about a contact (markdown).';

create table public.interactions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  kind public.interaction_kind not null,
  -- Null: nobody began it, as a meeting.
  direction public.interaction_direction,
  at timestamptz not null default now(),
  summary text,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint summary_fits check (char_length(summary) between 1 and 20000)
);
comment on table public.interactions is 'Calls, mails, messages and meetings with a contact: what the cadence counts.';

create table public.consents (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  channel public.consent_channel not null,
  purpose public.consent_purpose not null,
  state public.consent_state not null,
  legal_basis public.single_line,
  -- The words the person agreed to.
  wording text,
  -- Where it was given: a form, a call, a paper.
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
  -- No reference: the proof outlives the contact, whose id then names nobody.
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

create view public.contact_list with (security_invoker = on) as
select contacts.id, contacts.user_id, contacts.type, contacts.name, contacts.first_name, contacts.last_name,
  contacts.business_name, contacts.company_id,
  (
    select company.name from public.contacts as company
    where company.user_id = contacts.user_id and company.id = contacts.company_id
      and company.merged_into is null and company.deleted_at is null
  ) as company_name,
  contacts.job_title, contacts.vat_number, contacts.tax_code, contacts.sdi_code, contacts.pec, contacts.regime,
  contacts.address, contacts.website,
  (
    select value from public.contact_emails
    where contact_emails.user_id = contacts.user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, contact_emails.id limit 1
  ) as email,
  (
    select value from public.contact_phones
    where contact_phones.user_id = contacts.user_id and contact_phones.contact_id = contacts.id
    order by is_primary desc, created_at, contact_phones.id limit 1
  )::text as phone,
  array(
    select tags.name::text from public.contact_tags
    join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
    where contact_tags.user_id = contacts.user_id and contact_tags.contact_id = contacts.id
    order by lower(tags.name)
  ) as tags,
  array(
    select tag_id from public.contact_tags
    where contact_tags.user_id = contacts.user_id and contact_tags.contact_id = contacts.id
  ) as tag_ids,
  coalesce((
    select jsonb_object_agg(channel, state) from public.consents
    where consents.user_id = contacts.user_id and consents.contact_id = contacts.id and purpose = 'marketing'
  ), '{}') as consents,
  contacts.origin, contacts.touch_days, contacts.last_interaction_at, contacts.next_touch_at, contacts.snoozed_until,
  contacts.created_at, contacts.updated_at
from public.contacts
where contacts.merged_into is null and contacts.deleted_at is null;
comment on view public.contact_list is
  'Contacts as the list shows them; consents are those to marketing, by channel. Order by name, next_touch_at or '
  'last_interaction_at desc nulls last, then id.';

-- --- Indexes ---

create index contacts_by_name on public.contacts (user_id, name, id) where merged_into is null and deleted_at is null;
create index contacts_by_next_touch on public.contacts (user_id, next_touch_at, id)
  where merged_into is null and deleted_at is null;
create index contacts_by_last_interaction on public.contacts (user_id, last_interaction_at desc nulls last, id)
  where merged_into is null and deleted_at is null;
create index contacts_company on public.contacts (user_id, company_id);
create index contacts_merged_into on public.contacts (user_id, merged_into);
create index contacts_vat_number on public.contacts (user_id, vat_number) where vat_number is not null;
create index contacts_tax_code on public.contacts (user_id, tax_code) where tax_code is not null;
create index contacts_trash on public.contacts (deleted_at) where deleted_at is not null;
create index contact_emails_contact on public.contact_emails (user_id, contact_id);
create index contact_phones_contact on public.contact_phones (user_id, contact_id);
create unique index tags_name on public.tags (user_id, lower(name));
create unique index contact_tags_identity on public.contact_tags (user_id, contact_id, tag_id);
create index contact_tags_tag on public.contact_tags (user_id, tag_id);
create index notes_contact on public.notes (user_id, contact_id, created_at desc);
create index interactions_contact on public.interactions (user_id, contact_id, at desc);
create index consents_contact on public.consents (user_id, contact_id);
create index consent_events_contact on public.consent_events (user_id, contact_id, at desc);

-- --- Functions of the triggers ---

create function private.set_updated_at()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function private.set_updated_at() is 'Notes when a row was last changed.';

create function private.set_next_touch()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' and new.last_interaction_at > coalesce(old.last_interaction_at, '-infinity') then
    new.snoozed_until := null;
  end if;
  new.next_touch_at := coalesce(new.last_interaction_at, new.created_at) + make_interval(days => coalesce(
    new.touch_days,
    (
      select min(tags.touch_days) from public.contact_tags
      join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
      where contact_tags.user_id = new.user_id and contact_tags.contact_id = new.id
    )
  ));
  return new;
end
$$;
comment on function private.set_next_touch() is
  'Computes next_touch_at, whatever was written there; an interaction ends a snooze.';

-- Definer, like the others below: the owner may not write what is computed.
create function private.follow_interactions()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  update public.contacts
  set last_interaction_at = latest.at
  from (
    select contacts.id, (
      select max(at) from public.interactions
      where interactions.user_id = contacts.user_id and interactions.contact_id = contacts.id
    ) as at
    from public.contacts where id = any (_contacts)
  ) as latest
  where contacts.id = latest.id and contacts.last_interaction_at is distinct from latest.at;
  return null;
end
$$;
comment on function private.follow_interactions() is 'Keeps contacts.last_interaction_at, and by it the cadence.';

create function private.follow_contact_tags()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  -- Who had no cadence by tags and got none has nothing to compute.
  update public.contacts set next_touch_at = null
  where id = any (_contacts) and touch_days is null and (next_touch_at is not null or exists (
    select from public.contact_tags
    join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
    where contact_tags.user_id = contacts.user_id and contact_id = contacts.id and tags.touch_days is not null
  ));
  return null;
end
$$;
comment on function private.follow_contact_tags() is 'Computes the cadence anew where a tag was put on or taken off.';

create function private.follow_tags()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.contacts set next_touch_at = null
  where touch_days is null and id in (
    select contact_id from public.contact_tags where user_id = new.user_id and tag_id = new.id
  );
  return null;
end
$$;
comment on function private.follow_tags() is 'Computes the cadence anew where a tag says another number of days.';

create function public.snooze_contact(_contact_id uuid, _until timestamptz)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  update public.contacts set snoozed_until = _until where user_id = (select auth.uid()) and id = _contact_id;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
end
$$;
comment on function public.snooze_contact(uuid, timestamptz) is
  'Asks for no reminder of a contact of the caller until then; null ends that. PT404 if it is none.';

create function private.refuse_change_of_consent()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- Goes with the account; otherwise only a merge may say that two contacts were one.
  if tg_op = 'DELETE' and not exists (select from auth.users where id = old.user_id) then
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

-- --- Rights ---

do $$
declare
  _table text;
begin
  foreach _table in array array[
    'contacts', 'contact_emails', 'contact_phones', 'tags', 'contact_tags', 'segments', 'notes', 'interactions'
  ]
  loop
    execute format('alter table public.%I enable row level security', _table);
    execute format(
      'create policy "owners read their %1$s" on public.%1$I for select to authenticated
         using (user_id = (select auth.uid()));
       create policy "owners add their %1$s" on public.%1$I for insert to authenticated
         with check (user_id = (select auth.uid()));
       create policy "owners delete their %1$s" on public.%1$I for delete to authenticated
         using (user_id = (select auth.uid()));', _table
    );
    if _table <> 'contact_tags' then
      execute format(
        'create policy "owners change their %1$s" on public.%1$I for update to authenticated
           using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));', _table
      );
    end if;
  end loop;
end
$$;

alter table public.consents enable row level security;
alter table public.consent_events enable row level security;

create policy "owners read their consents" on public.consents
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their consent events" on public.consent_events
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.contacts, public.contact_emails, public.contact_phones, public.tags, public.contact_tags,
  public.segments, public.notes, public.interactions, public.consents, public.consent_events, public.contact_list
  from public, anon, authenticated, service_role;
grant select, delete on public.contacts, public.contact_emails, public.contact_phones, public.tags, public.contact_tags,
  public.segments, public.notes, public.interactions to authenticated;
grant select on public.consents, public.consent_events, public.contact_list to authenticated;
grant insert (
  id, user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec,
  regime, address, website, origin, touch_days, snoozed_until, note, import_batch_id
), update (
  type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, regime,
  address, website, touch_days, snoozed_until, note, deleted_at
) on public.contacts to authenticated;
grant insert (id, user_id, contact_id, value, label, is_primary), update (value, label, is_primary)
  on public.contact_emails to authenticated;
grant insert (id, user_id, contact_id, value, norm, label, is_primary), update (value, norm, label, is_primary)
  on public.contact_phones to authenticated;
grant insert (id, user_id, name, color, touch_days), update (name, color, touch_days) on public.tags to authenticated;
grant insert (user_id, contact_id, tag_id) on public.contact_tags to authenticated;
grant insert (id, user_id, name, filter), update (name, filter) on public.segments to authenticated;
grant insert (id, user_id, contact_id, body), update (body) on public.notes to authenticated;
grant insert (id, user_id, contact_id, kind, direction, at, summary), update (kind, direction, at, summary)
  on public.interactions to authenticated;
grant select, insert, update, delete on public.contacts, public.contact_emails, public.contact_phones, public.tags,
  public.contact_tags, public.segments, public.notes, public.interactions to service_role;
grant select on public.consents, public.consent_events, public.contact_list to service_role;

revoke all on function private.is_vat_number(text), private.is_tax_code(text), private.is_sdi_code(text),
  private.is_email(text)
  from public, anon, authenticated, service_role;
-- Who writes a contact runs its constraints.
grant execute on function private.is_vat_number(text), private.is_tax_code(text), private.is_sdi_code(text),
  private.is_email(text)
  to authenticated, service_role;
revoke all on function private.set_updated_at(), private.set_next_touch(), private.follow_interactions(),
  private.follow_contact_tags(), private.follow_tags(), private.refuse_change_of_consent(),
  public.snooze_contact(uuid, timestamptz)
  from public, anon, authenticated, service_role;
grant execute on function public.snooze_contact(uuid, timestamptz) to authenticated;

-- --- Triggers ---

-- What the person changed, not what the cadence computes.
create trigger set_updated_at
  before update of type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code,
    pec, regime, address, website, touch_days, note, merged_into, deleted_at on public.contacts
  for each row execute function private.set_updated_at();
create trigger set_updated_at before update of body on public.notes
  for each row execute function private.set_updated_at();
create trigger set_next_touch
  before insert or update of touch_days, last_interaction_at, next_touch_at on public.contacts
  for each row execute function private.set_next_touch();
create trigger follow_new_interactions after insert on public.interactions
  referencing new table as changed
  for each statement execute function private.follow_interactions();
create trigger follow_changed_interactions after update on public.interactions
  referencing new table as changed old table as former
  for each statement execute function private.follow_interactions();
create trigger follow_gone_interactions after delete on public.interactions
  referencing old table as changed
  for each statement execute function private.follow_interactions();
create trigger follow_new_contact_tags after insert on public.contact_tags
  referencing new table as changed
  for each statement execute function private.follow_contact_tags();
create trigger follow_changed_contact_tags after update on public.contact_tags
  referencing new table as changed old table as former
  for each statement execute function private.follow_contact_tags();
create trigger follow_gone_contact_tags after delete on public.contact_tags
  referencing old table as changed
  for each statement execute function private.follow_contact_tags();
create trigger follow_tags after update of touch_days on public.tags
  for each row when (old.touch_days is distinct from new.touch_days) execute function private.follow_tags();
create trigger refuse_change before update or delete on public.consent_events
  for each row execute function private.refuse_change_of_consent();
create trigger refuse_truncation before truncate on public.consent_events
  for each statement execute function private.refuse_change_of_consent();

-- --- What the browser follows ---

do $$
declare
  _table regclass;
begin
  alter table public.contacts replica identity using index contacts_user_id_id_key;
  alter table public.contact_emails replica identity using index contact_emails_user_id_id_key;
  alter table public.contact_phones replica identity using index contact_phones_user_id_id_key;
  alter table public.tags replica identity using index tags_user_id_id_key;
  alter table public.contact_tags replica identity using index contact_tags_identity;
  alter table public.segments replica identity using index segments_user_id_id_key;
  alter table public.notes replica identity using index notes_user_id_id_key;
  alter table public.interactions replica identity using index interactions_user_id_id_key;
  alter table public.consents replica identity using index consents_user_id_id_key;
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  foreach _table in array array[
    'public.contacts', 'public.contact_emails', 'public.contact_phones', 'public.tags', 'public.contact_tags',
    'public.segments', 'public.notes', 'public.interactions', 'public.consents'
  ]::regclass[]
  loop
    execute format('alter publication supabase_realtime add table %s', _table);
  end loop;
exception
  when insufficient_privilege then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;
