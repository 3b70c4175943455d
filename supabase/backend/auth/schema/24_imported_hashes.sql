-- Ours: which kinds of password hashes an import has brought (queries.users.imported_hashes), asked now and then of a
-- table that may be large and mostly has today's.

create index if not exists users_imported_hash_idx
  on auth.users (substring(encrypted_password from '^\$[^$]*\$[^$]*(?:\$m=[^$]*)?'))
  where encrypted_password <> '' and encrypted_password not like '$argon2id$v=19$m=19456,t=2,p=1$%';
