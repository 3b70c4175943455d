-- One template to several contacts by WhatsApp, one message for each; and how far a campaign is, by mail or WhatsApp.
--
-- The rules are those of campaigns by mail (58_mail_campaigns.sql): contacts that may not be written to are left out with the
-- reason, many recipients are typed (E-02), and there is time to take all of it back. The outbox of 59_whatsapp_sending.sql sends.
--
-- Error codes raised, besides those of single messages and of campaigns by mail:
--   SW008  more people than Meta allows in a day, and the next days were not agreed to; the detail is how many may be written to
--   SW009  the template is a promotion that does not say how to stop it
--   SW010  more than 5,000 contacts were chosen

create type private.whatsapp_letter as (
  contact_id uuid, name text, channel public.contact_channels, phone public.contact_phones, recipient text,
  is_outside boolean, filled jsonb, body text, refusal text
);

create function private.most_weekly_messages()
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select 3
$$;
comment on function private.most_weekly_messages() is 'E-11: so many messages to one contact in seven days are enough, as in functions/_shared/ethics.py.';
revoke all on function private.most_weekly_messages from public, anon, authenticated, service_role;

create function private.weekly_messages(_user_id uuid, _contact_id uuid)
  returns bigint
  language sql stable
  set search_path = ''
as $$
  select (
    select count(*) from public.interactions
    where user_id = _user_id and contact_id = _contact_id and direction = 'uscita' and kind in ('email', 'whatsapp')
      and at > now() - interval '7 days'
  ) + (
    select count(*) from public.whatsapp_messages
    where user_id = _user_id and contact_id = _contact_id and state in ('queued', 'sending')
  ) + (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and contact_id = _contact_id and state in ('queued', 'sending')
  )
$$;
comment on function private.weekly_messages(uuid, uuid) is 'The messages that a contact got in seven days, and those that wait.';
revoke all on function private.weekly_messages from public, anon, authenticated, service_role;

create function private.exceeds_weekly_messages(_batch public.mail_batches)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.whatsapp_messages as waiting
    where user_id = _batch.user_id and batch_id = _batch.id and state = 'queued'
      -- Itself counts as one of those that wait.
      and private.weekly_messages(user_id, contact_id) > private.most_weekly_messages()
  )
$$;
comment on function private.exceeds_weekly_messages is
  'Whether a contact of a campaign has got so many messages since it was planned that one more asks (E-11).';
revoke all on function private.exceeds_weekly_messages from public, anon, authenticated, service_role;

create function private.says_how_to_stop(_template public.whatsapp_templates)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select concat_ws(' ', (_template).body, (_template).footer) ~ '\m(STOP|BASTA|CANCELLAMI)\M'
$$;
comment on function private.says_how_to_stop is 'Whether a template names a word that ends all messages (private.is_stop_word).';
revoke all on function private.says_how_to_stop from public, anon, authenticated, service_role;

create function private.whatsapp_number(_user_id uuid, _contact_id uuid, _portfolio text)
  returns public.contact_phones
  language sql stable
  set search_path = ''
as $$
  select phones from public.contact_phones as phones
  where user_id = _user_id and contact_id = _contact_id and not exists (
    select from public.contact_channels
    where user_id = _user_id and kind = 'whatsapp' and portfolio = _portfolio and external_id = ltrim(norm, '+')
  )
  -- Mobile numbers of Italy first.
  order by starts_with(norm, '+393') desc, is_primary desc, created_at, id limit 1
$$;
comment on function private.whatsapp_number is 'The number at which a contact without a conversation is written to.';
revoke all on function private.whatsapp_number from public, anon, authenticated, service_role;

create function private.whatsapp_letters(
  _account public.whatsapp_accounts, _contact_ids uuid[], _template public.whatsapp_templates, _values jsonb,
  _with_often boolean, _at timestamptz default now()
)
  returns setof private.whatsapp_letter
  language sql stable
  set search_path = ''
as $$
  select contacts.id, contacts.name, chat, phones, coalesce(chat_phone.norm, (phones).norm, '@' || (chat).username),
    not private.is_whatsapp_window_open(chat, _at), letter.filled, written.body,
    case
      when (chat).id is null and (phones).id is null then 'no_number'
      when exists (
        select from public.contact_channels as each
        where each.user_id = contacts.user_id and each.contact_id = contacts.id and private.is_whatsapp_stopped(each, true)
      ) then 'stopped'
      when private.has_objected_on_whatsapp(contacts.user_id, contacts.id, _template.category) then 'objected'
      when _template.category = 'MARKETING'
        and not private.has_agreed_on_whatsapp(contacts.user_id, contacts.id, '{marketing}') then 'consent'
      -- Meta wants an agreement before the first message, of whatever kind.
      when (chat).last_inbound_at is null
        and not private.has_agreed_on_whatsapp(contacts.user_id, contacts.id, '{servizio,marketing}') then 'never_wrote'
      when (chat).failures >= 2 then 'unreachable'
      when written.body is null then 'unfilled'
      when char_length(written.body) > 1024 then 'too_long'
      when not _with_often and private.weekly_messages(contacts.user_id, contacts.id) >= private.most_weekly_messages()
        then 'often'
    end
  from (select distinct unnest(_contact_ids) as id) as chosen
  join public.contacts on contacts.user_id = _account.user_id and contacts.id = chosen.id
    and contacts.merged_into is null and contacts.deleted_at is null
  left join public.contacts as company on company.user_id = _account.user_id and company.id = contacts.company_id
  left join lateral (
    select channels as chat from public.contact_channels as channels
    where channels.user_id = _account.user_id and channels.contact_id = contacts.id and kind = 'whatsapp'
      and portfolio = _account.portfolio
    order by last_inbound_at desc nulls last, id limit 1
  ) as latest on true
  left join public.contact_phones as chat_phone on chat_phone.user_id = _account.user_id and chat_phone.id = (chat).phone_id
  left join lateral (
    select number as phones from private.whatsapp_number(_account.user_id, contacts.id, _account.portfolio) as number
    where (chat).id is null
  ) as unwritten on true
  cross join lateral (
    select coalesce(jsonb_object_agg(place, private.fill_in(_values ->> place, known)), '{}') as filled
    from unnest(_template.places) as place, private.contact_values(contacts, company.name) as known
  ) as letter
  cross join lateral (
    select case
      when private.unfilled_place(_template, letter.filled) is null then private.filled_template(_template, letter.filled)
    end as body
    -- Computed once.
    offset 0
  ) as written
  order by contacts.name, contacts.id
$$;
comment on function private.whatsapp_letters is
  'What each contact would get by WhatsApp at a moment, or why it is left out: no_number, stopped, objected, consent, never_wrote, '
  'unreachable, unfilled, too_long, often.';
revoke all on function private.whatsapp_letters from public, anon, authenticated, service_role;

create function private.whatsapp_sender(_user_id uuid)
  returns public.whatsapp_accounts
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _account public.whatsapp_accounts;
begin
  -- Locked, so that people written to at the same time are all counted.
  select * into _account from public.whatsapp_accounts where user_id = _user_id for no key update;
  if not found or _account.state <> 'attivo' then
    raise exception 'no number can send' using errcode = 'SW001', detail = coalesce(_account.state::text, '');
  end if;
  return _account;
end
$$;
comment on function private.whatsapp_sender(uuid) is 'Locks the number of a person that can send; SW001 without one.';
revoke all on function private.whatsapp_sender from public, anon, authenticated, service_role;

create function private.require_campaign_size(_contact_ids uuid[])
  returns void
  language plpgsql immutable
  set search_path = ''
as $$
begin
  if cardinality(_contact_ids) > 5000 then
    raise exception 'more than 5000 contacts' using errcode = 'SW010';
  end if;
end
$$;
comment on function private.require_campaign_size(uuid[]) is 'Raises SW010 when more contacts were chosen than one transaction can queue in time.';
revoke all on function private.require_campaign_size from public, anon, authenticated, service_role;

create function private.campaign_template(_account public.whatsapp_accounts, _template_id uuid)
  returns public.whatsapp_templates
  language plpgsql stable
  set search_path = ''
as $$
declare
  _template public.whatsapp_templates;
begin
  select * into _template from public.whatsapp_templates where user_id = _account.user_id and id = _template_id;
  if not found then
    raise exception 'no such template' using errcode = 'PT404';
  elsif _template.state <> 'APPROVED' or not _template.is_usable or _account.templates_stopped_until > now()
    or _template.category not in ('UTILITY', 'MARKETING') then
    raise exception 'the template cannot be sent' using errcode = 'SW004', detail = _template.state;
  elsif _template.category = 'MARKETING' and not private.says_how_to_stop(_template) then
    raise exception 'the promotion does not say how to stop it' using errcode = 'SW009';
  end if;
  return _template;
end
$$;
comment on function private.campaign_template is 'A template that may go to several contacts; SW004 or SW009 when it may not.';
revoke all on function private.campaign_template from public, anon, authenticated, service_role;

create function private.most_unconfirmed_on_whatsapp(_left integer)
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select least(private.most_unconfirmed_recipients(), _left)
$$;
comment on function private.most_unconfirmed_on_whatsapp(integer) is
  'More recipients than that by WhatsApp are to be typed: the limit of E-02, or what Meta still allows today if that is less.';
revoke all on function private.most_unconfirmed_on_whatsapp from public, anon, authenticated, service_role;

create function private.whatsapp_price(_phones text[], _outside text[], _category text)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with asked as (
    select phone, count(*) as messages, sum(surely) as surely from (
      select unnest(_phones) as phone, 0 as surely union all select unnest(_outside), 1
    ) as each group by phone
  ), priced as (
    select asked.*, rate.currency, rate.amount_micros, messages - surely as all_messages from asked
    left join lateral (
      select rates.* from public.whatsapp_rates as rates
      where rates.category = lower(_category) and rates.valid_from <= (now() at time zone 'Europe/Rome')::date
        and starts_with(ltrim(phone, '+'), rates.market)
      order by char_length(rates.market) desc, rates.valid_from desc limit 1
    ) as rate on true
  )
  select jsonb_build_object(
    'unpriced', coalesce(sum(all_messages) filter (where currency is null), 0),
    'sums', coalesce((
      select jsonb_agg(to_jsonb(sums) order by currency) from (
        select currency, sum(amount_micros * surely) as least_micros, sum(amount_micros * all_messages) as most_micros
        from priced where currency is not null group by currency
      ) as sums
    ), '[]')
  )
  from priced
$$;
comment on function private.whatsapp_price is
  'What messages to these numbers cost at the rates of today: least for those that Meta surely charges, most for all.';
revoke all on function private.whatsapp_price from public, anon, authenticated, service_role;

create function private.campaign_day(_not_before timestamptz)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  -- Without a plan it is the day of now, whose rest private.whatsapp_people_left looks past.
  select case when _not_before is null then now() else private.allowed_mail_time(private.campaign_start(_not_before, false)) end
$$;
comment on function private.campaign_day(timestamptz) is 'The moment from which the day of a campaign counts for the limit of people.';
revoke all on function private.campaign_day from public, anon, authenticated, service_role;

-- Security definer because the limits and the rules are private.
create function public.preview_whatsapp_campaign(
  _contact_ids uuid[], _template_id uuid, _values jsonb default '{}', _with_often boolean default false,
  _not_before timestamptz default null
)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '18s'
as $$
declare
  _account constant public.whatsapp_accounts := private.whatsapp_sender((select auth.uid()));
  _template constant public.whatsapp_templates := private.campaign_template(_account, _template_id);
  _at constant timestamptz := private.campaign_day(_not_before);
  _left constant integer := private.whatsapp_people_left(_account, _at);
begin
  perform private.require_campaign_size(_contact_ids);
  return (
    with letters as materialized (
      select * from private.whatsapp_letters(_account, _contact_ids, _template, _values, _with_often, _at)
    ), reached as (
      select *, row_number() over (order by name, contact_id) as place from letters where refusal is null
    )
    select jsonb_build_object(
      'count', count(*),
      'outside', count(*) filter (where is_outside),
      'letters', coalesce(jsonb_agg(
        jsonb_build_object('contact_id', contact_id, 'name', name, 'recipient', recipient, 'body', body) order by place
      ) filter (where place <= 3), '[]'),
      'excluded', (
        select coalesce(jsonb_agg(
          jsonb_build_object('contact_id', contact_id, 'name', name, 'reason', refusal) order by name, contact_id
        ), '[]') from letters where refusal is not null
      ),
      'left', _left,
      'a_day', _account.people_a_day,
      'is_to_be_typed', count(*) > private.most_unconfirmed_on_whatsapp(_left),
      -- A person without a known number has no known price.
      'price', private.whatsapp_price(
        array_agg(coalesce(recipient, '')), array_agg(coalesce(recipient, '')) filter (where is_outside or _template.category = 'MARKETING'), _template.category
      )
    )
    from reached
  );
end
$$;
comment on function public.preview_whatsapp_campaign is
  'Tells how many contacts would get a template, what the first three would see, which are left out and why, how many people '
  'Meta still allows on the day it begins, what it costs, and whether the number is to be typed.';
revoke all on function public.preview_whatsapp_campaign from public, anon, authenticated, service_role;
grant execute on function public.preview_whatsapp_campaign to authenticated;

create function private.whatsapp_channel_at(_account public.whatsapp_accounts, _phone public.contact_phones)
  returns public.contact_channels
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _channel public.contact_channels;
begin
  insert into public.contact_channels (user_id, contact_id, kind, portfolio, external_id, phone_id, last_at)
  values (
    _account.user_id, _phone.contact_id, 'whatsapp', _account.portfolio, ltrim(_phone.norm, '+'), _phone.id, now()
  )
  returning * into _channel;
  return _channel;
end
$$;
comment on function private.whatsapp_channel_at is
  'Opens a conversation by the telephone number of a contact; its BSUID comes with the first answer.';
revoke all on function private.whatsapp_channel_at from public, anon, authenticated, service_role;

create function private.campaign_time(_start timestamptz, _place bigint, _is_outside boolean, _left integer, _a_day integer)
  returns timestamptz
  language sql immutable
  set search_path = ''
as $$
  select private.allowed_mail_time(
    _start
      -- Beyond the room of today, so many a day.
      + case when _is_outside and _place >= _left then 1 + (_place - _left) / greatest(_a_day, 1) else 0 end * interval '1 day'
      -- No faster than a number sends.
      + case when _is_outside and _place >= _left then (_place - _left) % greatest(_a_day, 1) else _place end / 20.0
        * interval '1 second'
  )
$$;
comment on function private.campaign_time is 'When a recipient of a campaign is due, by the place among those outside or inside their window.';
revoke all on function private.campaign_time from public, anon, authenticated, service_role;

-- Security definer because the outbox is written only after these checks.
create function public.queue_whatsapp_campaign(
  _key uuid, _contact_ids uuid[], _template_id uuid, _values jsonb default '{}', _with_often boolean default false,
  _typed integer default null, _over_days boolean default false, _not_before timestamptz default null
)
  returns public.mail_batches
  language plpgsql volatile security definer
  set search_path = ''
  -- Some milliseconds for each of thousands of contacts.
  set statement_timeout = '18s'
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _account public.whatsapp_accounts;
  _template public.whatsapp_templates;
  _batch public.mail_batches;
  _letters private.whatsapp_letter[];
  _left integer;
  _recipients integer;
  _outside integer;
  _excluded jsonb;
  _start timestamptz;
  _at constant timestamptz := private.campaign_day(_not_before);
begin
  -- The lock makes a second click wait for the first.
  _account := private.whatsapp_sender(_user_id);
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  end if;
  perform private.require_campaign_size(_contact_ids);
  _template := private.campaign_template(_account, _template_id);
  _left := private.whatsapp_people_left(_account, _at);
  _letters := array(
    select letters from private.whatsapp_letters(_account, _contact_ids, _template, _values, _with_often, _at) as letters
  );
  select count(*) filter (where refusal is null), count(*) filter (where refusal is null and is_outside),
    coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'reason', refusal)) filter (where refusal is not null), '[]'
    )
  into _recipients, _outside, _excluded
  from unnest(_letters);
  if _recipients = 0 then
    raise exception 'none of the contacts may be written to' using errcode = 'SM010';
  elsif _outside > _left and (not _over_days or _account.people_a_day = 0) then
    raise exception 'more people than Meta allows in a day' using errcode = 'SW008', detail = _left::text;
  elsif _recipients > private.most_unconfirmed_on_whatsapp(_left) and _typed is distinct from _recipients then
    raise exception 'the number of recipients was not typed' using errcode = 'SM011', detail = _recipients::text;
  end if;
  _start := private.campaign_start(_not_before, _recipients > private.most_unconfirmed_on_whatsapp(_left));
  insert into public.mail_batches (
    user_id, key, channel, subject, body, basis, template_id, recipients, excluded, exclusions, may_take_days, may_be_often
  )
  values (
    _user_id, _key, 'whatsapp', left(_template.name, 200), _template.body,
    case _template.category when 'MARKETING' then 'consenso' else 'contratto' end::public.mail_basis, _template.id,
    _recipients, jsonb_array_length(_excluded), _excluded, _over_days, _with_often
  )
  returning * into _batch;
  perform private.add_whatsapp(
    gen_random_uuid(),
    case when (channel).id is null then private.whatsapp_channel_at(_account, phone) else channel end,
    letters.body, private.template_part(_template, letters.filled), null,
    private.campaign_time(_start, place - 1, is_outside, _left, _account.people_a_day), _batch_id => _batch.id
  )
  from (
    select *, row_number() over (partition by is_outside order by name, contact_id) as place
    from unnest(_letters) where refusal is null
  ) as letters;
  return _batch;
end
$$;
comment on function public.queue_whatsapp_campaign is
  'Queues a template of the caller to each of these contacts that may be written to; the same key again returns the first batch. '
  'More people than Meta allows in a day follow on the next days, if that was agreed to.';
revoke all on function public.queue_whatsapp_campaign from public, anon, authenticated, service_role;
grant execute on function public.queue_whatsapp_campaign to authenticated;

create function public.resume_campaign(_id uuid)
  returns public.mail_batches
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _account constant public.whatsapp_accounts := private.whatsapp_sender(_user_id);
  _batch public.mail_batches;
  _template public.whatsapp_templates;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and id = _id and channel = 'whatsapp' for update;
  if not found then
    raise exception 'no such campaign' using errcode = 'PT404';
  elsif _batch.paused_at is null or _batch.cancelled_at is not null then
    return _batch;
  end if;
  _template := private.campaign_template(_account, _batch.template_id);
  if _template.body <> _batch.body then
    raise exception 'the text of the template has changed' using errcode = 'SW004', detail = 'CHANGED';
  end if;
  -- The reason of the pause says what going on means.
  update public.mail_batches set paused_at = null, pause_reason = null, may_take_days = true, may_be_often = true
  where id = _id returning * into _batch;
  update public.whatsapp_messages as waiting
  set is_paused = false, template = jsonb_set(template, '{category}', to_jsonb(_template.category)), not_before = due.due_at,
    expires_at = greatest(due.due_at + interval '1 day', expires_at)
  from (
    select id, private.allowed_mail_time(
      greatest(not_before, now() + private.time_to_cancel(false)) + row_number() over (order by not_before, id) / 20.0 * interval '1 second'
    ) as due_at
    from public.whatsapp_messages where user_id = _user_id and batch_id = _id and state = 'queued'
  ) as due
  where waiting.id = due.id;
  return _batch;
end
$$;
comment on function public.resume_campaign(uuid) is
  'Lets a paused campaign of the caller go on, if its template may be sent again; what Meta says of it now counts.';
revoke all on function public.resume_campaign from public, anon, authenticated, service_role;
grant execute on function public.resume_campaign to authenticated;

create function public.cancel_campaign(_id uuid)
  returns public.mail_batches
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _batch public.mail_batches;
begin
  perform private.lock_whatsapp_number(_user_id);
  update public.mail_batches set cancelled_at = coalesce(cancelled_at, now())
  where user_id = _user_id and id = _id returning * into _batch;
  if not found then
    raise exception 'no such batch' using errcode = 'PT404';
  end if;
  update public.outgoing_mails set state = 'cancelled', leased_until = null
  where user_id = _user_id and batch_id = _id and state = 'queued';
  update public.whatsapp_messages set state = 'cancelled', leased_until = null
  where user_id = _user_id and batch_id = _id and state = 'queued';
  return _batch;
end
$$;
comment on function public.cancel_campaign(uuid) is 'Cancels the messages of a campaign of the caller that have not left yet.';
revoke all on function public.cancel_campaign from public, anon, authenticated, service_role;
grant execute on function public.cancel_campaign to authenticated;

create function public.campaign_progress()
  returns table (
    id uuid, channel public.consent_channel, subject text, recipients integer, excluded integer, created_at timestamptz,
    cancelled_at timestamptz, paused_at timestamptz, pause_reason text,
    waiting bigint, sent bigint, delivered bigint, read bigint, failed bigint, uncertain bigint, next_at timestamptz
  )
  language sql stable
  set search_path = ''
as $$
  select batch.id, batch.channel, batch.subject, batch.recipients, batch.excluded, batch.created_at, batch.cancelled_at,
    batch.paused_at, batch.pause_reason, counts.*
  from public.mail_batches as batch
  cross join lateral (
    select count(*) filter (where state in ('queued', 'sending')),
      count(*) filter (where state in ('sent', 'delivered', 'read')),
      count(*) filter (where state in ('delivered', 'read')), count(*) filter (where state = 'read'),
      -- Whoever stopped all messages meanwhile is one who does not get it.
      count(*) filter (where state = 'failed' or state = 'cancelled' and error is not null),
      count(*) filter (where state = 'uncertain'), min(not_before) filter (where state = 'queued')
    from (
      select state::text, null as error, not_before from public.outgoing_mails
      where user_id = batch.user_id and batch_id = batch.id
      union all
      select state::text, error::text, not_before from public.whatsapp_messages
      where user_id = batch.user_id and batch_id = batch.id
    ) as messages
  ) as counts
  where batch.user_id = (select auth.uid())
  order by batch.created_at desc limit 50
$$;
comment on function public.campaign_progress() is 'The latest campaigns of the caller, and how far they are.';
revoke all on function public.campaign_progress from public, anon, authenticated, service_role;
grant execute on function public.campaign_progress to authenticated;

create function public.campaign_recipients(_id uuid)
  returns table (contact_id uuid, name text, state text, reason text, detail text, at timestamptz)
  language sql stable
  set search_path = ''
as $$
  select messages.contact_id, contacts.name, messages.state, messages.reason, messages.detail, messages.at
  from (
    select user_id, outgoing_mails.contact_id, outgoing_mails.state::text, error::text as reason, reply as detail,
      coalesce(sent_at, not_before) as at
    from public.outgoing_mails where user_id = (select auth.uid()) and batch_id = _id
    union all
    select user_id, whatsapp_messages.contact_id, whatsapp_messages.state::text, error::text, error_detail,
      coalesce(read_at, delivered_at, sent_at, not_before)
    from public.whatsapp_messages where user_id = (select auth.uid()) and batch_id = _id
    union all
    select user_id, (one ->> 'contact_id')::uuid, 'excluded', one ->> 'reason', null, created_at
    from public.mail_batches cross join jsonb_array_elements(exclusions) as one
    where user_id = (select auth.uid()) and id = _id
  ) as messages
  join public.contacts on contacts.user_id = messages.user_id and contacts.id = messages.contact_id
  order by contacts.name, contacts.id
  limit 10000
$$;
comment on function public.campaign_recipients(uuid) is
  'What became of each contact of a campaign of the caller: the state of its message, or excluded, with the reason.';
revoke all on function public.campaign_recipients from public, anon, authenticated, service_role;
grant execute on function public.campaign_recipients to authenticated;

create function private.follow_campaign()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _batch public.mail_batches;
begin
  select * into _batch from public.mail_batches where id = new.batch_id;
  new.is_paused := coalesce(_batch.paused_at is not null, false);
  if _batch.cancelled_at is not null then
    new.state := 'cancelled';
  end if;
  return new;
end
$$;
comment on function private.follow_campaign() is
  'Cancels or pauses a message that goes back to the outbox after an error, as its campaign is meanwhile.';
revoke all on function private.follow_campaign from public, anon, authenticated, service_role;

create trigger follow_campaign before update of state on public.whatsapp_messages
  for each row when (new.state = 'queued' and old.state <> 'queued' and new.batch_id is not null)
  execute function private.follow_campaign();
