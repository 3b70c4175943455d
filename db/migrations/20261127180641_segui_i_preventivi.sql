-- Segui i preventivi.
--   DROP TRIGGER recall_about_paid ON public.invoice_schedules
--   DROP TRIGGER recall_about_paid ON public.invoices
--   DROP FUNCTION private.open_goal_step
--   DROP FUNCTION private.recall_about_paid
--   DROP FUNCTION private.recall_goal_mails
--   CREATE OR REPLACE FUNCTION private.deal_facts
--   CREATE OR REPLACE FUNCTION private.is_quote_stage
--   CREATE OR REPLACE FUNCTION private.open_goal_step
--   CREATE OR REPLACE FUNCTION private.queue_goal_mail
--   CREATE OR REPLACE FUNCTION private.quote_items
--   CREATE OR REPLACE FUNCTION private.recall_about
--   CREATE OR REPLACE FUNCTION private.recall_goal_mails
--   CREATE TRIGGER recall_about_moved AFTER UPDATE OF stage_id, contact_id, deleted_at ON public.deals FOR EACH R…
--   CREATE TRIGGER recall_about_paid AFTER UPDATE OF paid_on ON public.invoice_schedules FOR EACH ROW WHEN (((new…
--   CREATE TRIGGER recall_about_paid AFTER UPDATE OF paid_on ON public.invoices FOR EACH ROW WHEN (((new.paid_on …
--   COMMENT ON FUNCTION private.is_quote_stage
--   COMMENT ON FUNCTION private.open_goal_step
--   COMMENT ON FUNCTION private.queue_goal_mail
--   COMMENT ON FUNCTION private.quote_items
--   COMMENT ON FUNCTION private.recall_about
--   COMMENT ON FUNCTION private.recall_goal_mails
--   REVOKE ALL ON FUNCTION private.is_quote_stage
--   REVOKE ALL ON FUNCTION private.open_goal_step
--   GRANT EXECUTE ON FUNCTION private.open_goal_step
--   REVOKE ALL ON FUNCTION private.quote_items
--   GRANT EXECUTE ON FUNCTION private.quote_items
--   REVOKE ALL ON FUNCTION private.recall_about
--   REVOKE ALL ON FUNCTION private.recall_goal_mails

set check_function_bodies = off;

DROP TRIGGER "recall_about_paid" ON "public"."invoice_schedules";

DROP TRIGGER "recall_about_paid" ON "public"."invoices";

DROP FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone);

DROP FUNCTION "private"."recall_about_paid"();

DROP FUNCTION "private"."recall_goal_mails"(uuid, uuid, uuid);

CREATE OR REPLACE FUNCTION private.deal_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with stuck as (
    select deals.id, deals.title, deals.contact_id, deals.amount_cents, deals.currency, contacts.name as contact,
      coalesce(deals.probability, stages.probability) / 100.0 as probability, stages.name as stage, private.is_quote_stage(stages) as is_quote,
      habits.usual_days, habits.sample, floor(age.days)::integer as days,
      (deals.stage_since at time zone 'Europe/Rome')::date as since
    from public.stage_habits() as habits
    join public.stages on stages.user_id = _user_id and stages.id = habits.stage_id
    join public.deals on deals.user_id = _user_id and deals.stage_id = stages.id and deals.deleted_at is null
    left join public.contacts on contacts.user_id = _user_id and contacts.id = deals.contact_id
    cross join lateral (select extract(epoch from now() - deals.stage_since) / 86400 as days) as age
    -- Whole days, as the board and the assistant count them.
    where floor(age.days) > habits.usual_days
    order by deals.amount_cents desc, deals.id
    limit private.most_facts()
  )
  select case when is_quote then 'preventivo_fermo' else 'trattativa_ferma' end, 'deal', id, since,
    contact_id, concat(title, case when strpos(lower(title), lower(contact)) = 0 then ' (' || contact || ')' end),
    concat('Ferma in «', stage, '» da ', private.counted(days, 'un giorno', 'giorni'), case
      when sample >= 8 then '. Di solito le tue trattative ci restano meno di '
        || private.counted(ceil(usual_days)::bigint, 'un giorno', 'giorni') || '.'
      else ': oltre ' || ceil(usual_days) || ' giorni conviene farsi sentire.' end),
    -- At risk is what it is worth today: a deal that is unlikely to be won loses little.
    nullif(amount_cents, 0), currency, probability * least(0.6, 0.25 + 0.1 * days / usual_days), jsonb_strip_nulls(jsonb_build_object(
      'deal', title, 'counterparty', contact, 'stage', stage, 'days', days, 'usual_days', usual_days
    ))
  from stuck
$function$;

CREATE OR REPLACE FUNCTION private.is_quote_stage (
  _stage public.stages
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select (_stage).kind = 'aperta' and (_stage).name ilike '%preventiv%'
$function$;

CREATE OR REPLACE FUNCTION private.open_goal_step (
  _id      uuid,
  _attempt integer,
  _now     timestamp with time zone
)
  RETURNS TABLE (
    step           jsonb,
    agent          text,
    mandate        jsonb,
    is_approved    boolean,
    is_stopped     boolean,
    lawful         integer,
    recent         integer,
    proposed_today integer,
    sent_today     integer,
    mail_time      timestamp with time zone
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
  _goal public.goals;
begin
  select * into _step from public.goal_steps
  where id = _id and attempts = _attempt and state in ('pianificato', 'approvato') for update;
  if not found then
    return;
  end if;
  -- Locked, so that a pause or a revocation comes before this step or after it.
  select * into _goal from public.goals where user_id = _step.user_id and id = _step.goal_id for share;
  return query
    select to_jsonb(_step), _goal.agent, to_jsonb(mandates),
      coalesce(_step.state = 'approvato' and _step.approved_hash = public.hash(_step) and _step.expires_at > _now, false),
      _goal.state not in ('attivo', 'in_attesa') or private.are_goals_stopped(_step.user_id),
      (
        select count(*)::integer from unnest(_step.recipients) as address
        where private.mail_refusal(_step.user_id, _step.contact_id, address, 'contratto', null) is null and exists (
          select from public.contact_emails
          where user_id = _step.user_id and contact_id = _step.contact_id and norm = lower(address)
        )
      ),
      (
        select count(*)::integer from public.outgoing_mails
        where user_id = _step.user_id and contact_id = _step.contact_id and state not in ('cancelled', 'failed')
          and created_at > _now - interval '7 days' and created_at <= _now
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and (
          state = 'in_approvazione' and expires_at > _now + interval '12 hours' or approved_at > _now - interval '12 hours'
        )
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and state = 'fatto' and approved_at is null
          and (done_at at time zone 'Europe/Rome')::date = (_now at time zone 'Europe/Rome')::date
      ),
      private.allowed_mail_time(_now)
    from (select) as one
    left join public.agent_mandates as mandates on mandates.user_id = _step.user_id and mandates.agent = _goal.agent
      and mandates.action = _step.tool and mandates.revoked_at is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.queue_goal_mail (
  _step_id      uuid,
  _is_automatic boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := current_setting('request.jwt.claims', true);
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps where id = _step_id;
  -- queue_mail acts for its caller.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _step.user_id, 'role', 'authenticated')::text, true);
  perform public.queue_mail(
    _step.id, _step.contact_id, _step.recipients[1], _step.preview ->> 'subject', _step.preview ->> 'body',
    _invoice_id => (_step.args -> 'items' -> 0 ->> 'invoice_id')::uuid, _document_ids => array(
      select distinct (item ->> 'document_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
      where item ->> 'document_id' is not null
    ), _is_automatic => _is_automatic
  );
  update public.outgoing_mails set more_invoice_ids = array(
    select distinct (item ->> 'invoice_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
    where item ->> 'invoice_id' <> _step.args -> 'items' -> 0 ->> 'invoice_id'
  )
  where user_id = _step.user_id and key = _step.id;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

CREATE OR REPLACE FUNCTION private.quote_items (
  _user_id uuid,
  _day     date
)
  RETURNS TABLE (
    contact_id   uuid,
    contact_name text,
    is_company   boolean,
    email        text,
    deal_id      uuid,
    title        text,
    cents        bigint,
    sent_on      date,
    silent_since date,
    document_id  uuid
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select contacts.id, contacts.name, contacts.type = 'azienda', address.value, deals.id, deals.title, deals.amount_cents,
    (stay.entered_at at time zone 'Europe/Rome')::date,
    (greatest(stay.entered_at, talk.latest) at time zone 'Europe/Rome')::date, paper.document_id
  from (select (_day + 1)::timestamp at time zone 'Europe/Rome' as ends_at) as days
  -- The log knows where a deal was on a day of the past; the present stay has not been left.
  join public.deal_stage_log as stay on stay.user_id = _user_id and stay.entered_at < days.ends_at
    and (stay.left_at is null or stay.left_at >= days.ends_at)
  join public.stages on stages.user_id = _user_id and stages.id = stay.stage_id and private.is_quote_stage(stages)
  join public.deals on deals.user_id = _user_id and deals.id = stay.deal_id and deals.deleted_at is null
    and deals.currency = 'EUR' and (deals.expected_close is null or deals.expected_close >= _day)
  join public.contacts on contacts.user_id = _user_id and contacts.id = deals.contact_id and contacts.deleted_at is null
  left join lateral (
    select max(at) as latest, bool_or(direction = 'entrata') as has_answered
    from public.interactions
    where interactions.user_id = _user_id and interactions.contact_id = contacts.id
      and at > stay.entered_at and at < days.ends_at
  ) as talk on true
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as address on true
  left join lateral (
    select documents.id as document_id
    from public.document_links
    join public.documents on documents.user_id = _user_id and documents.id = document_links.document_id
      and documents.kind = 'preventivo' and documents.deleted_at is null
    where document_links.user_id = _user_id and document_links.deal_id = deals.id
    order by documents.created_at desc, documents.id limit 1
  ) as paper on true
  where talk.has_answered is not true
  order by contacts.name, contacts.id, stay.entered_at, deals.id
$function$;

CREATE OR REPLACE FUNCTION private.recall_about()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.recall_goal_mails(
    new.user_id, null, jsonb_build_object(tg_argv[0], to_jsonb(new) -> tg_argv[1])
  );
  -- What is still open is asked for again without it.
  update public.goals set next_run_at = now() where user_id = new.user_id and state in ('attivo', 'in_attesa');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.recall_goal_mails (
  _user_id uuid,
  _goal_id uuid  DEFAULT NULL::uuid,
  _item    jsonb DEFAULT NULL::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  with recalled as (
    update public.outgoing_mails set state = 'cancelled', leased_until = null
    where user_id = _user_id and state = 'queued' and key in (
      select id from public.goal_steps
      where user_id = _user_id and (_goal_id is null or goal_id = _goal_id)
        and (_item is null or args -> 'items' @> jsonb_build_array(_item))
    )
    returning key
  )
  update public.goal_steps set state = 'annullato', leased_until = null
  where user_id = _user_id and (
    state = 'fatto' and id in (select key from recalled)
    or state in ('pianificato', 'in_approvazione', 'approvato') and (_goal_id is null or goal_id = _goal_id)
      and (_item is null or args -> 'items' @> jsonb_build_array(_item))
  );
  select private.follow_goal(id) from public.goals where user_id = _user_id and state = 'in_attesa'
$function$;

CREATE TRIGGER recall_about_moved
  AFTER UPDATE OF stage_id, contact_id, deleted_at ON public.deals
  FOR EACH ROW
  WHEN (((new.stage_id <> old.stage_id) OR (new.contact_id IS DISTINCT FROM old.contact_id) OR ((new.deleted_at IS NOT NULL) AND (old.deleted_at IS NULL))))
  EXECUTE FUNCTION private.recall_about('deal_id', 'id');

CREATE TRIGGER recall_about_paid
  AFTER UPDATE OF paid_on ON public.invoice_schedules
  FOR EACH ROW
  WHEN (((new.paid_on IS NOT NULL) AND (old.paid_on IS NULL)))
  EXECUTE FUNCTION private.recall_about('invoice_id', 'invoice_id');

CREATE TRIGGER recall_about_paid
  AFTER UPDATE OF paid_on ON public.invoices
  FOR EACH ROW
  WHEN (((new.paid_on IS NOT NULL) AND (old.paid_on IS NULL)))
  EXECUTE FUNCTION private.recall_about('invoice_id', 'id');

COMMENT ON FUNCTION "private"."is_quote_stage"(public.stages) IS 'Whether deals of a stage are quotes that wait for an answer.';

COMMENT ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp with time zone) IS 'Locks a claimed step and tells the facts that the rules judge; no row when the lease was lost or it was decided otherwise.';

COMMENT ON FUNCTION "private"."queue_goal_mail"(uuid, boolean) IS 'Queues the mail of a step under its id, with all its invoices and documents; refuses as queue_mail() does.';

COMMENT ON FUNCTION "private"."quote_items"(uuid, date) IS 'Quotes of a person without an answer on a day: deals in euros in a stage of quotes whose contact has not written since and whose expected end has not passed, with the latest quote among their documents.';

COMMENT ON FUNCTION "private"."recall_about"() IS 'Takes back letters about a row that was paid or answered: the name of the id in the items, and its column in the row.';

COMMENT ON FUNCTION "private"."recall_goal_mails"(uuid, uuid, jsonb) IS 'Takes back what a person''s goals, or one of them, or those about an item {invoice_id} or {deal_id}, have not sent yet.';

REVOKE ALL ON FUNCTION "private"."is_quote_stage"(public.stages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."quote_items"(uuid, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."quote_items"(uuid, date) TO "service_role";

REVOKE ALL ON FUNCTION "private"."recall_about"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."recall_goal_mails"(uuid, uuid, jsonb) FROM PUBLIC;

reset check_function_bodies;
