-- Sign-in to the console: small tables that belong to no location. Every process reads them, and every node of a
-- cluster has a copy.

-- Links into the console, and the sessions that they opened, one row each.
create table console_sessions (
  id uuid primary key,
  -- SHA-256 of the cookie; null until the code is redeemed.
  hash text unique,
  -- SHA-256 of the single-use code; null if the session was opened with a key.
  code_hash text unique,
  kind text not null,
  name text not null,
  role text,
  scopes text[] not null,
  -- Null for all locations, including those created later.
  location_ids uuid[],
  recipient_id uuid,
  -- The key with which the session ends; and its maker: the id of a key or session, or cli.
  key_id uuid,
  made_by text not null,
  return_url text,
  user_agent text,
  created_at timestamptz not null,
  redeemed_at timestamptz,
  last_seen_at timestamptz,
  -- When the code expires; after its redemption, when the session expires.
  ends_at timestamptz not null,
  -- Duration of the session, and of the disuse after which it ends; null for no such limit.
  lasts_s bigint not null,
  idle_s bigint,
  ended_at timestamptz,
  -- SHA-256 of the secret that the page of a session stores: a browser sends a cookie to every port of a host name, but
  -- the storage of a page belongs to one origin. Null for an unused link.
  page_hash text,
  -- A person who used a link may renew the session, and sign in again with a passkey, until renew_until: renew_s after
  -- the link was used, 0 for never. grant_id is the link from which the session descends; null if the session was
  -- opened with a key.
  renew_s bigint not null default 0,
  renew_until timestamptz,
  grant_id uuid,
  -- The network address that opened the session; null for an unused link.
  address text,
  constraint console_sessions_kind check (kind in ('operator', 'key', 'link')),
  constraint console_sessions_secret check (hash is not null or code_hash is not null)
);
create index console_sessions_created on console_sessions (created_at, id);

-- Passkeys (WebAuthn) of people who used a link, with the rights of their session.
create table console_passkeys (
  id uuid primary key,
  -- The authenticator's name for the passkey, and its public key (COSE), both in base64url.
  credential_id text not null unique,
  public_key text not null,
  -- Number of signatures according to the authenticator; 0 if it does not count.
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  -- The passkey is valid for pages of this origin only.
  origin text not null,
  label text not null,
  grant_id uuid not null,
  -- Ids of the link, sessions and passkeys from which it descends, the link first: the passkey ends with each of them.
  lineage text[] not null,
  name text not null,
  role text,
  scopes text[] not null,
  location_ids uuid[] not null,
  recipient_id uuid,
  -- The key with which the passkey ends.
  key_id uuid,
  return_url text,
  -- Duration of the sessions that it opens, and of the disuse after which they end.
  lasts_s bigint not null,
  idle_s bigint,
  created_at timestamptz not null,
  last_used_at timestamptz,
  ends_at timestamptz not null,
  ended_at timestamptz
);
create index console_passkeys_created on console_passkeys (created_at, id);

-- Challenges for authenticators, valid once and for some minutes; session_id is set if a passkey is being created.
create table console_challenges (
  hash text primary key,
  session_id uuid,
  origin text not null,
  ends_at timestamptz not null
);
