-- Attività e dati fiscali: what a person's own invoices say of their business, to be copied with a click.

-- Security definer because it asks private.is_party; it reads the rows of the caller only.
create function public.business_suggestions()
  returns table (field text, value jsonb, number text, issued_on date, document_id uuid, sender text)
  language sql stable security definer
  set search_path = ''
as $$
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
$$;
comment on function public.business_suggestions() is
  'What the caller''s latest invoices say of the caller''s business and the profile does not: a field of profiles, its value, '
  'and the invoice that says so, with the sender''s name of one that was received.';
revoke all on function public.business_suggestions from public, anon, authenticated, service_role;
grant execute on function public.business_suggestions to authenticated;
