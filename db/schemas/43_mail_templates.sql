-- Texts that a person begins mails with. The places for values, such as {{nome}}, are filled in by the client
-- (web/src/strings/mail-variables.ts); queue_mail() refuses a text with a place that is still open.
--
-- Error codes raised:
--   SM013  the person has 100 templates, which is the limit

create table public.mail_templates (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  subject public.single_line,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint name_fits check (char_length(name) <= 80 and name = btrim(name)),
  -- As long as the text of a mail may be.
  constraint body_fits check (body ~ '[^[:space:]]' and char_length(body) <= 20000)
);
comment on table public.mail_templates is 'Texts that a person begins mails with.';
comment on column public.mail_templates.subject is 'Null where a mail keeps the subject that it has.';

-- A person chooses by name. Also used by the list.
create unique index mail_templates_name on public.mail_templates (user_id, lower(name));

-- Two inserts at the same time may pass the limit by one: it keeps a list short.
create function private.limit_mail_templates()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  if (select count(*) from public.mail_templates where user_id = new.user_id) >= 100 then
    raise exception 'no more templates fit' using errcode = 'SM013';
  end if;
  return new;
end
$$;
comment on function private.limit_mail_templates() is 'Refuses a template when its owner has 100 of them.';
revoke all on function private.limit_mail_templates from public, anon, authenticated, service_role;

alter table public.mail_templates enable row level security;

create policy "owners read their mail templates" on public.mail_templates
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners add mail templates" on public.mail_templates
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their mail templates" on public.mail_templates
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners delete their mail templates" on public.mail_templates
  for delete to authenticated using (user_id = (select auth.uid()));

revoke all on public.mail_templates from public, anon, authenticated, service_role;
grant select, delete on public.mail_templates to authenticated;
grant insert (id, user_id, name, subject, body) on public.mail_templates to authenticated;
grant update (name, subject, body) on public.mail_templates to authenticated;
grant select on public.mail_templates to service_role;

create trigger limit_mail_templates before insert on public.mail_templates
  for each row execute function private.limit_mail_templates();

create trigger set_updated_at before update on public.mail_templates
  for each row execute function private.set_updated_at();
