-- Notices of the exchange system (SdI) about files of issued invoices: delivered, rejected, refused by an office.
--
-- functions/jobs/mail_fetch.py reads them in the person's certified mailbox. A notice belongs to a file, which it names, and
-- so to all invoices in it. The last one counts. A notice may come before its file, and waits for it.

create type public.sdi_notice_kind as enum ('RC', 'MC', 'NS', 'NE', 'DT', 'AT');

create function private.plain_file_name(_name text)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select lower(regexp_replace(_name, '\.p7m$', '', 'i'))
$$;
comment on function private.plain_file_name(text) is 'The name of an invoice''s file, signed or not.';
revoke all on function private.plain_file_name from public, anon, authenticated, service_role;

create table public.sdi_notices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  file_name text not null,
  document_id uuid,
  kind public.sdi_notice_kind not null,
  is_refused boolean not null,
  sentence text not null,
  correct_by date,
  sha256 text not null,
  at timestamptz not null,
  created_at timestamptz not null default now(),

  unique (user_id, file_name, sha256),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete set null (document_id),
  constraint file_name_is_plain check (file_name = private.plain_file_name(file_name) and char_length(file_name) <= 300),
  constraint sentence_fits check (char_length(sentence) between 1 and 2000),
  constraint sha256_is_hexadecimal check (sha256 ~ '^[0-9a-f]{64}$')
);
comment on table public.sdi_notices is 'What the exchange system said about files of invoices; written by note_sdi_notice() only.';
comment on column public.sdi_notices.file_name is 'Of the invoice, as plain_file_name() writes it.';
comment on column public.sdi_notices.document_id is 'The file of the invoice; null as long as it is not here.';
comment on column public.sdi_notices.kind is
  'RC delivered, MC not delivered, NS rejected, NE outcome of an office, DT no outcome in time, AT cannot be delivered.';
comment on column public.sdi_notices.is_refused is 'Rejected by the exchange system, or refused by an office.';
comment on column public.sdi_notices.sentence is 'In words for the owner, with the codes of the errors.';
comment on column public.sdi_notices.correct_by is 'The last day to send a rejected invoice again.';

create index sdi_notices_document on public.sdi_notices (user_id, document_id, at desc);

create function private.note_sdi_notice(
  _user_id uuid, _file text, _kind public.sdi_notice_kind, _is_refused boolean, _sentence text, _correct_by date,
  _sha256 text, _at timestamptz
)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _name constant text := left(private.plain_file_name(_file), 300);
  _document_id uuid;
  _number text;
begin
  select document_id, number into _document_id, _number from public.invoices
  join public.documents on documents.user_id = _user_id and documents.id = document_id
  where invoices.user_id = _user_id and direction = 'attiva' and deleted_at is null
    and private.plain_file_name(filename) = _name
  order by documents.created_at desc, body_no limit 1;
  insert into public.sdi_notices (user_id, file_name, document_id, kind, is_refused, sentence, correct_by, sha256, at)
  values (_user_id, _name, _document_id, _kind, _is_refused, left(_sentence, 2000), _correct_by, _sha256, _at)
  on conflict (user_id, file_name, sha256) do nothing;
  -- A first reading brings old ones too.
  if found and _document_id is not null and (_is_refused or _kind in ('MC', 'AT')) and _at > now() - interval '14 days' then
    perform private.notify(
      _user_id, 'esito_sdi',
      format('Fattura %s: %s', _number, case
        when _kind = 'NS' then 'scartata' when _is_refused then 'rifiutata dall’ente' when _kind = 'MC' then 'non consegnata'
        else 'da inviare all’ente'
      end),
      _sentence, '/documents/' || _document_id, format('esito_sdi:%s:%s', _document_id, _sha256)
    );
  end if;
  return _document_id is not null;
end
$$;
comment on function private.note_sdi_notice is
  'Records what the exchange system says about a file of a person''s invoices, once, and tells what is to be done. False for a '
  'file that is not here yet.';
revoke all on function private.note_sdi_notice from public, anon, authenticated, service_role;
grant execute on function private.note_sdi_notice to service_role;

create function private.find_sdi_notices()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.sdi_notices set document_id = new.document_id
  where user_id = new.user_id and document_id is null and file_name = (
    select private.plain_file_name(filename) from public.documents where user_id = new.user_id and id = new.document_id
  );
  return null;
end
$$;
comment on function private.find_sdi_notices() is 'Notices that came before the file of an issued invoice are its own.';
revoke all on function private.find_sdi_notices from public, anon, authenticated, service_role;

create trigger find_sdi_notices after insert or update of direction on public.invoices
  for each row when (new.direction = 'attiva') execute function private.find_sdi_notices();

alter table public.sdi_notices enable row level security;

create policy "owners read the notices about their invoices" on public.sdi_notices
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.sdi_notices from public, anon, authenticated, service_role;
grant select on public.sdi_notices to authenticated, service_role;
