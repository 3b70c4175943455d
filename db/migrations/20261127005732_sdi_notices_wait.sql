-- Sdi notices wait.
--   ALTER TABLE public.sdi_notices DROP CONSTRAINT sdi_notices_user_id_document_id_fkey
--   ALTER TABLE public.sdi_notices DROP CONSTRAINT sdi_notices_user_id_document_id_sha256_key
--   ALTER TABLE public.sdi_notices ADD COLUMN file_name text NOT NULL
--   ALTER TABLE public.sdi_notices ALTER COLUMN document_id DROP NOT NULL
--   CREATE OR REPLACE FUNCTION private.find_sdi_notices
--   CREATE OR REPLACE FUNCTION private.note_sdi_notice
--   CREATE OR REPLACE FUNCTION private.rejected_facts
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sdi_notices_user_id_document_id_fkey FOREIGN KEY (user_id, docu…
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sdi_notices_user_id_file_name_sha256_key UNIQUE (user_id, file_…
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT sdi_notices_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.…
--   CREATE INDEX sdi_notices_document ON public.sdi_notices USING btree (user_id, document_id, at DESC)
--   CREATE TRIGGER find_sdi_notices AFTER INSERT OR UPDATE OF direction ON public.invoices FOR EACH ROW WHEN ((ne…
--   COMMENT ON COLUMN public.sdi_notices.document_id IS 'The file of the invoice; null as long as it is not here.'
--   COMMENT ON COLUMN public.sdi_notices.file_name IS 'Of the invoice, as plain_file_name() writes it.'
--   COMMENT ON FUNCTION private.find_sdi_notices
--   COMMENT ON FUNCTION private.note_sdi_notice
--   REVOKE ALL ON FUNCTION private.find_sdi_notices
--   ALTER TABLE public.sdi_notices ADD CONSTRAINT file_name_is_plain CHECK (((file_name = private.plain_file_name…

set check_function_bodies = off;

ALTER TABLE "public"."sdi_notices"
  DROP CONSTRAINT "sdi_notices_user_id_document_id_fkey";

ALTER TABLE "public"."sdi_notices"
  DROP CONSTRAINT "sdi_notices_user_id_document_id_sha256_key";

ALTER TABLE "public"."sdi_notices"
  ADD COLUMN "file_name" text;

-- By hand: notices that are there name the file of their document.
update public.sdi_notices set file_name = lower(regexp_replace(documents.filename, '\.p7m$', '', 'i'))
from public.documents where documents.user_id = sdi_notices.user_id and documents.id = document_id;

ALTER TABLE "public"."sdi_notices"
  ALTER COLUMN "file_name" SET NOT NULL;

ALTER TABLE "public"."sdi_notices"
  ALTER COLUMN "document_id" DROP NOT NULL;

CREATE OR REPLACE FUNCTION private.find_sdi_notices()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.sdi_notices set document_id = new.document_id
  where user_id = new.user_id and document_id is null and file_name = (
    select private.plain_file_name(filename) from public.documents where user_id = new.user_id and id = new.document_id
  );
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_sdi_notice (
  _user_id    uuid,
  _file       text,
  _kind       public.sdi_notice_kind,
  _is_refused boolean,
  _sentence   text,
  _correct_by date,
  _sha256     text,
  _at         timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.rejected_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with last as (
    select distinct on (document_id) * from public.sdi_notices
    where user_id = _user_id and document_id is not null order by document_id, at desc, created_at desc
  )
  select 'fattura_scartata', 'document', last.document_id, (last.at at time zone 'Europe/Rome')::date, invoices.contact_id,
    concat_ws(', ', 'Fattura ' || invoices.number, coalesce(contacts.name::text, invoices.counterparty_name)),
    case
      when last.kind <> 'NS' then 'Rifiutata dall’ente: leggi perché e mandane una nuova.'
      when last.correct_by < _today then 'Scartata, e i cinque giorni per correggerla sono passati: non risulta emessa.'
      when last.correct_by is not null then 'Scartata: correggi entro il ' || to_char(last.correct_by, 'DD/MM') || '.'
      else 'Scartata: correggi entro cinque giorni dalla notifica.'
    end,
    invoices.total_cents, invoices.currency, 1.25::double precision,
    jsonb_strip_nulls(jsonb_build_object('number', invoices.number, 'correct_by', last.correct_by))
  from last
  join public.documents on documents.user_id = _user_id and documents.id = last.document_id and documents.deleted_at is null
  join lateral (
    select * from public.invoices
    where invoices.user_id = _user_id and invoices.document_id = last.document_id and direction = 'attiva'
    order by body_no limit 1
  ) as invoices on true
  left join public.contacts on contacts.user_id = _user_id and contacts.id = invoices.contact_id
  where last.is_refused
    -- Corrected and sent again with its number and date.
    and not exists (
      select from public.invoices as again
      join public.documents as paper on paper.user_id = _user_id and paper.id = again.document_id and paper.deleted_at is null
      where again.user_id = _user_id and again.direction = 'attiva' and again.number = invoices.number
        and again.issued_on = invoices.issued_on and again.document_id <> last.document_id and again.created_at > last.at
    )
  order by last.at desc limit private.most_facts()
$function$;

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sdi_notices_user_id_document_id_fkey" FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE SET NULL (document_id);

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sdi_notices_user_id_file_name_sha256_key" UNIQUE (user_id, file_name, sha256);

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "sdi_notices_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX sdi_notices_document ON public.sdi_notices USING btree (user_id, document_id, at DESC);

CREATE TRIGGER find_sdi_notices
  AFTER INSERT OR UPDATE OF direction ON public.invoices
  FOR EACH ROW
  WHEN ((new.direction = 'attiva'::public.invoice_direction))
  EXECUTE FUNCTION private.find_sdi_notices();

COMMENT ON COLUMN "public"."sdi_notices"."document_id" IS 'The file of the invoice; null as long as it is not here.';

COMMENT ON COLUMN "public"."sdi_notices"."file_name" IS 'Of the invoice, as plain_file_name() writes it.';

COMMENT ON FUNCTION "private"."find_sdi_notices"() IS 'Notices that came before the file of an issued invoice are its own.';

COMMENT ON FUNCTION "private"."note_sdi_notice"(uuid, text, public.sdi_notice_kind, boolean, text, date, text, timestamp with time zone) IS 'Records what the exchange system says about a file of a person''s invoices, once, and tells what is to be done. False for a file that is not here yet.';

REVOKE ALL ON FUNCTION "private"."find_sdi_notices"() FROM PUBLIC;

ALTER TABLE "public"."sdi_notices"
  ADD CONSTRAINT "file_name_is_plain" CHECK (((file_name = private.plain_file_name(file_name)) AND (char_length(file_name) <= 300)));

reset check_function_bodies;
