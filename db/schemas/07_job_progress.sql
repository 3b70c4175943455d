-- Progress of background jobs: one row for each job that a user waits for, written by the server, read by its owner.

create type public.job_state as enum ('waiting', 'running', 'done', 'failed');

create table public.job_progress (
  user_id uuid not null references auth.users (id) on delete cascade,
  job_key text not null,
  state public.job_state not null default 'waiting',
  done integer not null default 0,
  total integer,
  message public.single_line,
  updated_at timestamptz not null default now(),
  primary key (user_id, job_key),

  -- The subject of the work, such as ocr:<document id>.
  constraint job_key_is_an_identifier check (job_key ~ '^[a-z][a-z0-9_]*(:[A-Za-z0-9_-]+)*$' and char_length(job_key) <= 128),
  constraint done_is_a_part_of_total check (done >= 0 and (total is null or done <= total))
);
comment on table public.job_progress is 'How far the work is that a user waits for; a finished row is kept for a week.';
comment on column public.job_progress.total is 'Null while nobody knows how much there is to do.';

-- Used by the retention job.
create index job_progress_updated on public.job_progress (updated_at);

alter table public.job_progress enable row level security;

create policy "owners watch their jobs" on public.job_progress
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.job_progress from public, anon, authenticated, service_role;
grant select on public.job_progress to authenticated;
grant select, insert, update, delete on public.job_progress to service_role;
