-- The enums of the auth schema, by the names hosted Supabase uses.
-- Every file here is idempotent: run again, or on a database that hosted Supabase made, it changes nothing.

create schema if not exists auth;

do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('aal_level', array['aal1', 'aal2', 'aal3']),
      ('code_challenge_method', array['s256', 'plain']),
      ('factor_status', array['unverified', 'verified']),
      ('factor_type', array['totp', 'webauthn', 'phone', 'recovery_code']),
      ('one_time_token_type', array[
        'confirmation_token', 'reauthentication_token', 'recovery_token',
        'email_change_token_new', 'email_change_token_current', 'phone_change_token']),
      ('oauth_registration_type', array['dynamic', 'manual']),
      ('oauth_client_type', array['public', 'confidential']),
      ('oauth_response_type', array['code']),
      ('oauth_authorization_status', array['pending', 'approved', 'denied', 'expired'])
    ) as enums (name, labels)
  loop
    if to_regtype('auth.' || wanted.name) is null then
      execute format(
        'create type auth.%I as enum (%s)',
        wanted.name,
        (select string_agg(quote_literal(label), ', ' order by position)
           from unnest(wanted.labels) with ordinality as labels (label, position)));
    end if;
  end loop;
end
$$;

-- Databases from before recovery codes.
alter type auth.factor_type add value if not exists 'recovery_code';
