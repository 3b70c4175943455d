-- What mail servers say about the mails of the outbox: that they came back, wait, were delivered, or were called spam; and the
-- receipts of certified mail (PEC, RFC 6109) with their legal time. A mail has one recipient: so have its receipts.
--
-- functions/jobs/mail_fetch.py reads the reports in the person's mailbox. A report is tied to its mail by the Message-ID,
-- which cannot be guessed, and becomes neither a conversation nor a contact. A report that is read again changes nothing.

create type public.mail_report_kind as enum (
  'rimbalzo', 'ritardo', 'consegna', 'reclamo',
  'accettazione', 'non-accettazione', 'presa-in-carico', 'avvenuta-consegna', 'errore-consegna',
  'preavviso-errore-consegna', 'rilevazione-virus'
);

create table public.mail_reports (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  outgoing_id uuid not null,
  kind public.mail_report_kind not null,
  status text,
  told public.single_line,
  sha256 text not null,
  is_external boolean not null default false,
  identifier text,
  storage_path text,
  at timestamptz not null,
  created_at timestamptz not null default now(),

  unique (user_id, outgoing_id, sha256, kind),
  foreign key (user_id, outgoing_id) references public.outgoing_mails (user_id, id) on delete cascade,
  constraint it_lies_in_the_folder_of_its_owner check (starts_with(storage_path, user_id::text || '/posta/')),
  constraint identifier_fits check (char_length(identifier) <= 300),
  constraint status_is_a_code check (status ~ '^[245]\.[0-9]{1,3}\.[0-9]{1,3}$'),
  constraint sha256_is_hexadecimal check (sha256 ~ '^[0-9a-f]{64}$')
);
comment on table public.mail_reports is 'What servers said about mails of the outbox; written by note_mail_report() only.';
comment on column public.mail_reports.status is 'A code of RFC 3463, such as 5.1.1.';
comment on column public.mail_reports.told is 'In the words of the server.';
comment on column public.mail_reports.sha256 is 'Of the mail that brought the report.';

comment on column public.mail_reports.at is 'When it was; of a receipt the legal time.';
comment on column public.mail_reports.is_external is
  'The recipient has an ordinary mailbox: no receipt of delivery will come.';
comment on column public.mail_reports.identifier is 'The Message-ID that the provider gave to the envelope of the mail.';
comment on column public.mail_reports.storage_path is 'The raw receipt; null for others and when the quota was full.';

create index mail_reports_identifier on public.mail_reports (user_id, identifier) where identifier is not null;

create index mail_reports_path on public.mail_reports (user_id, storage_path) where storage_path is not null;

create function private.may_be_automatic(_user_id uuid, _recipient text, _except uuid default null)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  -- Two programs that answer each other would write for ever.
  select (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and lower(recipient) = lower(_recipient) and is_automatic and id is distinct from _except
      and (state in ('queued', 'sending', 'uncertain') or state = 'sent' and sent_at > now() - interval '1 day')
  ) < 3
  and coalesce((
    select kind = 'persona' from public.received_mails
    where user_id = _user_id and party = lower(_recipient) and folder = 'ricevuti' order by at desc limit 1
  ), true)
$$;
comment on function private.may_be_automatic is
  'Whether an address may get a mail that was not written by hand: at most three a day, and never a machine or a list.';
revoke all on function private.may_be_automatic from public, anon, authenticated, service_role;

create function private.bounce_mail(_mail public.outgoing_mails, _status text, _told text, _recipient text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  -- No such mailbox, and a mailbox that is closed (RFC 3463, RFC 7505). What is full, too large or about us may pass, and
  -- another address is that of a mailbox to which the recipient forwards.
  _is_dead constant boolean := coalesce(_status in ('5.1.1', '5.1.10', '5.2.1'), false)
    and coalesce(lower(_recipient) = lower(_mail.recipient), true);
begin
  update public.outgoing_mails
  set state = 'failed', sent_at = null, error = 'bounced', leased_until = null,
    -- The code comes first, and once.
    reply = left(private.one_line(case when starts_with(_told, _status) then _told else concat_ws(' ', _status, _told) end), 300)
  where id = _mail.id and state in ('sent', 'sending', 'uncertain');
  if not found then
    return;
  end if;
  if _is_dead then
    perform private.suppress_mail(_mail.user_id, _mail.recipient, 'rimbalzo');
  end if;
  perform private.notify(
    _mail.user_id, 'email_respinta', 'Email respinta: ' || _mail.recipient,
    format('«%s» non è arrivata. ', _mail.subject) || case
      when _is_dead then 'La casella non esiste più: Socio non le scriverà. Correggi l’indirizzo del contatto.'
      else 'Il server del destinatario l’ha respinta: trovi la sua risposta accanto all’email.'
    end,
    '/crm/' || _mail.contact_id, format('email_respinta:%s:%s', _mail.id, _mail.attempts)
  );
end
$$;
comment on function private.bounce_mail is
  'Marks a mail that came back, tells its writer, and suppresses an address that cannot receive.';
revoke all on function private.bounce_mail from public, anon, authenticated, service_role;

create function private.note_mail_report(
  _user_id uuid, _message_id text, _kind public.mail_report_kind, _recipient text, _status text, _told text, _sha256 text,
  _at timestamptz
)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.outgoing_mails;
begin
  -- Our Message-IDs cannot be guessed, so that a made-up report suppresses nobody.
  select * into _mail from public.outgoing_mails where user_id = _user_id and message_id = _message_id for update;
  if not found then
    return false;
  end if;
  insert into public.mail_reports (user_id, outgoing_id, kind, status, told, sha256, at)
  values (
    _user_id, _mail.id, _kind, _status, nullif(left(private.one_line(_told), 200), ''), _sha256, _at
  )
  on conflict (user_id, outgoing_id, sha256, kind) do nothing;
  -- Read again: the mail may have been sent again meanwhile.
  if not found then
    return true;
  end if;
  -- A full mailbox or a large mail says nothing about the list of addresses.
  if _kind = 'reclamo' or _kind = 'rimbalzo' and _status in ('5.1.1', '5.1.2', '5.1.10', '5.2.1') then
    perform private.note_shared_return(_mail.id, _kind = 'reclamo');
  end if;
  if _kind = 'reclamo' then
    perform private.suppress_mail(_user_id, _mail.recipient, 'reclamo');
  elsif _kind = 'rimbalzo' then
    perform private.bounce_mail(_mail, _status, _told, _recipient);
  end if;
  return true;
end
$$;
comment on function private.note_mail_report is
  'Records what a server said about a mail, once; suppresses whoever cannot or does not want to receive. False for a mail that '
  'the person did not send.';
revoke all on function private.note_mail_report from public, anon, authenticated, service_role;
grant execute on function private.note_mail_report to service_role;

create function private.note_pec_receipt(
  _user_id uuid, _message_id text, _kind public.mail_report_kind, _recipient text, _is_failure boolean, _status text,
  _told text, _is_external boolean, _identifier text, _sha256 text, _storage_path text, _at timestamptz
)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.outgoing_mails;
begin
  select * into _mail from public.outgoing_mails where user_id = _user_id and message_id = _message_id for update;
  if not found then
    return false;
  end if;
  insert into public.mail_reports (
    user_id, outgoing_id, kind, status, told, is_external, identifier, sha256, storage_path, at
  )
  values (
    _user_id, _mail.id, _kind, _status, nullif(left(private.one_line(_told), 200), ''), _is_external, _identifier, _sha256,
    _storage_path, _at
  )
  on conflict (user_id, outgoing_id, sha256, kind) do nothing;
  if not found then
    return true;
  end if;
  if _kind in ('accettazione', 'avvenuta-consegna') then
    perform private.confirm_sent_mail(_user_id, _message_id);
  end if;
  if _kind = 'avvenuta-consegna' then
    -- It wins over a failure that was announced.
    update public.outgoing_mails set state = 'sent', sent_at = _at, error = null, reply = null
    where id = _mail.id and state = 'failed' and error = 'bounced';
  elsif _is_failure then
    perform private.bounce_mail(_mail, _status, _told, _recipient);
  end if;
  return true;
end
$$;
comment on function private.note_pec_receipt is
  'Records a receipt of certified mail, once, and what it says about its mail. False for a mail that was not sent from here.';
revoke all on function private.note_pec_receipt from public, anon, authenticated, service_role;
grant execute on function private.note_pec_receipt to service_role;

create function private.miss_deliveries()
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.outgoing_mails;
begin
  for _mail in
    select sent.* from public.outgoing_mails as sent
    -- A mailbox that was not read since may hold a receipt.
    join public.mail_inboxes as inbox on inbox.user_id = sent.user_id and last_success_at > sent_at + interval '24 hours'
    where is_certified and state = 'sent' and sent_at < now() - interval '24 hours'
      and not exists (
        select from public.mail_reports
        where user_id = sent.user_id and outgoing_id = sent.id and (kind = 'avvenuta-consegna' or is_external)
      )
    order by sent_at limit 100 for update of sent skip locked
  loop
    perform private.bounce_mail(_mail, null, 'superamento tempo massimo', null);
  end loop;
end
$$;
comment on function private.miss_deliveries() is
  'Certified mails without a receipt of delivery after 24 hours have failed (RFC 6109, 3.3), where the mailbox was read since.';
revoke all on function private.miss_deliveries from public, anon, authenticated, service_role;
grant execute on function private.miss_deliveries to service_role;

alter table public.mail_reports enable row level security;

create policy "owners read the reports about their mails" on public.mail_reports
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.mail_reports from public, anon, authenticated, service_role;
grant select on public.mail_reports to authenticated, service_role;
