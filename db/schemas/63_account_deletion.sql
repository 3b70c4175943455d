-- Deletion of an account: requested, thirty days in which its owner may take it back, then erased by a job.
--
-- functions/account_deletion.py asks for the proofs and writes the first mail; jobs/account_deletions.py reminds and erases.
-- Every table with a `user_id` is erased, as the catalogue lists them, but those that a rule of the retention register
-- keeps. What is kept names the account by its id only, which identifies nobody once the account is gone. The rules
-- `billing` and `certificates` end it after ten years.
--
-- While an account waits it is frozen: nothing leaves it, and no assistant works for it.
--
-- Error codes raised:
--   SD001  the account waits for its deletion, or is limited (64_processing_limits.sql), so it may not do this

create type public.deletion_state as enum ('requested', 'cancelled', 'erasing', 'erased');

create type public.fiscal_archive_answer as enum ('downloaded', 'elsewhere', 'empty');

create table public.deletion_requests (
  id uuid primary key default gen_random_uuid(),
  -- No foreign key: the row is the certificate, which outlives the account.
  user_id uuid not null,
  fiscal_archive public.fiscal_archive_answer not null,
  requested_at timestamptz not null,
  due_at timestamptz not null,

  -- The facts: state is computed from them.
  reminded_at timestamptz,
  cancelled_at timestamptz,
  erasing_at timestamptz,
  erased_at timestamptz,

  -- What there was when erasing began.
  found_rows jsonb,
  found_files integer,

  state public.deletion_state not null generated always as (
    case
      when cancelled_at is not null then 'cancelled'::public.deletion_state
      when erased_at is not null then 'erased'
      when erasing_at is not null then 'erasing'
      else 'requested'
    end
  ) stored,

  constraint what_is_erased_was_not_cancelled check (cancelled_at is null or erasing_at is null),
  constraint erasing_comes_first check (erased_at is null or erasing_at is not null),
  constraint erasing_counts_what_it_finds check (
    (erasing_at is null) = (found_rows is null) and (erasing_at is null) = (found_files is null)
  )
);
comment on table public.deletion_requests is
  'Requests to delete an account and how they ended; once erased, the certificate, which names nobody.';
comment on column public.deletion_requests.fiscal_archive is
  'Where its owner says the documents are that the law makes them keep for ten years; empty: there were none.';
comment on column public.deletion_requests.found_rows is 'How many rows each table to erase had when that began: {table: number}.';

-- An account that is erased never comes back.
create unique index deletion_requests_open on public.deletion_requests (user_id) where cancelled_at is null;

create index deletion_requests_user on public.deletion_requests (user_id, requested_at desc);

-- Used by the job.
create index deletion_requests_due on public.deletion_requests (due_at) where cancelled_at is null and erased_at is null;

create function private.is_frozen(_user_id uuid)
  returns boolean
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  return exists (select from public.deletion_requests where user_id = _user_id and cancelled_at is null)
    or exists (select from public.profiles where user_id = _user_id and limited_since is not null)
    or exists (select from auth.users where id = _user_id and banned_until > now());
end
$$;
comment on function private.is_frozen(uuid) is
  'Whether an account waits for its deletion, has its processing limited or is suspended: nothing leaves it.';
revoke all on function private.is_frozen from public, anon, authenticated, service_role;
grant execute on function private.is_frozen to service_role;

create function private.is_being_erased(_user_id uuid)
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (select from public.deletion_requests where user_id = _user_id and erasing_at is not null)
$$;
comment on function private.is_being_erased(uuid) is 'Whether the rows of an account are being erased.';
revoke all on function private.is_being_erased from public, anon, authenticated, service_role;

create function private.refuse_frozen()
  returns trigger
  language plpgsql stable security definer
  set search_path = ''
as $$
begin
  if private.is_frozen(new.user_id) then
    raise exception 'the account is frozen' using errcode = 'SD001';
  end if;
  return new;
end
$$;
comment on function private.refuse_frozen() is 'Refuses a row through which something would leave a frozen account. SD001.';
revoke all on function private.refuse_frozen from public, anon, authenticated, service_role;

create trigger refuse_frozen before insert on public.mail_accounts for each row execute function private.refuse_frozen();
create trigger refuse_frozen before insert on public.mail_addresses for each row execute function private.refuse_frozen();
create trigger refuse_frozen before insert on public.whatsapp_accounts for each row execute function private.refuse_frozen();
create trigger refuse_frozen before insert on public.push_subscriptions for each row execute function private.refuse_frozen();
create trigger refuse_frozen before insert on private.calendar_feeds for each row execute function private.refuse_frozen();
create trigger refuse_frozen before insert on public.runs for each row execute function private.refuse_frozen();

-- Security definer, like the others, because the tables of the auth service are touched too.
create function private.stop_outward(_user_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- What waits is cancelled with the account that would send it; passwords, keys and inbox go too.
  delete from public.mail_accounts where user_id = _user_id;
  delete from public.mail_addresses where user_id = _user_id;
  delete from public.whatsapp_accounts where user_id = _user_id;
  delete from private.calendar_feeds where user_id = _user_id;
  delete from public.push_subscriptions where user_id = _user_id;
  update private.notification_deliveries set state = 'esclusa', settled_at = now() where user_id = _user_id and state = 'attesa';
  update public.runs set stop_requested_at = now()
  where user_id = _user_id and state = 'running' and stop_requested_at is null;
  update public.tool_calls set state = 'expired' where user_id = _user_id and state = 'proposed';
  update auth.oauth_consents set revoked_at = now() where user_id = _user_id and revoked_at is null;
  delete from auth.sessions where user_id = _user_id and oauth_client_id is not null;
end
$$;
comment on function private.stop_outward(uuid) is
  'Closes every way out of an account: mail and WhatsApp with what waits, calendar feed, push devices, applications, answers.';
revoke all on function private.stop_outward from public, anon, authenticated, service_role;

create function private.request_deletion(
  _user_id uuid, _fiscal_archive public.fiscal_archive_answer, _now timestamptz default now(), out request jsonb, out is_new boolean
)
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Of two requests at once the second waits here, and finds the first.
  insert into public.deletion_requests (user_id, fiscal_archive, requested_at, due_at)
  values (_user_id, _fiscal_archive, _now, _now + interval '30 days')
  on conflict (user_id) where cancelled_at is null do nothing;
  is_new := found;
  perform private.stop_outward(_user_id);
  update public.profiles set deletion_due_at = requested.due_at from public.deletion_requests as requested
  where requested.user_id = _user_id and requested.cancelled_at is null and profiles.user_id = _user_id;
  select to_jsonb(deletion_requests) into request from public.deletion_requests
  where user_id = _user_id and cancelled_at is null;
end
$$;
comment on function private.request_deletion is
  'Asks for the deletion of an account in thirty days and closes every way out of it; says whether it was this call.';
revoke all on function private.request_deletion from public, anon, authenticated, service_role;
grant execute on function private.request_deletion to service_role;

create function private.cancel_deletion(_user_id uuid, _now timestamptz default now())
  returns boolean
  language sql volatile security definer
  set search_path = ''
as $$
  with cancelled as (
    update public.deletion_requests set cancelled_at = _now
    where user_id = _user_id and cancelled_at is null and erasing_at is null
    returning user_id
  ), shown as (
    update public.profiles set deletion_due_at = null from cancelled where profiles.user_id = cancelled.user_id
  )
  select exists (select from cancelled)
$$;
comment on function private.cancel_deletion is 'Takes a request back; false when there is none, or erasing has begun.';
revoke all on function private.cancel_deletion from public, anon, authenticated, service_role;
grant execute on function private.cancel_deletion to service_role;

create function private.kept_tables()
  returns text[]
  language sql stable
  set search_path = ''
as $$
  select array_agg(distinct kept) from public.retention_rules cross join unnest(tables) as kept where outcome = 'keep'
$$;
comment on function private.kept_tables() is 'Tables with rows of a person that outlive the account, by the retention register.';
revoke all on function private.kept_tables from public, anon, authenticated, service_role;

create function private.personal_counts(_user_id uuid)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _table text;
  _found bigint;
  _counts jsonb := '{}';
begin
  for _table in select private.personal_tables() loop
    execute format('select count(*) from %s where user_id = $1', _table::regclass) into _found using _user_id;
    _counts := _counts || jsonb_build_object(_table, _found);
  end loop;
  return _counts;
end
$$;
comment on function private.personal_counts(uuid) is 'How many rows of a person each table of the catalogue has.';
revoke all on function private.personal_counts from public, anon, authenticated, service_role;
grant execute on function private.personal_counts to service_role;

create function private.deletion_preview(_user_id uuid)
  returns jsonb
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '10s'
as $$
  with worth as (
    select order_id, sum(paid_cents * remaining / amount)::bigint as cents, sum(remaining) as credits, sum(held) as held
    from public.credit_lots where user_id = _user_id and order_id is not null group by order_id
  )
  select jsonb_build_object(
    'address', (select coalesce(nullif(email, ''), phone) from auth.users where id = _user_id),
    'rows', private.personal_counts(_user_id),
    'files', (select count(*) from storage.objects where (storage.foldername(name))[1] = _user_id::text),
    'stops', jsonb_build_object(
      'mailbox', (select from_address from public.mail_accounts where user_id = _user_id and not is_shared),
      'whatsapp', (select coalesce(display_number, '') from public.whatsapp_accounts where user_id = _user_id),
      'waiting_mails', (select count(*) from public.outgoing_mails where user_id = _user_id and state = 'queued'),
      'calendar', exists (select from private.calendar_feeds where user_id = _user_id),
      'devices', (select count(*) from public.push_subscriptions where user_id = _user_id),
      'applications', (select count(*) from auth.oauth_consents where user_id = _user_id and revoked_at is null)
    ),
    'kept', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'title', title, 'period', period, 'reason', reason, 'tables', to_jsonb(tables)) order by title), '[]')
      from public.retention_rules where outcome = 'keep'
    ),
    'invoices', (select count(*) from public.invoices where user_id = _user_id),
    'credits', coalesce((select balance + held from public.credit_wallets where user_id = _user_id), 0),
    -- What the withdrawal (14_orders.sql) would give back for unused credits today.
    'refunds', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'order_id', id, 'amount_cents', least(worth.cents, amount_cents - taken_cents),
        'until', (paid_at at time zone 'Europe/Rome')::date + 30) order by paid_at), '[]')
      from public.credit_orders join worth on order_id = id
      where user_id = _user_id and state = 'fulfilled' and worth.held = 0
        and (now() at time zone 'Europe/Rome')::date <= (paid_at at time zone 'Europe/Rome')::date + 30
        and least(worth.cents, amount_cents - taken_cents) > 0
    )
  )
$$;
comment on function private.deletion_preview(uuid) is
  'What the deletion of an account would stop, erase and keep, and which unused credits can still be given back.';
revoke all on function private.deletion_preview from public, anon, authenticated, service_role;
grant execute on function private.deletion_preview to service_role;

create function private.claim_deletion_reminder(_now timestamptz default now(), out email text, out due_at timestamptz)
  returns setof record
  language sql volatile security definer
  set search_path = ''
as $$
  with due as (
    select id from public.deletion_requests as waiting
    where cancelled_at is null and erased_at is null and reminded_at is null and waiting.due_at <= _now + interval '7 days'
    order by waiting.due_at limit 1 for update skip locked
  ), told as (
    update public.deletion_requests as request set reminded_at = _now from due where request.id = due.id returning request.*
  )
  select users.email::text, told.due_at from told left join auth.users as users on users.id = told.user_id
$$;
comment on function private.claim_deletion_reminder is
  'Takes one request whose last week begins, in the transaction that puts its mail into the outbox.';
revoke all on function private.claim_deletion_reminder from public, anon, authenticated, service_role;
grant execute on function private.claim_deletion_reminder to service_role;

create function private.begin_erasure(_now timestamptz default now())
  returns public.deletion_requests
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _request public.deletion_requests;
begin
  select * into _request from public.deletion_requests
  -- Where the jobs stood still, the reminder comes late: there are six days after it all the same.
  where cancelled_at is null and erased_at is null and due_at <= _now and reminded_at <= _now - interval '6 days'
  order by due_at limit 1 for update skip locked;
  if _request.id is not null and _request.erasing_at is null then
    update public.deletion_requests set
      erasing_at = _now, found_rows = private.personal_counts(user_id) - private.kept_tables(),
      found_files = (select count(*) from storage.objects where (storage.foldername(name))[1] = user_id::text)
    where id = _request.id returning * into _request;
    perform private.stop_outward(_request.user_id);
    -- Given up with the request. No work holds any: none begins in thirty days, and a hold lasts a day at most.
    if (private.lock_wallet(_request.user_id)).balance > 0 then
      perform private.take(
        _request.user_id, 'expire', 'expiry', 'erased', array_agg(lot_id order by part), array_agg(amount order by part)
      )
      from private.draw(_request.user_id, (select balance from public.credit_wallets where user_id = _request.user_id));
    end if;
    -- Nobody signs in to half an account.
    update auth.users set banned_until = _now + interval '100 years' where id = _request.user_id;
    delete from auth.sessions where user_id = _request.user_id;
  end if;
  return _request;
end
$$;
comment on function private.begin_erasure is
  'The account to erase next, closed to its owner and counted the first time; null when none is due.';
revoke all on function private.begin_erasure from public, anon, authenticated, service_role;
grant execute on function private.begin_erasure to service_role;

create function private.files_to_erase(_user_id uuid, _limit integer)
  returns table (bucket_id text, name text)
  language sql stable security definer
  set search_path = ''
as $$
  select bucket_id, name from storage.objects
  where (storage.foldername(name))[1] = _user_id::text and private.is_being_erased(_user_id)
  order by bucket_id, name limit _limit
$$;
comment on function private.files_to_erase is 'Files of an account that is being erased, of every bucket.';
revoke all on function private.files_to_erase from public, anon, authenticated, service_role;
grant execute on function private.files_to_erase to service_role;

create function private.tables_to_erase()
  returns setof text
  language sql stable security definer
  set search_path = ''
as $$
  select erased from private.personal_tables() as erased where erased <> all ((select private.kept_tables())::text[])
$$;
comment on function private.tables_to_erase() is 'Every table of which an erasure leaves no row.';
revoke all on function private.tables_to_erase from public, anon, authenticated, service_role;
grant execute on function private.tables_to_erase to service_role;

create function private.erase_rows(_request_id uuid, _table text, _limit integer)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _erased bigint;
begin
  if _table::regclass = any (private.kept_tables()::regclass[]) then
    raise invalid_parameter_value using message = 'a table that is kept';
  end if;
  -- The lock: two workers erase one batch after the other.
  select user_id into _user_id from public.deletion_requests where id = _request_id and erasing_at is not null for update;
  execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where user_id = $1 limit $2))', _table::regclass)
  using _user_id, _limit;
  get diagnostics _erased = row_count;
  return _erased;
end
$$;
comment on function private.erase_rows is
  'Erases so many rows of one table of an account that is being erased, with what hangs on them; returns how many.';
revoke all on function private.erase_rows from public, anon, authenticated, service_role;
grant execute on function private.erase_rows to service_role;

create function private.finish_erasure(_request_id uuid, _now timestamptz default now())
  returns text
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _email text;
begin
  update public.deletion_requests set erased_at = _now
  where id = _request_id and erasing_at is not null and erased_at is null returning user_id into _user_id;
  if not found then
    return null;
  end if;
  select email into _email from auth.users where id = _user_id;
  delete from auth.audit_log_entries where payload ->> 'actor_id' = _user_id::text;
  delete from auth.users where id = _user_id;
  return _email;
end
$$;
comment on function private.finish_erasure is
  'Deletes the sign-in of an account whose rows are erased; answers where the certificate goes, null when it was done before.';
revoke all on function private.finish_erasure from public, anon, authenticated, service_role;
grant execute on function private.finish_erasure to service_role;

create function private.forget_payer(_user_id uuid)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _names constant text[] := array[
    'customer_details', 'customer_email', 'receipt_email', 'billing_details', 'shipping_details', 'shipping'
  ];
  _changed bigint;
begin
  update public.payment_events set
    payload = jsonb_set(payload, '{data,object}', (payload #> '{data,object}') - _names)
  where order_id in (select id from public.credit_orders where user_id = _user_id)
    and (payload #> '{data,object}') ?| _names;
  get diagnostics _changed = row_count;
  return _changed;
end
$$;
comment on function private.forget_payer(uuid) is
  'Takes out of what Stripe told about the orders of an account who paid; answers of how many events.';
revoke all on function private.forget_payer from public, anon, authenticated, service_role;

create function private.forget_late_payers()
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  select coalesce(sum(private.forget_payer(user_id)), 0)::bigint from public.deletion_requests where erased_at is not null
$$;
comment on function private.forget_late_payers() is
  'Does so for accounts that are erased: news of a refund or a dispute may come months later.';
revoke all on function private.forget_late_payers from public, anon, authenticated, service_role;
grant execute on function private.forget_late_payers to service_role;

create function private.forget_certificates(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from public.deletion_requests where id in (
      select id from public.deletion_requests as old
      where not exists (select from auth.users where users.id = old.user_id)
        -- It says whose deletion the accounting outlived.
        and not exists (select from public.credit_wallets where credit_wallets.user_id = old.user_id)
        -- A request that was taken back goes with the certificate, not before it; one that waits keeps all.
        and not exists (
          select from public.deletion_requests as younger
          where younger.user_id = old.user_id
            and coalesce(younger.erased_at, younger.cancelled_at, 'infinity') >= private.accounting_kept_since()
        )
      limit _limit
    )
    returning id
  )
  select count(*) from gone
$$;
comment on function private.forget_certificates(integer) is
  'Deletes the requests of accounts that were erased more than ten years ago and whose accounting is gone; answers how many.';
revoke all on function private.forget_certificates from public, anon, authenticated, service_role;
grant execute on function private.forget_certificates to service_role;

create function private.forget_buyer()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.credit_orders as orders set
    email = null, checkout_url = null,
    -- An invoice must name its recipient for ten years; a receipt need not.
    billing = case when exists (select from public.fiscal_documents where order_id = orders.id) then billing end
  where user_id = old.id;
  perform private.forget_payer(old.id);
  return null;
end
$$;
comment on function private.forget_buyer() is
  'Takes out of the accounting of a deleted account what says whose it was, but for the recipient of an invoice.';
revoke all on function private.forget_buyer from public, anon, authenticated, service_role;

-- Whoever deletes it: this job, an admin, a restore (supabase/backend/core/backup.py).
create trigger forget_buyer after delete on auth.users for each row execute function private.forget_buyer();

create trigger forget_hidden_buyer after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null) execute function private.forget_buyer();

alter table public.deletion_requests enable row level security;

create policy "owners read their deletion requests" on public.deletion_requests
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.deletion_requests from public, anon, authenticated, service_role;
grant select on public.deletion_requests to authenticated, service_role;
