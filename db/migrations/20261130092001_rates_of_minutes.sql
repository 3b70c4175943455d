-- Rates of minutes.
--   ALTER TABLE private.ai_rates DROP CONSTRAINT rates_are_never_negative
--   ALTER TABLE public.ai_usage DROP CONSTRAINT what_is_counted_is_positive
--   DROP FUNCTION private.ai_cost_cents
--   DROP FUNCTION public.admin_ai_rates
--   DROP FUNCTION public.admin_set_ai_rate
--   ALTER TABLE private.ai_rates ADD COLUMN minute_euros numeric(12,6)
--   ALTER TABLE public.ai_usage ADD COLUMN seconds integer
--   ALTER TABLE private.ai_rates ALTER COLUMN input_euros DROP NOT NULL
--   ALTER TABLE private.ai_rates ALTER COLUMN output_euros DROP NOT NULL
--   CREATE OR REPLACE FUNCTION private.ai_cost_cents
--   CREATE OR REPLACE FUNCTION private.keep_transcript
--   CREATE OR REPLACE FUNCTION private.margins_of_actions
--   CREATE OR REPLACE FUNCTION private.measure_credits
--   CREATE OR REPLACE FUNCTION public.admin_ai_rates
--   REVOKE ALL ON FUNCTION public.admin_ai_rates
--   CREATE OR REPLACE FUNCTION public.admin_set_ai_rate
--   REVOKE ALL ON FUNCTION public.admin_set_ai_rate
--   ALTER TABLE private.ai_rates ADD CONSTRAINT a_rate_is_of_something CHECK ((num_nonnulls(input_euros, minute_e…
--   ALTER TABLE private.ai_rates ADD CONSTRAINT rates_are_never_negative CHECK (((input_euros >= (0)::numeric) AN…
--   ALTER TABLE private.ai_rates ADD CONSTRAINT tokens_have_both_rates CHECK (((input_euros IS NULL) = (output_eu…
--   ALTER TABLE public.ai_usage ADD CONSTRAINT what_is_counted_is_positive CHECK (((tokens_in >= 0) AND (tokens_o…
--   COMMENT ON COLUMN private.ai_rates.minute_euros IS 'For a minute of sound that the model hears.'
--   COMMENT ON COLUMN public.ai_usage.seconds IS 'How long the voice note is, once the provider has heard it.'
--   COMMENT ON FUNCTION private.ai_cost_cents
--   COMMENT ON FUNCTION private.margins_of_actions
--   COMMENT ON FUNCTION public.admin_ai_rates
--   COMMENT ON FUNCTION public.admin_set_ai_rate
--   REVOKE ALL ON FUNCTION private.ai_cost_cents
--   GRANT EXECUTE ON FUNCTION public.admin_ai_rates
--   GRANT EXECUTE ON FUNCTION public.admin_set_ai_rate

set check_function_bodies = off;

ALTER TABLE "private"."ai_rates"
  DROP CONSTRAINT "rates_are_never_negative";

ALTER TABLE "public"."ai_usage"
  DROP CONSTRAINT "what_is_counted_is_positive";

DROP FUNCTION "private"."ai_cost_cents"(text, text, integer, integer, date);

DROP FUNCTION "public"."admin_ai_rates"();

DROP FUNCTION "public"."admin_set_ai_rate"(text, text, date, numeric, numeric, text);

ALTER TABLE "private"."ai_rates"
  ADD COLUMN "minute_euros" numeric(12,6);

ALTER TABLE "public"."ai_usage"
  ADD COLUMN "seconds" integer;

ALTER TABLE "private"."ai_rates"
  ALTER COLUMN "input_euros" DROP NOT NULL;

ALTER TABLE "private"."ai_rates"
  ALTER COLUMN "output_euros" DROP NOT NULL;

CREATE OR REPLACE FUNCTION private.ai_cost_cents (
  _host       text,
  _model      text,
  _tokens_in  integer,
  _tokens_out integer,
  _seconds    integer,
  _day        date
)
  RETURNS numeric
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when _seconds > 0 then _seconds * minute_euros * 100 / 60
    when _tokens_in + _tokens_out > 0 then (_tokens_in * input_euros + _tokens_out * output_euros) / 10000
  end
  from private.ai_rates
  where host = _host and model = _model and valid_from <= _day
  order by valid_from desc limit 1
$function$;

CREATE OR REPLACE FUNCTION private.keep_transcript (
  _user_id    uuid,
  _message_id uuid,
  _attempt    integer,
  _text       text,
  _by         text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _key constant text := private.transcript_key(_message_id, _attempt);
  _message public.whatsapp_messages;
  _cost bigint;
begin
  update public.whatsapp_messages
  set transcript_state = 'pronto', transcript = left(_text, 20000), transcript_by = left(_by, 100)
  where user_id = _user_id and id = _message_id and transcript_attempts = _attempt and transcript_state = 'attesa'
  returning * into _message;
  if not found then
    -- Its contact was erased, or another worker was faster and has closed the hold.
    perform private.close_hold_of_key(_user_id, _key, 0);
    return false;
  end if;
  _cost := private.close_hold_of_key(_user_id, _key, private.transcript_price(_message.voice_s));
  update public.ai_usage set credits = coalesce(credits, 0) + _cost, seconds = _message.voice_s where message_id = _message_id;
  update public.interactions set summary = private.whatsapp_words(_message)
  where user_id = _user_id and contact_id = _message.contact_id and kind = 'whatsapp' and direction = 'entrata'
    and at = _message.at and summary = _message.summary;
  update public.contact_channels set snippet = left(private.whatsapp_words(_message), 200)
  where user_id = _user_id and id = _message.channel_id and last_inbound_at = _message.at and snippet = _message.summary;
  return true;
end
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
    select usage.user_id, holds.id as hold_id,
      case work when 'transcript' then 'voice_minute' else coalesce(holds.ref_type, 'free') end as name,
      coalesce(seconds, tokens_in + tokens_out, 0) > 0 as is_counted,
      private.ai_cost_cents(
        host, model, tokens_in, tokens_out, seconds, (usage.created_at at time zone 'Europe/Rome')::date
      ) as cost_cents
    from public.ai_usage as usage
    left join lateral (
      select id, ref_type, state from public.credit_holds
      where user_id = usage.user_id and work = 'answer' and idempotency_key = 'chat:' || message_id
      union all
      -- One of its attempts at most is charged.
      select id, ref_type, state from public.credit_holds
      where user_id = usage.user_id and work in ('letter', 'transcript') and ref_id = message_id::text
        and ref_type = case work when 'transcript' then 'voice_minute' else work end and state in ('open', 'settled')
    ) as holds on true
    where mode = 'ia' and usage.created_at > now() - interval '30 days'
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

CREATE OR REPLACE FUNCTION private.measure_credits()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with left_over as (
    select to_char(expires_at at time zone 'Europe/Rome', 'YYYY-MM') as month, user_id, remaining + held as credits,
      paid_cents * (remaining + held) / amount as cents
    from public.credit_lots where remaining + held > 0
  ), months as (
    select coalesce(month, 'mai') as name, sum(credits) as credits, sum(cents) as cents from left_over
    group by month having count(distinct user_id) >= 5
  ), used as (
    select coalesce(ref_type, 'altro') as name, -sum(amount) as credits, count(*) as count from public.credit_ledger
    where kind = 'settle' and created_at > now() - interval '30 days'
    group by ref_type having count(distinct user_id) >= 5
  ), margins as materialized (
    select * from private.margins_of_actions()
  ), unpriced as (
    select distinct host, model from public.ai_usage
    where mode = 'ia' and created_at > now() - interval '30 days' and coalesce(seconds, tokens_in + tokens_out) > 0
      and private.ai_cost_cents(
        host, model, tokens_in, tokens_out, seconds, (created_at at time zone 'Europe/Rome')::date
      ) is null
  )
  select jsonb_build_object(
    'figures', jsonb_build_object(
      'drifted', (select count(*) from private.drifted_wallets()),
      'liability_cents', (select coalesce(sum(cents), 0) from left_over),
      'liability_credits', (select coalesce(sum(credits), 0) from left_over),
      'open_holds', (select count(*) from public.credit_holds where state = 'open'),
      'old_holds', (
        select count(*) from public.credit_holds where state = 'open' and created_at < now() - interval '10 minutes'
      ),
      'used_credits', (
        select coalesce(-sum(amount), 0) from public.credit_ledger
        where kind = 'settle' and created_at > now() - interval '30 days'
      ),
      'negative_margins', (select count(*) from margins where margin_cents < 0),
      'unknown_costs', (select count(*) from margins where cost_cents is null)
    ),
    'tables', jsonb_build_object(
      'liability', (select coalesce(jsonb_agg(to_jsonb(months) order by name), '[]') from months),
      'used', (select coalesce(jsonb_agg(to_jsonb(used) order by credits desc), '[]') from used),
      'margins', (select coalesce(jsonb_agg(to_jsonb(margins) order by margin_cents nulls last, name), '[]') from margins),
      'unpriced', (select coalesce(jsonb_agg(to_jsonb(unpriced) order by host, model), '[]') from unpriced)
    )
  )
$function$;

CREATE OR REPLACE FUNCTION public.admin_ai_rates()
  RETURNS TABLE (
    host         text,
    model        text,
    valid_from   date,
    input_euros  numeric,
    output_euros numeric,
    minute_euros numeric,
    source       text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return query
    select rates.host, rates.model, rates.valid_from, rates.input_euros, rates.output_euros, rates.minute_euros,
      rates.source::text
    from private.ai_rates as rates order by rates.host, rates.model, rates.valid_from desc limit 500;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_ai_rates"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_set_ai_rate (
  _host         text,
  _model        text,
  _valid_from   date,
  _source       text,
  _input_euros  numeric DEFAULT NULL::numeric,
  _output_euros numeric DEFAULT NULL::numeric,
  _minute_euros numeric DEFAULT NULL::numeric
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before jsonb;
begin
  perform private.require_admin();
  select to_jsonb(rates) into _before from private.ai_rates as rates
  where host = btrim(_host) and model = btrim(_model) and valid_from = _valid_from for update;
  insert into private.ai_rates (host, model, valid_from, input_euros, output_euros, minute_euros, source)
  values (btrim(_host), btrim(_model), _valid_from, _input_euros, _output_euros, _minute_euros, _source)
  on conflict (host, model, valid_from) do update set
    input_euros = excluded.input_euros, output_euros = excluded.output_euros, minute_euros = excluded.minute_euros,
    source = excluded.source, written_at = now();
  perform private.log_admin_action(
    'ai_rate', left(concat_ws(' ', _host, _model, _valid_from), 200), null, _before,
    jsonb_build_object(
      'input_euros', _input_euros, 'output_euros', _output_euros, 'minute_euros', _minute_euros, 'source', _source
    ), _source
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_set_ai_rate"(text, text, date, text, numeric, numeric, numeric) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."ai_rates"
  ADD CONSTRAINT "a_rate_is_of_something" CHECK ((num_nonnulls(input_euros, minute_euros) > 0));

ALTER TABLE "private"."ai_rates"
  ADD CONSTRAINT "rates_are_never_negative" CHECK (((input_euros >= (0)::numeric) AND (output_euros >= (0)::numeric) AND (minute_euros >= (0)::numeric)));

ALTER TABLE "private"."ai_rates"
  ADD CONSTRAINT "tokens_have_both_rates" CHECK (((input_euros IS NULL) = (output_euros IS NULL)));

ALTER TABLE "public"."ai_usage"
  ADD CONSTRAINT "what_is_counted_is_positive" CHECK (((tokens_in >= 0) AND (tokens_out >= 0) AND (seconds >= 0) AND (credits >= 0)));

COMMENT ON COLUMN "private"."ai_rates"."minute_euros" IS 'For a minute of sound that the model hears.';

COMMENT ON COLUMN "public"."ai_usage"."seconds" IS 'How long the voice note is, once the provider has heard it.';

COMMENT ON FUNCTION "private"."ai_cost_cents"(text, text, integer, integer, integer, date) IS 'What a provider charges for an answer or a transcript of a day, in cents; null where no rate, tokens or seconds are known.';

COMMENT ON FUNCTION "private"."margins_of_actions"() IS 'What answers and transcripts of providers brought and cost in 30 days, by action; a cost is null where a rate is missing.';

COMMENT ON FUNCTION "public"."admin_ai_rates"() IS 'The rates of providers of AI, the newest of each model first, for admins.';

COMMENT ON FUNCTION "public"."admin_set_ai_rate"(text, text, date, text, numeric, numeric, numeric) IS 'Write what a model costs from a day on, in euros for a million tokens or a minute of sound, for admins; the log has its source.';

REVOKE ALL ON FUNCTION "private"."ai_cost_cents"(text, text, integer, integer, integer, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_ai_rates"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_set_ai_rate"(text, text, date, text, numeric, numeric, numeric) TO "authenticated";

-- Seconds of the transcripts that the margins of the last 30 days count.
update public.ai_usage as usage set seconds = message.voice_s
from public.whatsapp_messages as message
where work = 'transcript' and usage.created_at > now() - interval '30 days' and message.id = usage.message_id
  and message.user_id = usage.user_id and transcript_state = 'pronto';

reset check_function_bodies;
