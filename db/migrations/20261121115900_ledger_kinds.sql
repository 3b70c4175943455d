-- Words of the ledger that the next chapter uses: a new enum value cannot be used in the transaction that adds it.

-- extend: a lot lives on, nothing moves. adjust: an admin corrects, with a reason.
alter type public.credit_entry_kind add value 'extend';
alter type public.credit_entry_kind add value 'adjust';
alter type public.credit_account add value 'adjustment';
