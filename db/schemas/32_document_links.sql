-- Links of documents: to contacts (with what was said about the counterparty), deals and tasks.
--
-- Linking a document to a contact, or refusing that contact, applies to every number, address and name on the document:
-- the next document is recognized by them, and so are the earlier ones that have no contact.
--
-- A document is linked automatically when a number on it belongs to exactly one contact. The link is made when the
-- document is read, and when the number of a contact appears or changes. The reason is kept in contact_reason.
--
-- Error codes raised:
--   PT404  the caller has no such document or contact (PostgREST answers 404)
--   SC042  the document does not say who it is from

create type public.document_alias_kind as enum ('vat_number', 'tax_code', 'email', 'name');

create type public.document_alias_state as enum ('confermato', 'rifiutato');

create table public.document_aliases (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  contact_id uuid not null,
  kind public.document_alias_kind not null,
  value text not null,
  state public.document_alias_state not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, kind, value, contact_id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint value_fits check (value ~ '[^[:space:]]' and char_length(value) <= 300)
);
comment on table public.document_aliases is
  'By what documents show a contact was recognised, or was not; values as private.alias_value() writes them.';

create table public.document_links (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  document_id uuid not null,
  deal_id uuid,
  task_id uuid,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, document_id, deal_id),
  unique (user_id, document_id, task_id),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete cascade,
  foreign key (user_id, task_id) references public.tasks (user_id, id) on delete cascade,
  constraint a_link_leads_to_one_thing check (num_nonnulls(deal_id, task_id) = 1)
);
comment on table public.document_links is 'Which document belongs to which deal or task.';

create index document_aliases_contact on public.document_aliases (user_id, contact_id);

create index document_links_deal on public.document_links (user_id, deal_id);

create index document_links_task on public.document_links (user_id, task_id);

-- Security definer because an index of documents uses it: owners write documents, but may not use the private schema.
create function private.paper_numbers(_supplier jsonb)
  returns text[]
  language sql immutable security definer cost 1000
  set search_path = ''
as $$
  select array(
    select distinct left(private.party_vat(jsonb_object('{vat_number}', array[_supplier ->> key])), 300) as number
    from unnest('{vat_number,tax_code}'::text[]) as key
    where private.party_vat(jsonb_object('{vat_number}', array[_supplier ->> key])) is not null
    order by number
  )
$$;
comment on function private.paper_numbers(jsonb) is
  'The VAT number and the tax code of documents.supplier, as alias_value() writes them.';
revoke all on function private.paper_numbers from public, anon, authenticated, service_role;
-- Writing a document computes the index below.
grant execute on function private.paper_numbers to authenticated, service_role;

-- Used by a contact that gets a number, to find the documents that wait for it.
create index documents_numbers on public.documents using gin (private.paper_numbers(supplier));

create function private.alias_value(_kind public.document_alias_kind, _value text)
  returns text
  language sql stable
  set search_path = ''
as $$
  select nullif(left(case _kind
    when 'email' then lower(btrim(_value))
    when 'name' then private.name_key(_value)
    else private.party_vat(jsonb_build_object('vat_number', _value))
  end, 300), '')
$$;
comment on function private.alias_value(public.document_alias_kind, text) is 'A value as it is compared; null if it is none.';
revoke all on function private.alias_value from public, anon, authenticated, service_role;
grant execute on function private.alias_value to service_role;

create function private.remember_aliases(
  _document public.documents, _contact_id uuid, _state public.document_alias_state
)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.document_aliases (user_id, contact_id, kind, value, state)
  select _document.user_id, _contact_id, kind, value, _state
  from (
    select kind, private.alias_value(kind, _document.supplier ->> kind::text) as value
    from unnest(enum_range(null::public.document_alias_kind)) as kind
  ) as shown
  where value is not null
  on conflict (user_id, kind, value, contact_id) do update set state = excluded.state, created_at = now()
$$;
comment on function private.remember_aliases(public.documents, uuid, public.document_alias_state) is
  'Remembers by what a document shows that it is of a contact, or is not.';
revoke all on function private.remember_aliases from public, anon, authenticated, service_role;

create function private.paper_aliases(_documents uuid[])
  returns table (
    user_id uuid, document_id uuid, supplier jsonb, kind public.document_alias_kind, value text, is_usable boolean
  )
  language sql stable
  set search_path = ''
as $$
  select documents.user_id, documents.id, documents.supplier, told.kind, written.value, not exists (
      select from public.profiles
      where profiles.user_id = documents.user_id and written.value in (profiles.vat_number, profiles.tax_code)
    ) and not exists (
      select from public.document_fields as field
      where field.user_id = documents.user_id and field.document_id = documents.id
        and field.key in ('vat_number', 'tax_code', 'customer_vat_number')
        and confidence < public.sure_confidence() and confirmed_at is null
        and private.alias_value('vat_number', field.value) = written.value
    )
  from public.documents
  cross join unnest(enum_range(null::public.document_alias_kind)) as told (kind)
  cross join lateral (select private.alias_value(told.kind, documents.supplier ->> told.kind::text) as value) as written
  where documents.id = any (_documents) and documents.contact_id is null and written.value is not null
$$;
comment on function private.paper_aliases(uuid[]) is
  'By what documents without a contact can be recognized; neither the owner''s own number nor a doubtful one is usable.';
revoke all on function private.paper_aliases from public, anon, authenticated, service_role;
grant execute on function private.paper_aliases to service_role;

create function private.link_papers(_documents uuid[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  with shown as (
    select * from private.paper_aliases(_documents)
  ), found as (
    select document_id, shown.kind, contact_id, true as is_told
    from shown join public.document_aliases as alias using (user_id, kind, value)
    where is_usable and state = 'confermato' and (
      shown.kind in ('vat_number', 'tax_code') or private.paper_numbers(supplier) = '{}'
      -- A name or an address is no proof where both sides have numbers, and the numbers differ.
      or not exists (
        select from public.document_aliases as other
        where other.user_id = shown.user_id and other.contact_id = alias.contact_id and other.state = 'confermato'
          and other.kind in ('vat_number', 'tax_code')
        union all
        select from public.contacts
        where contacts.user_id = shown.user_id and contacts.id = alias.contact_id
          and num_nonnulls(vat_number, tax_code) > 0
      )
    )
    union
    select document_id, shown.kind, contacts.id, false
    from shown join public.contacts on contacts.user_id = shown.user_id and value in (vat_number, tax_code)
    where is_usable and shown.kind in ('vat_number', 'tax_code')
      -- The companies of a VAT group share a VAT number; their tax codes differ.
      and coalesce(contacts.tax_code in (value, private.alias_value('tax_code', supplier ->> 'tax_code')), true)
  ), ranked as (
    select found.*, contacts.company_id, rank() over (
        partition by document_id order by kind > 'tax_code', is_told desc, kind
      ) as place
    from found join public.contacts on contacts.id = contact_id and merged_into is null and deleted_at is null
  ), best as (
    select * from ranked where place = 1
  ), chosen as (
    select document_id, min(contact_id::text)::uuid as contact_id, min(kind) as kind, bool_or(is_told) as is_told
    from best
    -- A number of a person and of their company is the company's.
    where company_id is null
      or (document_id, company_id) not in (select other.document_id, other.contact_id from best as other)
    group by document_id having count(*) = 1
  )
  update public.documents
  set contact_id = chosen.contact_id, contact_suggestion = null, contact_reason = case
      when is_told then 'Collegato come un altro documento che hai confermato'
      when chosen.kind = 'vat_number' then 'Collegato per P.IVA'
      else 'Collegato per codice fiscale'
    end
  from chosen
  where documents.id = document_id and not exists (
    select from shown join public.document_aliases as alias using (user_id, kind, value)
    where shown.document_id = chosen.document_id and alias.contact_id = chosen.contact_id and state = 'rifiutato'
      -- A refused name is no proof against a number.
      and shown.kind <= greatest(chosen.kind, 'tax_code')
  );
end
$$;
comment on function private.link_papers(uuid[]) is
  'Links the documents that have no contact to the one that their owner named for the same number, else to the only one '
  'with that number, else to the one that was named for the same address or name; never by the owner''s own number or a '
  'doubtful one, never to a refused contact.';
revoke all on function private.link_papers from public, anon, authenticated, service_role;
grant execute on function private.link_papers to service_role;

create function private.relink_papers(_document public.documents)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.documents set contact_id = null, contact_reason = null
  where user_id = _document.user_id and contact_id is not null and contact_reason is not null
    and private.paper_numbers(supplier) && private.paper_numbers(_document.supplier);
  select private.link_papers(array(
    select id from public.documents
    where user_id = _document.user_id and private.paper_numbers(supplier) && private.paper_numbers(_document.supplier)
    union all
    -- Recognized by a name or an address.
    select id from public.documents
    where user_id = _document.user_id and contact_id is null and supplier is not null
      and num_nonnulls(supplier ->> 'vat_number', supplier ->> 'tax_code') = 0
  ))
$$;
comment on function private.relink_papers(public.documents) is
  'Applies what the owner said of a document to the others: automatic links by the same numbers are made again.';
revoke all on function private.relink_papers from public, anon, authenticated, service_role;

-- Security definer because owners may not write automatic links.
create function private.follow_contact_numbers()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _numbers text[];
  _documents uuid[];
begin
  if tg_op = 'INSERT' then
    _numbers := array(
      select number from changed cross join unnest(array[vat_number, tax_code]) as number where number is not null
    );
  else
    -- A contact that loses a number may leave another as the only one that has it.
    _numbers := array(
      select number from changed join former using (id)
      cross join unnest(array[changed.vat_number, changed.tax_code, former.vat_number, former.tax_code]) as number
      where number is not null
        and (changed.vat_number, changed.tax_code, changed.deleted_at, changed.merged_into, changed.company_id)
          is distinct from (former.vat_number, former.tax_code, former.deleted_at, former.merged_into, former.company_id)
    );
  end if;
  if _numbers <> '{}' then
    -- Materialized, so that the index on the numbers is used and the owner is checked after it.
    _documents := array(
      with found as materialized (
        select id, user_id from public.documents where private.paper_numbers(supplier) && _numbers
      )
      select id from found where user_id in (select user_id from changed)
    );
    if _documents <> '{}' then
      perform private.link_papers(_documents);
    end if;
  end if;
  return null;
end
$$;
comment on function private.follow_contact_numbers() is 'Links the documents that wait for the numbers of these contacts.';
revoke all on function private.follow_contact_numbers from public, anon, authenticated, service_role;

create function private.assign_contact(_document public.documents, _contact_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  perform from public.contacts
  where user_id = _document.user_id and id = _contact_id and merged_into is null and deleted_at is null for key share;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  update public.documents set contact_id = _contact_id, contact_suggestion = null, contact_reason = null
  where id = _document.id;
  perform private.remember_aliases(_document, _contact_id, 'confermato');
end
$$;
comment on function private.assign_contact(public.documents, uuid) is
  'Says whom a document is about, and remembers by what that one is known; other documents stay. PT404.';
revoke all on function private.assign_contact from public, anon, authenticated, service_role;

-- Security definer, like the next functions, because only the server may write suggestions and aliases.
create function public.link_document_contact(_document_id uuid, _contact_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  perform private.assign_contact(_document, _contact_id);
  perform private.relink_papers(_document);
end
$$;
comment on function public.link_document_contact(uuid, uuid) is
  'Says whom the caller''s document is about, and remembers by what that one is known. PT404.';
revoke all on function public.link_document_contact from public, anon, authenticated, service_role;
grant execute on function public.link_document_contact to authenticated;

create function public.refuse_document_contact(_document_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _refused constant uuid := coalesce(_document.contact_id, _document.contact_suggestion);
begin
  update public.documents set contact_id = null, contact_suggestion = null, contact_reason = null where id = _document_id;
  perform private.remember_aliases(_document, _refused, 'rifiutato') where _refused is not null;
  perform private.relink_papers(_document);
end
$$;
comment on function public.refuse_document_contact(uuid) is
  'Says that the caller''s document is not about its contact, or the one that was suggested, and remembers that. PT404.';
revoke all on function public.refuse_document_contact from public, anon, authenticated, service_role;
grant execute on function public.refuse_document_contact to authenticated;

create function private.invoice_party(_document public.documents)
  returns table (first_name text, last_name text, sdi_code text, pec text, address jsonb)
  language sql stable
  set search_path = ''
as $$
  select case when party ->> 'last_name' is not null then left(private.one_line(party ->> 'first_name'), 200) end,
    case when party ->> 'first_name' is not null then left(private.one_line(party ->> 'last_name'), 200) end,
    -- A customer without a code has zeros, one abroad has the letter X.
    case when (private.is_sdi_code(code) or code ~ '^[A-Z0-9]{6}$') and code !~ '^(0+|X+)$' then code end,
    case when private.is_email(mailbox) then mailbox end,
    case when char_length(place::text) <= 1000 then nullif(place, '{}') end
  from (select) as always
  left join lateral (
    select content -> case direction when 'attiva' then 'customer' else 'supplier' end as party,
      case direction when 'attiva' then upper(content #>> '{transmission,recipient_code}') end as code,
      case direction when 'attiva' then lower(btrim(content #>> '{transmission,recipient_pec}')) end as mailbox
    from public.invoices
    where user_id = _document.user_id and document_id = _document.id and content is not null order by body_no limit 1
  ) as told on true
  cross join lateral (
    select jsonb_strip_nulls(jsonb_build_object(
      'street', nullif(private.one_line(concat_ws(' ', party #>> '{address,street}', party #>> '{address,number}')), ''),
      'postal_code', party #>> '{address,postal_code}', 'city', party #>> '{address,city}',
      'province', party #>> '{address,province}', 'country', party #>> '{address,country}'
    )) as place
  ) as written
$$;
comment on function private.invoice_party(public.documents) is
  'What the electronic invoice of a document says of the other party for a contact: one row, empty without an invoice.';
revoke all on function private.invoice_party from public, anon, authenticated, service_role;

create function private.make_document_contact(_document public.documents)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _name constant text := left(private.one_line(_document.supplier ->> 'name'), 200);
  _vat_number text := private.alias_value('vat_number', _document.supplier ->> 'vat_number');
  _tax_code text := private.alias_value('tax_code', _document.supplier ->> 'tax_code');
  _email constant text := private.alias_value('email', _document.supplier ->> 'email');
  _id uuid;
begin
  if not private.is_vat_number(_vat_number) then
    _vat_number := null;
  end if;
  if not (private.is_tax_code(_tax_code) or private.is_vat_number(_tax_code)) then
    _tax_code := null;
  end if;
  -- Who is there already is not made twice.
  select id into _id from public.contacts
  where user_id = _document.user_id and merged_into is null and deleted_at is null
    and (vat_number = _vat_number or tax_code = _tax_code)
  order by vat_number = _vat_number desc nulls last, created_at limit 1;
  if found then
    return _id;
  elsif _name is null then
    raise exception 'the document names nobody' using errcode = 'SC042';
  end if;
  insert into public.contacts (
    user_id, type, first_name, last_name, business_name, vat_number, tax_code, sdi_code, pec, address, origin
  )
  select _document.user_id,
    -- A person without a VAT number; who has both may be a firm of one.
    case when _vat_number is null and private.is_tax_code(_tax_code) then 'persona' else 'azienda' end
      ::public.contact_type,
    first_name, last_name, case when first_name is null or _vat_number is not null then _name end,
    _vat_number, _tax_code, sdi_code, pec, address, 'documento'
  from private.invoice_party(_document)
  returning id into _id;
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _document.user_id, _id, _email, true where private.is_email(_email)
  on conflict (user_id, norm) do nothing;
  return _id;
end
$$;
comment on function private.make_document_contact(public.documents) is
  'The contact that a document is from by its numbers, else a new one. SC042.';
revoke all on function private.make_document_contact from public, anon, authenticated, service_role;

create function public.contact_from_document(_document_id uuid)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid := _document.contact_id;
begin
  if _id is null then
    _id := private.make_document_contact(_document);
    perform public.link_document_contact(_document_id, _id);
  end if;
  return _id;
end
$$;
comment on function public.contact_from_document(uuid) is
  'Makes a contact of whom the caller''s document is from and links it; answers the contact, the same when asked again. '
  'PT404, SC042.';
revoke all on function public.contact_from_document from public, anon, authenticated, service_role;
grant execute on function public.contact_from_document to authenticated;

alter table public.document_aliases enable row level security;
alter table public.document_links enable row level security;

create policy "owners read their aliases" on public.document_aliases
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the links of their documents" on public.document_links
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners link their documents" on public.document_links
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners unlink their documents" on public.document_links
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.document_aliases from public, anon, authenticated, service_role;
grant select on public.document_aliases to authenticated;
grant select, insert, update, delete on public.document_aliases to service_role;

revoke all on public.document_links from public, anon, authenticated, service_role;
grant select, delete on public.document_links to authenticated;
grant select, insert, update, delete on public.document_links to service_role;
grant insert (id, user_id, document_id, deal_id, task_id) on public.document_links to authenticated;

create trigger follow_contact_numbers after insert on public.contacts
  referencing new table as changed
  for each statement execute function private.follow_contact_numbers();

create trigger follow_changed_contact_numbers after update on public.contacts
  referencing old table as former new table as changed
  for each statement execute function private.follow_contact_numbers();

alter table public.document_links replica identity using index document_links_user_id_id_key;
