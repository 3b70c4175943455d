-- Recordings.
--   COMMENT ON COLUMN public.whatsapp_messages.voice_s IS 'How many seconds a recording lasts that can become tex…

COMMENT ON COLUMN "public"."whatsapp_messages"."voice_s" IS 'How many seconds a recording lasts that can become text; null for any other file, and until it was fetched.';
