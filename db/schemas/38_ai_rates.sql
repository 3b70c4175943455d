-- Rates of providers of AI: what a model costs from a day on, as an admin wrote it with its source. An answer or a
-- transcript without a rate has a cost that is not known, which is never zero.
--
-- Admins read and write them by the functions of 78_guardrail.sql.

create table private.ai_rates (
  -- As in ai_usage: the same model elsewhere has another price.
  host text not null,
  model text not null,
  valid_from date not null,
  input_euros numeric(12, 4),
  output_euros numeric(12, 4),
  minute_euros numeric(12, 6),
  source public.single_line not null,
  written_at timestamptz not null default now(),

  primary key (host, model, valid_from),
  constraint host_fits check (char_length(host) between 1 and 200),
  constraint model_fits check (char_length(model) between 1 and 200),
  constraint rates_are_never_negative check (input_euros >= 0 and output_euros >= 0 and minute_euros >= 0),
  constraint tokens_have_both_rates check ((input_euros is null) = (output_euros is null)),
  constraint a_rate_is_of_something check (num_nonnulls(input_euros, minute_euros) > 0)
);
comment on table private.ai_rates is 'What providers of AI charge; written by admins.';
comment on column private.ai_rates.input_euros is 'For a million tokens that the model reads.';
comment on column private.ai_rates.output_euros is 'For a million tokens that the model writes.';
comment on column private.ai_rates.minute_euros is 'For a minute of sound that the model hears.';
alter table private.ai_rates enable row level security;

create function private.ai_cost_cents(
  _host text, _model text, _tokens_in integer, _tokens_out integer, _seconds integer, _day date
)
  returns numeric
  language sql stable
  set search_path = ''
as $$
  select case
    when _seconds > 0 then _seconds * minute_euros * 100 / 60
    when _tokens_in + _tokens_out > 0 then (_tokens_in * input_euros + _tokens_out * output_euros) / 10000
  end
  from private.ai_rates
  where host = _host and model = _model and valid_from <= _day
  order by valid_from desc limit 1
$$;
comment on function private.ai_cost_cents(text, text, integer, integer, integer, date) is
  'What a provider charges for an answer or a transcript of a day, in cents; null where no rate, tokens or seconds are known.';
revoke all on function private.ai_cost_cents from public, anon, authenticated, service_role;

revoke all on private.ai_rates from public, anon, authenticated, service_role;
