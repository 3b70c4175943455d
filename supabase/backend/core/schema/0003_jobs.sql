-- The queue's own schema: pgqueuer puts its tables here (core.jobs.install), beside ours. Never exposed.

create schema if not exists jobs;
revoke all on schema jobs from public;

-- How often a job was started. Counted before the job runs and in a transaction of its own, so that a job that
-- kills its worker counts as well (pgqueuer counts only the retries a handler asked for).
create table if not exists jobs.attempts (
  job_id bigint primary key,
  started integer not null check (started > 0),
  started_at timestamptz not null default now()
);

create table if not exists jobs.dead_letters (
  job_id bigint primary key,
  name text not null,
  payload jsonb not null,
  attempts integer not null,
  error text not null,
  died_at timestamptz not null default now()
);
comment on table jobs.dead_letters is 'Jobs given up on, kept until a person has looked at them.';

do $$
begin
  if to_regtype('jobs.mail_status') is null then
    create type jobs.mail_status as enum ('queued', 'sending', 'sent', 'failed');
  end if;
end
$$;

create table if not exists jobs.mails (
  mail_id uuid primary key default gen_random_uuid(),
  recipient text not null,
  subject text not null,
  -- Content carries one-time links: it is wiped as soon as the mail server has it.
  html text,
  plain text,
  purpose text not null,
  message_id text not null unique,
  status jobs.mail_status not null default 'queued',
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint mails_content_while_queued check (status <> 'queued' or (html is not null and plain is not null))
);
comment on table jobs.mails is 'The outbox: written with what caused the mail, sent by the worker at most once.';
create index if not exists mails_queued_idx on jobs.mails (created_at) where status = 'queued';
