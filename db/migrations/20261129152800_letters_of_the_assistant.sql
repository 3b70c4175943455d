-- Letters of the assistant.
--   ALTER TABLE public.ai_usage DROP CONSTRAINT works_are_two
--   DROP FUNCTION private.open_goal_step
--   DROP FUNCTION private.plan_goal_step
--   DROP FUNCTION public.give_mandate
--   ALTER TABLE public.agent_mandates ADD COLUMN letter_credits integer
--   ALTER TABLE public.agent_mandates ADD COLUMN letter_budget integer
--   ALTER TABLE public.agent_mandates ADD COLUMN letter_style public.single_line
--   ALTER TABLE public.goal_steps ADD COLUMN brief jsonb
--   CREATE TYPE public.goal_letter AS ENUM ( 'attesa', 'scritta', 'modello' )
--   ALTER TABLE public.goal_steps ADD COLUMN letter public.goal_letter
--   ALTER TABLE public.goal_steps ADD COLUMN draft text
--   ALTER TABLE public.goal_steps ADD COLUMN written_at timestamp WITH time zone
--   CREATE OR REPLACE FUNCTION private.agent_week
--   CREATE OR REPLACE FUNCTION private.ai_mark_of_mail
--   CREATE OR REPLACE FUNCTION private.begin_letter
--   CREATE OR REPLACE FUNCTION private.charged_actions
--   CREATE OR REPLACE FUNCTION private.count_letter
--   CREATE OR REPLACE FUNCTION private.drop_letter
--   CREATE OR REPLACE FUNCTION private.expired_letter
--   CREATE OR REPLACE FUNCTION private.keep_letter
--   CREATE OR REPLACE FUNCTION private.letter_key
--   CREATE OR REPLACE FUNCTION private.margins_of_actions
--   CREATE OR REPLACE FUNCTION private.open_goal_step
--   CREATE OR REPLACE FUNCTION private.plan_goal_step
--   CREATE OR REPLACE FUNCTION private.reuse_letter
--   CREATE OR REPLACE FUNCTION private.settle_goal_step
--   CREATE OR REPLACE FUNCTION private.show_letter
--   CREATE OR REPLACE FUNCTION private.tell_agent_weeks
--   CREATE OR REPLACE FUNCTION private.wake_for_budget
--   CREATE OR REPLACE FUNCTION public.ai_notice
--   CREATE OR REPLACE FUNCTION public.continue_goal
--   REVOKE ALL ON FUNCTION public.continue_goal
--   CREATE OR REPLACE FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION public.give_mandate
--   CREATE OR REPLACE FUNCTION public.start_goal
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT letter_budget_fits CHECK (((letter_budget >= 1) AND (letter_…
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT letter_credits_fit CHECK (((letter_credits >= 0) AND (letter…
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT letter_style_fits CHECK ((char_length((letter_style)::text) …
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT letters_have_a_price_and_a_cap CHECK (((letter_credits IS NU…
--   ALTER TABLE public.ai_usage ADD CONSTRAINT works_are_known CHECK ((work = ANY (ARRAY['answer'::text, 'transcr…
--   ALTER TABLE public.goal_steps ADD CONSTRAINT brief_is_an_object CHECK ((jsonb_typeof(brief) = 'object'::text))
--   ALTER TABLE public.goal_steps ADD CONSTRAINT draft_fits CHECK ((char_length(draft) <= 6000))
--   ALTER TABLE public.goal_steps ADD CONSTRAINT what_is_written_has_a_time CHECK (((NOT (letter IS DISTINCT FROM…
--   COMMENT ON COLUMN public.agent_mandates.letter_budget IS 'How many credits letters may use from this mandate …
--   COMMENT ON COLUMN public.agent_mandates.letter_credits IS 'The price for which the assistant writes each lett…
--   COMMENT ON COLUMN public.agent_mandates.letter_style IS 'How the person writes, in their words, for the assis…
--   COMMENT ON COLUMN public.goal_steps.brief IS 'What the assistant may write the letter from, {facts, block}: t…
--   COMMENT ON COLUMN public.goal_steps.draft IS 'What the assistant has written so far, unchecked; for the scree…
--   COMMENT ON COLUMN public.goal_steps.letter IS 'The letter of the assistant: being written, written, or replac…
--   COMMENT ON COLUMN public.goal_steps.max_credits IS 'What its letter may cost; once it is written, what it cos…
--   COMMENT ON COLUMN public.goal_steps.preview IS 'What the person is shown: {subject, body, lines, cents, tone}…
--   COMMENT ON COLUMN public.goals.budget_credits IS 'The most that its letters may use in all; raised by the man…
--   COMMENT ON FUNCTION private.agent_week
--   COMMENT ON FUNCTION private.begin_letter
--   COMMENT ON FUNCTION private.charged_actions
--   COMMENT ON FUNCTION private.count_letter
--   COMMENT ON FUNCTION private.drop_letter
--   COMMENT ON FUNCTION private.expired_letter
--   COMMENT ON FUNCTION private.keep_letter
--   COMMENT ON FUNCTION private.letter_key
--   COMMENT ON FUNCTION private.open_goal_step
--   COMMENT ON FUNCTION private.plan_goal_step
--   COMMENT ON FUNCTION private.reuse_letter
--   COMMENT ON FUNCTION private.show_letter
--   COMMENT ON FUNCTION private.wake_for_budget
--   COMMENT ON FUNCTION public.ai_usage_by_month
--   COMMENT ON FUNCTION public.continue_goal
--   COMMENT ON FUNCTION public.give_mandate
--   COMMENT ON TABLE public.ai_usage IS 'Answers of the assistant, transcripts of voice notes and letters of agen…
--   REVOKE ALL ON FUNCTION private.begin_letter
--   GRANT EXECUTE ON FUNCTION private.begin_letter
--   REVOKE ALL ON FUNCTION private.count_letter
--   REVOKE ALL ON FUNCTION private.drop_letter
--   GRANT EXECUTE ON FUNCTION private.drop_letter
--   REVOKE ALL ON FUNCTION private.expired_letter
--   GRANT EXECUTE ON FUNCTION private.expired_letter
--   REVOKE ALL ON FUNCTION private.keep_letter
--   GRANT EXECUTE ON FUNCTION private.keep_letter
--   REVOKE ALL ON FUNCTION private.letter_key
--   REVOKE ALL ON FUNCTION private.open_goal_step
--   GRANT EXECUTE ON FUNCTION private.open_goal_step
--   REVOKE ALL ON FUNCTION private.plan_goal_step
--   GRANT EXECUTE ON FUNCTION private.plan_goal_step
--   REVOKE ALL ON FUNCTION private.reuse_letter
--   GRANT EXECUTE ON FUNCTION private.reuse_letter
--   REVOKE ALL ON FUNCTION private.show_letter
--   GRANT EXECUTE ON FUNCTION private.show_letter
--   REVOKE ALL ON FUNCTION private.wake_for_budget
--   GRANT EXECUTE ON FUNCTION public.continue_goal
--   GRANT EXECUTE ON FUNCTION public.give_mandate

set check_function_bodies = off;

ALTER TABLE "public"."ai_usage"
  DROP CONSTRAINT "works_are_two";

DROP FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone);

DROP FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp WITH time zone);

DROP FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean);

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "letter_credits" integer;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "letter_budget" integer;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "letter_style" public.single_line;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "brief" jsonb;

CREATE TYPE "public"."goal_letter" AS ENUM (
  'attesa',
  'scritta',
  'modello'
);

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "letter" public.goal_letter;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "draft" text;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "written_at" timestamp WITH time zone;

CREATE OR REPLACE FUNCTION private.agent_week (
  _user_id uuid,
  _until   timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with steps as (
    select * from public.goal_steps
    where user_id = _user_id and coalesce(done_at, approved_at, created_at) > _until - interval '7 days'
      and coalesce(done_at, approved_at, created_at) <= _until
  ), logged as (
    select * from public.ethical_logs where user_id = _user_id and at > _until - interval '7 days' and at <= _until
  ), asked as (
    -- Each part once, whenever it was asked for first.
    select (item ->> 'invoice_id')::uuid as invoice_id, (item ->> 'no')::integer as no,
      min((done_at at time zone 'Europe/Rome')::date) as asked_on
    from public.goal_steps cross join lateral jsonb_array_elements(args -> 'items') as item
    where goal_steps.user_id = _user_id and state = 'fatto' and done_at <= _until group by 1, 2
  )
  select jsonb_build_object(
    'sent', (select count(*) from steps where state = 'fatto' and tool = 'mail'),
    'sent_cents', (select coalesce(sum((preview ->> 'cents')::bigint), 0) from steps where state = 'fatto' and tool = 'mail'),
    'sent_by_whatsapp', (select count(*) from steps where state = 'fatto' and tool = 'mail' and args ->> 'channel' = 'whatsapp'),
    'sent_by_pec', (select count(*) from steps where state = 'fatto' and tool = 'mail' and args ->> 'channel' = 'pec'),
    'tidied', (select count(*) from steps where state = 'fatto' and tool <> 'mail'),
    'letters', (select count(*) from steps where letter = 'scritta'),
    'credits', (
      select coalesce(sum(credits), 0) from public.ai_usage
      where user_id = _user_id and work = 'letter' and created_at > _until - interval '7 days' and created_at <= _until
    ),
    'refused', (select count(*) from steps where state = 'rifiutato'),
    'blocked', (select count(*) from steps where state = 'bloccato'),
    'unneeded', (select count(*) from steps where state in ('saltato', 'annullato')),
    'cashed_cents', (
      select coalesce(sum(part.cents), 0) from asked
      join public.invoice_parts as part on part.user_id = _user_id and part.invoice_id = asked.invoice_id
        and part.no = asked.no and part.counts
      where part.paid_on >= asked_on and part.paid_on > ((_until - interval '7 days') at time zone 'Europe/Rome')::date
        and part.paid_on <= (_until at time zone 'Europe/Rome')::date
    ),
    'rules', (
      select coalesce(jsonb_agg(jsonb_build_object('id', rule, 'times', times) order by times desc, rule), '[]')
      from (select unnest(rules) as rule, count(*) as times from logged where action = 'giudizio' group by 1) as spoke
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.ai_mark_of_mail (
  _mail_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'draft; provider=' || provider || '; reviewed=' || case when is_reviewed then 'yes' else 'no' end
  from public.outgoing_mails as mail
  cross join lateral (
    select coalesce(ai ->> 'provider', case ai ->> 'mode' when 'locale' then 'none' else 'unknown' end) as provider,
      true as is_reviewed
    from public.drafts
    where drafts.user_id = mail.user_id and drafts.contact_id = mail.contact_id and channel = 'email' and ai is not null
      -- Below it is the signature. What the person has rewritten is theirs.
      and starts_with(mail.body, drafts.body)
    union all
    -- The letter of an agent: by a provider, or by rules of our own.
    select case letter when 'scritta' then coalesce((
      select usage.provider from public.ai_usage as usage where usage.message_id = goal_steps.id
    ), 'unknown') else 'none' end, approved_at is not null
    from public.goal_steps
    where goal_steps.user_id = mail.user_id and goal_steps.id = mail.key
  ) as source
  where mail.id = _mail_id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.begin_letter (
  _step_id  uuid,
  _attempt  integer,
  _host     text,
  _provider text,
  _model    text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _price constant bigint := private.quote_of('letter');
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps
  where id = _step_id and attempts = _attempt and state = 'pianificato' for update;
  if not found then
    return 'fermo';
  end if;
  -- Of a worker that died.
  perform private.release_hold(id) from public.credit_holds
  where user_id = _step.user_id and ref_type = 'letter' and ref_id = _step_id::text and state = 'open';
  if private.are_goals_stopped(_step.user_id) then
    return 'fermo';
  elsif private.is_local_only(_step.user_id) then
    return 'locale';
  elsif not exists (select from private.ai_consents where user_id = _step.user_id and host = _host) then
    return 'consenso';
  elsif not exists (
    select from public.agent_mandates as mandates
    join public.goals on goals.user_id = mandates.user_id and goals.agent = mandates.agent
    where goals.user_id = _step.user_id and goals.id = _step.goal_id and action = 'mail' and revoked_at is null
      and letter_credits >= _price
  ) then
    return 'prezzo';
  end if;
  begin
    if _price > 0 then
      perform private.hold_credits(
        _step.user_id, _price, private.letter_key(_step_id, _attempt), 'letter', _step_id::text
      );
    end if;
  exception
    when sqlstate 'SC002' or sqlstate 'SC003' then return 'crediti';
    when sqlstate 'SC005' or sqlstate 'SC009' then return 'tetto';
  end;
  -- A row before the facts leave, so that an attempt that fails is counted too.
  insert into public.ai_usage as usage (user_id, message_id, work, mode, host, provider, model, entities)
  values (
    _step.user_id, _step_id, 'letter', 'ia', _host, _provider, _model,
    jsonb_build_array(jsonb_build_object('kind', 'contact', 'id', _step.contact_id)) || coalesce((
      select jsonb_agg(distinct case
        when item ? 'deal_id' then jsonb_build_object('kind', 'deal', 'id', item -> 'deal_id')
        else jsonb_build_object('kind', 'invoice', 'id', item -> 'invoice_id')
      end)
      from jsonb_array_elements(_step.args -> 'items') as item
    ), '[]')
  )
  on conflict (message_id) do update set host = _host, provider = _provider, model = _model;
  update public.goal_steps set letter = 'attesa', draft = null, max_credits = _price where id = _step_id;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.charged_actions()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select array['chat', 'chat_deep', 'advice', 'voice_minute', 'letter']
$function$;

CREATE OR REPLACE FUNCTION private.count_letter (
  _step_id    uuid,
  _credits    bigint,
  _tokens_in  integer,
  _tokens_out integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.ai_usage
  set credits = coalesce(credits, 0) + _credits,
    tokens_in = coalesce(tokens_in + _tokens_in, _tokens_in, tokens_in),
    tokens_out = coalesce(tokens_out + _tokens_out, _tokens_out, tokens_out)
  where message_id = _step_id and work = 'letter'
$function$;

CREATE OR REPLACE FUNCTION private.drop_letter (
  _user_id    uuid,
  _step_id    uuid,
  _attempt    integer,
  _why        text,
  _tokens_in  integer DEFAULT NULL::integer,
  _tokens_out integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A template in its place asks too, whatever the autonomy.
  update public.goal_steps
  set letter = 'modello', draft = null, max_credits = 0, args = args || '{"asks": true}',
    preview = preview || jsonb_build_object('unwritten', _why)
  where user_id = _user_id and id = _step_id and attempts = _attempt and state = 'pianificato'
    and letter is distinct from 'scritta';
  perform private.close_hold_of_key(_user_id, private.letter_key(_step_id, _attempt), 0);
  perform private.count_letter(_step_id, 0, _tokens_in, _tokens_out);
end
$function$;

CREATE OR REPLACE FUNCTION private.expired_letter (
  _step_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select before.preview from public.goal_steps as step
  join public.goal_steps as before on before.user_id = step.user_id and before.goal_id = step.goal_id
    and before.contact_id = step.contact_id and before.id <> step.id
  where step.id = _step_id and before.state = 'scaduto' and before.letter = 'scritta' and before.brief = step.brief
  order by before.created_at desc limit 1
$function$;

CREATE OR REPLACE FUNCTION private.keep_letter (
  _user_id    uuid,
  _step_id    uuid,
  _attempt    integer,
  _letter     jsonb,
  _tokens_in  integer,
  _tokens_out integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _key constant text := private.letter_key(_step_id, _attempt);
  _step public.goal_steps;
  _goal public.goals;
  _cost bigint;
begin
  select * into _step from public.goal_steps
  where user_id = _user_id and id = _step_id and attempts = _attempt and state = 'pianificato' and letter = 'attesa' for update;
  if not found then
    -- Taken back, paid or erased meanwhile, or another worker has it and has closed the hold.
    perform private.close_hold_of_key(_user_id, _key, 0);
    perform private.count_letter(_step_id, 0, _tokens_in, _tokens_out);
    return false;
  end if;
  -- Before the wallet, as in open_goal_step().
  select * into _goal from public.goals where user_id = _user_id and id = _step.goal_id for no key update;
  -- Two workers that began at the same moment never use more than the cap.
  _cost := private.close_hold_of_key(
    _user_id, _key, least(_step.max_credits, greatest(0, _goal.budget_credits - _goal.spent_credits))
  );
  update public.goal_steps
  set letter = 'scritta', written_at = now(), draft = null, max_credits = _cost, preview = preview || _letter
  where id = _step_id;
  perform private.count_letter(_step_id, _cost, _tokens_in, _tokens_out);
  update public.goals set spent_credits = spent_credits + _cost
  where user_id = _user_id and id = _step.goal_id returning * into _goal;
  if _cost > 0 and _goal.spent_credits * 5 >= _goal.budget_credits * 4 then
    perform private.notify(
      _user_id, 'approvazione', _goal.title || ' ha usato quasi tutti i suoi crediti',
      'Sono ' || _goal.spent_credits || ' di ' || _goal.budget_credits || '. Quando finiscono si ferma e ti chiede.',
      '/projects?vista=obiettivi', concat_ws(':', 'crediti80', _goal.id, _goal.budget_credits)
    );
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.letter_key (
  _step_id uuid,
  _attempt integer
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 'letter:' || _step_id || ':' || _attempt
$function$;

CREATE OR REPLACE FUNCTION private.margins_of_actions()
  RETURNS TABLE (
    name          text,
    answers       bigint,
    credits       numeric,
    paid_credits  numeric,
    charged_cents numeric,
    cost_cents    numeric,
    margin_cents  numeric,
    uncounted     bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with calls as (
    select usage.user_id, holds.id as hold_id, coalesce(holds.ref_type, 'free') as name,
      coalesce(tokens_in + tokens_out, 0) > 0 as is_counted,
      private.ai_cost_cents(
        host, model, tokens_in, tokens_out, (usage.created_at at time zone 'Europe/Rome')::date
      ) as cost_cents
    from public.ai_usage as usage
    left join lateral (
      select id, ref_type, state from public.credit_holds
      where user_id = usage.user_id and work = 'answer' and idempotency_key = 'chat:' || message_id
      union all
      -- One of its attempts at most is charged.
      select id, ref_type, state from public.credit_holds
      where user_id = usage.user_id and work = 'letter' and ref_type = 'letter' and ref_id = message_id::text
        and state in ('open', 'settled')
    ) as holds on true
    -- Transcripts are charged by the minute, and rates are of tokens.
    where mode = 'ia' and work in ('answer', 'letter') and usage.created_at > now() - interval '30 days'
      and holds.state is distinct from 'open'
  ), charged as (
    select ledger.hold_id, -sum(ledger.amount) as credits, -sum(ledger.amount) filter (where paid_cents > 0) as paid_credits,
      -sum(ledger.amount * paid_cents::numeric / lots.amount) as cents
    from calls
    join public.credit_ledger as ledger on ledger.user_id = calls.user_id and ledger.hold_id = calls.hold_id
    join public.credit_lots as lots on lots.user_id = ledger.user_id and lots.id = lot_id
    where ledger.kind = 'settle'
    group by ledger.hold_id
  ), actions as (
    select name, count(*) as answers, coalesce(sum(credits), 0) as credits, coalesce(sum(paid_credits), 0) as paid_credits,
      coalesce(sum(cents), 0) as charged_cents,
      case when bool_and(cost_cents is not null) filter (where is_counted) then sum(cost_cents) end as cost_cents,
      count(*) filter (where not is_counted) as uncounted
    from calls left join charged using (hold_id)
    group by name having count(distinct user_id) >= 5
  )
  select name, answers, credits, paid_credits, round(charged_cents, 2), round(cost_cents, 2),
    round(charged_cents - cost_cents, 2), uncounted
  from actions
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
    mail_time      timestamp with time zone,
    letter_credits integer,
    budget_left    integer,
    balance        bigint
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
      case when _step.args ->> 'channel' = 'whatsapp' then (
        select count(*)::integer from private.whatsapp_reminder(_step.user_id, _step.contact_id, _step.args -> 'values')
        where recipient = any (_step.recipients) and reason is null
      ) else (
        select count(*)::integer from unnest(_step.recipients) as address
        where private.mail_refusal(_step.user_id, _step.contact_id, address, 'contratto', null) is null
          and private.is_address_of(_step.user_id, _step.contact_id, address)
      ) end,
      (
        select count(*)::integer from public.outgoing_mails
        where user_id = _step.user_id and contact_id = _step.contact_id and state not in ('cancelled', 'failed')
          and created_at > _now - interval '7 days' and created_at <= _now
      ) + (
        -- Templates only: a message inside an open chat is an answer and does not count.
        select count(*)::integer from public.whatsapp_messages
        where user_id = _step.user_id and contact_id = _step.contact_id and template is not null
          and state not in ('cancelled', 'failed') and created_at > _now - interval '7 days' and created_at <= _now
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
      private.allowed_mail_time(_now),
      case when _step.state = 'pianificato' and _step.brief is not null and mandates.letter_credits is not null
          and (_step.letter is null or _step.letter = 'attesa')
        then private.quote_of('letter')::integer end,
      _goal.budget_credits - _goal.spent_credits - coalesce((
        -- Letters that other workers are having written now.
        select sum(max_credits)::integer from public.goal_steps
        where user_id = _step.user_id and goal_id = _goal.id and letter = 'attesa' and leased_until > _now and id <> _id
      ), 0),
      coalesce((select credit_wallets.balance from public.credit_wallets where user_id = _step.user_id), 0)
    from (select) as one
    left join public.agent_mandates as mandates on mandates.user_id = _step.user_id and mandates.agent = _goal.agent
      and mandates.action = case _step.tool when 'mail' then 'mail' else 'archivio' end and mandates.revoked_at is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.plan_goal_step (
  _goal_id    uuid,
  _contact_id uuid,
  _tool       text,
  _args       jsonb,
  _preview    jsonb,
  _recipients text[],
  _now        timestamp with time zone,
  _brief      jsonb                    DEFAULT NULL::jsonb
)
  RETURNS uuid
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.goal_steps (
    user_id, goal_id, contact_id, tool, args, preview, recipients, not_before, created_at, brief
  )
  select user_id, id, _contact_id, _tool, _args, _preview, _recipients, _now, _now, case when exists (
    select from public.agent_mandates as mandates
    where mandates.user_id = goals.user_id and mandates.agent = goals.agent and action = 'mail' and revoked_at is null
      and letter_credits is not null
  ) then _brief end
  from public.goals where id = _goal_id
  on conflict (goal_id, contact_id) where state in ('pianificato', 'in_approvazione', 'approvato') do nothing
  returning id
$function$;

CREATE OR REPLACE FUNCTION private.reuse_letter (
  _step_id uuid,
  _attempt integer,
  _letter  jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goal_steps
  set letter = 'scritta', written_at = now(), draft = null, max_credits = 0, preview = preview || _letter
  where id = _step_id and attempts = _attempt and state = 'pianificato' and letter is distinct from 'scritta'
$function$;

CREATE OR REPLACE FUNCTION private.settle_goal_step (
  _id         uuid,
  _state      public.goal_step_state,
  _now        timestamp with time zone,
  _rules      jsonb                    DEFAULT '[]'::jsonb,
  _error      text                     DEFAULT NULL::text,
  _not_before timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
begin
  update public.goal_steps
  set state = _state, rules = _rules, error = _error, leased_until = null,
    -- Its worker died, and the letter is not wanted any more.
    letter = nullif(letter, 'attesa'), draft = null,
    not_before = coalesce(_not_before, not_before),
    done_at = case when _state = 'fatto' then _now end,
    expires_at = case when _state = 'in_approvazione' then _now + interval '24 hours' else expires_at end,
    approved_hash = case when _state = 'in_approvazione' then null else approved_hash end,
    approved_at = case when _state = 'in_approvazione' then null else approved_at end
  where id = _id returning * into _step;
  if _state in ('in_approvazione', 'bloccato') then
    perform private.notify(
      _step.user_id, 'approvazione',
      case _state when 'bloccato' then 'Bloccato: ' else 'Da approvare: ' end || (_step.preview ->> 'title'),
      case _state when 'bloccato' then coalesce(_rules -> 0 ->> 'reason', 'Una regola lo vieta') || '.'
        else 'Aspetta la tua decisione per 24 ore.' end,
      '/projects?vista=obiettivi&obiettivo=' || _step.goal_id, concat_ws(':', 'passo', _id, _state, _now::date)
    );
  end if;
  if _state = 'pianificato' and _rules @> '[{"id": "E-06"}]' then
    perform private.notify(
      _step.user_id, 'approvazione', goals.title || ' aspetta altri crediti',
      'Ha usato ' || spent_credits || ' di ' || budget_credits || ' crediti: decidi se continua.',
      '/projects?vista=obiettivi', concat_ws(':', 'crediti', goals.id, budget_credits)
    )
    from public.goals where user_id = _step.user_id and id = _step.goal_id;
  end if;
  perform private.follow_goal(_step.goal_id);
end
$function$;

CREATE OR REPLACE FUNCTION private.show_letter (
  _step_id uuid,
  _attempt integer,
  _draft   text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goal_steps set draft = left(_draft, 6000)
  where id = _step_id and attempts = _attempt and state = 'pianificato' and letter = 'attesa'
$function$;

CREATE OR REPLACE FUNCTION private.tell_agent_weeks (
  _now   timestamp with time zone,
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with monday as (
    select date_trunc('week', _now at time zone 'Europe/Rome') as day
  ), due as (
    select distinct user_id, 'settimana_agenti:' || day::date as key, (day at time zone 'Europe/Rome') as until
    from public.goal_steps cross join monday
    where (_now at time zone 'Europe/Rome') >= day + interval '8 hours'
      and created_at > (day at time zone 'Europe/Rome') - interval '7 days' and created_at <= (day at time zone 'Europe/Rome')
      and not exists (
        select from private.notification_deliveries
        where notification_deliveries.user_id = goal_steps.user_id and dedupe_key = 'settimana_agenti:' || day::date
      )
    limit _limit
  ), weeks as (
    select user_id, key, private.agent_week(user_id, until) as week from due
  ), told as (
    select private.notify(
      user_id, 'settimana_agenti', 'La settimana dei tuoi agenti',
      concat_ws(' ',
        case when (week ->> 'sent')::bigint > 0 or (week ->> 'tidied')::bigint = 0
          then private.counted((week ->> 'sent')::bigint, 'Un messaggio inviato.', 'messaggi inviati.') end,
        case when (week ->> 'sent_by_whatsapp')::bigint > 0 then 'Su WhatsApp: ' || (week ->> 'sent_by_whatsapp') || '.' end,
        case when (week ->> 'sent_by_pec')::bigint > 0 then 'Per PEC: ' || (week ->> 'sent_by_pec') || '.' end,
        case when (week ->> 'credits')::bigint > 0
          then 'Crediti per i testi dell’assistente: ' || (week ->> 'credits') || '.' end,
        case when (week ->> 'tidied')::bigint > 0
          then private.counted((week ->> 'tidied')::bigint, 'Una cosa sistemata.', 'cose sistemate.') end,
        case when (week ->> 'cashed_cents')::bigint > 0
          then 'Incassati dopo un sollecito: ' || private.euros((week ->> 'cashed_cents')::bigint, 'EUR') || '.' end,
        case when (week ->> 'refused')::bigint > 0 then 'Rifiutati da te: ' || (week ->> 'refused') || '.' end,
        case when (week ->> 'blocked')::bigint > 0 then 'Bloccati dalle regole: ' || (week ->> 'blocked') || '.' end
      ),
      '/projects?vista=obiettivi', key
    )
    from weeks
  )
  select count(*) from told
$function$;

CREATE OR REPLACE FUNCTION private.wake_for_budget (
  _goal_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.goal_steps set not_before = now()
  where goal_id = _goal_id and state = 'pianificato' and rules @> '[{"id": "E-06"}]' and not_before > now()
$function$;

CREATE OR REPLACE FUNCTION public.ai_notice (
  _contact_id uuid DEFAULT NULL::uuid,
  _project_id uuid DEFAULT NULL::uuid
)
  RETURNS TABLE (
    step     text,
    mode     text,
    provider text,
    model    text,
    times    bigint,
    reviewed bigint,
    first_at timestamp with time zone,
    last_at  timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with about as (
    select 'contact' as kind, id::text from public.contacts where id = _contact_id
    union all
    select 'project', id::text from public.projects where id = _project_id or contact_id = _contact_id
    union all
    select 'task', id::text from public.tasks where contact_id = _contact_id or project_id = _project_id
    union all
    select 'deal', id::text from public.deals where contact_id = _contact_id
    union all
    select 'document', id::text from public.documents where contact_id = _contact_id
    union all
    select 'invoice', id::text from public.invoices where contact_id = _contact_id
  )
  select work, mode, provider, model, count(*), 0::bigint, min(created_at), max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid()) and work <> 'letter' and exists (
    select from jsonb_array_elements(entities) as entity
    join about on about.kind = entity ->> 'kind' and about.id = entity ->> 'id'
  )
  group by work, mode, provider, model
  union all
  select 'draft', ai ->> 'mode', ai ->> 'provider', ai ->> 'model', count(*), count(*), min(created_at), max(created_at)
  from public.drafts where contact_id = _contact_id and ai is not null
  group by ai ->> 'mode', ai ->> 'provider', ai ->> 'model'
  union all
  select 'letter', 'locale', null, null, count(*), count(approved_at), min(done_at), max(done_at)
  from public.goal_steps
  where contact_id = _contact_id and tool = 'mail' and state = 'fatto' and letter is distinct from 'scritta'
  having count(*) > 0
  union all
  -- Also those that did not leave: what they were written from went to the provider.
  select 'letter', mode, provider, model, count(*), count(approved_at), min(usage.created_at), max(usage.created_at)
  from public.ai_usage as usage
  left join public.goal_steps as steps on steps.user_id = usage.user_id and steps.id = usage.message_id
  where usage.user_id = (select auth.uid()) and work = 'letter'
    and usage.entities @> jsonb_build_array(jsonb_build_object('kind', 'contact', 'id', _contact_id))
  group by mode, provider, model
  union all
  select 'reading', 'locale', null, null, count(*), 0, min(created_at), max(created_at)
  from public.documents
  where contact_id = _contact_id and state in ('pronto', 'da_verificare') having count(*) > 0
  order by 1, 2, 3
$function$;

CREATE OR REPLACE FUNCTION public.continue_goal (
  _id     uuid,
  _budget integer
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
  _more integer;
begin
  select * into _goal from public.goals where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such goal' using errcode = 'PT404';
  end if;
  select letter_budget into _more from public.agent_mandates
  where user_id = _user_id and agent = _goal.agent and action = 'mail' and revoked_at is null;
  if _more is null then
    raise exception 'no mandate lets the assistant write' using errcode = 'SG004';
  elsif _goal.budget_credits = _budget and _goal.completed_at is null then
    update public.goals set budget_credits = budget_credits + _more where id = _id returning * into _goal;
    perform private.wake_for_budget(_id);
    perform private.log_ethics(
      _user_id, 'obiettivo', jsonb_build_array(_id, _goal.budget_credits), _id, _human_decision => 'altri_crediti'
    );
    perform private.run_goals(_user_id);
  end if;
  return _goal;
end
$function$;

REVOKE ALL ON FUNCTION "public"."continue_goal"(uuid, integer) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.give_mandate (
  _agent              text,
  _action             text,
  _autonomy           public.goal_autonomy,
  _max_cents          bigint,
  _max_recipients_day integer,
  _last_tone          integer,
  _ibans              text[],
  _claims_interest    boolean              DEFAULT false,
  _uses_whatsapp      boolean              DEFAULT false,
  _uses_pec           boolean              DEFAULT false,
  _letter_credits     integer              DEFAULT NULL::integer,
  _letter_budget      integer              DEFAULT NULL::integer,
  _letter_style       public.single_line   DEFAULT NULL::text
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
  if _letter_credits < private.quote_of('letter') then
    raise exception 'letters cost more than was shown'
      using errcode = 'SG007', detail = private.quote_of('letter');
  end if;
  update public.agent_mandates set revoked_at = now()
  where user_id = _user_id and agent = _agent and action = _action and revoked_at is null;
  insert into public.agent_mandates (
    user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans, claims_interest, uses_whatsapp,
    uses_pec, letter_credits, letter_budget, letter_style
  )
  values (
    _user_id, _agent, _action, _autonomy, _max_cents, _max_recipients_day, _last_tone, _ibans, _claims_interest,
    _uses_whatsapp, _uses_pec, _letter_credits, _letter_budget, _letter_style
  )
  returning * into _mandate;
  perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'dato');
  return _mandate;
end
$function$;

REVOKE ALL
  ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line)
  FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.start_goal (
  _agent text,
  _title text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
begin
  if not exists (
    select from public.agent_mandates where user_id = _user_id and agent = _agent and revoked_at is null
  ) then
    raise exception 'no mandate is in force' using errcode = 'SG004';
  end if;
  select * into _goal from public.goals
  where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato') for update;
  if not found then
    insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title) returning * into _goal;
  end if;
  -- The person has read the plan and the mandate: each move is made, so that each is allowed.
  if _goal.state = 'bozza' then
    update public.goals set state = 'pianificato' where id = _goal.id;
    update public.goals set state = 'in_approvazione' where id = _goal.id;
  end if;
  if _goal.state not in ('attivo', 'in_attesa') then
    update public.goals set state = 'attivo' where id = _goal.id;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'approvato');
  end if;
  -- Planned again under the mandate as it is now, whose credits count from here.
  update public.goals set next_run_at = now(), budget_credits = coalesce(spent_credits + (
    select letter_budget from public.agent_mandates
    where user_id = _user_id and agent = _agent and action = 'mail' and revoked_at is null
  ), budget_credits)
  where id = _goal.id returning * into _goal;
  perform private.wake_for_budget(_goal.id);
  perform private.run_goals(_user_id);
  return _goal;
end
$function$;

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "letter_budget_fits" CHECK (((letter_budget >= 1) AND (letter_budget <= 10000)));

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "letter_credits_fit" CHECK (((letter_credits >= 0) AND (letter_credits <= 1000)));

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "letter_style_fits" CHECK ((char_length((letter_style)::text) <= 200));

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "letters_have_a_price_and_a_cap" CHECK (((letter_credits IS NULL) = (letter_budget IS NULL)));

ALTER TABLE "public"."ai_usage"
  ADD CONSTRAINT "works_are_known" CHECK ((work = ANY (ARRAY['answer'::text, 'transcript'::text, 'letter'::text])));

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "brief_is_an_object" CHECK ((jsonb_typeof(brief) = 'object'::text));

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "draft_fits" CHECK ((char_length(draft) <= 6000));

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "what_is_written_has_a_time" CHECK (((NOT (letter IS DISTINCT FROM 'scritta'::public.goal_letter)) = (written_at IS NOT NULL)));

COMMENT ON COLUMN "public"."agent_mandates"."letter_budget" IS 'How many credits letters may use from this mandate on, and again with each «Continua».';

COMMENT ON COLUMN "public"."agent_mandates"."letter_credits" IS 'The price for which the assistant writes each letter (65_letters.sql); null: letters come from templates.';

COMMENT ON COLUMN "public"."agent_mandates"."letter_style" IS 'How the person writes, in their words, for the assistant.';

COMMENT ON COLUMN "public"."goal_steps"."brief" IS 'What the assistant may write the letter from, {facts, block}: the block goes below its text. Null: nothing to write.';

COMMENT ON COLUMN "public"."goal_steps"."draft" IS 'What the assistant has written so far, unchecked; for the screen only.';

COMMENT ON COLUMN "public"."goal_steps"."letter" IS 'The letter of the assistant: being written, written, or replaced by the template; null: none was asked for.';

COMMENT ON COLUMN "public"."goal_steps"."max_credits" IS 'What its letter may cost; once it is written, what it cost.';

COMMENT ON COLUMN "public"."goal_steps"."preview" IS 'What the person is shown: {subject, body, lines, cents, tone}; of a reminder also {channel, note}; {by}: who of AI wrote it, {unwritten}: why the assistant did not.';

COMMENT ON COLUMN "public"."goals"."budget_credits" IS 'The most that its letters may use in all; raised by the mandate and by continue_goal().';

COMMENT ON FUNCTION "private"."agent_week"(uuid, timestamp with time zone) IS 'The seven days of a person''s agents until a moment: {sent, sent_cents, sent_by_whatsapp, sent_by_pec, tidied, letters, credits, refused, blocked, unneeded, cashed_cents, rules}.';

COMMENT ON FUNCTION "private"."begin_letter"(uuid, integer, text, text, text) IS 'Holds the price of a letter right before its facts go to the provider, and answers null; or why none is written: fermo, locale, consenso, prezzo, crediti, tetto.';

COMMENT ON FUNCTION "private"."charged_actions"() IS 'The actions for which begin_turn(), ask_transcript() and begin_letter() hold credits; the others of the price list cost nothing today.';

COMMENT ON FUNCTION "private"."count_letter"(uuid, bigint, integer, integer) IS 'Adds what an attempt at a letter used.';

COMMENT ON FUNCTION "private"."drop_letter"(uuid, uuid, integer, text, integer, integer) IS 'Leaves a step with the letter of its template, says why, and gives the credits back.';

COMMENT ON FUNCTION "private"."expired_letter"(uuid) IS 'What was proposed for a step before, and expired undecided: a letter that was paid for and is about the same.';

COMMENT ON FUNCTION "private"."keep_letter"(uuid, uuid, integer, jsonb, integer, integer) IS 'Puts the letter of the assistant {subject, body, by} into its step and takes the price, once; notifies at 80 % of the cap.';

COMMENT ON FUNCTION "private"."letter_key"(uuid, integer) IS 'The key of the credits that an attempt at a letter holds.';

COMMENT ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp with time zone) IS 'Locks a claimed step and returns the facts that the rules judge; no row when the lease was lost or it was decided otherwise. letter_credits: the price of a letter that the assistant has not written yet.';

COMMENT ON FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp with time zone, jsonb) IS 'Adds a step to a goal, its brief only where the assistant writes the letters; null where the contact has an open one.';

COMMENT ON FUNCTION "private"."reuse_letter"(uuid, integer, jsonb) IS 'Puts a letter {subject, body, by} that was paid for into a step, without a price.';

COMMENT ON FUNCTION "private"."show_letter"(uuid, integer, text) IS 'Shows what of a letter is written so far on the screens of its person.';

COMMENT ON FUNCTION "private"."wake_for_budget"(uuid) IS 'Has the steps of a goal that wait for credits be judged again now.';

COMMENT ON FUNCTION "public"."ai_usage_by_month"() IS 'The answers, transcripts and letters of the caller in twelve months, by month and by who gave them.';

COMMENT ON FUNCTION "public"."continue_goal"(uuid, integer) IS 'Gives a goal of the caller as many credits more as its mandate says, while its cap is the one shown: a second tap changes nothing. PT404, SG004.';

COMMENT ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line) IS
  'Gives an agent a mandate of the caller, in the place of the one before; SG007.';

COMMENT ON TABLE "public"."ai_usage" IS 'Answers of the assistant, transcripts of voice notes and letters of agents: by which provider of AI, or by none, and how much went there.';

REVOKE ALL ON FUNCTION "private"."begin_letter"(uuid, integer, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_letter"(uuid, integer, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."count_letter"(uuid, bigint, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."drop_letter"(uuid, uuid, integer, text, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."drop_letter"(uuid, uuid, integer, text, integer, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."expired_letter"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expired_letter"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_letter"(uuid, uuid, integer, jsonb, integer, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_letter"(uuid, uuid, integer, jsonb, integer, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."letter_key"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp WITH time zone, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp WITH time zone, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reuse_letter"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."reuse_letter"(uuid, integer, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."show_letter"(uuid, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."show_letter"(uuid, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."wake_for_budget"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."continue_goal"(uuid, integer) TO "authenticated";

GRANT EXECUTE
  ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[], boolean, boolean, boolean, integer, integer, public.single_line)
  TO "authenticated";

reset check_function_bodies;

-- The catalogue in force again, with the price of a letter.
insert into public.catalog_versions (version, note)
select max(version) + 1, 'Letters that the assistant writes' from public.catalog_versions;

insert into public.plans
select (jsonb_populate_record(plans, jsonb_build_object('version', (select max(version) from public.catalog_versions)))).*
from public.plans where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.packs
select (jsonb_populate_record(packs, jsonb_build_object('version', (select max(version) from public.catalog_versions)))).*
from public.packs where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.claims
select (jsonb_populate_record(claims, jsonb_build_object('version', (select max(version) from public.catalog_versions)))).*
from public.claims where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.credit_prices
select (jsonb_populate_record(
  credit_prices, jsonb_build_object('version', (select max(version) from public.catalog_versions))
)).*
from public.credit_prices where version = (
  select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
);

insert into public.credit_prices (version, action, position, name, min_credits, max_credits, note)
select version, 'letter', (select max(position) + 1 from public.credit_prices), 'Messaggio di un agente scritto dall’assistente', 1, 1, null
from public.catalog_versions order by version desc limit 1;

update public.catalog_versions set published_at = now()
where version = (select max(version) from public.catalog_versions);
