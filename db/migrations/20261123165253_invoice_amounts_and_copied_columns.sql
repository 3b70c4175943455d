-- How an invoice counts is one view; copies of tasks and contacts follow the catalogue.
--   DROP TRIGGER own_changed_demo ON public.contacts
--   DROP TRIGGER own_changed_demo ON public.deals
--   DROP TRIGGER own_changed_demo ON public.projects
--   DROP TRIGGER own_changed_demo ON public.tasks
--   DROP FUNCTION public.next_due
--   CREATE TYPE public.invoice_kind AS ENUM ( 'fattura', 'nota_di_credito', 'autofattura' )
--   CREATE OR REPLACE FUNCTION private.copy_field
--   CREATE OR REPLACE FUNCTION private.invoice_kind
--   CREATE OR REPLACE FUNCTION private.own_changed_demo
--   CREATE OR REPLACE FUNCTION private.payment_title
--   CREATE OR REPLACE FUNCTION public.complete_task
--   CREATE OR REPLACE FUNCTION public.invoiced_by_month
--   CREATE OR REPLACE FUNCTION public.merge_contacts
--   CREATE OR REPLACE FUNCTION public.save_contact
--   CREATE OR REPLACE FUNCTION public.twin
--   CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.contacts FOR EACH ROW WHEN (((CURRENT_USER = 'authent…
--   CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.deals FOR EACH ROW WHEN (((CURRENT_USER = 'authentica…
--   CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.projects FOR EACH ROW WHEN (((CURRENT_USER = 'authent…
--   CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN (((CURRENT_USER = 'authentica…
--   COMMENT ON FUNCTION private.invoice_kind
--   COMMENT ON FUNCTION private.own_changed_demo
--   COMMENT ON TYPE public.invoice_kind IS 'fattura: money; nota_di_credito: takes away; autofattura: for the tax…
--   REVOKE ALL ON FUNCTION private.invoice_kind
--   GRANT EXECUTE ON FUNCTION private.invoice_kind
--   REVOKE ALL ON FUNCTION public.twin
--   GRANT EXECUTE ON FUNCTION public.twin
--   ALTER TABLE public.invoices ADD COLUMN kind public.invoice_kind GENERATED ALWAYS AS (private.invoice_kind(typ…
--   CREATE VIEW public.invoice_parts WITH (security_invoker=on) AS SELECT invoices.user_id, invoices.id AS invoic…
--   REVOKE ALL ON TABLE public.invoice_parts FROM anon
--   CREATE VIEW public.invoice_register WITH (security_invoker=on) AS SELECT invoices.id, invoices.user_id, invoi…
--   REVOKE ALL ON TABLE public.invoice_register FROM anon
--   COMMENT ON VIEW public.invoice_parts IS 'What is to be paid of each invoice, and when, signed. Sums add the p…
--   COMMENT ON VIEW public.invoice_register IS 'Invoices as they count: amounts signed, nothing payable of self-i…
--   REVOKE ALL ON TABLE public.invoice_parts FROM authenticated
--   GRANT SELECT ON TABLE public.invoice_parts TO authenticated
--   REVOKE ALL ON TABLE public.invoice_parts FROM service_role
--   GRANT SELECT ON TABLE public.invoice_parts TO service_role
--   REVOKE ALL ON TABLE public.invoice_register FROM authenticated
--   GRANT SELECT ON TABLE public.invoice_register TO authenticated
--   REVOKE ALL ON TABLE public.invoice_register FROM service_role
--   GRANT SELECT ON TABLE public.invoice_register TO service_role

set check_function_bodies = off;

DROP TRIGGER "own_changed_demo" ON "public"."contacts";

DROP TRIGGER "own_changed_demo" ON "public"."deals";

DROP TRIGGER "own_changed_demo" ON "public"."projects";

DROP TRIGGER "own_changed_demo" ON "public"."tasks";

DROP FUNCTION "public"."next_due"(public.invoices);

CREATE TYPE "public"."invoice_kind" AS ENUM (
  'fattura',
  'nota_di_credito',
  'autofattura'
);

CREATE OR REPLACE FUNCTION private.copy_field (
  _document_id uuid,
  _key         text,
  _value       text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _fields jsonb;
  _total_cents bigint;
  -- Whom a paper is about: of one's own it is the customer.
  _places jsonb := '{"supplier": "name", "vat_number": "vat_number", "tax_code": "tax_code", "email": "email"}';
begin
  if _key in ('issued_on', 'due_on') and _value !~ '^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$'
    or _key in ('net', 'vat', 'total', 'due', 'withholding', 'stamp') and _value !~ '^-?[0-9]{1,13}$'
    or _key = 'currency' and _value !~ '^[A-Z]{3}$'
    or _key = 'type_code' and _value !~ '^TD[0-9]{2}$'
  then
    raise exception 'a date is written 2026-01-31, an amount in cents, a currency EUR, a type TD01'
      using errcode = '22023', hint = 'dates are of 1900 to 2199';
  end if;
  select (coalesce(jsonb_object_agg(key, value), '{}') - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _value))
    into _fields
  from public.document_fields where document_id = _document_id;
  _total_cents := private.cents(_fields, 'total');
  if private.invoice_kind(_fields ->> 'type_code') = 'nota_di_credito' then
    _total_cents := -abs(_total_cents);
  end if;
  if private.is_of_owner(_fields, (select user_id from public.documents where id = _document_id)) then
    _places := '{"customer": "name", "customer_vat_number": "vat_number", "email": "email"}';
  end if;
  update public.documents
  set issued_on = case when _key = 'issued_on' then _value::date else issued_on end,
    due_on = case when _key = 'due_on' then _value::date else due_on end,
    total_cents = case when _key in ('total', 'type_code') then _total_cents else total_cents end,
    currency = case when _key = 'currency' then coalesce(_value, 'EUR') else currency end,
    supplier = case when not _places ? _key then supplier else nullif(
      jsonb_strip_nulls(coalesce(supplier, '{}') || jsonb_build_object(_places ->> _key, _value)), '{}'
    ) end
  where id = _document_id
    and (_places ? _key or _key in ('issued_on', 'due_on', 'total', 'type_code', 'currency'));
exception
  when datetime_field_overflow then
    raise exception 'there is no such day' using errcode = '22023';
end
$function$;

CREATE OR REPLACE FUNCTION private.invoice_kind (
  _type_code text
)
  RETURNS public.invoice_kind
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  SET search_path TO ''
  AS $function$
  select case
    when _type_code in ('TD04', 'TD08') then 'nota_di_credito'
    when _type_code between 'TD16' and 'TD23' or _type_code in ('TD27', 'TD28', 'TD29') then 'autofattura'
    else 'fattura'
  end::public.invoice_kind
$function$;

CREATE OR REPLACE FUNCTION private.own_changed_demo()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Without arguments this is null: the condition of the trigger decides.
  if to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
    return new;
  end if;
  delete from private.demo_rows where user_id = new.user_id and held_by = tg_table_name and row_id = new.id;
  if tg_table_name not in ('interactions', 'notes') then
    new.origin := 'manuale';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.payment_title (
  _invoice public.invoices,
  _cents   bigint
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Of a credit note the money goes the other way.
  select left(translate(concat(
    case when is_paid_by_owner then 'Paga ' else 'Incassa ' end,
    case when is_credit then 'nota di credito ' else 'fattura ' end, _invoice.number,
    -- A received paper is of somebody; money goes to them or comes from them.
    case when is_paid_by_owner and not is_credit then ' di ' when is_paid_by_owner then ' a ' else ' da ' end
      || nullif(btrim(coalesce(
        (select name from public.contacts where user_id = _invoice.user_id and id = _invoice.contact_id),
        _invoice.counterparty_name
      )), ''),
    ': ', private.euros(abs(_cents), _invoice.currency)
  ), E'\t\r\n', '   '), 200)
  from (
    select _invoice.kind = 'nota_di_credito' as is_credit,
      (_invoice.direction = 'passiva') <> (_invoice.kind = 'nota_di_credito') as is_paid_by_owner
  ) as flow
$function$;

CREATE OR REPLACE FUNCTION public.complete_task (
  _task_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _task public.tasks;
  _next public.tasks;
  _sequel record;
  -- Copy every column that people may write, so that a new one is not lost.
  _copy constant text := (
    select format(
      'insert into public.tasks (%1$s) select %1$s from unnest($1) on conflict (user_id, previous_id) do nothing returning *',
      string_agg(quote_ident(attname), ', ')
    )
    from pg_catalog.pg_attribute
    where attrelid = 'public.tasks'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'insert')
      and attname not in ('id', 'state', 'completed_at')
  );
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state <> 'fatto' then
    update public.tasks set state = 'fatto'
      where user_id = _task.user_id and (id = _task_id or parent_id = _task_id)
        and state <> 'fatto' and deleted_at is null;
    select * into _sequel from public.task_sequel(_task);
    if found then
      _next := _task;
      _next.previous_id := _task_id;
      _next.due_at := _sequel.due_at;
      _next.rrule := _sequel.rrule;
      _next.remind_at := array(
        select moment from unnest(_task.remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      );
      -- The one that was made by an earlier completion and thrown away comes back, with its subtasks.
      update public.tasks
        set deleted_at = null, due_at = _next.due_at, due_is_allday = _next.due_is_allday, remind_at = _next.remind_at,
          rrule = _next.rrule
        where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and deleted_at is not null;
      execute _copy into _next using array[_next];
      if _next.id is not null then
        -- Of a subtask that repeats only the last one: the ones before it are its past.
        execute _copy using array(
          select jsonb_populate_record(step, jsonb_build_object(
            'parent_id', _next.id, 'series_id', null, 'previous_id', null,
            'due_at', coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at),
            'remind_at', array(
              select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
              where moment is not null
            )
          ))
          from public.tasks as step
          where user_id = _task.user_id and parent_id = _task_id and deleted_at is null
            and not exists (
              select from public.tasks as follower
              where follower.user_id = step.user_id and follower.previous_id = step.id and follower.deleted_at is null
            )
        );
      end if;
    end if;
  end if;
  -- The one made now, or by a click before this one.
  select * into _next from public.tasks
    where user_id = _task.user_id and previous_id = _task_id and deleted_at is null;
  return jsonb_build_object('completed', _task_id, 'next', case when found then to_jsonb(_next) end);
end
$function$;

CREATE OR REPLACE FUNCTION public.invoiced_by_month (
  _months integer DEFAULT 12
)
  RETURNS TABLE (
    month           date,
    collected_cents bigint,
    open_cents      bigint,
    late_cents      bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with months as (
    select generate_series(
      date_trunc('month', today) - make_interval(months => least(greatest(_months, 1), 120) - 1),
      date_trunc('month', today), interval '1 month'
    )::date as month
    from (select now() at time zone 'Europe/Rome' as today) as clock
  ), parts as (
    select date_trunc('month', issued_on::timestamp)::date as month, cents, paid_on, is_late from public.invoice_parts
    where user_id = (select auth.uid()) and direction = 'attiva' and currency = 'EUR' and counts
      and issued_on >= (select min(month) from months)
  )
  select months.month,
    coalesce(sum(cents) filter (where paid_on is not null), 0)::bigint,
    coalesce(sum(cents) filter (where paid_on is null), 0)::bigint,
    coalesce(sum(cents) filter (where is_late), 0)::bigint
  from months left join parts using (month)
  group by months.month
  order by months.month
$function$;

CREATE OR REPLACE FUNCTION public.merge_contacts (
  _winner  uuid,
  _loser   uuid,
  _choices jsonb DEFAULT '{}'::jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- Every column that people may write, so that a new one is not lost.
  _fields constant text[] := array(
    select attname from pg_catalog.pg_attribute
    where attrelid = 'public.contacts'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'update') and attname not in ('type', 'deleted_at')
  );
  _left jsonb;
  _gone jsonb;
  _taken jsonb;
  _changes jsonb;
  _id uuid;
begin
  -- In one order for everybody, so that two merges of the same pair wait for each other.
  perform from public.contacts where user_id = auth.uid() and id in (_winner, _loser) order by id for update;
  select to_jsonb(contacts) into _left from public.contacts
  where user_id = auth.uid() and id = _winner and merged_into is null and deleted_at is null;
  select to_jsonb(contacts) into _gone from public.contacts
  where user_id = auth.uid() and id = _loser and id <> _winner and merged_into is null and deleted_at is null;
  if _left is null or _gone is null then
    raise exception 'no such pair of contacts' using errcode = 'SC021';
  elsif _left -> 'type' <> _gone -> 'type' then
    raise exception 'a person and a company are not one' using errcode = 'SC022';
  elsif exists (select from jsonb_each_text(_choices) where key <> all (_fields) or value not in ('winner', 'loser')) then
    raise exception 'a choice is «winner» or «loser» for a field' using errcode = '22023';
  end if;

  -- Not chosen: what the winner says, else the loser.
  select jsonb_object_agg(field, _gone -> field) into _taken from unnest(_fields) as field
  where coalesce(_choices ->> field, case when _left ->> field is null then 'loser' end) = 'loser'
    and _gone -> field <> _left -> field;
  -- Companies are not part of themselves.
  if _taken ->> 'company_id' in (_winner::text, _loser::text) then
    _taken := _taken - 'company_id';
  end if;

  _changes := private.merge_details(auth.uid(), _loser, _winner);
  -- Before people come along: who works for a company is found by its name.
  if _taken <> '{}' then
    _changes := _changes || private.change_row('contacts', jsonb_build_object('id', _winner), _taken);
  end if;
  _changes := _changes || private.move_children(auth.uid(), _loser, _winner);
  -- What was said to the other is no news: it ends no snooze.
  update public.contacts set snoozed_until = ((_left || coalesce(_taken, '{}')) ->> 'snoozed_until')::timestamptz
  where user_id = auth.uid() and id = _winner;
  _changes := _changes
    || private.change_row('contacts', jsonb_build_object('id', _loser), jsonb_build_object('merged_into', _winner));
  -- The cadence counts what hangs on the contact now.
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_winner, _loser);
  insert into public.merge_log (user_id, winner_id, loser_id, loser_name, choices, changes)
    values (auth.uid(), _winner, _loser, _gone ->> 'name', _choices, _changes)
    returning id into _id;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION public.save_contact (
  _contact jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _former public.contacts;
  _row public.contacts;
  -- Write every column that people may write, so that a new one is not lost; the form does not have the other two.
  _columns constant text := (
    select string_agg(quote_ident(attname), ', ') from pg_catalog.pg_attribute
    where attrelid = 'public.contacts'::regclass and attnum > 0 and not attisdropped
      and has_column_privilege('authenticated', attrelid, attnum, 'update')
      and attname not in ('deleted_at', 'snoozed_until') and (_contact ? attname or attname = 'company_id')
  );
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _before jsonb := coalesce(_contact -> 'former', '{}');
  _had text[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;
  _row := jsonb_populate_record(_former, _contact);

  -- The company of that name, of several the one it has; it is made when there is none.
  if _contact ? 'company' then
    select id into _row.company_id from public.contacts
    where lower(name) = lower(_contact ->> 'company') and type = 'azienda' and merged_into is null and deleted_at is null
    order by id is distinct from _former.company_id, created_at limit 1;
    if _row.company_id is null and _contact ->> 'company' is not null then
      insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
      returning id into _row.company_id;
    end if;
  end if;

  -- Whoever becomes a company works for nobody, not even for a company of the trash that the form does not show.
  if _row.type = 'azienda' then
    _row.company_id := null;
  end if;

  _row.id := _id;
  execute format(case
      when _former.id is null then 'insert into public.contacts (id, %1$s) select id, %1$s from (select ($1).*) as said'
      else 'update public.contacts set (%1$s) = (select %1$s from (select ($1).*) as said) where id = ($1).id'
    end, _columns) using _row;

  -- The first of each is the main one. What is kept keeps its label; what is another contact's is refused by its key.
  -- Taken away is only what was in the former list, added only what was not: without one, what the contact has now.
  if _contact ? 'emails' then
    _had := case when _before ? 'emails'
      then array(select lower(value) from jsonb_array_elements_text(_before -> 'emails') as value)
      else array(select norm from public.contact_emails where contact_id = _id) end;
    delete from public.contact_emails
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
    update public.contact_emails set is_primary = norm = lower(_emails ->> 0)
    where contact_id = _id and lower(_emails ->> 0) is distinct from lower(_before #>> '{emails,0}') and _emails <> '[]';
    insert into public.contact_emails (contact_id, value, is_primary)
    select distinct on (lower(value)) _id, value, place = 1
    from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
    where lower(value) <> all (_had)
      and not exists (select from public.contact_emails where contact_id = _id and norm = lower(typed.value))
    order by lower(value), place;
  end if;

  if _contact ? 'phones' then
    _had := case when _before ? 'phones'
      then array(select one ->> 'norm' from jsonb_array_elements(_before -> 'phones') as one)
      else array(select norm from public.contact_phones where contact_id = _id) end;
    delete from public.contact_phones
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
    update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}'
    where contact_id = _id and _phones #>> '{0,norm}' is distinct from _before #>> '{phones,0,norm}' and _phones <> '[]';
    insert into public.contact_phones (contact_id, value, norm, is_primary)
    select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
    from jsonb_array_elements(_phones) with ordinality as typed (one, place)
    where one ->> 'norm' <> all (_had)
      and not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
    order by one ->> 'norm', place;
  end if;

  if _contact ? 'tags' then
    _had := case when _before ? 'tags'
      then array(select lower(name) from jsonb_array_elements_text(_before -> 'tags') as name)
      else array(
        select lower(name) from public.contact_tags join public.tags on tags.id = tag_id where contact_id = _id
      ) end;
    delete from public.contact_tags using public.tags
    where contact_id = _id and tags.id = tag_id and lower(name) = any (_had)
      and lower(name) <> all (array(select lower(name) from unnest(_names) as name));
    _names := array(select name from unnest(_names) as name where lower(name) <> all (_had));
    insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
    on conflict (user_id, lower(name)) do nothing;
    insert into public.contact_tags (contact_id, tag_id)
    select _id, id from public.tags
    where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
    on conflict do nothing;
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION public.twin (
  _invoice public.invoices
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and (
      other.type_code = _invoice.type_code
      -- Of a scan nothing but credit or no credit can be told: a deferred invoice is a TD01 there.
      or 'campi' in (other.source, _invoice.source)
        and (other.kind = 'nota_di_credito') = (_invoice.kind = 'nota_di_credito')
    )
    -- Of one's own a scan may name the customer otherwise; the number is one's own.
    and (_invoice.direction = 'attiva' and 'campi' in (other.source, _invoice.source) or coalesce(
      other.counterparty_vat,
      other.content #>> array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(other.counterparty_name)
    ) = coalesce(
      _invoice.counterparty_vat,
      _invoice.content #>> array[case _invoice.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(_invoice.counterparty_name)
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$function$;

CREATE TRIGGER own_changed_demo
  BEFORE UPDATE ON public.contacts
  FOR EACH ROW
  WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::public.contact_origin)))
  EXECUTE FUNCTION private.own_changed_demo('name', 'last_interaction_at', 'next_touch_at', 'snoozed_until', 'deleted_at', 'updated_at');

CREATE TRIGGER own_changed_demo
  BEFORE UPDATE ON public.deals
  FOR EACH ROW
  WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::public.contact_origin)))
  EXECUTE FUNCTION private.own_changed_demo('stage_id', 'position', 'stage_since', 'won_at', 'lost_at', 'lost_reason', 'deleted_at');

CREATE TRIGGER own_changed_demo
  BEFORE UPDATE ON public.projects
  FOR EACH ROW
  WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::text)))
  EXECUTE FUNCTION private.own_changed_demo('status', 'deleted_at');

CREATE TRIGGER own_changed_demo
  BEFORE UPDATE ON public.tasks
  FOR EACH ROW
  WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::text)))
  EXECUTE FUNCTION private.own_changed_demo('state', 'series_id', 'position', 'completed_at', 'reminded_at', 'next_remind_at', 'deleted_at', 'updated_at');

COMMENT ON FUNCTION "private"."invoice_kind"(text) IS 'How an invoice of this TipoDocumento counts. The reader needs the same codes: functions/_shared/fatturapa/model.py.';

COMMENT ON FUNCTION "private"."own_changed_demo"() IS 'Make a demo row the user''s own when a column changes that the arguments do not name.';

COMMENT ON TYPE "public"."invoice_kind" IS 'fattura: money; nota_di_credito: takes away; autofattura: for the tax office, nobody is paid by it.';

REVOKE ALL ON FUNCTION "private"."invoice_kind"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."invoice_kind"(text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."twin"(public.invoices) FROM "service_role";

GRANT EXECUTE ON FUNCTION "public"."twin"(public.invoices) TO "service_role";

ALTER TABLE "public"."invoices"
  ADD COLUMN "kind" public.invoice_kind GENERATED ALWAYS AS (private.invoice_kind(type_code)) STORED NOT NULL;

CREATE VIEW "public"."invoice_parts" WITH (security_invoker=on) AS  SELECT invoices.user_id,
    invoices.id AS invoice_id,
    invoices.document_id,
    part.id,
    COALESCE(part.no, 1) AS no,
    invoices.direction,
    invoices.currency,
    invoices.issued_on,
    part.due_on,
    part.method,
    part.iban,
    part.task_id,
        CASE
            WHEN (invoices.kind = 'nota_di_credito'::public.invoice_kind) THEN (- abs(amount.cents))
            ELSE amount.cents
        END AS cents,
    COALESCE(part.paid_on, invoices.paid_on) AS paid_on,
    ((COALESCE(part.paid_on, invoices.paid_on) IS NULL) AND COALESCE((part.due_on < ((now() AT TIME ZONE 'Europe/Rome'::text))::date), false)) AS is_late,
    ((documents.deleted_at IS NULL) AND (public.twin(invoices.*) IS NULL)) AS counts
   FROM (((public.invoices
     JOIN public.documents ON (((documents.user_id = invoices.user_id) AND (documents.id = invoices.document_id))))
     LEFT JOIN public.invoice_schedules part ON (((part.user_id = invoices.user_id) AND (part.invoice_id = invoices.id))))
     CROSS JOIN LATERAL ( SELECT COALESCE(part.amount_cents, invoices.due_cents, invoices.total_cents) AS cents) amount)
  WHERE (invoices.kind <> 'autofattura'::public.invoice_kind);

REVOKE ALL ON TABLE "public"."invoice_parts" FROM "anon";

CREATE VIEW "public"."invoice_register" WITH (security_invoker=on) AS  SELECT invoices.id,
    invoices.user_id,
    invoices.document_id,
    invoices.body_no,
    invoices.direction,
    invoices.type_code,
    invoices.kind,
    invoices.number,
    invoices.issued_on,
    invoices.contact_id,
    contacts.name AS contact_name,
    invoices.counterparty_name,
    invoices.counterparty_vat,
    invoices.currency,
    invoices.content,
    invoices.findings,
    invoices.paid_on,
    invoices.source,
    invoices.created_at,
    documents.filename,
    documents.deleted_at,
    signed.sign,
    (signed.sign * invoices.net_cents) AS net_cents,
    (signed.sign * invoices.vat_cents) AS vat_cents,
    (signed.sign * invoices.total_cents) AS total_cents,
    (signed.sign *
        CASE
            WHEN (invoices.content IS NULL) THEN ( SELECT abs((document_fields.value)::bigint) AS abs
               FROM public.document_fields
              WHERE ((document_fields.user_id = invoices.user_id) AND (document_fields.document_id = invoices.document_id) AND (document_fields.key = 'withholding'::text) AND ((document_fields.confirmed_at IS NOT NULL) OR (document_fields.confidence >= (0.8)::double precision)) AND (document_fields.value ~ '^-?[0-9]{1,13}$'::text)))
            ELSE ( SELECT
                    CASE
                        WHEN bool_and((each.cents IS NOT NULL)) THEN (sum(each.cents))::bigint
                        ELSE NULL::bigint
                    END AS "case"
               FROM jsonb_path_query(invoices.content, '$."withholdings"[*]'::jsonpath) withheld(withheld),
                LATERAL ( SELECT ((withheld.withheld ->> 'amount_cents'::text))::bigint AS cents) each)
        END) AS withheld_cents,
    (signed.sign * ( SELECT (sum(((summary.summary ->> 'tax_cents'::text))::bigint))::bigint AS sum
           FROM jsonb_path_query(invoices.content, '$."summaries"[*]?(@."due" == "S")'::jsonpath) summary(summary))) AS split_vat_cents,
    parts.payable_cents,
    parts.paid_cents,
    parts.open_cents,
    parts.late_cents,
    parts.next_due_on,
        CASE
            WHEN (invoices.kind = 'autofattura'::public.invoice_kind) THEN 'non_si_paga'::text
            WHEN (invoices.paid_on IS NOT NULL) THEN 'pagata'::text
            WHEN parts.is_late THEN 'scaduta'::text
            WHEN parts.is_begun THEN 'in_parte'::text
            ELSE 'aperta'::text
        END AS state,
    public.twin(invoices.*) AS twin
   FROM ((((public.invoices
     JOIN public.documents ON (((documents.user_id = invoices.user_id) AND (documents.id = invoices.document_id))))
     LEFT JOIN public.contacts ON (((contacts.user_id = invoices.user_id) AND (contacts.id = invoices.contact_id))))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN ((invoices.kind = 'nota_di_credito'::public.invoice_kind) AND (invoices.total_cents > 0)) THEN '-1'::integer
                    ELSE 1
                END AS sign) signed)
     LEFT JOIN LATERAL ( SELECT (COALESCE(sum(part.cents), (0)::numeric))::bigint AS payable_cents,
            (COALESCE(sum(part.cents) FILTER (WHERE (part.paid_on IS NOT NULL)), (0)::numeric))::bigint AS paid_cents,
            (COALESCE(sum(part.cents) FILTER (WHERE (part.paid_on IS NULL)), (0)::numeric))::bigint AS open_cents,
            (COALESCE(sum(part.cents) FILTER (WHERE part.is_late), (0)::numeric))::bigint AS late_cents,
            min(part.due_on) FILTER (WHERE (part.paid_on IS NULL)) AS next_due_on,
            COALESCE(bool_or(part.is_late), false) AS is_late,
            COALESCE(bool_or((part.paid_on IS NOT NULL)), false) AS is_begun
           FROM public.invoice_parts part
          WHERE ((part.user_id = invoices.user_id) AND (part.invoice_id = invoices.id))) parts ON (true));

REVOKE ALL ON TABLE "public"."invoice_register" FROM "anon";

COMMENT ON VIEW "public"."invoice_parts" IS 'What is to be paid of each invoice, and when, signed. Sums add the parts that count: not in the trash, and no twin.';

COMMENT ON VIEW "public"."invoice_register" IS 'Invoices as they count: amounts signed, nothing payable of self-invoices. Sums leave out the trash and rows with a twin.';

REVOKE ALL ON TABLE "public"."invoice_parts" FROM "authenticated";

GRANT SELECT ON TABLE "public"."invoice_parts" TO "authenticated";

REVOKE ALL ON TABLE "public"."invoice_parts" FROM "service_role";

GRANT SELECT ON TABLE "public"."invoice_parts" TO "service_role";

REVOKE ALL ON TABLE "public"."invoice_register" FROM "authenticated";

GRANT SELECT ON TABLE "public"."invoice_register" TO "authenticated";

REVOKE ALL ON TABLE "public"."invoice_register" FROM "service_role";

GRANT SELECT ON TABLE "public"."invoice_register" TO "service_role";

reset check_function_bodies;

-- Add the part that the instalments of an electronic invoice do not ask for; it is due with the last one, as in
-- _schedules() of functions/_shared/fatturapa/register.py. A cent for each instalment is rounding.
insert into public.invoice_schedules (user_id, invoice_id, no, due_on, amount_cents, paid_on)
select invoices.user_id, invoices.id, part.no + 1, part.due_on,
  (abs(owed.cents) - abs(part.cents)) * case when part.cents < 0 then -1 else 1 end, invoices.paid_on
from public.invoices
cross join lateral (select coalesce(due_cents, total_cents) as cents) as owed
cross join lateral (
  select max(no) as no, case when bool_and(due_on is not null) then max(due_on) end as due_on, count(*) as number,
    sum(amount_cents)::bigint as cents from public.invoice_schedules
  where invoice_schedules.user_id = invoices.user_id and invoice_id = invoices.id
) as part
where source = 'fatturapa' and kind <> 'autofattura'
  and abs(owed.cents) - abs(part.cents) > part.number;
