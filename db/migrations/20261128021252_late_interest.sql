-- Late interest.
--   DROP FUNCTION private.recovery_items
--   DROP FUNCTION public.give_mandate
--   ALTER TABLE public.agent_mandates ADD COLUMN claims_interest boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.late_interest
--   CREATE OR REPLACE FUNCTION private.recovery_items
--   CREATE OR REPLACE FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION public.give_mandate
--   COMMENT ON COLUMN public.agent_mandates.claims_interest IS 'Whether the last reminder to a company claims lat…
--   COMMENT ON FUNCTION private.late_interest
--   COMMENT ON FUNCTION private.recovery_items
--   COMMENT ON FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION private.late_interest
--   REVOKE ALL ON FUNCTION private.recovery_items
--   GRANT EXECUTE ON FUNCTION private.recovery_items
--   GRANT EXECUTE ON FUNCTION public.give_mandate

set check_function_bodies = off;

DROP FUNCTION "private"."recovery_items"(uuid, date);

DROP FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[]);

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "claims_interest" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.late_interest (
  _cents  bigint,
  _due_on date,
  _day    date
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with halves as (
    select first, (first + interval '6 months')::date as after
    from generate_series(
      date_trunc('year', _due_on + 1)::date::timestamp, _day::timestamp, interval '6 months'
    ) as each, lateral (select each::date) as half (first)
  ), parts as (
    select least(after, _day + 1) - greatest(first, _due_on + 1) as days, (
      select value from public.tax_parameters where name = 'tasso_mora' and valid_from = first
    ) as rate
    from halves where after > _due_on + 1
  )
  select case when count(*) = count(rate) then round(coalesce(sum(_cents * days * rate), 0) / 36500)::bigint end from parts
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
    part.cents, part.due_on, upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')), invoices.number,
    invoices.issued_on, part.paid_on, claims.is_wanted,
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

CREATE OR REPLACE FUNCTION public.give_mandate (
  _agent              text,
  _action             text,
  _autonomy           public.goal_autonomy,
  _max_cents          bigint,
  _max_recipients_day integer,
  _last_tone          integer,
  _ibans              text[],
  _claims_interest    boolean              DEFAULT false
)
  RETURNS public.agent_mandates
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _mandate public.agent_mandates;
begin
  update public.agent_mandates set revoked_at = now()
  where user_id = _user_id and agent = _agent and action = _action and revoked_at is null;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, claims_interest
  )
  values (
    _user_id, _agent, _action, _autonomy, _max_cents, _max_recipients_day, _last_tone, _ibans, _claims_interest
  )
  returning * into _mandate;
  perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'dato');
  return _mandate;
end
$function$;

REVOKE ALL ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean) FROM PUBLIC, "anon", "service_role";

COMMENT ON COLUMN "public"."agent_mandates"."claims_interest" IS 'Whether the last reminder to a company claims late interest and the lump sum of D.Lgs. 231/2002.';

COMMENT ON FUNCTION "private"."late_interest"(bigint, date, date) IS 'Simple interest on what a company should have paid by a day, from the day after it and a day included (D.Lgs. 231/2002, art. 4 and 5); null where the rate of one of the half-years is not known: a rate never holds for the next.';

COMMENT ON FUNCTION "private"."recovery_items"(uuid, date) IS 'What clients owe a person, part by part, as the register knew it on a day: issued invoices in euros with a due date, credit notes as negative amounts.';

COMMENT ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean) IS 'Gives an agent a mandate of the caller, in the place of the one before.';

REVOKE ALL ON FUNCTION "private"."late_interest"(bigint, date, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."recovery_items"(uuid, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recovery_items"(uuid, date) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean) TO "authenticated";

reset check_function_bodies;
