-- One text to several contacts: filled in for each, one mail for each recipient.
--
-- Contacts that may not be written to, or have no value for a place of the text, are left out with the reason. More than
-- 100 recipients are an approval of their own (E-02): their number is typed, and the first mail waits ten minutes.
--
-- Error codes raised, besides those of the mails:
--   SM010  none of the contacts may be written to
--   SM011  more than 100 recipients, whose number was not typed; the detail is the number

create function private.fill_in(_text text, _values jsonb)
  returns text
  language plpgsql immutable
  set search_path = ''
as $$
declare
  _place record;
begin
  for _place in select key, value from jsonb_each_text(_values) where value is not null
  loop
    _text := regexp_replace(
      _text, '\{\{\s*' || _place.key || '\s*\}\}', replace(_place.value, '\', '\\'), 'gi'
    );
  end loop;
  return _text;
end
$$;
comment on function private.fill_in(text, jsonb) is 'Puts values at places such as {{nome}}; a place without a value stays.';
revoke all on function private.fill_in from public, anon, authenticated, service_role;

create function private.contact_values(_contact public.contacts, _company text)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  select jsonb_build_object(
    'nome', (_contact).first_name, 'cognome', (_contact).last_name, 'contatto', (_contact).name,
    'azienda', case (_contact).type when 'azienda' then (_contact).name else _company end
  )
$$;
comment on function private.contact_values is 'What a text to several contacts may say of each: nome, cognome, contatto, azienda.';
revoke all on function private.contact_values from public, anon, authenticated, service_role;

create function private.campaign_letters(
  _user_id uuid, _contact_ids uuid[], _subject text, _body text, _basis public.mail_basis
)
  returns table (
    contact_id uuid, name text, recipient text, subject text, body text, sale_id uuid, refusal text
  )
  language sql stable
  set search_path = ''
as $$
  select contacts.id, contacts.name, mail.value, letter.subject, letter.body, sale.id,
    case
      when mail.value is null then 'no_address'
      when _basis = 'soft_spam' and sale.id is null then 'no_sale'
      else coalesce(
        private.mail_refusal(_user_id, contacts.id, mail.value, _basis, sale.id)::text,
        case
          when private.has_open_place(letter.subject || letter.body) then 'unfilled'
          when char_length(letter.subject) > 200 or char_length(letter.body) > 22000 then 'too_long'
        end
      )
    end
  from (select distinct unnest(_contact_ids) as id) as chosen
  join public.contacts on contacts.user_id = _user_id and contacts.id = chosen.id
    and contacts.merged_into is null and contacts.deleted_at is null
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as mail on true
  left join lateral (
    select invoices.id from public.invoices
    where invoices.user_id = _user_id and invoices.contact_id = contacts.id
      and private.is_sale_to(_user_id, contacts.id, invoices.id)
    order by issued_on desc limit 1
  ) as sale on _basis = 'soft_spam'
  cross join lateral (
    select private.fill_in(_subject, places) as subject, private.fill_in(_body, places) as body
    from private.contact_values(contacts, company.name) as places
  ) as letter
  order by contacts.name, contacts.id
$$;
comment on function private.campaign_letters is
  'What each contact would get, or why it is left out: no_address, no_sale, suppressed, consent, unfilled, too_long.';
revoke all on function private.campaign_letters from public, anon, authenticated, service_role;

-- E-02 of the supervisor's rules.
create function private.most_unconfirmed_recipients()
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select 100
$$;
comment on function private.most_unconfirmed_recipients() is 'More recipients than that are to be typed.';
revoke all on function private.most_unconfirmed_recipients from public, anon, authenticated, service_role;

create function private.campaign_start(_not_before timestamptz, _is_typed boolean)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  select greatest(
    least(coalesce(_not_before, now()), now() + interval '1 year'), now() + private.time_to_cancel(_is_typed)
  )
$$;
comment on function private.campaign_start(timestamptz, boolean) is
  'When a campaign that its person plans for a moment begins: within a year, and not before the time to take it back is over.';
revoke all on function private.campaign_start from public, anon, authenticated, service_role;

-- Security definer because the suppression list and the rules are private.
create function public.preview_campaign(_contact_ids uuid[], _subject text, _body text, _basis public.mail_basis)
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  with letters as materialized (
    select * from private.campaign_letters((select auth.uid()), _contact_ids, _subject, _body, _basis)
  )
  select jsonb_build_object(
    'letters', coalesce(
      jsonb_agg(to_jsonb(letters) - array['sale_id', 'refusal']) filter (where refusal is null), '[]'
    ),
    'excluded', coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'name', name, 'reason', refusal))
        filter (where refusal is not null), '[]'
    ),
    'left', coalesce((
      select private.mails_left(mail_accounts) from public.mail_accounts where user_id = (select auth.uid())
    ), 0),
    'is_to_be_typed', count(*) filter (where refusal is null) > private.most_unconfirmed_recipients()
  )
  from letters
$$;
comment on function public.preview_campaign is
  'Tells which contact would get what, which are left out and why, how many mails are left today, and whether the number is to '
  'be typed.';
revoke all on function public.preview_campaign from public, anon, authenticated, service_role;
grant execute on function public.preview_campaign to authenticated;

-- Security definer because the outbox is written only after these checks.
create function public.queue_campaign(
  _key uuid, _contact_ids uuid[], _subject text, _body text, _basis public.mail_basis, _typed integer default null,
  _not_before timestamptz default null
)
  returns public.mail_batches
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts := private.lock_mail_account(_user_id);
  _batch public.mail_batches;
  _recipients integer;
  _excluded jsonb;
  _start timestamptz;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  elsif _account.is_shared then
    raise exception 'the shared sender sends no campaigns' using errcode = 'SM015';
  end if;
  select count(*) filter (where refusal is null),
    coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'reason', refusal)) filter (where refusal is not null), '[]'
    )
  into _recipients, _excluded
  from private.campaign_letters(_user_id, _contact_ids, _subject, _body, _basis);
  if _recipients = 0 then
    raise exception 'none of the contacts may be written to' using errcode = 'SM010';
  elsif _recipients > private.mails_left(_account) then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  elsif _recipients > private.most_unconfirmed_recipients() and _typed is distinct from _recipients then
    raise exception 'the number of recipients was not typed' using errcode = 'SM011', detail = _recipients::text;
  end if;
  _start := private.campaign_start(_not_before, _recipients > private.most_unconfirmed_recipients());
  insert into public.mail_batches (user_id, key, subject, body, basis, recipients, excluded, exclusions)
  values (_user_id, _key, _subject, _body, _basis, _recipients, jsonb_array_length(_excluded), _excluded)
  returning * into _batch;
  insert into public.outgoing_mails (
    user_id, contact_id, batch_id, key, recipient, subject, body, basis, sale_id, message_id, not_before, expires_at
  )
  select _user_id, contact_id, _batch.id, gen_random_uuid(), recipient, subject, private.signed_body(body, _account),
    _basis, sale_id, private.new_message_id(_account), at, at + interval '1 day'
  from (
    select *, private.allowed_mail_time(
      -- As fast as the account sends, so that the last does not leave in the evening.
      _start + (row_number() over () - 1) / private.mails_a_minute() * interval '1 minute'
    ) as at
    from private.campaign_letters(_user_id, _contact_ids, _subject, _body, _basis) where refusal is null
  ) as letters;
  return _batch;
end
$$;
comment on function public.queue_campaign is
  'Queues a mail of the caller to each of these contacts that may be written to; the same key again returns the first batch.';
revoke all on function public.queue_campaign from public, anon, authenticated, service_role;
grant execute on function public.queue_campaign to authenticated;
