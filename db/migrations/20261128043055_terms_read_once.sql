-- Terms read once.
--   CREATE OR REPLACE FUNCTION private.bare_iban
--   CREATE OR REPLACE FUNCTION private.begin_rehearsal
--   CREATE OR REPLACE FUNCTION private.recovery_items
--   CREATE OR REPLACE FUNCTION public.business_suggestions
--   CREATE OR REPLACE FUNCTION public.own_ibans
--   COMMENT ON FUNCTION private.bare_iban
--   REVOKE ALL ON FUNCTION private.bare_iban

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.bare_iban (
  _iban text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  select upper(regexp_replace(_iban, '[^A-Za-z0-9]', '', 'g'))
$function$;

CREATE OR REPLACE FUNCTION private.begin_rehearsal (
  _user_id uuid,
  _agent   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _goal_id uuid;
begin
  delete from public.goals where user_id = _user_id and agent = _agent;
  update public.agent_mandates set revoked_at = now() where user_id = _user_id and agent = _agent and revoked_at is null;
  delete from private.autonomy_stops where user_id = _user_id;
  insert into public.mail_accounts (user_id, host, port, security, username, from_address, daily_cap)
  values (_user_id, 'prova.invalid', 465, 'tls', 'prova', 'prova@prova.invalid', 2000)
  on conflict (user_id) do update set daily_cap = 2000;
  insert into public.agent_mandates (user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans)
  select _user_id, _agent, action, 'supervisionata', 100000000, 100, 3, coalesce(array_agg(iban) filter (where iban is not null), '{}')
  from unnest(array['mail', 'archivio']) as action
  left join (
    select private.bare_iban(part.iban) as iban
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = _user_id and invoices.direction = 'attiva'
    group by 1 order by count(*) desc limit 10
  ) as own on iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by action;
  insert into public.goals (user_id, agent, title, state) values (_user_id, _agent, 'Prova a vuoto', 'attivo')
  returning id into _goal_id;
  return _goal_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.recovery_items (
  _user_id uuid,
  _day     date
)
  RETURNS TABLE (
    contact_id      uuid,
    contact_name    text,
    is_company      boolean,
    email           text,
    invoice_id      uuid,
    no              integer,
    cents           bigint,
    due_on          date,
    iban            text,
    number          text,
    issued_on       date,
    paid_on         date,
    claims_interest boolean,
    interest_cents  bigint,
    lump_cents      bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with mandate as materialized (
    select coalesce(bool_or(claims_interest), false) as claims_interest,
      ((private.tax_figures(_day) #>> '{indennizzo_mora,value}')::numeric * 100)::bigint as lump_cents,
      -- An invoice that names no account is paid to the one of the business, once the mandate approves it.
      max(profiles.iban) filter (where profiles.iban = any (ibans)) as iban
    from public.agent_mandates left join public.profiles using (user_id)
    where user_id = _user_id and agent = 'recupero_crediti' and revoked_at is null
  )
  select invoices.contact_id, contacts.name, contacts.type = 'azienda', address.value, part.invoice_id, part.no,
    part.cents, part.due_on, coalesce(nullif(private.bare_iban(part.iban), ''), mandate.iban),
    invoices.number, invoices.issued_on, part.paid_on, claims.is_wanted,
    case when claims.is_wanted and part.cents > 0 and part.due_on < _day
      then private.late_interest(part.cents, part.due_on, _day) end,
    case when claims.is_wanted then mandate.lump_cents end
  from mandate cross join public.invoice_parts as part
  join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
  join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
    and contacts.deleted_at is null
  cross join lateral (
    -- Between companies only (D.Lgs. 231/2002, art. 1).
    select contacts.type = 'azienda' and mandate.claims_interest
  ) as claims (is_wanted)
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as address on true
  where part.user_id = _user_id and part.direction = 'attiva' and part.counts and part.currency = 'EUR'
    and part.due_on is not null and part.issued_on <= _day and invoices.kind <> 'autofattura'
    and case
      when part.paid_on is null then true
      when _day >= private.today() then false
      -- What the register knew on that day, if it had the invoice then; otherwise what was true.
      when invoices.created_at < (_day + 1)::timestamp at time zone 'Europe/Rome'
        then (coalesce(invoices.payment_noted_at, part.paid_on::timestamptz) at time zone 'Europe/Rome')::date > _day
      else part.paid_on > _day
    end
  order by contacts.name, contacts.id, part.due_on, invoices.number, part.no
$function$;

CREATE OR REPLACE FUNCTION public.business_suggestions()
  RETURNS TABLE (
    field       text,
    value       jsonb,
    number      text,
    issued_on   date,
    document_id uuid,
    sender      text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with own as (
    select profiles.* from public.profiles where user_id = (select auth.uid())
  ), latest as (
    select invoices.id, invoices.number, invoices.issued_on, invoices.document_id, direction, invoices.kind, counterparty_name,
      content -> 'transmission' as sent, content -> 'supplier' as supplier,
      -- An autofattura has its customer's words about somebody else.
      invoices.kind <> 'autofattura' and private.is_party(content -> 'supplier', own) as is_sold,
      invoices.kind <> 'autofattura' and private.is_party(content -> 'customer', own) as is_bought
    from own
    join public.invoices on invoices.user_id = own.user_id
    join public.documents on documents.user_id = own.user_id and documents.id = invoices.document_id
      and documents.deleted_at is null
    order by invoices.issued_on desc, invoices.id desc limit 200
  ), said as (
    select latest.*, told.field, told.value, null::text as sender
    from latest, lateral (
      values
        -- A person's own name is no name of a business.
        ('business_name', case when supplier ->> 'last_name' is null
          then to_jsonb(nullif(left(private.one_line(supplier ->> 'name'), 120), '')) end),
        ('tax_regime', case supplier ->> 'regime' when 'RF19' then to_jsonb('forfettario'::text) end),
        ('vat_number', case when private.is_vat_number(private.bare_number(supplier ->> 'vat_number'))
          then to_jsonb(private.bare_number(supplier ->> 'vat_number')) end),
        ('tax_code', case when private.is_tax_code(private.bare_number(supplier ->> 'tax_code'))
          or private.is_vat_number(private.bare_number(supplier ->> 'tax_code'))
          then to_jsonb(private.bare_number(supplier ->> 'tax_code')) end),
        ('address', nullif(jsonb_strip_nulls(jsonb_build_object(
          'street', nullif(left(private.one_line(
            concat_ws(' ', supplier #>> '{address,street}', supplier #>> '{address,number}')), 200), ''),
          'postal_code', substring(supplier #>> '{address,postal_code}' from '^[0-9]{5}$'),
          'city', nullif(left(private.one_line(supplier #>> '{address,city}'), 120), ''),
          'province', substring(upper(supplier #>> '{address,province}') from '^[A-Z]{2}$')
        )), '{}')),
        ('business_phone', to_jsonb(nullif(left(private.one_line(supplier ->> 'phone'), 30), '')))
    ) as told (field, value)
    where is_sold
    union all
    select latest.*, 'iban', to_jsonb(code), null
    from latest
    join public.invoice_schedules as part on part.user_id = (select auth.uid()) and part.invoice_id = latest.id,
      lateral (select private.bare_iban(part.iban) as code) as bare
    where direction = 'attiva' and kind = 'fattura' and private.is_iban(code)
    union all
    -- Suppliers send their invoices to where the person receives them.
    select latest.*, told.field, told.value, left(counterparty_name, 200)
    from latest, lateral (
      select upper(private.one_line(sent ->> 'recipient_code')) as code,
        lower(private.one_line(sent ->> 'recipient_pec')) as mailbox
    ) as bare, lateral (
      values
        ('sdi_code', case when code ~ '^[A-Z0-9]{6,7}$' and code !~ '^(0+|X+)$' then to_jsonb(code) end),
        ('pec', case when private.is_email(mailbox) and char_length(mailbox) <= 200 then to_jsonb(mailbox) end)
    ) as told (field, value)
    where is_bought
  ), ranked as (
    select distinct on (said.field, said.value) said.* from said, own
    where said.value is not null and said.value is distinct from to_jsonb(own) -> said.field
    order by said.field, said.value, said.issued_on desc, said.id desc
  )
  select field, value, number, issued_on, document_id, sender from (
    select ranked.*, row_number() over (partition by ranked.field order by issued_on desc, id desc) as place from ranked
  ) as numbered
  -- More than one account may be right.
  where place <= case numbered.field when 'iban' then 3 else 1 end
  order by field, place
$function$;

CREATE OR REPLACE FUNCTION public.own_ibans()
  RETURNS TABLE (
    iban     text,
    invoices bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select code, count(distinct invoice_id) from (
    select iban, null::uuid, true from public.profiles where user_id = (select auth.uid()) and iban is not null
    union all
    select private.bare_iban(part.iban), part.invoice_id, false
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = (select auth.uid()) and invoices.direction = 'attiva'
  ) as named (code, invoice_id, is_own)
  where code ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by 1 order by bool_or(is_own) desc, 2 desc, 1 limit 10
$function$;

COMMENT ON FUNCTION "private"."bare_iban"(text) IS 'An account as it is compared: letters and digits only, upper case.';

REVOKE ALL ON FUNCTION "private"."bare_iban"(text) FROM PUBLIC;

reset check_function_bodies;
