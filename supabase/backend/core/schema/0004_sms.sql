-- The outbox of SMS, beside the one of mails (0003) and with the same states.

create table if not exists jobs.sms (
  sms_id uuid primary key default gen_random_uuid(),
  -- E.164 without the plus sign, as auth.users keeps it.
  recipient text not null,
  channel text not null,
  -- Carries a one-time code: it is wiped as soon as the provider has it.
  body text,
  purpose text not null,
  status jobs.mail_status not null default 'queued',
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint sms_channel_check check (channel in ('sms', 'whatsapp')),
  constraint sms_body_while_queued check (status <> 'queued' or body is not null)
);
comment on table jobs.sms is 'The outbox of SMS: written with what caused them, sent by the worker at most once.';
create index if not exists sms_queued_idx on jobs.sms (created_at) where status = 'queued';
