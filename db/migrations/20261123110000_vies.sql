-- What VIES answered about the VAT number of a contact, when it was asked (product.md 4). Written by functions only.

alter table public.contacts
  add column vies_vat_number text,
  add column vies_registered boolean,
  add column vies_name text,
  add column vies_checked_at timestamptz,
  add constraint a_vies_answer_is_whole check (
    num_nonnulls(vies_vat_number, vies_registered, vies_checked_at) in (0, 3)
    and (vies_name is null or vies_registered and char_length(vies_name) between 1 and 500)
  );
comment on column public.contacts.vies_vat_number is
  'The number that was asked about; another vat_number since then means that the answer says nothing about it.';
comment on column public.contacts.vies_registered is 'Whether VIES knew it; not so does not mean that the number is not in use.';
comment on column public.contacts.vies_name is 'Under which name VIES has it, where the country tells.';
