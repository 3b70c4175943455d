-- Ledger by wallet.
--   DROP INDEX public.credit_ledger_statement
--   ALTER TABLE public.credit_ledger DROP CONSTRAINT credit_ledger_pkey
--   ALTER TABLE public.credit_ledger ADD CONSTRAINT credit_ledger_pkey PRIMARY KEY (user_id, id)

DROP INDEX "public"."credit_ledger_statement";

ALTER TABLE "public"."credit_ledger"
  DROP CONSTRAINT "credit_ledger_pkey";

ALTER TABLE "public"."credit_ledger"
  ADD CONSTRAINT "credit_ledger_pkey" PRIMARY KEY (user_id, id);
