-- Business details.
--   ALTER TABLE public.profiles ADD COLUMN ateco text
--   ALTER TABLE public.profiles ADD COLUMN iban text
--   ALTER TABLE public.profiles ADD COLUMN account_holder public.single_line
--   ALTER TABLE public.profiles ADD COLUMN pec text
--   ALTER TABLE public.profiles ADD COLUMN sdi_code text
--   ALTER TABLE public.profiles ADD COLUMN address jsonb
--   ALTER TABLE public.profiles ADD COLUMN business_phone text
--   CREATE OR REPLACE FUNCTION private.is_ateco
--   CREATE OR REPLACE FUNCTION private.is_iban
--   CREATE OR REPLACE FUNCTION private.own_ibans
--   CREATE OR REPLACE FUNCTION private.recovery_items
--   CREATE OR REPLACE FUNCTION public.business_suggestions
--   REVOKE ALL ON FUNCTION public.business_suggestions
--   CREATE OR REPLACE FUNCTION public.own_ibans
--   ALTER TABLE public.profiles ADD CONSTRAINT account_holder_fits CHECK ((char_length((account_holder)::text) <=…
--   ALTER TABLE public.profiles ADD CONSTRAINT address_has_known_parts CHECK (((jsonb_typeof(address) = 'object':…
--   ALTER TABLE public.profiles ADD CONSTRAINT address_is_italian CHECK ((COALESCE(((address ->> 'postal_code'::t…
--   ALTER TABLE public.profiles ADD CONSTRAINT business_phone_is_one CHECK ((business_phone ~ '^[+][1-9][0-9]{5,1…
--   COMMENT ON FUNCTION private.is_ateco
--   COMMENT ON FUNCTION private.is_iban
--   COMMENT ON FUNCTION private.own_ibans
--   COMMENT ON FUNCTION private.recovery_items
--   COMMENT ON FUNCTION public.business_suggestions
--   COMMENT ON FUNCTION public.own_ibans
--   REVOKE ALL ON FUNCTION private.is_ateco
--   GRANT EXECUTE ON FUNCTION private.is_ateco
--   REVOKE ALL ON FUNCTION private.is_iban
--   GRANT EXECUTE ON FUNCTION private.is_iban
--   GRANT EXECUTE ON FUNCTION public.business_suggestions
--   REVOKE ALL (account_holder) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (account_holder) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (address) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (address) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (ateco) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (ateco) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (business_phone) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (business_phone) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (iban) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (iban) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (pec) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (pec) ON TABLE public.profiles TO authenticated
--   REVOKE ALL (sdi_code) ON TABLE public.profiles FROM authenticated
--   GRANT UPDATE (sdi_code) ON TABLE public.profiles TO authenticated
--   ALTER TABLE public.profiles ADD CONSTRAINT ateco_is_one CHECK (private.is_ateco(ateco))
--   ALTER TABLE public.profiles ADD CONSTRAINT iban_is_one CHECK (private.is_iban(iban))
--   ALTER TABLE public.profiles ADD CONSTRAINT pec_is_an_address CHECK ((private.is_email(pec) AND (pec = lower(p…
--   ALTER TABLE public.profiles ADD CONSTRAINT sdi_code_is_one CHECK ((private.is_sdi_code(sdi_code) OR (sdi_code…

set check_function_bodies = off;

ALTER TABLE "public"."profiles"
  ADD COLUMN "ateco" text;

ALTER TABLE "public"."profiles"
  ADD COLUMN "iban" text;

ALTER TABLE "public"."profiles"
  ADD COLUMN "account_holder" public.single_line;

ALTER TABLE "public"."profiles"
  ADD COLUMN "pec" text;

ALTER TABLE "public"."profiles"
  ADD COLUMN "sdi_code" text;

ALTER TABLE "public"."profiles"
  ADD COLUMN "address" jsonb;

ALTER TABLE "public"."profiles"
  ADD COLUMN "business_phone" text;

CREATE OR REPLACE FUNCTION private.is_ateco (
  _code text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  select _code ~ '^[0-9]{2}[.][0-9]{2}[.][0-9]{2}$' and left(_code, 2) <> '00'
$function$;

CREATE OR REPLACE FUNCTION private.is_iban (
  _iban text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  -- The lengths that functions/_shared/fatturapa/identities.py and web/src/lib/iban.ts know too; others are only
  -- checked by their remainder.
  select case
    when _iban !~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$' then false
    when char_length(_iban) <> coalesce((
      '{"IT": 27, "SM": 27, "DE": 22, "FR": 27, "ES": 24, "AT": 20, "CH": 21, "BE": 16, "NL": 18, "LT": 20, "GB": 22}'
      ::jsonb ->> left(_iban, 2)
    )::integer, char_length(_iban)) then false
    else (
      select string_agg(case when sign ~ '[0-9]' then sign else (ascii(sign) - 55)::text end, '' order by place)::numeric
        % 97 = 1
      from regexp_split_to_table(substr(_iban, 5) || left(_iban, 4), '') with ordinality as signs (sign, place)
    )
  end
$function$;

CREATE OR REPLACE FUNCTION private.own_ibans (
  _user_id uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select array(select iban from public.profiles where user_id = _user_id and iban is not null) || array(
    select distinct iban from public.invoice_schedules
    join public.invoices on invoices.user_id = _user_id and invoices.id = invoice_id and direction = 'attiva'
    where invoice_schedules.user_id = _user_id and iban is not null
    order by 1 limit 100
  )
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
  select invoices.contact_id, contacts.name, contacts.type = 'azienda', address.value, part.invoice_id, part.no,
    part.cents, part.due_on, coalesce(nullif(upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')), ''), own.iban),
    invoices.number, invoices.issued_on, part.paid_on, claims.is_wanted,
    case when claims.is_wanted and part.cents > 0 and part.due_on < _day
      then private.late_interest(part.cents, part.due_on, _day) end,
    case when claims.is_wanted then (private.tax_figures(_day) #>> '{indennizzo_mora,value}')::numeric * 100 end::bigint
  from public.invoice_parts as part
  join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
  join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
    and contacts.deleted_at is null
  cross join lateral (
    -- Between companies only (D.Lgs. 231/2002, art. 1).
    select contacts.type = 'azienda' and exists (
      select from public.agent_mandates
      where agent_mandates.user_id = _user_id and agent = 'recupero_crediti' and revoked_at is null and claims_interest
    )
  ) as claims (is_wanted)
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as address on true
  -- An invoice that names no account is paid to the one of the business, once the mandate approves it.
  left join lateral (
    select profiles.iban from public.profiles
    where profiles.user_id = _user_id and exists (
      select from public.agent_mandates
      where agent_mandates.user_id = _user_id and agent = 'recupero_crediti' and revoked_at is null
        and profiles.iban = any (ibans)
    )
  ) as own on true
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
      lateral (select upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')) as code) as bare
    where direction = 'attiva' and kind = 'fattura' and private.is_iban(code)
    union all
    -- Where suppliers sent their invoices is where the person receives them.
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

REVOKE ALL ON FUNCTION "public"."business_suggestions"() FROM PUBLIC, "anon", "service_role";

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
    select upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')), part.invoice_id, false
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = (select auth.uid()) and invoices.direction = 'attiva'
  ) as named (code, invoice_id, is_own)
  where code ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by 1 order by bool_or(is_own) desc, 2 desc, 1 limit 10
$function$;

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "account_holder_fits" CHECK ((char_length((account_holder)::text) <= 120));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "address_has_known_parts"
    CHECK
    (((jsonb_typeof(address) = 'object'::text) AND (char_length((address)::text) <= 1000) AND (address <> '{}'::jsonb) AND ((address - ARRAY['street'::text, 'postal_code'::text,
    'city'::text, 'province'::text]) = '{}'::jsonb) AND (NOT jsonb_path_exists(address, '$.*?(@.type() != "string")'::jsonpath))));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "address_is_italian"
    CHECK ((COALESCE(((address ->> 'postal_code'::text) ~ '^[0-9]{5}$'::text), true) AND COALESCE(((address ->> 'province'::text) ~ '^[A-Z]{2}$'::text), true)));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "business_phone_is_one" CHECK ((business_phone ~ '^[+][1-9][0-9]{5,14}$'::text));

COMMENT ON FUNCTION "private"."is_ateco"(text) IS 'Whether a text has the shape of an ATECO code as a registration of VAT carries it: «74.12.01».';

COMMENT ON FUNCTION "private"."is_iban"(text) IS 'Whether a text is an IBAN, upper case and without blanks, with right length and check digits (ISO 13616).';

COMMENT ON FUNCTION "private"."own_ibans"(uuid) IS 'The account of a person''s business and those to which their own invoices are paid: a client who names one of them names no new account.';

COMMENT ON FUNCTION "private"."recovery_items"(uuid, date) IS 'What clients owe a person, part by part, as the register knew it on a day: issued invoices in euros with a due date, credit notes as negative amounts. The account is the invoice''s, else the one of the business if the mandate has it.';

COMMENT ON FUNCTION "public"."business_suggestions"() IS 'What the caller''s latest invoices say of the caller''s business and the profile does not: a field of profiles, its value, and the invoice that says so, with the sender''s name of one that was received.';

COMMENT ON FUNCTION "public"."own_ibans"() IS 'The account of the caller''s business and those named on their issued invoices, for the caller to confirm.';

REVOKE ALL ON FUNCTION "private"."is_ateco"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_ateco"(text) TO "authenticated", "service_role";

REVOKE ALL ON FUNCTION "private"."is_iban"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_iban"(text) TO "authenticated", "service_role";

GRANT EXECUTE ON FUNCTION "public"."business_suggestions"() TO "authenticated";

REVOKE ALL ("account_holder") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("account_holder") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("address") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("address") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("ateco") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("ateco") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("business_phone") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("business_phone") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("iban") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("iban") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("pec") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("pec") ON TABLE "public"."profiles" TO "authenticated";

REVOKE ALL ("sdi_code") ON TABLE "public"."profiles" FROM "authenticated";

GRANT UPDATE ("sdi_code") ON TABLE "public"."profiles" TO "authenticated";

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "ateco_is_one" CHECK (private.is_ateco(ateco));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "iban_is_one" CHECK (private.is_iban(iban));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "pec_is_an_address" CHECK ((private.is_email(pec) AND (pec = lower(pec)) AND (char_length(pec) <= 200)));

ALTER TABLE "public"."profiles"
  ADD CONSTRAINT "sdi_code_is_one" CHECK ((private.is_sdi_code(sdi_code) OR (sdi_code ~ '^[A-Z0-9]{6}$'::text)));

reset check_function_bodies;
