-- Parties to link: who documents without a contact are from or for, and which contact each may be.
--
-- Documents are grouped by their VAT number, else by their tax code, else by the name. Documents that show only a name
-- join the numbered party of that name when there is one only. A doubtful number and the owner's own are no number.
--
-- Error codes raised:
--   PT404  no document waits for such a party, or the caller has no such contact (PostgREST answers 404)
--   22023  more choices than can be made at once

create table public.dismissed_parties (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  party_key text not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, party_key),
  constraint party_key_fits check (party_key ~ '^(vat|tax|name):.' and char_length(party_key) <= 320)
);
comment on table public.dismissed_parties is 'Parties of which the owner said that they are no contact.';

create function private.core_words(_name text)
  returns text[]
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- The forms of COMPANY_FORMS in functions/_shared/names.py.
  select array(
    select word from unnest(string_to_array(private.words(translate(_name, '.''’', '')), ' ')) as word
    where word <> all (array['srl', 'srls', 'spa', 'snc', 'sas', 'sapa', 'scarl', 'onlus', 'aps', 'coop', 'e', 'di', 'c', ''])
    order by word
  )
$$;
comment on function private.core_words(text) is
  'The words that tell a name from others, sorted: no company form, no «e», «di», «& C.».';
revoke all on function private.core_words from public, anon, authenticated, service_role;

create function private.waiting_parties(_user_id uuid)
  returns table (
    party_key text, name text, vat_number text, tax_code text, document_ids uuid[], latest_on date
  )
  language sql stable
  set search_path = ''
as $$
  with waiting as materialized (
    select id, supplier ->> 'name' as name, coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) as day,
      created_at
    from public.documents
    where user_id = _user_id and contact_id is null and deleted_at is null and supplier is not null
      and state in ('pronto', 'da_verificare')
    order by created_at desc limit 5000
  ), shown as (
    select document_id as id, jsonb_object_agg(kind, value) as numbers
    from private.paper_aliases(array(select id from waiting))
    where is_usable and kind in ('vat_number', 'tax_code')
    group by document_id
  ), keyed as (
    select waiting.*, numbers, private.name_key(name) as name_key, coalesce(
      'vat:' || (numbers ->> 'vat_number'), 'tax:' || (numbers ->> 'tax_code'), 'name:' || left(private.name_key(name), 300)
    ) as own_key
    from waiting left join shown using (id)
  ), numbered as (
    select name_key, min(own_key) as own_key from keyed
    where own_key not like 'name:%' and name_key is not null group by name_key having count(distinct own_key) = 1
  ), grouped as (
    select keyed.*, case when keyed.own_key like 'name:%' then coalesce(numbered.own_key, keyed.own_key)
      else keyed.own_key end as party_key
    from keyed left join numbered using (name_key)
    where keyed.own_key is not null
  )
  select grouped.party_key, (array_agg(name order by day desc, created_at desc) filter (where name is not null))[1],
    max(numbers ->> 'vat_number'), max(numbers ->> 'tax_code'), array_agg(id order by numbers is null, day desc, created_at desc), max(day)
  from grouped
  where not exists (
    select from public.dismissed_parties
    where dismissed_parties.user_id = _user_id and dismissed_parties.party_key = grouped.party_key
  )
  group by grouped.party_key
$$;
comment on function private.waiting_parties(uuid) is
  'Who the documents of a user that have no contact are from or for, with these documents: those with a number first, '
  'because a contact is made of the first, then the latest.';
revoke all on function private.waiting_parties from public, anon, authenticated, service_role;

create function private.party_candidates(_user_id uuid)
  returns table (party_key text, contact_id uuid, reason text, score real)
  language sql stable
  set search_path = ''
  -- The planner takes statistics about all owners for those of one.
  set enable_nestloop = off
as $$
  with party as materialized (
    select parties.*, private.core_words(name) as core, private.words(translate(name, '.''’', '')) as plain
    from private.waiting_parties(_user_id) as parties
  ), known as materialized (
    select contacts.id, contacts.vat_number, contacts.tax_code, private.core_words(written) as core,
      private.words(translate(written, '.''’', '')) as plain
    from public.contacts cross join lateral unnest(array[contacts.name, contacts.business_name]) as written
    where user_id = _user_id and merged_into is null and deleted_at is null and written is not null
  ), numbered as (
    select party_key, known.id, 'vat_number' as reason, 1::real as score
    from party join known on known.vat_number = party.vat_number
    union
    select party_key, known.id, 'tax_code', 0.99 from party join known on known.tax_code = party.tax_code
  ), named as (
    -- Compared only where a word is the same: all with all would be millions.
    select distinct party_key, known.id, party.core = known.core as is_same,
      case when party.core <@ known.core or known.core <@ party.core then greatest(0.6, likeness) else likeness end as likeness,
      substring(party.plain from '\m(srls?|spa|snc|sas|sapa|scarl|onlus|aps|coop)$') as form,
      substring(known.plain from '\m(srls?|spa|snc|sas|sapa|scarl|onlus|aps|coop)$') as known_form
    from (select *, unnest(core) as word from party) as party
    join (select *, unnest(core) as word from known) as known using (word)
    cross join lateral (select extensions.similarity(party.plain, known.plain) as likeness) as alike
    where char_length(word) > 2 and (party.vat_number is null or known.vat_number is null)
      and (party.tax_code is null or known.tax_code is null)
  ), found as (
    select * from numbered
    union all
    select party_key, id, case when is_same and coalesce(form = known_form, true) then 'same_name' else 'similar_name' end,
      least(0.95, case when is_same then 0.9 else 0 end + likeness / 10 + case when is_same then 0 else likeness * 0.8 end)
    from named where is_same or likeness >= 0.45
  )
  select distinct on (found.party_key, id) found.party_key, id, reason, score::real
  from found join party on party.party_key = found.party_key
  where not exists (
    select from public.document_aliases as alias
    where alias.user_id = _user_id and alias.contact_id = found.id and alias.state = 'rifiutato' and case alias.kind
      when 'vat_number' then alias.value in (party.vat_number, party.tax_code)
      when 'tax_code' then alias.value in (party.vat_number, party.tax_code)
      when 'name' then alias.value = private.name_key(party.name) end
  )
  order by found.party_key, id, score desc
$$;
comment on function private.party_candidates(uuid) is
  'Contacts that a waiting party may be: with its number, its name in whatever order and form, or a similar name; none '
  'with another number, none that its owner refused.';
revoke all on function private.party_candidates from public, anon, authenticated, service_role;

create function private.party_draft(_document_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', left(private.one_line(supplier ->> 'name'), 200), 'first_name', first_name, 'last_name', last_name,
    'vat_number', private.alias_value('vat_number', supplier ->> 'vat_number'),
    'tax_code', private.alias_value('tax_code', supplier ->> 'tax_code'),
    'email', private.alias_value('email', supplier ->> 'email'), 'sdi_code', sdi_code, 'pec', pec, 'address', address
  ))
  from public.documents cross join lateral private.invoice_party(documents) as party
  where documents.id = _document_id
$$;
comment on function private.party_draft(uuid) is 'What make_document_contact() would write of a document''s party.';
revoke all on function private.party_draft from public, anon, authenticated, service_role;

-- Security definer, like the next functions, because clients may not use the private schema.
create function public.parties_to_link()
  returns table (
    party_key text, name text, vat_number text, tax_code text, document_ids uuid[], invoices integer,
    issued_cents bigint, received_cents bigint, latest_on date, candidates jsonb, is_sure boolean, draft jsonb
  )
  language sql stable security definer
  set search_path = ''
as $$
  with parties as materialized (
    select * from private.waiting_parties((select auth.uid()))
  ), amounts as (
    select parties.party_key, count(*)::integer as invoices,
      sum(total_cents) filter (where direction = 'attiva' and currency = 'EUR')::bigint as issued_cents,
      sum(total_cents) filter (where direction = 'passiva' and currency = 'EUR')::bigint as received_cents
    from parties join public.invoice_register as register
      on register.user_id = (select auth.uid()) and register.document_id = any (parties.document_ids)
    where register.twin is null
    group by parties.party_key
  ), ranked as (
    select found.*, contacts.name, contacts.type, company.name as company,
      row_number() over (partition by found.party_key order by score desc, contacts.created_at) as place
    from private.party_candidates((select auth.uid())) as found
    join public.contacts on contacts.id = found.contact_id
    left join public.contacts as company on company.user_id = contacts.user_id and company.id = contacts.company_id
  ), offered as (
    select ranked.party_key, count(*) filter (where reason <> 'similar_name') = 1 as is_sure,
      jsonb_agg(jsonb_build_object(
        'contact_id', contact_id, 'name', ranked.name, 'type', type, 'company', company, 'reason', reason, 'score', score
      ) order by place) filter (where place <= 3) as candidates
    from ranked group by ranked.party_key
  )
  select parties.party_key, parties.name, parties.vat_number, parties.tax_code, parties.document_ids,
    coalesce(amounts.invoices, 0), issued_cents, received_cents, latest_on, coalesce(candidates, '[]'),
    coalesce(is_sure, false), private.party_draft(parties.document_ids[1])
  from parties
  left join amounts using (party_key)
  left join offered using (party_key)
  order by abs(coalesce(issued_cents, 0)) + abs(coalesce(received_cents, 0)) desc, cardinality(parties.document_ids) desc,
    parties.party_key
$$;
comment on function public.parties_to_link() is
  'Who the caller''s documents without a contact are from or for: papers, sums of the register in euros, the likeliest '
  'contacts, whether one is sure, and what a new contact would be.';
revoke all on function public.parties_to_link from public, anon, authenticated, service_role;
grant execute on function public.parties_to_link to authenticated;

create function private.link_party(_document_ids uuid[], _contact_id uuid)
  returns jsonb
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _document public.documents;
  _linked_id uuid := _contact_id;
begin
  for _document in
    select * from public.documents where id = any (_document_ids) order by array_position(_document_ids, id) for update
  loop
    if _linked_id is null then
      _linked_id := private.make_document_contact(_document);
    end if;
    perform private.assign_contact(_document, _linked_id);
  end loop;
  return jsonb_build_object(
    'contact_id', _linked_id,
    'is_new', _contact_id is null and exists (select from public.contacts where id = _linked_id and created_at = now())
  );
end
$$;
comment on function private.link_party(uuid[], uuid) is
  'Links documents of one party to a contact, or to a new one made of the first: {contact_id, is_new}.';
revoke all on function private.link_party from public, anon, authenticated, service_role;

create function public.link_parties(_choices jsonb)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _parties constant jsonb := (
    select coalesce(jsonb_object_agg(party_key, to_jsonb(document_ids)), '{}') from private.waiting_parties(auth.uid())
  );
  _waiting constant uuid[] := array(
    select id from public.documents where user_id = auth.uid() and contact_id is null and deleted_at is null
  );
  _choice jsonb;
  _ids uuid[];
  _done jsonb := '[]';
begin
  if jsonb_array_length(_choices) > 200 then
    raise exception 'at most 200 parties at once' using errcode = '22023';
  end if;
  for _choice in select value from jsonb_array_elements(_choices) loop
    _ids := array(select value::uuid from jsonb_array_elements_text(_parties -> (_choice ->> 'party_key')) as value);
    if _ids = '{}' or num_nonnulls(_choice ->> 'contact_id', nullif(_choice -> 'create', 'false')) = 0 then
      raise exception 'no such party' using errcode = 'PT404';
    end if;
    _done := _done || (
      private.link_party(_ids, case when _choice -> 'create' = 'true' then null else (_choice ->> 'contact_id')::uuid end)
      || jsonb_build_object('party_key', _choice ->> 'party_key')
    );
  end loop;
  -- What was said of these may recognize others.
  perform private.link_papers(_waiting);
  return (
    select coalesce(jsonb_agg(each || jsonb_build_object('document_ids', (
      select coalesce(jsonb_agg(id), '[]') from public.documents
      where user_id = auth.uid() and id = any (_waiting) and contact_id = (each ->> 'contact_id')::uuid
    ))), '[]')
    from jsonb_array_elements(_done) as each
  );
end
$$;
comment on function public.link_parties(jsonb) is
  'Links parties of parties_to_link(): [{party_key, contact_id}], or [{party_key, create: true}] with a new contact. At '
  'most 200, all or none; answers [{party_key, contact_id, is_new, document_ids}]. PT404, SC042, 22023.';
revoke all on function public.link_parties from public, anon, authenticated, service_role;
grant execute on function public.link_parties to authenticated;

create function public.unlink_parties(_done jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _each jsonb;
  _contact_id uuid;
  _ids uuid[];
begin
  for _each in select value from jsonb_array_elements(_done) loop
    _contact_id := (_each ->> 'contact_id')::uuid;
    _ids := array(select value::uuid from jsonb_array_elements_text(_each -> 'document_ids') as value);
    delete from public.document_aliases as alias
    where user_id = auth.uid() and contact_id = _contact_id and state = 'confermato' and exists (
      select from public.documents
      where documents.user_id = alias.user_id and documents.id = any (_ids)
        and alias.value = private.alias_value(alias.kind, supplier ->> alias.kind::text)
    );
    update public.documents set contact_id = null, contact_reason = null
    where user_id = auth.uid() and id = any (_ids) and contact_id = _contact_id;
    if _each -> 'is_new' = 'true' then
      -- Into the trash: whoever wrote a note meanwhile finds it there.
      update public.contacts set deleted_at = now()
      where user_id = auth.uid() and id = _contact_id and origin = 'documento' and deleted_at is null;
    end if;
  end loop;
end
$$;
comment on function public.unlink_parties(jsonb) is
  'Takes back what link_parties() answered: the documents wait again, and contacts that it made go into the trash.';
revoke all on function public.unlink_parties from public, anon, authenticated, service_role;
grant execute on function public.unlink_parties to authenticated;

alter table public.dismissed_parties enable row level security;

create policy "owners read their dismissed parties" on public.dismissed_parties
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners dismiss parties" on public.dismissed_parties
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners take dismissed parties back" on public.dismissed_parties
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.dismissed_parties from public, anon, authenticated, service_role;
grant select, delete on public.dismissed_parties to authenticated;
grant select, insert, delete on public.dismissed_parties to service_role;
grant insert (id, user_id, party_key) on public.dismissed_parties to authenticated;
