-- Duplicates: contacts that may be the same person, shown while a contact is typed and on a page of pairs.
--
-- Two contacts are compared only if they share something (a tax identifier, a company, a mail domain, a similar name),
-- never each with each: 50,000 contacts are 1.25 thousand million pairs. Nor are all compared who share the same thing.
--
-- Reasons: codice_fiscale, partita_iva, pec, email, telefono, nome, nome_simile, azienda, dominio.

create table public.contact_distinct (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  a_id uuid not null,
  b_id uuid not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, a_id, b_id),
  foreign key (user_id, a_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, b_id) references public.contacts (user_id, id) on delete cascade,
  -- A pair is stored in one order only, so that it is stored once.
  constraint the_smaller_id_comes_first check (a_id < b_id)
);
comment on table public.contact_distinct is 'Pairs of which the owner said «non sono la stessa persona».';

create index contact_distinct_b on public.contact_distinct (user_id, b_id);

create function private.shared_mail_domains()
  returns text[]
  language sql immutable parallel safe
  set search_path = ''
as $$
  select array[
    'gmail.com', 'googlemail.com', 'libero.it', 'hotmail.it', 'hotmail.com', 'outlook.it', 'outlook.com', 'live.it', 'live.com',
    'msn.com', 'yahoo.it', 'yahoo.com', 'ymail.com', 'icloud.com', 'me.com', 'mac.com', 'virgilio.it', 'alice.it', 'tim.it',
    'tin.it', 'tiscali.it', 'fastwebnet.it', 'email.it', 'inwind.it', 'iol.it', 'vodafone.it', 'aruba.it', 'proton.me',
    'protonmail.com', 'pec.it', 'legalmail.it', 'arubapec.it', 'postecert.it', 'poste.it'
  ]
$$;
comment on function private.shared_mail_domains() is 'Mail domains that strangers share: they say nothing about who works together.';
revoke all on function private.shared_mail_domains from public, anon, authenticated, service_role;

create function private.name_similarity(_one text, _other text)
  returns real
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- «D'Angelo» is one word here and «A.B.C.» another, as they are often written.
  select extensions.similarity(private.words(translate(_one, '.''’', '')), private.words(translate(_other, '.''’', '')))
$$;
comment on function private.name_similarity(text, text) is 'How much two names are alike, 0 to 1: the trigrams that they share.';
revoke all on function private.name_similarity from public, anon, authenticated, service_role;

-- Security definer because clients may use neither private functions nor the trigram operators. Each table is filtered
-- by the caller's id.
create function public.find_duplicates(_limit integer default 50)
  returns table (a_id uuid, b_id uuid, score numeric, reasons text[])
  language sql stable security definer
  set search_path = ''
  -- Read the caller's rows in one pass. The planner would choose nested loops from statistics about all owners.
  set enable_nestloop = off
as $$
  with mine as materialized (
    select id, type, company_id, vat_number, tax_code, lower(pec) as pec, plain, sorted,
      -- What is heard, not how it is written: no vowels, no doubled letters, no h.
      regexp_replace(regexp_replace(sorted, '[aeiouh]', '', 'g'), '(.)\1+', '\1', 'g') as sound
    from public.contacts,
      lateral (select private.words(translate(name, '.''’', '')) as plain) as names,
      lateral (select array_to_string(array(select unnest(string_to_array(plain, ' ')) order by 1), ' ') as sorted) as words
    where user_id = (select auth.uid()) and merged_into is null and deleted_at is null
  ), keys as (
    select id, 'codice_fiscale' as reason, tax_code as key from mine where tax_code is not null
    union all select id, 'partita_iva', vat_number from mine where vat_number is not null
    union all select id, 'pec', pec from mine where pec is not null
    union all select id, 'nome', sound from mine where sorted ~ ' |.{6}'
    union all
    -- In one company or at one domain a name is alike only if a word of it is the same.
    select id, reason, block || ' ' || word
    from (
      select id, 'azienda' as reason, company_id::text as block from mine where company_id is not null
      union
      select contact_id, 'dominio', split_part(norm, '@', 2)
      from public.contact_emails
      where user_id = (select auth.uid()) and split_part(norm, '@', 2) <> all (private.shared_mail_domains())
    ) as blocks
    join mine using (id), unnest(string_to_array(sorted, ' ')) as word
    where char_length(word) > 2
  ), neighbours as materialized (
    -- Of many who share something each is compared with the next ten by name (a sorted neighbourhood): the pairs of
    -- 10,000 people of one company are 50 million.
    select distinct id as a_id, unnest(array_agg(id) over following) as b_id, reason
    from keys join mine using (id)
    window following as (partition by reason, key, type order by sorted, id rows between 1 following and 10 following)
  ), compared as (
    select least(a.id, b.id) as a_id, greatest(a.id, b.id) as b_id, reason, a.sorted = b.sorted as is_same,
      extensions.similarity(a.plain, b.plain)::float8 as likeness
    from neighbours join mine as a on a.id = neighbours.a_id join mine as b on b.id = neighbours.b_id
  ), pairs as (
    select a_id, b_id, reason, case reason when 'codice_fiscale' then 0.97 when 'partita_iva' then 0.9 else 0.8 end::float8 as weight
    from compared where reason in ('codice_fiscale', 'partita_iva', 'pec')
    union all
    select a_id, b_id, case when is_same then 'nome' else 'nome_simile' end, case when is_same then 0.6 else 0.5 * likeness end
    from compared where reason = 'nome' and likeness >= 0.55
    union all
    select a_id, b_id, unnest(array[reason, 'nome_simile']), 0.5 * likeness
    from compared where reason in ('azienda', 'dominio') and likeness >= 0.55
    union all
    -- A WhatsApp identity whose number belongs to another contact.
    select least(a.id, b.id), greatest(a.id, b.id), 'telefono', 0.9
    from mine as a
    join public.contact_channels as channels on channels.user_id = (select auth.uid()) and channels.contact_id = a.id
    join public.contact_phones as phones on phones.user_id = (select auth.uid()) and phones.id = channels.phone_id
    join mine as b on b.id = phones.contact_id and b.id <> a.id
    union all
    select least(a.id, b.id), greatest(a.id, b.id), 'email', 0.8
    from mine as a
    join public.contact_emails as emails on emails.user_id = (select auth.uid()) and emails.norm = a.pec
    join mine as b on b.id = emails.contact_id and b.type = a.type and b.id <> a.id
  ), signs as (
    -- Two companies at one domain are told once; the same name is more than a similar one.
    select pairs.a_id, pairs.b_id, case when reason like 'nome%' then 'nome' else reason end as family,
      min(reason) as reason, max(weight) as weight
    from pairs group by 1, 2, 3
  )
  select signs.a_id, signs.b_id, round((1 - exp(sum(ln(1 - weight))))::numeric, 2), array_agg(reason order by weight desc, reason)
  from signs
  where not exists (
    select from public.contact_distinct as distinct_pairs
    where distinct_pairs.user_id = (select auth.uid())
      and distinct_pairs.a_id = signs.a_id and distinct_pairs.b_id = signs.b_id
  )
  group by 1, 2
  order by 3 desc, 1, 2
  limit least(_limit, 500)
$$;
comment on function public.find_duplicates(integer) is
  'Pairs of the caller''s contacts that may be one, the surest first: score 0 to 1, and why.';
revoke all on function public.find_duplicates from public, anon, authenticated, service_role;
grant execute on function public.find_duplicates to authenticated;

create function public.similar_contacts(_draft jsonb)
  returns table (id uuid, name text, type public.contact_type, hard boolean, score numeric, reasons text[])
  language sql stable security definer
  set search_path = ''
as $$
  with typed as (
    select case _draft ->> 'type'
        when 'azienda' then _draft ->> 'business_name'
        else concat_ws(' ', _draft ->> 'first_name', _draft ->> 'last_name')
      end as name,
      array(select lower(value) from jsonb_array_elements_text(_draft -> 'emails') as value) as emails,
      array(select value from jsonb_array_elements_text(_draft -> 'phones') as value) as phones
  ), found as (
    select contact_id, 'email' as reason from public.contact_emails, typed
    where user_id = (select auth.uid()) and norm = any (emails)
    union
    select contact_id, 'telefono' from public.contact_phones, typed
    where user_id = (select auth.uid()) and norm = any (phones)
    union
    select contacts.id, 'partita_iva' from public.contacts
    where user_id = (select auth.uid()) and vat_number = _draft ->> 'vat_number'
    union
    select contacts.id, 'codice_fiscale' from public.contacts
    where user_id = (select auth.uid()) and tax_code = upper(_draft ->> 'tax_code')
    union
    select contacts.id, 'azienda' from public.contacts, typed
    where user_id = (select auth.uid()) and company_id = (_draft ->> 'company_id')::uuid
      and private.name_similarity(contacts.name, typed.name) >= 0.55
    union
    select contacts.id, 'dominio' from public.contact_emails
    join public.contacts on contacts.user_id = contact_emails.user_id and contacts.id = contact_id, typed
    where contact_emails.user_id = (select auth.uid())
      and split_part(norm, '@', 2) = any (array(
        select split_part(value, '@', 2) from unnest(emails) as value
        where split_part(value, '@', 2) <> all (private.shared_mail_domains())
      ))
      and private.name_similarity(contacts.name, typed.name) >= 0.55
  )
  select contacts.id, contacts.name, contacts.type,
    bool_or(reason in ('email', 'telefono', 'partita_iva', 'codice_fiscale')) as hard,
    round(coalesce(max(private.name_similarity(contacts.name, typed.name)), 0)::numeric, 2) as score,
    array_agg(reason order by reason)
  from found
  join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = contact_id, typed
  where merged_into is null and deleted_at is null and contacts.id is distinct from (_draft ->> 'id')::uuid
  group by contacts.id
  order by hard desc, score desc, contacts.id
  limit 5
$$;
comment on function public.similar_contacts(jsonb) is
  'Contacts of the caller that the one being typed may be: {id, type, first_name, last_name, business_name, company_id, emails, '
  'phones (E.164), vat_number, tax_code}. Hard: the same address or number; else a name alike in the same company or domain.';
revoke all on function public.similar_contacts from public, anon, authenticated, service_role;
grant execute on function public.similar_contacts to authenticated;

alter table public.contact_distinct enable row level security;

create policy "owners read their distinct contacts" on public.contact_distinct
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add distinct contacts" on public.contact_distinct
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners delete their distinct contacts" on public.contact_distinct
  for delete to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.contact_distinct from public, anon, authenticated, service_role;
grant select, delete on public.contact_distinct to authenticated;
grant select, insert, delete on public.contact_distinct to service_role;
grant insert (id, user_id, a_id, b_id) on public.contact_distinct to authenticated;
