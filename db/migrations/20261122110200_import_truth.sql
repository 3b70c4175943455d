-- What an import left out, and imports as they go on in another tab.
--
-- Rows that the client cannot read or that say something impossible are never sent: it says how many there were when it begins.

alter table public.import_batches add column rejected integer not null default 0;
alter table public.import_batches add constraint rejected_fits check (rejected between 0 and 100000);
comment on column public.import_batches.rejected is
  'Rows of the file that the client refused and never sent; `total` counts those it sends, `failed` those refused here.';

drop function public.begin_import(text, public.import_kind, integer, jsonb);

create function public.begin_import(
  _file_name text, _kind public.import_kind, _total integer, _consent jsonb default null, _rejected integer default 0
)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _id uuid;
begin
  -- What cannot be read is refused now, not at the first row.
  perform value::public.consent_channel from jsonb_array_elements_text(_consent -> 'channels') as value;
  perform (_consent ->> 'purpose')::public.consent_purpose, (_consent ->> 'state')::public.consent_state,
    (_consent ->> 'legal_basis')::public.single_line, (_consent ->> 'source')::public.single_line;
  if (_consent ->> 'at')::timestamptz > now() then
    raise exception 'a consent cannot be of tomorrow' using errcode = '22023';
  end if;
  insert into public.import_batches (user_id, file_name, kind, total, consent, rejected)
    values (auth.uid(), _file_name, _kind, _total, nullif(_consent, 'null'), _rejected)
    returning id into _id;
  return _id;
end
$$;
comment on function public.begin_import(text, public.import_kind, integer, jsonb, integer) is
  'Opens an import of the caller and answers its id; _rejected rows of the file are not sent. Consent of the whole file: '
  '{channels: ["email"], purpose: "marketing", state: "dato", legal_basis, wording, source, at}; without a purpose '
  '«marketing», without a state «dato».';

revoke all on function public.begin_import(text, public.import_kind, integer, jsonb, integer)
  from public, anon, authenticated, service_role;
grant execute on function public.begin_import(text, public.import_kind, integer, jsonb, integer) to authenticated;

alter table public.import_batches replica identity using index import_batches_user_id_id_key;

do $$
begin
  alter publication supabase_realtime add table public.import_batches;
exception
  when insufficient_privilege then
    raise warning 'No right to publish changes: the client asks again instead';
end
$$;
