-- Mail that a person receives, in threads: what jobs/mail_fetch.py read from the person's own mailbox, and what was forwarded
-- or copied to the person's address (58_mail_addresses.sql).
--
-- A message is kept once, however often it is found again: by its place (folder, UIDVALIDITY, UID), or by its Message-ID and
-- content when the server has given it another place. Its raw form is a file of its owner in the folder `posta/` of the bucket
-- documents. What a mail says is data: nothing in the database acts on it.
--
-- A thread is found by identifiers only. An equal subject is a suggestion (suggested_thread_id).
--
-- Disconnecting the account removes what was read there: those mails are on the person's server. Mails to the address stay,
-- as do interactions with contacts.
--
-- Error codes raised:
--   PT404  the caller has no such thread (PostgREST answers 404)

create type public.mail_folder as enum ('ricevuti', 'inviati');

create type public.mail_kind as enum ('persona', 'automatica', 'lista', 'rimbalzo');

create type public.mail_verdict as enum ('pass', 'fail');

create table public.mail_inboxes (
  user_id uuid primary key references public.mail_accounts (user_id) on delete cascade,
  host text not null,
  port integer not null,
  security public.mail_security not null,
  found integer not null default 0,
  fetched integer not null default 0,
  completed_at timestamptz,
  last_success_at timestamptz,
  last_error public.mail_error,
  last_error_reply text,
  last_error_at timestamptz,
  created_at timestamptz not null default now(),

  constraint host_fits check (host ~ '^[A-Za-z0-9.:-]+$' and char_length(host) <= 253),
  constraint port_is_one check (port between 1 and 65535),
  constraint mails_are_counted check (found >= 0 and fetched >= 0)
);
comment on table public.mail_inboxes is 'The IMAP server of a person''s mail account, and how its last reading ended.';
comment on column public.mail_inboxes.found is 'How many mails the first reading has to fetch; fetched counts up to it.';
comment on column public.mail_inboxes.completed_at is 'When the first reading was done.';

create table private.mail_places (
  user_id uuid not null references public.mail_inboxes (user_id) on delete cascade,
  folder text not null,
  uidvalidity bigint not null,
  last_uid bigint not null default 0,
  modseq bigint not null default 0,
  primary key (user_id, folder)
);
comment on table private.mail_places is 'How far each folder of a mailbox was read; another UIDVALIDITY begins it again.';
comment on column private.mail_places.modseq is
  'Up to which change (RFC 7162) the marks of its mails are known; 0 where the server does not count changes.';

create table public.mail_threads (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  subject public.single_line not null,
  contact_id uuid,
  invoice_id uuid,
  deal_id uuid,
  suggested_thread_id uuid,
  party text,
  party_name text,
  snippet text not null default '',
  kind public.mail_kind not null default 'persona',
  has_warnings boolean not null default false,
  is_done boolean not null default false,
  is_sender_ignored boolean not null default false,
  last_at timestamptz not null,
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint mail_threads_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  foreign key (user_id, invoice_id) references public.invoices (user_id, id) on delete set null (invoice_id),
  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete set null (deal_id),
  foreign key (user_id, suggested_thread_id)
    references public.mail_threads (user_id, id) on delete set null (suggested_thread_id)
);
comment on table public.mail_threads is 'Conversations by mail; those that are not done are the inbox «Da gestire».';
comment on column public.mail_threads.party is 'The other side of the last received mail, as snippet is the beginning of its text.';
comment on column public.mail_threads.invoice_id is 'The invoice that a mail of ours in it was about.';
comment on column public.mail_threads.is_sender_ignored is 'Its owner does not want its sender among the contacts.';
comment on column public.mail_threads.deal_id is 'The deal that its owner made of it.';
comment on column public.mail_threads.suggested_thread_id is
  'A recent thread with the same subject and correspondent, which nothing but these connects with it.';

create table public.received_mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  thread_id uuid not null,
  folder public.mail_folder not null,
  folder_name text not null,
  uidvalidity bigint not null,
  message_uid bigint not null,
  message_id text not null,
  sha256 text not null,
  reference_ids text[] not null default '{}',
  kind public.mail_kind not null,
  sender text,
  sender_name text,
  reply_to text,
  recipients text[] not null default '{}',
  party text,
  contact_id uuid,
  subject public.single_line not null,
  body text not null default '',
  quoted text not null default '',
  dmarc public.mail_verdict,
  warnings jsonb not null default '[]',
  files jsonb not null default '[]',
  is_whole boolean not null default true,
  bytes bigint not null,
  storage_path text,
  envelope_id text,
  certificate jsonb,
  invitation jsonb,
  is_by_address boolean not null default false,
  is_forwarded boolean not null default false,
  is_answered boolean not null default false,
  at timestamptz not null,
  created_at timestamptz not null default now(),

  constraint received_mails_identity unique (user_id, id),
  unique (user_id, folder_name, uidvalidity, message_uid),
  unique (user_id, message_id, sha256),
  foreign key (user_id, thread_id) references public.mail_threads (user_id, id) on delete cascade,
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint sha256_is_hexadecimal check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint it_lies_in_the_folder_of_its_owner check (starts_with(storage_path, user_id::text || '/posta/')),
  constraint texts_fit check (
    char_length(body) <= 100000 and char_length(quoted) <= 100000 and char_length(message_id) <= 300
    and char_length(sender_name) <= 200 and char_length(envelope_id) <= 300
  ),
  constraint certificate_is_an_object check (jsonb_typeof(certificate) = 'object'),
  constraint invitation_is_an_object check (jsonb_typeof(invitation) = 'object'),
  constraint lists_are_lists check (jsonb_typeof(warnings) = 'array' and jsonb_typeof(files) = 'array')
);
comment on table public.received_mails is
  'Mails of a person, received or sent elsewhere, read from the mailbox or brought by the person''s address; written by the server.';
comment on column public.received_mails.is_by_address is 'It came to the person''s address; it stays when the mailbox is disconnected.';
comment on column public.received_mails.is_forwarded is
  'Its owner forwarded it: sender, date and text are as the forward says, and nothing has verified them.';
comment on column public.received_mails.is_answered is 'Another program has marked it as answered in its mailbox.';
comment on column public.received_mails.party is 'The address of the other side, in lower case.';
comment on column public.received_mails.quoted is 'Older mails that it quotes below its text.';
comment on column public.received_mails.warnings is
  'What differs from what is known of the sender: [{kind: iban | domain | dmarc, value, known}]. No automation uses such a mail.';
comment on column public.received_mails.files is 'Its attachments: [{name, mime, bytes, document_id}].';
comment on column public.received_mails.is_whole is 'False when it was too large or malformed: its headers only.';
comment on column public.received_mails.storage_path is
  'Its raw form, of certified mail the envelope around it; null when the quota was full.';
comment on column public.received_mails.envelope_id is 'The Message-ID of its envelope, by which answers may call it.';
comment on column public.received_mails.certificate is
  'What the provider of certified mail says: {is_certified, at, provider, identifier}; null for ordinary mail. An anomaly is not '
  'certified: it came from an ordinary mailbox.';

comment on column public.received_mails.invitation is
  'The event that it invites to: {title, starts_at, is_allday, place, is_cancelled, repeats}. A person makes a task of it; nothing '
  'else does.';

create table public.mail_thread_letters (
  outgoing_id uuid primary key,
  user_id uuid not null,
  thread_id uuid not null,
  reference_ids text[] not null default '{}',

  constraint mail_thread_letters_identity unique (user_id, outgoing_id),
  foreign key (user_id, outgoing_id) references public.outgoing_mails (user_id, id) on delete cascade,
  foreign key (user_id, thread_id) references public.mail_threads (user_id, id) on delete cascade
);
comment on table public.mail_thread_letters is 'To which thread a mail of the outbox belongs.';
comment on column public.mail_thread_letters.reference_ids is
  'Message-IDs that an answer refers to; the last is the one it answers.';

create index mail_threads_inbox on public.mail_threads (user_id, is_done, last_at desc, id);

create index mail_threads_contact on public.mail_threads (user_id, contact_id, last_at desc);

create index mail_threads_invoice on public.mail_threads (user_id, invoice_id);

create index mail_threads_deal on public.mail_threads (user_id, deal_id);

create index mail_threads_suggested on public.mail_threads (user_id, suggested_thread_id);

create index received_mails_thread on public.received_mails (user_id, thread_id, at);

create index received_mails_contact on public.received_mails (user_id, contact_id, at desc);

-- Used when an address becomes a contact's.
create index received_mails_party on public.received_mails (user_id, party, at desc);

-- Used to find raw mails whose row is gone.
create index received_mails_path on public.received_mails (user_id, storage_path);

create index received_mails_envelope on public.received_mails (user_id, envelope_id) where envelope_id is not null;

create index received_mails_references on public.received_mails using gin (reference_ids);

create index mail_thread_letters_thread on public.mail_thread_letters (user_id, thread_id);

create function private.plain_subject(_subject text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select btrim(regexp_replace(
    btrim(_subject), '^((re|r|rif|i|fw|fwd|aw|wg|sv|tr|inoltra|inoltro|risposta)\s*(\[\d+\])?\s*:\s*)+', '', 'i'
  ))
$$;
comment on function private.plain_subject(text) is 'A subject without «R:», «Re:», «I:» and the like.';
revoke all on function private.plain_subject from public, anon, authenticated, service_role;

-- Used by suggestions: a machine may write thousands of mails in fourteen days. A hash, as a subject may be too long
-- for an index.
create index received_mails_subject
on public.received_mails (user_id, party, md5(lower(private.plain_subject(subject))), at desc);

create function private.thread_of(_user_id uuid, _message_id text, _references text[])
  returns uuid
  language sql stable
  set search_path = ''
as $$
  select thread_id from (
    -- The last reference is the nearest ancestor.
    select thread_id, 0 as step, place from unnest(_references) with ordinality as named (id, place)
    join public.received_mails on user_id = _user_id and message_id = named.id
    union all
    select letters.thread_id, 0, place from unnest(_references) with ordinality as named (id, place)
    join public.outgoing_mails as sent on sent.user_id = _user_id and message_id = named.id
    join public.mail_thread_letters as letters on letters.user_id = _user_id and outgoing_id = sent.id
    union all
    -- Answers that came before the mail they answer, and others of the same ancestors.
    select thread_id, 1, 0 from public.received_mails
    where user_id = _user_id and reference_ids && (_references || _message_id)
  ) as candidates
  order by step, place desc, thread_id limit 1
$$;
comment on function private.thread_of(uuid, text, text[]) is
  'The thread of a mail by what it refers to, the nearest ancestor last; null when nothing connects it.';
revoke all on function private.thread_of from public, anon, authenticated, service_role;

create function private.similar_thread(_user_id uuid, _party text, _subject text, _at timestamptz)
  returns uuid
  language sql stable
  set search_path = ''
as $$
  select thread_id from public.received_mails
  where user_id = _user_id and party = _party and at between _at - interval '14 days' and _at
    and md5(lower(private.plain_subject(subject))) = md5(lower(private.plain_subject(_subject)))
    and private.plain_subject(_subject) not in ('', 'Senza oggetto')
  order by at desc limit 1
$$;
comment on function private.similar_thread is 'A thread of the last fourteen days with the same subject and correspondent.';
revoke all on function private.similar_thread from public, anon, authenticated, service_role;

create function private.open_thread(_mail public.received_mails)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _thread_id uuid := private.thread_of(_mail.user_id, _mail.message_id, _mail.reference_ids);
  _letter public.outgoing_mails;
  -- A mail of a person waits for an answer. The first reading brings old ones too, which do not.
  _waits constant boolean := _mail.folder = 'ricevuti'
    and (_mail.is_forwarded or _mail.at > now() - interval '14 days') and (
    _mail.kind = 'persona'
    -- Gmail asks for this code before it forwards mails to the address.
    or _mail.is_by_address and _mail.sender is not distinct from 'forwarding-noreply@google.com'
  );
  _is_news boolean;
begin
  if _thread_id is null then
    select * into _letter from public.outgoing_mails
    where user_id = _mail.user_id and message_id = any (_mail.reference_ids)
    order by array_position(_mail.reference_ids, message_id) desc limit 1;
    insert into public.mail_threads (
      user_id, subject, contact_id, invoice_id, suggested_thread_id, is_done, last_at, party, party_name, snippet, kind,
      has_warnings
    )
    values (
      _mail.user_id, coalesce(nullif(private.plain_subject(_mail.subject), ''), 'Senza oggetto'),
      coalesce(_letter.contact_id, _mail.contact_id),
      (select id from public.invoices where user_id = _mail.user_id and id = _letter.invoice_id),
      case when _letter.id is null
        then private.similar_thread(_mail.user_id, _mail.party, _mail.subject, _mail.at) end,
      not _waits, _mail.at, _mail.party, _mail.sender_name, left(_mail.body, 200), _mail.kind, _mail.warnings <> '[]'
    )
    returning id into _thread_id;
    insert into public.mail_thread_letters (outgoing_id, user_id, thread_id)
    select _letter.id, _mail.user_id, _thread_id where _letter.id is not null;
  else
    select _mail.folder = 'ricevuti' and _mail.at >= last_at into _is_news from public.mail_threads where id = _thread_id;
    update public.mail_threads
    set is_done = case when _mail.at < last_at then is_done when _waits then false when _mail.folder = 'inviati' then true
        else is_done end,
      party = case when _is_news then _mail.party else party end,
      party_name = case when _is_news then _mail.sender_name else party_name end,
      snippet = case when _is_news then left(_mail.body, 200) else snippet end,
      kind = case when _is_news then _mail.kind else kind end,
      has_warnings = has_warnings or _mail.warnings <> '[]',
      last_at = greatest(last_at, _mail.at), contact_id = coalesce(contact_id, _mail.contact_id)
    where id = _thread_id;
  end if;
  return _thread_id;
end
$$;
comment on function private.open_thread is 'Finds or makes the thread of a new mail, and opens or closes it again.';
revoke all on function private.open_thread from public, anon, authenticated, service_role;

create function private.record_received_mail(_mail public.received_mails)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  select _mail.user_id, _mail.contact_id, 'email',
    case _mail.folder when 'ricevuti' then 'entrata'::public.interaction_direction else 'uscita' end, _mail.at,
    left(btrim(_mail.subject || E'\n\n' || _mail.body), 20000)
  where _mail.contact_id is not null and _mail.kind = 'persona'
$$;
comment on function private.record_received_mail is
  'Adds a mail to the history of its contact; what machines write is no contact with anybody.';
revoke all on function private.record_received_mail from public, anon, authenticated, service_role;

create function private.real_references(_user_id uuid, _references text[])
  returns text[]
  language sql stable
  set search_path = ''
as $$
  -- Programs answer the envelope of a certified mail, which has an identifier of its own.
  select _references || array(
    select message_id from public.received_mails where user_id = _user_id and envelope_id = any (_references)
    union
    select message_id from public.mail_reports as report
    join public.outgoing_mails as sent on sent.user_id = _user_id and sent.id = outgoing_id
    where report.user_id = _user_id and identifier = any (_references)
    order by 1
  )
$$;
comment on function private.real_references(uuid, text[]) is
  'References with those of the certified mails whose envelopes they name.';
revoke all on function private.real_references from public, anon, authenticated, service_role;

create function private.notify_received_mail(_mail public.received_mails)
  returns void
  language sql volatile
  set search_path = ''
as $$
  select private.notify(
    _mail.user_id, 'email_ricevuta', 'Email da ' || name,
    case when _mail.warnings <> '[]' then 'Controlla chi scrive prima di rispondere: ' else '' end || _mail.subject,
    '/crm?vista=posta&conversazione=' || _mail.thread_id, 'email_ricevuta:' || _mail.id, 'mail_thread', _mail.thread_id
  )
  from public.contacts
  where user_id = _mail.user_id and id = _mail.contact_id and _mail.folder = 'ricevuti' and _mail.kind = 'persona'
    -- The first reading brings a year of mails, and the first after a pause some days of them.
    and _mail.at > now() - interval '1 day'
    -- A forwarded mail was read by its owner.
    and not _mail.is_forwarded
$$;
comment on function private.notify_received_mail is 'Tells that a contact has written just now; of strangers and machines nothing.';
revoke all on function private.notify_received_mail from public, anon, authenticated, service_role;

create function private.lock_mails(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  select from public.mail_addresses where user_id = _user_id for no key update;
  select from public.mail_inboxes where user_id = _user_id for no key update
$$;
comment on function private.lock_mails(uuid) is 'Takes one mail of a person at a time: two of one conversation must find each other.';
revoke all on function private.lock_mails from public, anon, authenticated, service_role;

create function private.same_mail(_mail public.received_mails)
  returns uuid
  language sql stable
  set search_path = ''
as $$
  select id from public.received_mails as other
  where user_id = _mail.user_id and message_id = _mail.message_id and folder = _mail.folder
    and sender is not distinct from _mail.sender and subject = _mail.subject and body = _mail.body
    and (is_by_address or _mail.is_by_address)
  limit 1
$$;
comment on function private.same_mail is
  'A mail that came by the other way, mailbox or address: the same identifier and content, whatever servers added to its raw form.';
revoke all on function private.same_mail from public, anon, authenticated, service_role;

create function private.keep_received_mail(_user_id uuid, _told jsonb)
  returns table (mail_id uuid, thread_id uuid, contact_id uuid, is_new boolean)
  language plpgsql volatile security definer
  set search_path = ''
as $$
#variable_conflict use_column
declare
  _mail public.received_mails := jsonb_populate_record(null::public.received_mails, _told);
  _known_id uuid;
  -- The mail of the outbox to whose address of answers it came.
  _answered_id constant uuid := _told ->> 'answered_id';
  _is_answer boolean := false;
begin
  perform private.lock_mails(_user_id);
  if _answered_id is not null then
    perform from public.outgoing_mails where user_id = _user_id and id = _answered_id for no key update;
    _is_answer := found;
  end if;
  _mail.is_by_address := coalesce(_mail.is_by_address, false);
  _mail.is_forwarded := coalesce(_mail.is_forwarded, false);
  _mail.is_answered := false;
  if not _is_answer and not exists (select from public.mail_addresses where user_id = _user_id and _mail.is_by_address)
    and not exists (select from public.mail_inboxes where user_id = _user_id and not _mail.is_by_address)
  then
    return;
  end if;
  _mail.user_id := _user_id;
  _mail.contact_id := private.living_contact(_user_id, (
    select contact_id from public.contact_emails where user_id = _user_id and norm = _mail.party
  ));
  select id into _known_id from public.received_mails
  where user_id = _user_id and message_id = _mail.message_id and sha256 = _mail.sha256;
  _known_id := coalesce(_known_id, private.same_mail(_mail), (
    select id from public.received_mails
    where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid
  ));
  if _known_id is not null then
    -- The address is no place: a mailbox finds its mail again by its own.
    if not _mail.is_by_address then
      update public.received_mails
      set folder_name = _mail.folder_name, uidvalidity = _mail.uidvalidity, message_uid = _mail.message_uid
      where id = _known_id;
    end if;
    return query select id, thread_id, contact_id, false from public.received_mails where id = _known_id;
    return;
  end if;
  _mail.reference_ids := private.real_references(_user_id, _mail.reference_ids);
  _mail.thread_id := private.open_thread(_mail);
  _mail.created_at := now();
  insert into public.received_mails select _mail.*;
  perform private.record_received_mail(_mail);
  perform private.notify_received_mail(_mail);
  return query select _mail.id, _mail.thread_id, _mail.contact_id, true;
end
$$;
comment on function private.keep_received_mail(uuid, jsonb) is
  'Keeps a mail of a person, a row of received_mails with its id, in its thread and in the history of its contact. A mail that is '
  'known gets its new place. No row when the account was disconnected, or the address closed.';
revoke all on function private.keep_received_mail from public, anon, authenticated, service_role;
grant execute on function private.keep_received_mail to service_role;

create function private.mail_facts(_user_id uuid, _message_id text, _sha256 text, _party text)
  returns table (is_known boolean, is_ours boolean, contact_id uuid, ibans text[])
  language sql stable security definer
  set search_path = ''
as $$
  select exists (
      select from public.received_mails where user_id = _user_id and message_id = _message_id and sha256 = _sha256
    ),
    exists (select from public.outgoing_mails where user_id = _user_id and message_id = _message_id),
    contact.id,
    array(
      select distinct iban from public.invoice_schedules
      join public.invoices on invoices.user_id = _user_id and invoices.id = invoice_id
      where invoice_schedules.user_id = _user_id and invoices.contact_id = contact.id and direction = 'passiva'
        and iban is not null
    )
  from (select) as one
  left join lateral (
    select contact_emails.contact_id as id from public.contact_emails where user_id = _user_id and norm = _party
  ) as contact on true
$$;
comment on function private.mail_facts is
  'What is known about a mail before it is kept: whether it is kept already or is a mail of the outbox, its contact, and the accounts '
  'to which that contact''s invoices are paid.';
revoke all on function private.mail_facts from public, anon, authenticated, service_role;
grant execute on function private.mail_facts to service_role;

create function private.known_mail_domains(_user_id uuid)
  returns text[]
  language sql stable security definer
  set search_path = ''
as $$
  select array(
    select distinct split_part(norm, '@', 2) from public.contact_emails where user_id = _user_id
    union select lower(split_part(from_address, '@', 2)) from public.mail_accounts where user_id = _user_id and not is_shared
    order by 1 limit 5000
  )
$$;
comment on function private.known_mail_domains(uuid) is 'The domains of a person''s contacts and the person''s own.';
revoke all on function private.known_mail_domains from public, anon, authenticated, service_role;
grant execute on function private.known_mail_domains to service_role;

create function private.own_ibans(_user_id uuid)
  returns text[]
  language sql stable security definer
  set search_path = ''
as $$
  select array(select iban from public.profiles where user_id = _user_id and iban is not null) || array(
    select distinct iban from public.invoice_schedules
    join public.invoices on invoices.user_id = _user_id and invoices.id = invoice_id and direction = 'attiva'
    where invoice_schedules.user_id = _user_id and iban is not null
    order by 1 limit 100
  )
$$;
comment on function private.own_ibans(uuid) is
  'The account of a person''s business and those to which their own invoices are paid: a client who names one of them '
  'names no new account.';
revoke all on function private.own_ibans from public, anon, authenticated, service_role;
grant execute on function private.own_ibans to service_role;

create function private.confirm_sent_mail(_user_id uuid, _message_id text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.outgoing_mails;
begin
  update public.outgoing_mails set state = 'sent', sent_at = now(), error = null
  where user_id = _user_id and message_id = _message_id and state = 'uncertain'
  returning * into _mail;
  if found then
    perform private.record_sent_mail(_mail);
  end if;
end
$$;
comment on function private.confirm_sent_mail(uuid, text) is 'A mail of the outbox that was uncertain was found in Sent.';
revoke all on function private.confirm_sent_mail from public, anon, authenticated, service_role;
grant execute on function private.confirm_sent_mail to service_role;

create function private.save_mail_inbox(
  _user_id uuid, _host text, _port integer, _security public.mail_security, _is_other_account boolean
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from public.mail_inboxes
  where user_id = _user_id and (_host is null or _is_other_account or host <> _host);
  insert into public.mail_inboxes (user_id, host, port, security)
  select _user_id, _host, _port, _security where _host is not null
  on conflict (user_id) do update
    set port = excluded.port, security = excluded.security, last_error = null, last_error_reply = null, last_error_at = null
$$;
comment on function private.save_mail_inbox is
  'Keeps where an account''s mail is read, after a sign-in; no host: nowhere. Mails of another account go.';
revoke all on function private.save_mail_inbox from public, anon, authenticated, service_role;
grant execute on function private.save_mail_inbox to service_role;

create function private.forget_mailbox()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  delete from public.received_mails where user_id = old.user_id and not is_by_address;
  delete from public.mail_threads as thread
  where user_id = old.user_id and not exists (
    select from public.received_mails where user_id = old.user_id and thread_id = thread.id
  );
  -- The list shows nothing of a mail that is gone.
  update public.mail_threads as thread
  set party = latest.party, party_name = latest.sender_name, snippet = left(latest.body, 200), kind = latest.kind,
    has_warnings = latest.warns
  from (
    select distinct on (thread_id) thread_id, party, sender_name, body, kind,
      bool_or(warnings <> '[]') over (partition by thread_id) as warns
    from public.received_mails where user_id = old.user_id order by thread_id, folder, at desc
  ) as latest
  where thread.user_id = old.user_id and thread.id = latest.thread_id
    and (thread.snippet, thread.has_warnings) is distinct from (left(latest.body, 200), latest.warns);
  return null;
end
$$;
comment on function private.forget_mailbox() is 'Forgets what was read from a mailbox that is disconnected.';
revoke all on function private.forget_mailbox from public, anon, authenticated, service_role;

create function private.mail_inbox_of(_user_id uuid)
  returns table (
    host text, port integer, security text, username text, from_address text, sealed text, is_complete boolean,
    is_certified boolean, provider text
  )
  language sql stable security definer
  set search_path = ''
as $$
  select inboxes.host, inboxes.port, inboxes.security::text, username, from_address, sealed, completed_at is not null,
    is_certified, provider::text
  from public.mail_inboxes as inboxes
  join public.mail_accounts as accounts using (user_id)
  join private.mail_secrets on account_id = accounts.id
  where inboxes.user_id = _user_id
$$;
comment on function private.mail_inbox_of(uuid) is 'The mailbox of a person with its encrypted password or refresh token; no row without one.';
revoke all on function private.mail_inbox_of from public, anon, authenticated, service_role;
grant execute on function private.mail_inbox_of to service_role;

create function private.mail_readers(_limit integer default 5000)
  returns setof uuid
  language sql stable security definer
  set search_path = ''
as $$
  select inboxes.user_id from public.mail_inboxes as inboxes join public.mail_accounts as accounts using (user_id)
  -- A password that was refused is not tried every few minutes: providers lock such accounts.
  where (inboxes.last_error is distinct from 'auth' or inboxes.last_error_at < now() - interval '1 day' or provider is not null)
    and login_expired_at is null and not private.is_frozen(inboxes.user_id)
    -- The server tells of new mail by itself: this is only in case it does not, and for mails that were sent elsewhere.
    and (inboxes.last_success_at is null or inboxes.last_success_at < now() - interval '15 minutes' or not exists (
      select from private.leases where user_id = inboxes.user_id and name = 'mail idle' and ends_at > now()
    ))
  order by inboxes.last_success_at nulls first limit _limit
$$;
comment on function private.mail_readers(integer) is
  'The people whose mailbox is to be read; one whose server tells of new mail (IDLE) every 15 minutes.';
revoke all on function private.mail_readers from public, anon, authenticated, service_role;
grant execute on function private.mail_readers to service_role;

create function private.mail_idlers(_held uuid[], _limit integer)
  returns setof uuid
  language sql stable security definer
  set search_path = ''
as $$
  select inboxes.user_id
  from public.mail_inboxes as inboxes join public.mail_accounts as accounts using (user_id)
  cross join lateral (
    select max(coalesce(refreshed_at at time zone 'UTC', created_at)) as at from auth.sessions where user_id = inboxes.user_id
  ) as latest
  -- An open page renews its session each hour.
  where latest.at > now() - interval '65 minutes' and completed_at is not null
    and (inboxes.last_error is distinct from 'auth' or provider is not null)
    and login_expired_at is null and not private.is_frozen(inboxes.user_id)
    and (inboxes.user_id = any (_held) or not exists (
      select from private.leases where user_id = inboxes.user_id and name = 'mail idle' and ends_at > now()
    ))
  order by latest.at desc limit _limit
$$;
comment on function private.mail_idlers(uuid[], integer) is
  'The people with an open session for whom a worker listens to the mailbox: those it holds, and those that no other holds.';
revoke all on function private.mail_idlers from public, anon, authenticated, service_role;
grant execute on function private.mail_idlers to service_role;

create function private.mail_place(_user_id uuid, _folder text, _uidvalidity bigint)
  returns setof private.mail_places
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.mail_places as place (user_id, folder, uidvalidity)
  select user_id, _folder, _uidvalidity from public.mail_inboxes where user_id = _user_id
  on conflict (user_id, folder) do update
    set last_uid = case when place.uidvalidity = _uidvalidity then place.last_uid else 0 end,
      modseq = case when place.uidvalidity = _uidvalidity then place.modseq else 0 end, uidvalidity = _uidvalidity
  returning place.*
$$;
comment on function private.mail_place is
  'How far a folder was read, from its beginning when its UIDs are not valid any more; no row without a mailbox.';
revoke all on function private.mail_place from public, anon, authenticated, service_role;
grant execute on function private.mail_place to service_role;

create function private.move_mail_place(_user_id uuid, _folder text, _uidvalidity bigint, _uid bigint)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update private.mail_places set last_uid = greatest(last_uid, _uid)
  where user_id = _user_id and folder = _folder and uidvalidity = _uidvalidity;
  update public.mail_inboxes set fetched = fetched + 1 where user_id = _user_id and completed_at is null
$$;
comment on function private.move_mail_place is 'A message was read: the next reading begins after it.';
revoke all on function private.move_mail_place from public, anon, authenticated, service_role;
grant execute on function private.move_mail_place to service_role;

create function private.note_answered_mails(
  _user_id uuid, _folder text, _uidvalidity bigint, _uids bigint[], _modseq bigint
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  with answered as (
    update public.received_mails set is_answered = true
    where user_id = _user_id and folder_name = _folder and uidvalidity = _uidvalidity and message_uid = any (_uids)
      and not is_answered
    returning thread_id, at
  )
  update public.mail_threads as thread set is_done = true
  from answered where thread.user_id = _user_id and thread.id = answered.thread_id and answered.at >= thread.last_at;
  update private.mail_places set modseq = _modseq
  where user_id = _user_id and folder = _folder and uidvalidity = _uidvalidity;
$$;
comment on function private.note_answered_mails is
  'Marks mails as answered elsewhere, once each, and closes the conversations of which they are the last word; the marks are '
  'known up to this change.';
revoke all on function private.note_answered_mails from public, anon, authenticated, service_role;
grant execute on function private.note_answered_mails to service_role;

create function private.note_mail_inbox(
  _user_id uuid, _found integer, _is_complete boolean, _error public.mail_error, _reply text
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.mail_inboxes
  set found = case when completed_at is null then coalesce(fetched + _found, found) else found end,
    completed_at = case when _is_complete then coalesce(completed_at, now()) else completed_at end,
    last_success_at = case when _is_complete then now() else last_success_at end,
    last_error = _error, last_error_reply = left(private.one_line(_reply), 300),
    last_error_at = case when _error is not null then now() end
  where user_id = _user_id
$$;
comment on function private.note_mail_inbox is
  'Records how the reading of a mailbox goes: how many mails are still to be fetched, that it is complete, or its error.';
revoke all on function private.note_mail_inbox from public, anon, authenticated, service_role;
grant execute on function private.note_mail_inbox to service_role;

create function private.note_mail_document(_user_id uuid, _mail_id uuid, _place integer, _document_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.received_mails
  set files = jsonb_set(files, array[_place::text, 'document_id'], to_jsonb(_document_id))
  where user_id = _user_id and id = _mail_id
$$;
comment on function private.note_mail_document is 'Says which document an attachment has become.';
revoke all on function private.note_mail_document from public, anon, authenticated, service_role;
grant execute on function private.note_mail_document to service_role;

create function private.mail_references(_outgoing_id uuid)
  returns text[]
  language sql stable
  set search_path = ''
as $$
  select coalesce((select reference_ids from public.mail_thread_letters where outgoing_id = _outgoing_id), '{}')
$$;
comment on function private.mail_references(uuid) is 'What a mail of the outbox refers to, the mail it answers last.';
revoke all on function private.mail_references from public, anon, authenticated, service_role;

-- Security definer because threads are written by the server only.
create function public.answer_mail(
  _key uuid, _thread_id uuid, _contact_id uuid, _recipient text, _subject text, _body text
)
  returns public.outgoing_mails
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _last public.received_mails;
  _mail public.outgoing_mails;
begin
  perform from public.mail_threads where user_id = _user_id and id = _thread_id for no key update;
  if not found then
    raise exception 'no such thread' using errcode = 'PT404';
  end if;
  select * into _last from public.received_mails
  where user_id = _user_id and thread_id = _thread_id order by folder, at desc limit 1;
  _mail := public.queue_mail(
    _key => _key, _contact_id => _contact_id, _recipient => _recipient, _subject => _subject, _body => _body,
    -- Whoever wrote waits for an answer, whatever the hour.
    _is_at_once => true
  );
  insert into public.mail_thread_letters (outgoing_id, user_id, thread_id, reference_ids)
  values (
    _mail.id, _user_id, _thread_id,
    -- RFC 5322 3.6.4: its references and itself, from the oldest on; the middle of a long thread is left out.
    _last.reference_ids[1:1] || _last.reference_ids[greatest(2, cardinality(_last.reference_ids) - 17):] || _last.message_id
  )
  on conflict (outgoing_id) do nothing;
  update public.mail_threads set is_done = true, last_at = greatest(last_at, now()) where id = _thread_id;
  return _mail;
end
$$;
comment on function public.answer_mail is
  'Queues an answer of the caller in a thread, as queue_mail does; the thread is done.';
revoke all on function public.answer_mail from public, anon, authenticated, service_role;
grant execute on function public.answer_mail to authenticated;

create function private.follow_new_address()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.received_mails;
begin
  for _mail in
    update public.received_mails set contact_id = new.contact_id
    where user_id = new.user_id and party = new.norm and contact_id is null
    returning *
  loop
    perform private.record_received_mail(_mail);
    update public.mail_threads set contact_id = new.contact_id
    where id = _mail.thread_id and contact_id is null;
  end loop;
  return null;
end
$$;
comment on function private.follow_new_address() is
  'Mails of an address without a contact become those of its contact, in the history too.';
revoke all on function private.follow_new_address from public, anon, authenticated, service_role;

create function private.forget_mails(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    select thread_id from public.received_mails
    where kind <> 'persona' and created_at < now() - interval '180 days' limit _limit
  ), gone as (
    delete from public.received_mails
    where kind <> 'persona' and created_at < now() - interval '180 days' and thread_id in (select thread_id from old)
    returning user_id, thread_id
  ), emptied as (
    delete from public.mail_threads as thread
    where id in (select thread_id from gone) and not exists (
      select from public.received_mails
      where user_id = thread.user_id and thread_id = thread.id
        and not (kind <> 'persona' and created_at < now() - interval '180 days')
    )
  )
  select count(*) from gone
$$;
comment on function private.forget_mails(integer) is 'Deletes what lists and machines wrote half a year ago.';
revoke all on function private.forget_mails from public, anon, authenticated, service_role;
grant execute on function private.forget_mails to service_role;

alter table public.mail_inboxes enable row level security;
alter table private.mail_places enable row level security;
alter table public.mail_threads enable row level security;
alter table public.received_mails enable row level security;
alter table public.mail_thread_letters enable row level security;

create policy "owners read their mailbox" on public.mail_inboxes
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read their mail threads" on public.mail_threads
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners finish their mail threads" on public.mail_threads
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners read their received mails" on public.received_mails
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read the letters of their threads" on public.mail_thread_letters
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on private.mail_places from public, anon, authenticated, service_role;

revoke all on public.mail_inboxes from public, anon, authenticated, service_role;
grant select on public.mail_inboxes to authenticated, service_role;

revoke all on public.mail_threads from public, anon, authenticated, service_role;
grant select on public.mail_threads to authenticated, service_role;
grant update (is_done, is_sender_ignored) on public.mail_threads to authenticated;

revoke all on public.received_mails from public, anon, authenticated, service_role;
grant select on public.received_mails to authenticated, service_role;

revoke all on public.mail_thread_letters from public, anon, authenticated, service_role;
grant select on public.mail_thread_letters to authenticated, service_role;

create trigger forget_mailbox after delete on public.mail_inboxes for each row execute function private.forget_mailbox();

create trigger follow_merge before insert or update of contact_id on public.mail_threads
  for each row when (new.contact_id is not null) execute function private.follow_merge();

create trigger follow_merge before insert or update of contact_id on public.received_mails
  for each row when (new.contact_id is not null) execute function private.follow_merge();

create trigger follow_new_address after insert on public.contact_emails
  for each row execute function private.follow_new_address();

alter table public.mail_threads replica identity using index mail_threads_identity;

create function private.answer_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  -- No words of the mail: what a stranger writes does not become a sentence of ours.
  select 'risposta_dovuta', 'thread', waiting.id, waiting.since, waiting.contact_id, 'Rispondi a ' || waiting.name,
    'Ti ha scritto ' || private.counted(_today - waiting.since, 'un giorno', 'giorni') || ' fa e aspetta una risposta.',
    null::bigint, 'EUR', least(1, 0.5 + (_today - waiting.since) / 20.0),
    jsonb_build_object('counterparty', waiting.name, 'days', _today - waiting.since)
  from (
    select threads.id, threads.contact_id, contacts.name::text as name,
      (threads.last_at at time zone 'Europe/Rome')::date as since
    from public.mail_threads as threads
    join public.contacts on contacts.user_id = _user_id and contacts.id = threads.contact_id
      and contacts.merged_into is null and contacts.deleted_at is null
    -- A mail with a warning is not to be answered in a hurry.
    where threads.user_id = _user_id and not threads.is_done and threads.kind = 'persona' and not threads.has_warnings
    order by threads.last_at, threads.id
    limit private.most_facts()
  ) as waiting
  -- More than one working day: a whole one lies between.
  where exists (
    select from generate_series(waiting.since + 1, _today - 1, interval '1 day') as day
    -- Who works on Sundays works on them whatever feast it is.
    where extract(isodow from day) = any (
        coalesce((select work_days from public.profiles where user_id = _user_id), '{1,2,3,4,5}')
      ) and (extract(isodow from day) = 7 or not private.is_holiday(day::date))
  )
$$;
comment on function private.answer_facts(uuid, date) is
  'Contacts who wait for an answer by mail for more than a working day of the person: their threads still to be done.';
revoke all on function private.answer_facts from public, anon, authenticated, service_role;

create function private.home_mail(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  with waiting as (
    select * from public.mail_threads where user_id = _user_id and not is_done
  ), latest as (
    select waiting.*, contacts.name from waiting
    left join public.contacts on contacts.user_id = _user_id and contacts.id = contact_id
    order by last_at desc, waiting.id limit 3
  )
  select jsonb_build_object(
    'count', (select count(*) from waiting),
    'threads', (select coalesce(jsonb_agg(jsonb_build_object(
      'id', id, 'subject', subject, 'party', coalesce(name, party_name, party), 'last_at', last_at,
      'has_warnings', has_warnings
    ) order by last_at desc, id), '[]') from latest)
  )
$$;
comment on function private.home_mail(uuid) is 'Conversations by mail that wait, as /crm?vista=posta counts them, with the latest.';
revoke all on function private.home_mail from public, anon, authenticated, service_role;

create trigger mark_inserted after insert on public.mail_threads
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.mail_threads
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.mail_threads
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger settle_notices after update of is_done on public.mail_threads
  for each row when (new.is_done and not old.is_done) execute function private.settle_notices('mail_thread');
