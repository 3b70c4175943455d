-- What happens to an account itself: its sign-in is changed, its data are taken along.
--
-- The auth service mails the changes of the sign-in at once, also in quiet hours, and so does the job of new devices; here
-- they are kept in the list.

-- Security definer because the auth service writes its tables with a role of its own.
create function private.notify_security()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _row constant jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  perform private.notify(
    coalesce(_row ->> 'user_id', _row ->> 'id')::uuid, 'sicurezza', tg_argv[0], tg_argv[1], '/settings/security'
  );
  return null;
end
$$;
comment on function private.notify_security() is 'Tells a person that their sign-in was changed: the title and the text are the arguments.';
revoke all on function private.notify_security from public, anon, authenticated, service_role;

-- A sign-in hashes the same password again when the costs were raised: only with the same costs another hash is another
-- password.
create trigger tell_new_password
  after update of encrypted_password on auth.users
  for each row when (
    old.encrypted_password <> '' and new.encrypted_password <> old.encrypted_password and new.deleted_at is null
    and regexp_replace(new.encrypted_password, '(\$[^$]*){2}$', '') = regexp_replace(old.encrypted_password, '(\$[^$]*){2}$', '')
  )
  execute function private.notify_security(
    'Password cambiata', 'Se non l’hai fatto tu, cambiala subito e chiudi le altre sessioni.'
  );

create trigger tell_new_address
  after update of email on auth.users
  for each row when (old.email <> new.email and new.deleted_at is null)
  execute function private.notify_security(
    'Indirizzo email cambiato', 'D’ora in poi accedi con il nuovo indirizzo. Se non l’hai fatto tu, scrivici subito.'
  );

create trigger tell_new_factor
  after update of status on auth.mfa_factors
  for each row when (old.status <> 'verified' and new.status = 'verified')
  execute function private.notify_security(
    'Secondo fattore attivato', 'Dal prossimo accesso serve anche quello. Se non l’hai fatto tu, cambia subito la password.'
  );

create trigger tell_lost_factor
  after delete on auth.mfa_factors
  for each row when (old.status = 'verified')
  execute function private.notify_security(
    'Secondo fattore rimosso', 'Per accedere non serve più. Se non l’hai fatto tu, cambia subito la password.'
  );

create function private.notify_export()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if new.state = 'pronto' then
    perform private.notify(
      new.user_id, 'esportazione_conclusa', 'I tuoi dati sono pronti',
      'L’archivio si scarica per 7 giorni, quante volte vuoi.', '/settings/data', 'esportazione:' || new.id
    );
  else
    perform private.notify(
      new.user_id, 'avviso', 'Archivio dei tuoi dati non riuscito',
      case when new.lacked_space then 'Non c’è abbastanza spazio sul server per prepararlo: riprova più tardi.'
        else 'Non siamo riusciti a prepararlo: chiedilo di nuovo.' end,
      '/settings/data', 'esportazione:' || new.id
    );
  end if;
  return null;
end
$$;
comment on function private.notify_export() is 'Tell a person that the archive of their data is ready, or that it could not be made.';
revoke all on function private.notify_export from public, anon, authenticated, service_role;

create trigger tell_export
  after update of state on public.data_exports
  for each row when (old.state <> new.state and new.state in ('pronto', 'fallito'))
  execute function private.notify_export();

create function private.device_name(_user_agent text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when browser is not null and system is not null then browser || ' su ' || system
    else coalesce(browser, system, 'Dispositivo sconosciuto')
  end
  from (select
    -- The order decides: most browsers also name those whose pages they imitate.
    case
      when _user_agent ~ 'Edg(e|A|iOS)?/' then 'Edge'
      when _user_agent ~ 'OPR/|Opera' then 'Opera'
      when _user_agent ~ 'SamsungBrowser' then 'Samsung Internet'
      when _user_agent ~ 'Firefox|FxiOS' then 'Firefox'
      when _user_agent ~ 'Chrome|CriOS|Chromium' then 'Chrome'
      when _user_agent ~ 'Safari' then 'Safari'
    end as browser,
    case
      when _user_agent ~ 'iPhone' then 'iPhone'
      when _user_agent ~ 'iPad' then 'iPad'
      when _user_agent ~ 'Android' then 'Android'
      when _user_agent ~ 'Windows' then 'Windows'
      when _user_agent ~ 'Mac OS X|Macintosh' then 'Mac'
      when _user_agent ~ 'CrOS' then 'ChromeOS'
      when _user_agent ~ 'Linux' then 'Linux'
    end as system
  ) as said
$$;
comment on function private.device_name(text) is
  'Names a browser and its system in words, from what it says about itself; web/src/strings/devices.ts reads the same cases.';
revoke all on function private.device_name from public, anon, authenticated, service_role;

create table private.known_devices (
  user_id uuid not null references auth.users (id) on delete cascade,
  device text not null,
  ip inet,
  first_seen_at timestamptz not null default now(),
  is_mail_due boolean not null default false,

  primary key (user_id, device)
);
comment on table private.known_devices is
  'Keeps the kinds of device that a person signed in from, also when their sessions are gone, so that only a new kind counts.';
comment on column private.known_devices.ip is 'The address of its first sign-in.';
comment on column private.known_devices.is_mail_due is 'Marks a device whose mail is not written yet; the first device of an account gets no mail.';

-- Used by the job (functions/jobs/new_device_mails.py).
create index known_devices_due on private.known_devices (first_seen_at) where is_mail_due;

alter table private.known_devices enable row level security;

create function private.notify_new_device()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _device constant text := private.device_name(new.user_agent);
  _is_first constant boolean := not exists (select from private.known_devices where user_id = new.user_id);
begin
  insert into private.known_devices (user_id, device, ip, is_mail_due) values (new.user_id, _device, new.ip, not _is_first)
  on conflict do nothing;
  if found and not _is_first then
    perform private.notify(
      new.user_id, 'sicurezza', 'Nuovo accesso: ' || _device,
      'Se non eri tu, cambia subito la password e chiudi gli altri accessi.', '/settings/security'
    );
  end if;
  return null;
end
$$;
comment on function private.notify_new_device() is
  'Tells a person that somebody signed in to their account from a kind of device that was never seen there.';
revoke all on function private.notify_new_device from public, anon, authenticated, service_role;

-- An application signs in with the person's own consent, which names it.
create trigger tell_new_device
  after insert on auth.sessions
  for each row when (new.oauth_client_id is null)
  execute function private.notify_new_device();

create function private.claim_new_device(out email text, out device text, out ip text, out seen timestamptz)
  returns setof record
  language sql volatile security definer
  set search_path = ''
as $$
  with due as (
    select user_id, device from private.known_devices where is_mail_due
    order by first_seen_at limit 1 for update skip locked
  ), told as (
    update private.known_devices as known set is_mail_due = false from due
    where known.user_id = due.user_id and known.device = due.device
    returning known.*
  )
  select users.email::text, told.device, host(told.ip), told.first_seen_at
  from told join auth.users as users on users.id = told.user_id
$$;
comment on function private.claim_new_device is
  'Takes one device that its owner was not written about, in the transaction that puts the mail into the outbox.';
revoke all on function private.claim_new_device from public, anon, authenticated, service_role;
grant execute on function private.claim_new_device to service_role;
