-- The operator's shared sender, «tramite Socio»: a mail account without a server and a password of its own.
--
-- public.mail_accounts.is_shared marks it. Outbox, states and limits are those of any account; the rules here protect the
-- reputation of the address that all its users share. functions/_shared/shared_sender.py makes headers and tokens.
--
-- Error codes raised:
--   SM014  the person has sent as many mails by the shared sender in a day as it allows; the detail is when it goes on, if known
--   SM015  a promotion or a campaign, which the shared sender does not send
--   SM016  the shared sender is paused for the person; the detail is the reason and when it goes on
--   SM017  the login address of the person is not confirmed, or the account is suspended
--   SM018  the person has an own mailbox connected

create table private.shared_mails (
  outgoing_id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  sent_at timestamptz not null default now(),
  sendings integer not null default 1,
  bounced_at timestamptz,
  complained_at timestamptz,

  constraint sendings_are_counted check (sendings >= 1)
);
comment on table private.shared_mails is
  'Mails that left by the shared sender, and how they ended; no API role reads it.';
comment on column private.shared_mails.outgoing_id is
  'No foreign key: a person who deletes a contact must not delete the count of mails and bounces.';

comment on column private.shared_mails.sendings is 'More than one when its writer sent it again; each counts for the day of the last.';

create index shared_mails_latest on private.shared_mails (user_id, sent_at desc);

-- Used by retention.
create index shared_mails_old on private.shared_mails (sent_at);

create function private.shared_mails_a_day()
  returns integer
  language sql immutable
  set search_path = ''
as $$
  -- Several times what a self-employed person writes in a day, and too few for spam to pay.
  select 50
$$;
comment on function private.shared_mails_a_day() is 'How many mails a person may send by the shared sender in 24 hours.';
revoke all on function private.shared_mails_a_day from public, anon, authenticated, service_role;

create function private.shared_mails_left(_user_id uuid)
  returns integer
  language sql stable
  set search_path = ''
as $$
  -- Waiting mails count as well: otherwise any number could be scheduled for one moment.
  select greatest(0, private.shared_mails_a_day() - (
    select coalesce(sum(sendings), 0) from private.shared_mails
    where user_id = _user_id and sent_at > now() - interval '1 day'
  ) - (
    select count(*) from public.outgoing_mails where user_id = _user_id and state = 'queued'
  ))::integer
$$;
comment on function private.shared_mails_left(uuid) is 'How many mails a person may still queue for the shared sender.';
revoke all on function private.shared_mails_left from public, anon, authenticated, service_role;

create function private.shared_mails_resume_at(_user_id uuid)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  select min(sent_at) + interval '1 day' from private.shared_mails
  where user_id = _user_id and sent_at > now() - interval '1 day'
$$;
comment on function private.shared_mails_resume_at(uuid) is
  'When the oldest mail of the last 24 hours stops counting; null while none has left.';
revoke all on function private.shared_mails_resume_at from public, anon, authenticated, service_role;

create function private.shared_pause(_user_id uuid)
  returns table (reason text, until timestamptz)
  language sql stable
  set search_path = ''
as $$
  select * from (
    -- Providers block a sender at one complaint in a thousand mails.
    select 'reclamo', max(complained_at) + interval '14 days' from private.shared_mails where user_id = _user_id
    union all
    -- One or two wrong addresses happen to everybody; three in a week are an old list.
    select 'rimbalzi', (
      select bounced_at + interval '7 days' from private.shared_mails
      where user_id = _user_id and bounced_at is not null order by bounced_at desc offset 2 limit 1
    )
  ) as pauses (reason, until)
  where until > now()
  order by until desc limit 1
$$;
comment on function private.shared_pause(uuid) is
  'Why the shared sender is paused for a person, and until when; no row when it is not. Derived from what came back, so that '
  'disconnecting does not end it.';
revoke all on function private.shared_pause from public, anon, authenticated, service_role;

create function private.shared_reply_to(_user_id uuid)
  returns text
  language sql stable security definer
  set search_path = ''
as $$
  select email from auth.users
  where id = _user_id and email_confirmed_at is not null and deleted_at is null and private.is_email(email)
    and (banned_until is null or banned_until <= now())
$$;
comment on function private.shared_reply_to(uuid) is
  'The confirmed login address, to which answers go; null when there is none or the account is suspended.';
revoke all on function private.shared_reply_to from public, anon, authenticated, service_role;
grant execute on function private.shared_reply_to to service_role;

create function private.is_shared_held(_user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (select from public.mail_accounts where user_id = _user_id and is_shared)
    and (private.shared_reply_to(_user_id) is null or exists (select from private.shared_pause(_user_id)))
$$;
comment on function private.is_shared_held(uuid) is
  'Whether mails of a person wait because the shared sender is paused or may not be used; never with an own mailbox.';
revoke all on function private.is_shared_held from public, anon, authenticated, service_role;

create function private.require_shared_allowed(_user_id uuid, _basis public.mail_basis)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
declare
  _pause record;
begin
  if _basis <> 'contratto' then
    raise exception 'the shared sender sends no promotions' using errcode = 'SM015';
  elsif private.shared_reply_to(_user_id) is null then
    raise exception 'the login address is not confirmed' using errcode = 'SM017';
  end if;
  select * into _pause from private.shared_pause(_user_id);
  if found then
    raise exception 'the shared sender is paused' using errcode = 'SM016',
      detail = concat_ws('|', _pause.reason, to_char(_pause.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
  elsif private.shared_mails_left(_user_id) = 0 then
    raise exception 'the daily limit of the shared sender is reached' using errcode = 'SM014', detail = coalesce(
      to_char(private.shared_mails_resume_at(_user_id) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), ''
    );
  end if;
end
$$;
comment on function private.require_shared_allowed is 'Refuses what the shared sender does not send for a person now.';
revoke all on function private.require_shared_allowed from public, anon, authenticated, service_role;

create function private.save_shared_account(_user_id uuid, _from_address text)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _account_id uuid;
begin
  if private.shared_reply_to(_user_id) is null then
    raise exception 'the login address is not confirmed' using errcode = 'SM017';
  end if;
  insert into public.mail_accounts (user_id, is_shared, from_address) values (_user_id, true, _from_address)
  on conflict (user_id) do update set from_address = excluded.from_address where mail_accounts.is_shared
  returning id into _account_id;
  if _account_id is null then
    raise exception 'an own mailbox is connected' using errcode = 'SM018';
  end if;
  return _account_id;
end
$$;
comment on function private.save_shared_account is 'Lets a person send by the shared sender; an own mailbox is not replaced.';
revoke all on function private.save_shared_account from public, anon, authenticated, service_role;
grant execute on function private.save_shared_account to service_role;

create function private.shared_state(_user_id uuid)
  returns table (
    name text, reply_to text, remaining integer, resumes_at timestamptz, pause_reason text, paused_until timestamptz
  )
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(business_name, full_name)::text, private.shared_reply_to(_user_id),
    private.shared_mails_left(_user_id), private.shared_mails_resume_at(_user_id), pause.reason, pause.until
  from (select) as one
  left join public.profiles on profiles.user_id = _user_id
  left join private.shared_pause(_user_id) as pause on true
$$;
comment on function private.shared_state(uuid) is
  'What the shared sender says and allows for a person: the name of the business, else of the person, and the limits.';
revoke all on function private.shared_state from public, anon, authenticated, service_role;
grant execute on function private.shared_state to service_role;

create function private.note_shared_mail(_mail public.outgoing_mails)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.shared_mails (outgoing_id, user_id) values (_mail.id, _mail.user_id)
  on conflict (outgoing_id) do update set sent_at = now(), sendings = shared_mails.sendings + 1
$$;
comment on function private.note_shared_mail(public.outgoing_mails) is 'Counts a mail that is about to leave by the shared sender.';
revoke all on function private.note_shared_mail from public, anon, authenticated, service_role;

create function private.note_shared_return(_outgoing_id uuid, _is_complaint boolean)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update private.shared_mails
  set complained_at = case when _is_complaint then coalesce(complained_at, now()) else complained_at end,
    bounced_at = case when _is_complaint then bounced_at else coalesce(bounced_at, now()) end
  where outgoing_id = _outgoing_id
$$;
comment on function private.note_shared_return(uuid, boolean) is
  'Records that a mail of the shared sender was called spam, or that its address does not exist; nothing for other mails.';
revoke all on function private.note_shared_return from public, anon, authenticated, service_role;

-- Security definer because service_role may not read auth.users.
create function private.shared_mail(_id uuid)
  returns table (user_id uuid, message_id text, is_open boolean, is_full boolean, reports bigint)
  language sql stable security definer
  set search_path = ''
as $$
  select sent.user_id, sent.message_id,
    (users.banned_until is null or users.banned_until <= now()) and not private.is_frozen(sent.user_id),
    (
      -- A conversation has fewer mails in an hour than somebody who floods an address.
      select count(*) >= 50 from public.received_mails as answer
      where answer.user_id = sent.user_id and reference_ids @> array[sent.message_id]
        and answer.created_at > now() - interval '1 hour'
    ),
    (select count(*) from public.mail_reports as report where report.user_id = sent.user_id and outgoing_id = sent.id)
  from private.shared_mails as shared
  join public.outgoing_mails as sent on sent.user_id = shared.user_id and sent.id = shared.outgoing_id
  join auth.users on users.id = sent.user_id
  where shared.outgoing_id = _id and shared.sent_at > now() - interval '1 year' and users.deleted_at is null
$$;
comment on function private.shared_mail(uuid) is
  'The mail that an address of answers or bounces belongs to, for a year; whether its person takes mail, and not too much of it.';
revoke all on function private.shared_mail from public, anon, authenticated, service_role;
grant execute on function private.shared_mail to service_role;

create function private.forget_shared_mails(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.shared_mails where outgoing_id in (
      select outgoing_id from private.shared_mails where sent_at < now() - interval '1 year' limit _limit
    ) returning 1
  )
  select count(*) from gone
$$;
comment on function private.forget_shared_mails(integer) is 'Deletes the counts of mails that left a year ago.';
revoke all on function private.forget_shared_mails from public, anon, authenticated, service_role;
grant execute on function private.forget_shared_mails to service_role;

alter table private.shared_mails enable row level security;

revoke all on private.shared_mails from public, anon, authenticated, service_role;
