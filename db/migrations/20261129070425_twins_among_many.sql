-- Twins among many.
--   CREATE OR REPLACE FUNCTION public.find_duplicates

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.find_duplicates (
  _limit integer DEFAULT 50
)
  RETURNS TABLE (
    a_id    uuid,
    b_id    uuid,
    score   numeric,
    reasons text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
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
$function$;

reset check_function_bodies;
