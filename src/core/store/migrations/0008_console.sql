-- A key of the installation: its location is the nil UUID, which no location has, and admin is all that it may.
alter table api_keys add constraint api_keys_admin
  check ((scopes = '{admin}') = (location_id = '00000000-0000-0000-0000-000000000000'));

-- Links into the console and the sessions that come of them, one row each; small, of no location, read by every process.
create table console_sessions (
  id uuid primary key,
  -- SHA-256 of the cookie; null until the code was redeemed.
  hash text unique,
  -- SHA-256 of the single-use code; null where a key was given instead.
  code_hash text unique,
  kind text not null,
  name text not null,
  role text,
  scopes text[] not null,
  -- Null for all locations, those too that are made later.
  location_ids uuid[],
  recipient_id uuid,
  -- The key that it does not outlive, and who made it: the id of a key or of a session, or cli.
  key_id uuid,
  made_by text not null,
  return_url text,
  user_agent text,
  created_at timestamptz not null,
  redeemed_at timestamptz,
  last_seen_at timestamptz,
  -- When the code ends; from its redemption on, when the session does.
  ends_at timestamptz not null,
  -- How long the session lasts, and how long it may be left alone; null for as long as it lasts.
  lasts_s bigint not null,
  idle_s bigint,
  ended_at timestamptz,
  constraint console_sessions_kind check (kind in ('operator', 'key', 'link')),
  constraint console_sessions_secret check (hash is not null or code_hash is not null)
);
create index console_sessions_created on console_sessions (created_at, id);
