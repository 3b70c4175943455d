-- WhatsApp, files: what jobs/whatsapp_media.py fetches from Meta, and what a message of ours carries.
--
-- Meta keeps a received file for some days. A file that can be read becomes a document, as attachments of mails do; any other
-- is kept in the folder `whatsapp/` of its owner. What could not be fetched says why, and is fetched again when its owner asks.
--
-- Error codes raised:
--   PT404  the caller has no such file, document or invoice (PostgREST answers 404)

create function private.whatsapp_media(_message_id uuid)
  returns table (user_id uuid, kind text, media jsonb, at timestamptz)
  language sql stable security definer
  set search_path = ''
as $$
  select user_id, kind, content -> 'media', at from public.whatsapp_messages
  where id = _message_id and media_state not in ('pronto', 'illeggibile')
$$;
comment on function private.whatsapp_media(uuid) is 'The file of a received message as Meta describes it; no row once it was fetched.';
revoke all on function private.whatsapp_media from public, anon, authenticated, service_role;
grant execute on function private.whatsapp_media to service_role;

create function private.settle_whatsapp_media(
  _message_id uuid, _state public.whatsapp_media_state, _storage_path text default null, _document_id uuid default null,
  _voice_s integer default null
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.whatsapp_messages
  set media_state = _state, storage_path = _storage_path, document_id = _document_id, voice_s = _voice_s
  where id = _message_id and case _state
    -- A job that was given up knows less than what was recorded before.
    when 'fallito' then media_state = 'attesa' else media_state not in ('pronto', 'illeggibile')
  end
$$;
comment on function private.settle_whatsapp_media is 'Records where the file of a message is and how long its voice lasts, or why it is missing.';
revoke all on function private.settle_whatsapp_media from public, anon, authenticated, service_role;
grant execute on function private.settle_whatsapp_media to service_role;

create function private.refuse_whatsapp_media(_message_id uuid, _code integer)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _reaction private.whatsapp_reactions;
begin
  select * into _reaction from private.whatsapp_reactions where _code between first_code and last_code;
  if _reaction.reaction in ('retry', 'slow_down') then
    return true;
  end if;
  if _reaction.reaction = 'reconnect' then
    perform private.change_whatsapp_state(user_id, 'da_ricollegare', _code, _reaction.message)
    from public.whatsapp_messages where id = _message_id;
  end if;
  perform private.settle_whatsapp_media(_message_id, case
    when _reaction.reaction = 'reconnect' then 'scollegato'
    -- Graph API: an object that does not exist any more.
    when _code = 100 then 'scaduto'
    else 'fallito'
  end::public.whatsapp_media_state);
  return false;
end
$$;
comment on function private.refuse_whatsapp_media is 'Does what an error code of Meta about a file asks for; whether to try again.';
revoke all on function private.refuse_whatsapp_media from public, anon, authenticated, service_role;
grant execute on function private.refuse_whatsapp_media to service_role;

-- Security definer, because messages are written by the server only.
create function public.retry_whatsapp_media(_id uuid)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.whatsapp_messages set media_state = 'attesa'
  where user_id = (select auth.uid()) and id = _id and media_state not in ('pronto', 'illeggibile');
  if not found then
    raise exception 'no such file is missing' using errcode = 'PT404';
  end if;
end
$$;
comment on function public.retry_whatsapp_media(uuid) is 'Has a missing file of the caller wait to be fetched again. PT404.';
revoke all on function public.retry_whatsapp_media from public, anon, authenticated, service_role;
grant execute on function public.retry_whatsapp_media to authenticated;

create function private.whatsapp_file(_user_id uuid, _document_id uuid, _invoice_id uuid)
  returns jsonb
  language plpgsql stable
  set search_path = ''
as $$
declare
  _invoice public.invoices;
  _file jsonb;
begin
  if _invoice_id is not null then
    select invoices.* into _invoice from public.invoices
    join public.documents on documents.user_id = _user_id and documents.id = document_id and deleted_at is null
    where invoices.user_id = _user_id and invoices.id = _invoice_id;
    if _invoice.content is not null then
      return jsonb_build_object(
        'kind', 'document', 'invoice_id', _invoice.id, 'mime', 'application/pdf',
        'name', 'Fattura ' || coalesce(replace(_invoice.number, '/', '-'), '') || '.pdf'
      );
    end if;
    -- Made from a scan: the document is the invoice.
    _document_id := _invoice.document_id;
  end if;
  select jsonb_build_object(
    'kind', case when mime in ('image/jpeg', 'image/png') and bytes <= 5 * 1024 * 1024 then 'image' else 'document' end,
    'document_id', id, 'mime', mime, 'name', filename
  ) into _file
  from public.documents where user_id = _user_id and id = _document_id and deleted_at is null;
  if _file is null then
    raise exception 'no such file' using errcode = 'PT404';
  end if;
  return _file;
end
$$;
comment on function private.whatsapp_file is
  'What a message carries: {kind, name, mime} with document_id or invoice_id. A picture is one as far as Meta takes it. PT404.';
revoke all on function private.whatsapp_file from public, anon, authenticated, service_role;
