"""`/realtime/v1`: channels over websockets: broadcast, presence, table changes, as in Supabase Realtime."""
