-- A page is searched when it has a text and its document is not in the trash; so is what is known about the document.
select document_id, page, wanted.id is null as is_too_much
from private.document_search
full join (
  select document_pages.document_id as id, no as page_no
  from public.document_pages join public.documents on documents.id = document_pages.document_id
  where document_pages.text <> '' and deleted_at is null
  union all
  select id, 0 from public.documents where deleted_at is null
) as wanted on wanted.id = document_id and wanted.page_no = page
where document_id is null or wanted.id is null
