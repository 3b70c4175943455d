-- What the queue's rules need beside pgqueuer's own tables: see core/jobs.py and core/queue.py.

-- When a periodic job is due next. A row locked by one worker makes the others pass by: each due moment is enqueued
-- once, and what was missed while no worker ran is caught up once.
create table if not exists jobs.periodic (
  name text primary key,
  due_at timestamptz not null
);

-- Whose job it was and how it was enqueued, so that it can be tried again as it was.
alter table jobs.dead_letters add column if not exists user_id text;
alter table jobs.dead_letters add column if not exists priority integer not null default 0;
