"""The data API: the real PostgREST, started by `process` and reached through `proxy`."""
