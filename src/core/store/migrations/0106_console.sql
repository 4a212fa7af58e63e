-- People's ways into the console: small tables of no location, which every process reads and every node of a cluster has.

-- Links into the console and the sessions that come of them, one row each.
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
  -- SHA-256 of the secret that the page of a session keeps: a cookie goes to every port of its host name, and the storage
  -- of a page belongs to one origin. Null while it is a link.
  page_hash text,
  -- Who came by a link may renew the session, and sign in again with a passkey, until renew_until: so many seconds after
  -- the link was used, 0 for not at all. grant_id is the link that it all came of; null where a key was given.
  renew_s bigint not null default 0,
  renew_until timestamptz,
  grant_id uuid,
  -- The network address that a session was opened from; null for a link that nobody used.
  address text,
  constraint console_sessions_kind check (kind in ('operator', 'key', 'link')),
  constraint console_sessions_secret check (hash is not null or code_hash is not null)
);
create index console_sessions_created on console_sessions (created_at, id);

-- Passkeys (WebAuthn) that people of links made, with the rights of their session.
create table console_passkeys (
  id uuid primary key,
  -- As the authenticator names it, and the public key (COSE) of what it signs with: both in base64url.
  credential_id text not null unique,
  public_key text not null,
  -- How often it has signed, as it says itself; 0 for one that does not count.
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  -- It counts for pages of this origin alone.
  origin text not null,
  label text not null,
  grant_id uuid not null,
  -- Ids of the sessions and passkeys that it came of, the link first: it ends with each of them.
  lineage text[] not null,
  name text not null,
  role text,
  scopes text[] not null,
  location_ids uuid[] not null,
  recipient_id uuid,
  -- The key that it does not outlive.
  key_id uuid,
  return_url text,
  -- How long the sessions last that it opens, and how long they may be left alone.
  lasts_s bigint not null,
  idle_s bigint,
  created_at timestamptz not null,
  last_used_at timestamptz,
  ends_at timestamptz not null,
  ended_at timestamptz
);
create index console_passkeys_created on console_passkeys (created_at, id);

-- What an authenticator is to sign, once and within minutes; session_id where it is to make a passkey.
create table console_challenges (
  hash text primary key,
  session_id uuid,
  origin text not null,
  ends_at timestamptz not null
);
