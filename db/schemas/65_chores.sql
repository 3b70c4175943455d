-- Pulizia contatti and Chiusura del mese: what these agents find to do. functions/_shared/goals/chores.py proposes it.
--
-- A row is one step: its key (once done or refused it is not proposed again), contact, tool, arguments, title and text.

create function private.contact_line(_contact public.contacts)
  returns text
  language sql stable
  set search_path = ''
as $$
  select concat_ws(', ', (_contact).name, 'partita IVA ' || (_contact).vat_number, 'codice fiscale ' || (_contact).tax_code, (
    select string_agg(value, ', ' order by is_primary desc, created_at, id) from public.contact_emails
    where user_id = (_contact).user_id and contact_id = (_contact).id
  ), 'nella rubrica dal ' || to_char((_contact).created_at at time zone 'Europe/Rome', 'DD/MM/YYYY'))
$$;
comment on function private.contact_line(public.contacts) is 'A contact in one line, to tell it from another.';
revoke all on function private.contact_line from public, anon, authenticated, service_role;

create function private.contact_chores(_user_id uuid, _day date)
  returns table (key text, contact_id uuid, tool text, args jsonb, title text, body text)
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _claims constant text := private.speak_for(_user_id);
begin
  return query
    select concat_ws(':', 'unisci', older.id, newer.id), older.id, 'merge',
      jsonb_build_object('winner_id', older.id, 'loser_id', newer.id), format('Unisci «%s» e «%s»', older.name, newer.name),
      concat_ws(E'\n', 'Resta ' || private.contact_line(older) || '.', 'Si unisce ' || private.contact_line(newer) || '.',
        'Perché: ' || (
          select string_agg(coalesce('{
            "codice_fiscale": "stesso codice fiscale", "partita_iva": "stessa partita IVA", "pec": "stessa PEC",
            "email": "stessa e-mail", "telefono": "stesso telefono", "nome": "stesso nome", "nome_simile": "nome simile",
            "azienda": "stessa azienda", "dominio": "e-mail dello stesso dominio"
          }'::jsonb ->> reason, reason), ', ') from unnest(twins.reasons) as reason
        ) || '.')
    from public.find_duplicates(200) as twins
    -- The older stays, as on the page of duplicates.
    join public.contacts as older on older.user_id = _user_id and older.id in (a_id, b_id)
    join public.contacts as newer on newer.user_id = _user_id and newer.id in (a_id, b_id)
      and (newer.created_at, newer.id) > (older.created_at, older.id)
    where twins.score >= 0.8 and older.type = newer.type
      -- Two numbers are two people, however alike the rest is.
      and (older.vat_number = newer.vat_number) is not false and (older.tax_code = newer.tax_code) is not false
    order by twins.score desc, older.id, newer.id;
  return query
    select 'completa:' || contacts.id, contacts.id, 'task', '{}'::jsonb, left('Completa i dati di ' || contacts.name, 200),
      'Manca ' || array_to_string(missing, ', ') || '.'
    from public.contacts
    cross join lateral (
      select exists (
        select from public.invoices
        where user_id = _user_id and invoices.contact_id = contacts.id and direction = 'attiva'
      ) as is_invoiced, exists (
        select from public.deals
        where user_id = _user_id and deals.contact_id = contacts.id and deleted_at is null and won_at is null and lost_at is null
      ) as has_deal, exists (
        select from public.contact_emails where user_id = _user_id and contact_emails.contact_id = contacts.id
      ) as has_email
    ) as known
    cross join lateral (
      select array_remove(array[
        case when (is_invoiced or has_deal) and not has_email then 'l’e-mail' end,
        case when is_invoiced and num_nonnulls(vat_number, tax_code) = 0 then 'la partita IVA o il codice fiscale' end,
        case when is_invoiced and type = 'azienda' and num_nonnulls(sdi_code, pec) = 0 then 'il codice destinatario o la PEC' end
      ], null) as missing
    ) as gaps
    where contacts.user_id = _user_id and contacts.merged_into is null and contacts.deleted_at is null and missing <> '{}'
    order by is_invoiced desc, contacts.name, contacts.id limit 100;
  perform set_config('request.jwt.claims', _claims, true);
end
$$;
comment on function private.contact_chores(uuid, date) is
  'Contacts of a person that are surely one, to merge, and contacts with work but without what writing or invoicing needs.';
revoke all on function private.contact_chores from public, anon, authenticated, service_role;
grant execute on function private.contact_chores to service_role;

create function private.month_chores(_user_id uuid, _day date)
  returns table (key text, contact_id uuid, tool text, args jsonb, title text, body text)
  language sql stable security definer
  set search_path = ''
as $$
  with closing as (
    select (date_trunc('month', _day) - interval '1 month')::date as first_on, date_trunc('month', _day)::date as ends_on,
      (array[
        'gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio', 'agosto', 'settembre', 'ottobre',
        'novembre', 'dicembre'
      ])[extract(month from _day - interval '1 month')] as name
    -- In the first half of a month the one before is closed.
    where extract(day from _day) <= 15
  ), papers as (
    select invoices.*, documents.state
    from public.invoices
    join public.documents on documents.user_id = _user_id and documents.id = document_id and documents.deleted_at is null
    join closing on invoices.issued_on >= first_on and invoices.issued_on < ends_on
    where invoices.user_id = _user_id
  ), numbers as (
    -- What stands behind the number, such as «/2026» or «/A», tells one series from another. Credit notes may share it.
    select regexp_replace(number, '^\d+', '') as series, regexp_replace(number, '\D.*', '')::integer as no, kind from papers
    where direction = 'attiva' and number ~ '^\d{1,6}(\D|$)'
  ), gaps as (
    select series, no from (
      select series, min(no) as low, max(no) as high from numbers where kind = 'fattura' group by series
    ) as ends, generate_series(low, least(high, low + 500)) as no
    where (series, no) not in (select numbers.series, numbers.no from numbers)
  ), found (kind, times, one, many, body) as (
    select 'controlla', count(*), 'Controlla una fattura', 'Controlla %s fatture',
      'Da verificare: ' || string_agg(number, ', ' order by issued_on, number) || '. Finché non le confermi non sono in nessuna somma.'
    from papers where state = 'da_verificare'
    union all
    select 'collega', count(*), 'Collega una fattura', 'Collega %s fatture',
      'Senza un contatto: ' || string_agg(concat(number, ' (' || counterparty_name || ')'), ', ' order by issued_on, number) || '.'
    from papers where contact_id is null and state = 'pronto'
    union all
    select 'mancanti', count(*), 'Cerca una fattura che manca', 'Cerca %s fatture che mancano',
      'Nella numerazione non trovo: ' || string_agg(concat(no, series), ', ' order by series, no) || '.'
    from gaps
    union all
    select 'pacchetto', count(*), 'Manda al commercialista la fattura', 'Manda al commercialista le %s fatture',
      private.counted(count(*) filter (where direction = 'attiva'), 'Una emessa', 'emesse') || ', '
      || private.counted(count(*) filter (where direction = 'passiva'), 'una ricevuta', 'ricevute')
      || '. In Documenti → Fatture premi «Esporta» e poi manda il file.'
    from papers
  )
  select concat(to_char(first_on, 'YYYY-MM'), ':', kind), null::uuid, 'task', '{}'::jsonb,
    concat(case when times = 1 then one else format(many, times) end, ' di ', name), left(body, 2000)
  from found cross join closing where times > 0
$$;
comment on function private.month_chores(uuid, date) is
  'What the month before still needs, in the first half of a month: invoices to check, to link, missing in the numbering, and '
  'what to send to the accountant.';
revoke all on function private.month_chores from public, anon, authenticated, service_role;
grant execute on function private.month_chores to service_role;
