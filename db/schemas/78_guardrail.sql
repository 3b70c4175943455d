-- Credit guardrail: the daily cap of every account, the stop of the AI for everybody, and the price of each action. And
-- what providers of AI charge, which the margin of each action is reckoned from.
--
-- The values live where what spends reads them in its own transaction: the cap and the stop in site_settings, the prices
-- in the catalogue. A new price is a new version of the catalogue, so a published price list never changes, and credits
-- that are held keep the price that was shown.
--
-- Error codes raised:
--   42501  the caller is no admin, or has not shown a second factor
--   22023  a value that is no cap, no switch or no price of a charged action
--   SC010  a version of the catalogue has a date to come: it would take the price back

create function private.guardrail()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'daily_cap', private.daily_cap(),
    'ai_stopped', private.is_ai_stopped(),
    'prices', (select jsonb_object_agg(action, private.quote_of(action)) from unnest(private.charged_actions()) as action)
  )
$$;
comment on function private.guardrail() is 'The limits in force: {daily_cap, ai_stopped, prices: {action: credits}}.';
revoke all on function private.guardrail from public, anon, authenticated, service_role;

create function private.publish_prices(_prices jsonb, _note text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _old integer;
  _new integer;
begin
  select version into _old from public.catalog_versions
  where published_at <= now() order by published_at desc limit 1 for update;
  if exists (select from public.catalog_versions where published_at > now()) then
    raise exception 'a version of the catalogue is to come' using errcode = 'SC010';
  end if;
  insert into public.catalog_versions (version, note)
    select max(version) + 1, _note from public.catalog_versions returning version into _new;
  insert into public.plans
    select (jsonb_populate_record(plans, jsonb_build_object('version', _new))).* from public.plans where version = _old;
  insert into public.packs
    select (jsonb_populate_record(packs, jsonb_build_object('version', _new))).* from public.packs where version = _old;
  insert into public.claims
    select (jsonb_populate_record(claims, jsonb_build_object('version', _new))).* from public.claims where version = _old;
  insert into public.credit_prices
    select (jsonb_populate_record(credit_prices, jsonb_strip_nulls(jsonb_build_object(
      'version', _new, 'min_credits', _prices -> action, 'max_credits', _prices -> action
    )))).*
    from public.credit_prices where version = _old;
  update public.catalog_versions set published_at = now() where version = _new;
end
$$;
comment on function private.publish_prices(jsonb, text) is
  'Publish the catalogue in force again with other prices {action: credits}. SC010.';
revoke all on function private.publish_prices from public, anon, authenticated, service_role;

create function private.check_guardrail(_change jsonb)
  returns void
  language plpgsql immutable
  set search_path = ''
as $$
begin
  if jsonb_typeof(_change) is distinct from 'object'
    or exists (select from jsonb_object_keys(_change) as name where name not in ('daily_cap', 'ai_stopped', 'prices'))
    or _change ->> 'daily_cap' !~ '^[1-9][0-9]{0,6}$'
    or coalesce(jsonb_typeof(_change -> 'ai_stopped'), 'boolean') <> 'boolean'
    or coalesce(jsonb_typeof(_change -> 'prices'), 'object') <> 'object'
    or exists (
      select from jsonb_each_text(coalesce(_change -> 'prices', '{}')) as price (action, credits)
      where action <> all (private.charged_actions()) or credits is null or credits !~ '^(0|[1-9][0-9]{0,2})$'
    )
  then
    raise exception 'no such limit' using errcode = '22023';
  end if;
end
$$;
comment on function private.check_guardrail(jsonb) is 'Raise 22023 unless a change of the guardrail has known names and values.';
revoke all on function private.check_guardrail from public, anon, authenticated, service_role;

create function public.admin_guardrail()
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return private.guardrail() || jsonb_build_object(
    'stopped_at', (select updated_at from public.site_settings where key = 'ai.stopped' and value = 'true')
  );
end
$$;
comment on function public.admin_guardrail() is
  'The credit guardrail, for admins: {daily_cap, ai_stopped, stopped_at, prices: {action: credits}}.';
revoke all on function public.admin_guardrail from public, anon, authenticated, service_role;
grant execute on function public.admin_guardrail to authenticated;

create function public.admin_set_guardrail(_change jsonb, _reason text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _before jsonb;
  _after jsonb;
begin
  perform private.require_admin();
  perform private.check_guardrail(_change);
  -- One change at a time; whoever spends still reads.
  lock table public.site_settings in share row exclusive mode;
  _before := private.guardrail();
  _after := _before || _change || jsonb_build_object('prices', _before -> 'prices' || coalesce(_change -> 'prices', '{}'));
  if _after = _before then
    return;
  end if;
  if _after -> 'daily_cap' = 'null' then
    delete from public.site_settings where key = 'credits.daily_cap';
  end if;
  insert into public.site_settings (key, value)
    select key, value from (values
      ('ai.stopped', _after -> 'ai_stopped'), ('credits.daily_cap', nullif(_after -> 'daily_cap', 'null'))
    ) as wanted (key, value) where value is not null
  on conflict (key) do update set value = excluded.value, updated_at = now()
  where site_settings.value <> excluded.value;
  if _after -> 'prices' <> _before -> 'prices' then
    perform private.publish_prices(_after -> 'prices', 'Prices set by an admin');
  end if;
  perform private.log_admin_action('credits.guardrail', 'guardrail', null, _before, _after, _reason);
end
$$;
comment on function public.admin_set_guardrail(jsonb, text) is
  'Change the credit guardrail, for admins: what the change names of {daily_cap, ai_stopped, prices}, the rest stays. 22023, SC010.';
revoke all on function public.admin_set_guardrail from public, anon, authenticated, service_role;
grant execute on function public.admin_set_guardrail to authenticated;

create function public.admin_ai_rates()
  returns table (
    host text, model text, valid_from date, input_euros numeric, output_euros numeric, minute_euros numeric, source text
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return query
    select rates.host, rates.model, rates.valid_from, rates.input_euros, rates.output_euros, rates.minute_euros,
      rates.source::text
    from private.ai_rates as rates order by rates.host, rates.model, rates.valid_from desc limit 500;
end
$$;
comment on function public.admin_ai_rates() is 'The rates of providers of AI, the newest of each model first, for admins.';
revoke all on function public.admin_ai_rates from public, anon, authenticated, service_role;
grant execute on function public.admin_ai_rates to authenticated;

create function public.admin_set_ai_rate(
  _host text, _model text, _valid_from date, _source text, _input_euros numeric default null,
  _output_euros numeric default null, _minute_euros numeric default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
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
$$;
comment on function public.admin_set_ai_rate(text, text, date, text, numeric, numeric, numeric) is
  'Write what a model costs from a day on, in euros for a million tokens or a minute of sound, for admins; the log has its source.';
revoke all on function public.admin_set_ai_rate from public, anon, authenticated, service_role;
grant execute on function public.admin_set_ai_rate to authenticated;
