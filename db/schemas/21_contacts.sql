-- Contacts: people and companies in one table, the rows that belong to them, and the cadence «da risentire».
--
-- Each reference to another row includes the owner (`(user_id, x_id)`), so a stranger's key never matches. Merged
-- contacts and those in the trash stay readable by their owner, so that both can be undone; `contact_list` shows the
-- others.
--
-- Cadence: `touch_days` of the contact, else the smallest among its tags. `next_touch_at` is that many days after the
-- last interaction, or after the contact was created. An interaction recomputes both and ends a snooze.

create type public.contact_type as enum ('persona', 'azienda');

create type public.contact_origin as enum ('manuale', 'import', 'whatsapp', 'email', 'documento', 'modulo', 'demo');

create type public.interaction_kind as enum ('chiamata', 'email', 'whatsapp', 'incontro', 'altro');

create type public.interaction_direction as enum ('uscita', 'entrata');

create table public.contacts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  type public.contact_type not null default 'persona',
  first_name public.single_line,
  last_name public.single_line,
  business_name public.single_line,
  -- Sorts as people do: «de Rossi» before «Zanni», accented letters next to their base letter.
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
  -- The answer of VIES about the VAT number, and its time. Only functions write it.
  vies_vat_number text,
  vies_registered boolean,
  vies_name text,
  vies_checked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  unique (user_id, id),
  foreign key (user_id, company_id) references public.contacts (user_id, id) on delete set null (company_id),
  -- Erasing the remaining contact also erases the contacts that were merged into it.
  foreign key (user_id, merged_into) references public.contacts (user_id, id) on delete cascade,
  constraint contacts_import_fkey foreign key (user_id, import_batch_id)
    references public.import_batches (user_id, id) on delete set null (import_batch_id),
  constraint a_contact_has_a_name check (name ~ '[^[:space:]]'),
  constraint nobody_works_for_themselves check (company_id <> id),
  constraint a_person_works_for_a_company check (company_id is null or type = 'persona'),
  constraint nobody_is_merged_into_themselves check (merged_into <> id),
  constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  -- A person's tax code has sixteen characters; a company's has eleven digits.
  constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code)),
  -- Six characters: the code of an office of the public administration.
  constraint sdi_code_is_one check (private.is_sdi_code(sdi_code) or sdi_code ~ '^[A-Z0-9]{6}$'),
  constraint pec_is_an_address check (private.is_email(pec)),
  constraint address_has_known_parts check (
    jsonb_typeof(address) = 'object' and char_length(address::text) <= 1000
    and address - array['street', 'postal_code', 'city', 'province', 'country'] = '{}'
  ),
  -- Shown as a link, so a script is never allowed.
  constraint website_is_an_address check (
    website ~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$' and char_length(website) <= 500
  ),
  constraint a_vies_answer_is_whole check (
    num_nonnulls(vies_vat_number, vies_registered, vies_checked_at) in (0, 3)
    and (vies_name is null or vies_registered and char_length(vies_name) between 1 and 500)
  ),
  constraint touch_days_fit check (touch_days between 1 and 3650),
  constraint note_fits check (char_length(note) between 1 and 20000)
);
comment on table public.contacts is
  'People and companies of one owner; merged and deleted ones stay until they are purged.';
comment on column public.contacts.next_touch_at is
  'When it is time to be in touch again; null: nobody asked to be reminded.';
comment on column public.contacts.vies_vat_number is
  'The number that was asked about; another vat_number since then means that the answer says nothing about it.';
comment on column public.contacts.vies_registered is 'Whether VIES knew it; not so does not mean that the number is not in use.';
comment on column public.contacts.vies_name is 'Under which name VIES has it, where the country tells.';

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
  -- An address belongs to one contact, because mail finds its contact by the address.
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
  -- The filter as the client writes it (web/src/data/contacts.ts). The database never runs it.
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
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint body_fits check (body ~ '[^[:space:]]' and char_length(body) <= 20000)
);
comment on table public.notes is 'What the owner wrote about a contact (markdown).';
comment on column public.notes.deleted_at is 'In the trash since.';

create table public.interactions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid not null,
  kind public.interaction_kind not null,
  -- Null: neither side began it, as in a meeting.
  direction public.interaction_direction,
  at timestamptz not null default now(),
  summary text,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint summary_fits check (char_length(summary) between 1 and 20000)
);
comment on table public.interactions is 'Calls, mails, messages and meetings with a contact: what the cadence counts.';

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

-- Used to find a company by its name: by the form, by the import and by documents.
create index contacts_name_key on public.contacts (user_id, private.name_key(name));

create index contacts_import on public.contacts (user_id, import_batch_id);

-- Used by the trash of one owner: last deleted first.
create index contacts_own_trash on public.contacts (user_id, deleted_at desc, id)
  where deleted_at is not null and merged_into is null;

create index contact_emails_contact on public.contact_emails (user_id, contact_id);

create index contact_emails_domain on public.contact_emails (user_id, split_part(norm, '@', 2));

create index contact_phones_contact on public.contact_phones (user_id, contact_id);

create unique index tags_name on public.tags (user_id, lower(name));

create unique index contact_tags_identity on public.contact_tags (user_id, contact_id, tag_id);

create index contact_tags_tag on public.contact_tags (user_id, tag_id);

create index notes_contact on public.notes (user_id, contact_id, created_at desc);

-- Used by the purge of the trash.
create index notes_trash on public.notes (deleted_at) where deleted_at is not null;

create index interactions_contact on public.interactions (user_id, contact_id, at desc);

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
revoke all on function private.set_next_touch from public, anon, authenticated, service_role;

-- Security definer, like the trigger functions below, because the owner may not write computed columns.
create function private.follow_interactions()
  returns trigger
  language plpgsql security definer
  set search_path = ''
  -- To plan it for each list of contacts takes longer than to run it.
  set plan_cache_mode = force_generic_plan
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
revoke all on function private.follow_interactions from public, anon, authenticated, service_role;

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
comment on function private.follow_contact_tags() is 'Computes the cadence again where a tag was put on or taken off.';
revoke all on function private.follow_contact_tags from public, anon, authenticated, service_role;

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
comment on function private.follow_tags() is 'Computes the cadence again where a tag says another number of days.';
revoke all on function private.follow_tags from public, anon, authenticated, service_role;

alter table public.contacts enable row level security;
alter table public.contact_emails enable row level security;
alter table public.contact_phones enable row level security;
alter table public.tags enable row level security;
alter table public.contact_tags enable row level security;
alter table public.segments enable row level security;
alter table public.notes enable row level security;
alter table public.interactions enable row level security;

create policy "owners read their contacts" on public.contacts
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contacts" on public.contacts
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their contacts" on public.contacts
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their contacts" on public.contacts
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their contact_emails" on public.contact_emails
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contact_emails" on public.contact_emails
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their contact_emails" on public.contact_emails
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their contact_emails" on public.contact_emails
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their contact_phones" on public.contact_phones
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contact_phones" on public.contact_phones
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their contact_phones" on public.contact_phones
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their contact_phones" on public.contact_phones
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their tags" on public.tags
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their tags" on public.tags
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their tags" on public.tags
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their tags" on public.tags
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their contact_tags" on public.contact_tags
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their contact_tags" on public.contact_tags
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners delete their contact_tags" on public.contact_tags
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their segments" on public.segments
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their segments" on public.segments
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their segments" on public.segments
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their segments" on public.segments
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their notes" on public.notes
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their notes" on public.notes
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their notes" on public.notes
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their notes" on public.notes
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read their interactions" on public.interactions
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add their interactions" on public.interactions
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their interactions" on public.interactions
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their interactions" on public.interactions
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.contacts from public, anon, authenticated, service_role;
grant select, delete on public.contacts to authenticated;
grant select, insert, update, delete on public.contacts to service_role;
grant insert (
  id, user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code,
  pec, regime, address, website, origin, touch_days, snoozed_until, note, import_batch_id
) on public.contacts to authenticated;
grant update (
  type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, regime,
  address, website, touch_days, snoozed_until, note, deleted_at
) on public.contacts to authenticated;

revoke all on public.contact_emails from public, anon, authenticated, service_role;
grant select, delete on public.contact_emails to authenticated;
grant select, insert, update, delete on public.contact_emails to service_role;
grant insert (id, user_id, contact_id, value, label, is_primary) on public.contact_emails to authenticated;
grant update (value, label, is_primary) on public.contact_emails to authenticated;

revoke all on public.contact_phones from public, anon, authenticated, service_role;
grant select, delete on public.contact_phones to authenticated;
grant select, insert, update, delete on public.contact_phones to service_role;
grant insert (id, user_id, contact_id, value, norm, label, is_primary) on public.contact_phones to authenticated;
grant update (value, norm, label, is_primary) on public.contact_phones to authenticated;

revoke all on public.tags from public, anon, authenticated, service_role;
grant select, delete on public.tags to authenticated;
grant select, insert, update, delete on public.tags to service_role;
grant insert (id, user_id, name, color, touch_days) on public.tags to authenticated;
grant update (name, color, touch_days) on public.tags to authenticated;

revoke all on public.contact_tags from public, anon, authenticated, service_role;
grant select, delete on public.contact_tags to authenticated;
grant select, insert, update, delete on public.contact_tags to service_role;
grant insert (user_id, contact_id, tag_id) on public.contact_tags to authenticated;

revoke all on public.segments from public, anon, authenticated, service_role;
grant select, delete on public.segments to authenticated;
grant select, insert, update, delete on public.segments to service_role;
grant insert (id, user_id, name, filter) on public.segments to authenticated;
grant update (name, filter) on public.segments to authenticated;

revoke all on public.notes from public, anon, authenticated, service_role;
grant select, delete on public.notes to authenticated;
grant select, insert, update, delete on public.notes to service_role;
grant insert (id, user_id, contact_id, body) on public.notes to authenticated;
grant update (body, deleted_at) on public.notes to authenticated;

revoke all on public.interactions from public, anon, authenticated, service_role;
grant select, delete on public.interactions to authenticated;
grant select, insert, update, delete on public.interactions to service_role;
grant insert (id, user_id, contact_id, kind, direction, at, summary) on public.interactions to authenticated;
grant update (kind, direction, at, summary) on public.interactions to authenticated;

-- Lists only the columns that a person changes, not those that the cadence computes.
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

alter table public.contacts replica identity using index contacts_user_id_id_key;
alter table public.contact_emails replica identity using index contact_emails_user_id_id_key;
alter table public.contact_phones replica identity using index contact_phones_user_id_id_key;
alter table public.tags replica identity using index tags_user_id_id_key;
alter table public.contact_tags replica identity using index contact_tags_identity;
alter table public.segments replica identity using index segments_user_id_id_key;
alter table public.notes replica identity using index notes_user_id_id_key;
alter table public.interactions replica identity using index interactions_user_id_id_key;
