-- Voice limits.
--   CREATE OR REPLACE FUNCTION private.charged_actions
--   CREATE OR REPLACE FUNCTION private.margins_of_actions
--   COMMENT ON FUNCTION private.charged_actions

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.charged_actions()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select array['chat', 'chat_deep', 'advice', 'voice_minute']
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
    left join public.credit_holds as holds
      on holds.user_id = usage.user_id and holds.idempotency_key = 'chat:' || message_id
    -- Transcripts are charged by the minute, and rates are of tokens.
    where mode = 'ia' and work = 'answer' and usage.created_at > now() - interval '30 days'
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

COMMENT ON FUNCTION "private"."charged_actions"() IS 'The actions for which begin_turn() and ask_transcript() hold credits; the others of the price list cost nothing today.';

reset check_function_bodies;
