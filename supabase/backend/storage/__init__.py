"""`/storage/v1`: files in buckets, guarded by policies on storage.objects. Speaks the API of Supabase Storage."""
