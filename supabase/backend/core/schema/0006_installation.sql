-- Which installation this database is: so that nobody's files are swept by another's database, and no other keys take
-- it over unasked (core/installation.py). A dump carries it along: what is restored is the same installation.
create table if not exists platform.installation (
  only_one boolean primary key default true check (only_one),
  installation_id uuid not null default gen_random_uuid(),
  keys_fingerprint text
);
comment on table platform.installation is 'Platform: the one row that names this installation and its keys.';
comment on column platform.installation.keys_fingerprint is 'Of keys.json; null until the first migrate with keys.';

insert into platform.installation default values on conflict do nothing;
