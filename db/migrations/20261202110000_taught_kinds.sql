-- A kind that was chosen is remembered of who issued the paper, as labels are, and never of its owner: what one issues
-- oneself is of any kind, and its counterparty is the customer.

create function private.issuer_number(_document public.documents)
  returns text
  language sql stable
  set search_path = ''
as $$
  select coalesce(
    (
      select value from public.document_fields
      where user_id = _document.user_id and document_id = _document.id and key = 'vat_number'
    ),
    _document.supplier ->> 'vat_number'
  )
$$;
comment on function private.issuer_number(public.documents) is
  'The VAT number of who issued a document, by which it is told what its owner taught.';

create or replace function private.learn_field(_document public.documents, _key text, _label text)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.document_corrections (user_id, vat_number, key, label)
  select _document.user_id, vat_number, _key, left(_label, 200)
  from (select private.issuer_number(_document) as vat_number) as issuer
  where char_length(vat_number) <= 30 and _label ~ '[^[:space:]]'
  on conflict (user_id, vat_number, key) do update set label = excluded.label, created_at = now()
$$;

create or replace function public.set_document_kind(_document_id uuid, _kind public.document_kind)
  returns void
  language plpgsql volatile
  security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  update public.documents
  set kind = _kind, kind_confidence = 1, kind_rule = 'Scelto da te', kind_by_user = true
  where id = _document_id;
  insert into public.document_corrections (user_id, vat_number, key, kind)
  select _document.user_id, vat_number, 'kind', _kind
  from (
    select private.issuer_number(_document) as vat_number,
      (
        select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
        where user_id = _document.user_id and document_id = _document_id
      ) as fields
  ) as issuer
  where char_length(vat_number) <= 30 and not private.is_of_owner(fields, _document.user_id)
  on conflict (user_id, vat_number, key) do update set kind = excluded.kind, created_at = now();
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;

revoke all on function private.issuer_number from public;
