-- Demo accounts for development and the end-to-end tests; never applied to production.
--
--   demo@socio.example   Socio-demo-1    Giulia Ferri, onboarding done; scripts/demo gives her clients, papers and talks
--   admin@socio.example  Socio-admin-1   Marco Riva, role admin
--
-- Applied again it changes nothing: an account that exists is left as its user left it.

create function pg_temp.demo_account(_id uuid, _email text, _password text, _full_name text)
  returns boolean
  language plpgsql
as $$
begin
  if exists (select from auth.users where id = _id or email = _email) then
    return false;
  end if;
  -- The empty tokens stand for "none": the columns have no default and GoTrue cannot read null there.
  insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    confirmation_token, recovery_token, email_change, email_change_token_new, created_at, updated_at
  ) values (
    '00000000-0000-0000-0000-000000000000', _id, 'authenticated', 'authenticated', _email,
    extensions.crypt(_password, extensions.gen_salt('bf', 10)), now(),
    '{"provider": "email", "providers": ["email"]}',
    jsonb_build_object(
      'sub', _id, 'email', _email, 'full_name', _full_name, 'email_verified', true, 'phone_verified', false
    ),
    '', '', '', '', now(), now()
  );
  insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at, updated_at) values (
    gen_random_uuid(), _id::text, _id,
    jsonb_build_object(
      'sub', _id, 'email', _email, 'full_name', _full_name, 'email_verified', true, 'phone_verified', false
    ),
    'email', now(), now()
  );
  return true;
end
$$;

do $$
declare
  _giulia constant uuid := '6d1f0c52-3a0e-4f6b-9c77-0a4b5e1d2f01';
  _marco constant uuid := '6d1f0c52-3a0e-4f6b-9c77-0a4b5e1d2f02';
begin
  if pg_temp.demo_account(_giulia, 'demo@socio.example', 'Socio-demo-1', 'Giulia Ferri') then
    update public.profiles set
      onboarding_completed = true,
      onboarding_step = 4,
      business_name = 'Giulia Ferri · grafica',
      activity = 'Grafica e identità visiva',
      tax_regime = 'forfettario',
      goal = 'Seguire meglio i clienti e incassare in tempo'
    where user_id = _giulia;

    -- As an early bird has, but without a seat: those are for people (early_bird_seats.sql).
    perform private.grant_credits(_giulia, 500, 'bonus', 'promo', 'demo-early-bird');

    insert into public.notifications (user_id, type, title, message, action_url, is_read, read_at, created_at) values
      (_giulia, 'success', 'Bonus early bird', 'Abbiamo aggiunto 500 crediti al tuo portafoglio.',
       '/store', true, now() - interval '2 days', now() - interval '5 days');
    -- The welcome is the oldest message, as it would be in an account a week old.
    update public.notifications set created_at = now() - interval '7 days', is_read = true, read_at = now() - interval '6 days'
    where user_id = _giulia and title = 'Ti diamo il benvenuto in Socio';
  end if;

  if pg_temp.demo_account(_marco, 'admin@socio.example', 'Socio-admin-1', 'Marco Riva') then
    update public.profiles set onboarding_completed = true, onboarding_step = 4 where user_id = _marco;
    insert into public.user_roles (user_id, role) values (_marco, 'admin');
  end if;
end
$$;

drop function pg_temp.demo_account(uuid, text, text, text);
