-- Ours: the session that asked for an identity to be linked. The linking, and the code it ends in, go with it: whoever
-- is signed out has no way back in under way.

alter table auth.flow_state
  add column if not exists session_id uuid references auth.sessions (id) on delete cascade;

create index if not exists flow_state_session_id_idx on auth.flow_state (session_id) where session_id is not null;

comment on column auth.flow_state.session_id is 'Auth: Who began to link an identity; null for a sign-in.';
