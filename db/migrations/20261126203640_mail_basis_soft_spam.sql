-- Basis soft_spam and error bounced: a new value cannot be used by the transaction that adds it.

ALTER TYPE "public"."mail_basis" ADD VALUE 'soft_spam' AFTER 'consenso';
ALTER TYPE "public"."mail_error" ADD VALUE 'bounced' AFTER 'disconnected';
