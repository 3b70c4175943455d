-- Pulizia contatti and Chiusura del mese: what these agents find to do. functions/_shared/goals/chores.py proposes it.
--
-- The functions about a month read the rows of the caller, and are used by the month's packet (65_month_packet.sql) too.
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
            "email": "stessa email", "telefono": "stesso telefono", "nome": "stesso nome", "nome_simile": "nome simile",
            "azienda": "stessa azienda", "dominio": "email dello stesso dominio"
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
        case when (is_invoiced or has_deal) and not has_email then 'l’email' end,
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

create function private.month_invoices(_month date)
  returns setof public.invoice_register
  language sql stable
  set search_path = ''
as $$
  select * from public.invoice_register
  where user_id = (select auth.uid()) and deleted_at is null
    and issued_on >= date_trunc('month', _month)::date
    and issued_on < (date_trunc('month', _month) + interval '1 month')::date
$$;
comment on function private.month_invoices(date) is
  'The caller''s invoices of the month of a day, as the register has them; those with a twin are in no sum.';
revoke all on function private.month_invoices from public, anon, authenticated, service_role;

create function private.month_papers(_month date)
  returns table (document_id uuid, kind public.document_kind, name text, day date, is_waiting boolean)
  language sql stable
  set search_path = ''
as $$
  select documents.id, documents.kind, coalesce(supplier ->> 'name', documents.filename), dated.day,
    waiting.document_id is not null
  from public.documents
  left join public.unregistered_documents() as waiting on waiting.document_id = documents.id
  cross join lateral (
    select coalesce(documents.issued_on, (documents.created_at at time zone 'Europe/Rome')::date) as day
  ) as dated
  where user_id = (select auth.uid()) and deleted_at is null
    and date_trunc('month', dated.day) = date_trunc('month', _month)
    and (
      waiting.document_id is not null or documents.kind in ('ricevuta', 'f24')
      -- A bank statement has no kind of its own: the reader says what it seems to be.
      or documents.kind = 'altro' and concat_ws(' ', kind_rule, documents.filename) ~* 'estratto[ _-]*conto'
    )
    and not exists (
      select from public.invoices where invoices.user_id = documents.user_id and invoices.document_id = documents.id
    )
    and not private.is_copy(documents)
$$;
comment on function private.month_papers(date) is
  'What an accountant needs of the caller beside the register: receipts, F24 and bank statements of the month of a day '
  '(of their date, else of their arrival), and the invoices that wait to be registered (is_waiting).';
revoke all on function private.month_papers from public, anon, authenticated, service_role;

create function private.has_file(_document public.documents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (select from storage.objects where bucket_id = 'documents' and name = _document.storage_path)
$$;
comment on function private.has_file(public.documents) is 'Whether the original file of a document is in the storage.';
revoke all on function private.has_file from public, anon, authenticated, service_role;

create function private.month_findings(_month date)
  returns table (kind text, times bigint, title text, body text)
  language sql stable
  set search_path = ''
as $$
  with papers as (
    select number, invoice.issued_on, direction, invoice.kind, invoice.contact_id, documents.state,
      concat(number, ' (' || counterparty_name || ')') as name, private.has_file(documents) as has_file
    from private.month_invoices(_month) as invoice
    join public.documents on documents.user_id = invoice.user_id and documents.id = document_id
  ), numbers as (
    -- The end of a number, such as «/2026» or «/A», tells one series from another. Credit notes may share it.
    select regexp_replace(number, '^\d+', '') as series, regexp_replace(number, '\D.*', '')::integer as no, kind from papers
    where direction = 'attiva' and number ~ '^\d{1,6}(\D|$)'
  ), gaps as (
    select series, no from (
      select series, min(no) as low, max(no) as high from numbers where kind = 'fattura' group by series
    ) as ends, generate_series(low, least(high, low + 500)) as no
    where (series, no) not in (select numbers.series, numbers.no from numbers)
  ), found (kind, times, one, many, body) as (
    select 'registra', count(*), 'Registra una fattura', 'Registra %s fatture',
      'Non ancora nel registro, e in nessuna somma: ' || string_agg(name, ', ' order by day, name) || '.'
    from private.month_papers(_month) where is_waiting
    union all
    select 'controlla', count(*), 'Controlla una fattura', 'Controlla %s fatture',
      'Con un dato in dubbio: ' || string_agg(name, ', ' order by issued_on, number) || '.'
    from papers where state = 'da_verificare'
    union all
    select 'collega', count(*), 'Collega una fattura', 'Collega %s fatture',
      'Senza un contatto: ' || string_agg(name, ', ' order by issued_on, number) || '.'
    from papers where contact_id is null and state = 'pronto'
    union all
    select 'mancanti', count(*), 'Cerca una fattura che manca', 'Cerca %s fatture che mancano',
      'Numeri che mancano nella serie: ' || string_agg(concat(no, series), ', ' order by series, no) || '.'
    from gaps
    union all
    select 'file', count(*), 'Ricarica il file di una fattura', 'Ricarica i file di %s fatture',
      'Senza il file originale: ' || string_agg(name, ', ' order by issued_on, number) || '.'
    -- A file that was brought again is another document of the same invoice.
    from papers where not has_file and not exists (
      select from papers as other
      where other.has_file
        and (other.direction, other.number, other.issued_on) = (papers.direction, papers.number, papers.issued_on)
    )
  )
  select kind, times, case when times = 1 then one else format(many, times) end, body from found where times > 0
$$;
comment on function private.month_findings(date) is
  'What is missing or doubtful in the caller''s month of a day: invoices to register, to check, to link, missing in the '
  'numbering, without their file. For each kind how many, what to do, and which.';
revoke all on function private.month_findings from public, anon, authenticated, service_role;

create function private.closing_days()
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select 15
$$;
comment on function private.closing_days() is 'In so many days from the first of a month the one before is closed.';
revoke all on function private.closing_days from public, anon, authenticated, service_role;

create function private.month_chores(_user_id uuid, _day date)
  returns table (key text, contact_id uuid, tool text, args jsonb, title text, body text)
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _claims constant text := private.speak_for(_user_id);
  _month constant date := date_trunc('month', _day) - interval '1 month';
begin
  if extract(day from _day) <= private.closing_days() then
    return query
      select concat(to_char(_month, 'YYYY-MM'), ':', found.kind), null::uuid, 'task', '{}'::jsonb,
        concat(found.title, ' di ', (array[
          'gennaio', 'febbraio', 'marzo', 'aprile', 'maggio', 'giugno', 'luglio', 'agosto', 'settembre', 'ottobre',
          'novembre', 'dicembre'
        ])[extract(month from _month)]), left(found.body, 2000)
      from (
        select findings.kind, findings.title, findings.body from private.month_findings(_month) as findings
        union all
        select 'pacchetto', case when count(*) = 1 then 'Manda al commercialista la fattura'
            else format('Manda al commercialista le %s fatture', count(*)) end,
          private.counted(count(*) filter (where direction = 'attiva'), 'Una emessa', 'emesse') || ', '
          || private.counted(count(*) filter (where direction = 'passiva'), 'una ricevuta', 'ricevute')
          || '. In Documenti → Fatture premi «Per il commercialista» e scarica il pacchetto del mese.'
        from private.month_invoices(_month) where twin is null having count(*) > 0
      ) as found;
  end if;
  perform set_config('request.jwt.claims', _claims, true);
end
$$;
comment on function private.month_chores(uuid, date) is
  'What the month before still needs, in the first half of a month: what month_findings() finds, and what to send to the '
  'accountant.';
revoke all on function private.month_chores from public, anon, authenticated, service_role;
grant execute on function private.month_chores to service_role;
