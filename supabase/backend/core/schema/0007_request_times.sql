-- How long requests wait for their answer, by hour and endpoint, of all servers together (core/request_times.py).
create table if not exists platform.request_times (
  hour timestamptz not null,
  endpoint text not null check (char_length(endpoint) <= 200),
  requests integer not null,
  failures integer not null,
  seconds double precision not null,
  buckets integer[] not null check (array_length(buckets, 1) = 12),
  primary key (hour, endpoint)
);
comment on table platform.request_times is
  'Platform: answers by hour and endpoint, from the request to the first byte; kept 90 days.';
comment on column platform.request_times.failures is 'Answers with a 5xx.';
comment on column platform.request_times.buckets is
  'Answers within 5, 10, 25, 50, 100, 250, 500 ms, 1, 2.5, 5, 10 s, and slower; each counted once.';
