-- Margins.
--   CREATE TABLE private.ai_rates ( host text NOT NULL, model text NOT NULL, valid_from date NOT NULL, input_euro…
--   ALTER TABLE private.ai_rates ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.ai_cost_cents
--   CREATE OR REPLACE FUNCTION private.light
--   CREATE OR REPLACE FUNCTION private.margins_of_actions
--   CREATE OR REPLACE FUNCTION private.measure_credits
--   CREATE OR REPLACE FUNCTION public.admin_ai_rates
--   REVOKE ALL ON FUNCTION public.admin_ai_rates
--   CREATE OR REPLACE FUNCTION public.admin_set_ai_rate
--   REVOKE ALL ON FUNCTION public.admin_set_ai_rate
--   COMMENT ON COLUMN private.ai_rates.input_euros IS 'For a million tokens that the model reads.'
--   COMMENT ON COLUMN private.ai_rates.output_euros IS 'For a million tokens that the model writes.'
--   COMMENT ON FUNCTION private.ai_cost_cents
--   COMMENT ON FUNCTION private.margins_of_actions
--   COMMENT ON FUNCTION private.measure_credits
--   COMMENT ON FUNCTION public.admin_ai_rates
--   COMMENT ON FUNCTION public.admin_set_ai_rate
--   COMMENT ON TABLE private.ai_rates IS 'What providers of AI charge; written by admins.'
--   REVOKE ALL ON FUNCTION private.ai_cost_cents
--   REVOKE ALL ON FUNCTION private.margins_of_actions
--   GRANT EXECUTE ON FUNCTION public.admin_ai_rates
--   GRANT EXECUTE ON FUNCTION public.admin_set_ai_rate

set check_function_bodies = off;

CREATE TABLE "private"."ai_rates" (
  "host"         text                     NOT NULL,
  "model"        text                     NOT NULL,
  "valid_from"   date                     NOT NULL,
  "input_euros"  numeric(12,4)            NOT NULL,
  "output_euros" numeric(12,4)            NOT NULL,
  "source"       public.single_line       NOT NULL,
  "written_at"   timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "ai_rates_pkey" PRIMARY KEY (host, model, valid_from),
  CONSTRAINT "host_fits" CHECK (((char_length(host) >= 1) AND (char_length(host) <= 200))),
  CONSTRAINT "model_fits" CHECK (((char_length(model) >= 1) AND (char_length(model) <= 200))),
  CONSTRAINT "rates_are_never_negative" CHECK (((input_euros >= (0)::numeric) AND (output_euros >= (0)::numeric)))
);

ALTER TABLE "private"."ai_rates"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.ai_cost_cents (
  _host       text,
  _model      text,
  _tokens_in  integer,
  _tokens_out integer,
  _day        date
)
  RETURNS numeric
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (_tokens_in * input_euros + _tokens_out * output_euros) / 10000
  from private.ai_rates
  where host = _host and model = _model and valid_from <= _day and _tokens_in + _tokens_out > 0
  order by valid_from desc limit 1
$function$;

CREATE OR REPLACE FUNCTION private.light (
  _snapshot private.admin_snapshots
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when _snapshot.taken_at < now() - 3 * _snapshot.every then 'old'
    when case _snapshot.name
      when 'database' then figures.connections > 0.9 * figures.max_connections or figures.xid_age > 1500000000
      when 'queue' then figures.longest_wait_s > 300 or figures.periodic_late_s > 300
      when 'payments' then figures.failed > 0
      when 'credits' then figures.drifted > 0
      when 'errors' then figures.last_day > 500
      when 'security' then figures.lints > 0 or figures.breaches_late > 0
      when 'backups' then figures.backup_failed > 0 or figures.restore_failed > 0 or figures.forged > 0
        or figures.backup_age_h > 72
      when 'isolation' then figures.reached > 0 or figures.forged > 0
      when 'performance' then figures.lcp_168 > 4000 or figures.inp_168 > 500 or figures.cls_168 > 0.25
    end then 'error'
    when case _snapshot.name
      when 'database' then figures.cache_hit < 95 or figures.longest_transaction_s > 300 or figures.blocked > 0
        or figures.xid_age > 500000000 or figures.slot_lag_bytes > 1073741824
      when 'queue' then figures.dead_letters > 0 or figures.mails_failed_today > 0
      when 'payments' then figures.open_alerts > 0 or figures.oldest_waiting_s > 3600
      when 'credits' then figures.old_holds > 0 or figures.negative_margins > 0
      when 'errors' then figures.regressions > 0 or figures.last_day > 20 and figures.last_day > 2 * figures.day_before
      when 'security' then figures.admins_without_factor > 0 or figures.breaches_open > 0 or figures.guessed > 20
      when 'backups' then figures.backups = 0 or figures.backup_age_h > 26 or figures.restore_age_h > 240
      when 'isolation' then figures.rules_changed > 0 or figures.proof_age_h > 240
      when 'performance' then figures.lcp_168 > 2500 or figures.inp_168 > 200 or figures.cls_168 > 0.1
    end then 'warning'
    else 'ok'
  end
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, negative_margins numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, backup_failed numeric, restore_failed numeric, forged numeric, backup_age_h numeric,
    breaches_late numeric, breaches_open numeric, guessed numeric, restore_age_h numeric, backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
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
    where mode = 'ia' and usage.created_at > now() - interval '30 days' and holds.state is distinct from 'open'
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
    where mode = 'ia' and created_at > now() - interval '30 days' and tokens_in + tokens_out > 0
      and private.ai_cost_cents(host, model, tokens_in, tokens_out, (created_at at time zone 'Europe/Rome')::date) is null
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
    select rates.host, rates.model, rates.valid_from, rates.input_euros, rates.output_euros, rates.source::text
    from private.ai_rates as rates order by rates.host, rates.model, rates.valid_from desc limit 500;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_ai_rates"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_set_ai_rate (
  _host         text,
  _model        text,
  _valid_from   date,
  _input_euros  numeric,
  _output_euros numeric,
  _source       text
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
  insert into private.ai_rates (host, model, valid_from, input_euros, output_euros, source)
  values (btrim(_host), btrim(_model), _valid_from, _input_euros, _output_euros, _source)
  on conflict (host, model, valid_from) do update set
    input_euros = excluded.input_euros, output_euros = excluded.output_euros, source = excluded.source, written_at = now();
  perform private.log_admin_action(
    'ai_rate', left(concat_ws(' ', _host, _model, _valid_from), 200), null, _before,
    jsonb_build_object('input_euros', _input_euros, 'output_euros', _output_euros, 'source', _source), _source
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_set_ai_rate"(text, text, date, numeric, numeric, text) FROM PUBLIC, "anon", "service_role";

COMMENT ON COLUMN "private"."ai_rates"."input_euros" IS 'For a million tokens that the model reads.';

COMMENT ON COLUMN "private"."ai_rates"."output_euros" IS 'For a million tokens that the model writes.';

COMMENT ON FUNCTION "private"."ai_cost_cents"(text, text, integer, integer, date) IS 'What a provider charges for an answer of a day, in cents; null where no rate or no number of tokens is known.';

COMMENT ON FUNCTION "private"."margins_of_actions"() IS 'What answers of providers brought and cost in 30 days, by action; a cost is null where the rate of a model is missing.';

COMMENT ON FUNCTION "private"."measure_credits"() IS 'Measure what is owed in credits and what actions bring and cost, and compare all wallets with the ledger.';

COMMENT ON FUNCTION "public"."admin_ai_rates"() IS 'The rates of providers of AI, the newest of each model first, for admins.';

COMMENT ON FUNCTION "public"."admin_set_ai_rate"(text, text, date, numeric, numeric, text) IS 'Write what a model costs from a day on, in euros for a million tokens, for admins; its source is the reason in the log.';

COMMENT ON TABLE "private"."ai_rates" IS 'What providers of AI charge; written by admins.';

REVOKE ALL ON FUNCTION "private"."ai_cost_cents"(text, text, integer, integer, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."margins_of_actions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_ai_rates"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_set_ai_rate"(text, text, date, numeric, numeric, text) TO "authenticated";

reset check_function_bodies;
