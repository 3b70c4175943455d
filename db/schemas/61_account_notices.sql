-- What happens to an account itself: its sign-in is changed, its data are taken along.
--
-- The auth service mails the changes of the sign-in at once, also in quiet hours; here they are kept in the list.

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
    'Password cambiata', 'Se non sei stato tu, cambiala subito e chiudi le altre sessioni.'
  );

create trigger tell_new_address
  after update of email on auth.users
  for each row when (old.email <> new.email and new.deleted_at is null)
  execute function private.notify_security(
    'Indirizzo email cambiato', 'D’ora in poi accedi con il nuovo indirizzo. Se non sei stato tu, scrivici subito.'
  );

create trigger tell_new_factor
  after update of status on auth.mfa_factors
  for each row when (old.status <> 'verified' and new.status = 'verified')
  execute function private.notify_security(
    'Secondo fattore attivato', 'Dal prossimo accesso serve anche quello. Se non sei stato tu, cambia subito la password.'
  );

create trigger tell_lost_factor
  after delete on auth.mfa_factors
  for each row when (old.status = 'verified')
  execute function private.notify_security(
    'Secondo fattore rimosso', 'Per accedere non serve più. Se non sei stato tu, cambia subito la password.'
  );

create function private.notify_export()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.notify(
    new.user_id, 'esportazione_conclusa', 'Esportazione conclusa',
    'Il file con i tuoi dati è stato scaricato per intero.', '/settings/data', 'esportazione:' || new.id
  );
  return null;
end
$$;
comment on function private.notify_export() is 'Tells that a person''s data were taken along.';
revoke all on function private.notify_export from public, anon, authenticated, service_role;

create trigger tell_export
  after update of finished_at on public.data_exports
  for each row when (old.finished_at is null and new.finished_at is not null)
  execute function private.notify_export();
