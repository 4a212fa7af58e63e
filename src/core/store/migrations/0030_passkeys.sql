-- Who came by a link may renew the session, and sign in again with a passkey, until renew_until: so many seconds after the link was
-- used, 0 for not at all. grant_id is the link that it all came of; null where a key was given.
alter table console_sessions add column renew_s bigint not null default 0;
alter table console_sessions add column renew_until timestamptz;
alter table console_sessions add column grant_id uuid;

-- Passkeys (WebAuthn) that people of links made, with the rights of their session; small, of no location, read by every process.
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
