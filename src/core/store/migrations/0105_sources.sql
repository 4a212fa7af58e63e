-- Systems whose sales are polled: each row is a cursor on the changes in one system.
create table sources (
  location_id uuid not null,
  id uuid not null,
  adapter text not null,
  -- The shop in the system.
  account text not null,
  -- Where the secret is, as `env:NAME` or `file:/path`; the secret itself is not stored here.
  secret text not null,
  -- Where to find the key with which the system signs its notifications of changes; null without notifications.
  bell_secret text,
  -- The address of the system; null for its usual address.
  base_url text,
  -- Names of devices, payments and kinds of service, by the system's ids: JSON.
  profile text not null,
  every_seconds int not null,
  state text not null,
  created_at timestamptz not null,
  -- Sales that were last changed before this moment are not read.
  reads_from timestamptz not null,
  -- When records were stored for the first time: earlier versions are history and cause no events.
  stored_from timestamptz,
  -- Up to where changes are stored: a time of the system, or another position of its adapter. Null before the first
  -- page.
  cursor text,
  -- When the source was last read with the long overlap, and last compared with the totals of the system.
  reread_at timestamptz,
  compared_at timestamptz,
  -- When the next run is due; null while the source is paused or stopped.
  due_at timestamptz,
  began_at timestamptz,
  succeeded_at timestamptz,
  -- Runs that failed since the last success.
  failures int not null,
  failing_since timestamptz,
  last_error text,
  accepted bigint not null,
  -- Only the holder of the token stores records and moves the cursor, until the lease ends.
  lease_token uuid,
  lease_until timestamptz,
  primary key (location_id, id),
  constraint sources_state check (state in ('active', 'paused', 'stopped'))
);
create index sources_id on sources (id);

-- Documents of a source that have no record, by their keys in the system.
create table source_notices (
  location_id uuid not null,
  source_id uuid not null,
  key text not null,
  kind text not null,
  reason text not null,
  at timestamptz not null,
  -- The rejected record with the document; null for a document that was left out.
  rejected_id uuid,
  -- How often the document was read again, and when the next attempt is due.
  tries int not null,
  due_at timestamptz,
  primary key (location_id, source_id, key),
  foreign key (location_id, source_id) references sources (location_id, id) on delete cascade,
  constraint source_notices_kind check (kind in ('left', 'refused'))
);
create index source_notices_at on source_notices (location_id, source_id, at);

-- Business days compared with the totals of the system, which are not computed from its documents. Amounts are minor
-- units.
create table source_days (
  location_id uuid not null,
  source_id uuid not null,
  day date not null,
  here bigint not null,
  there bigint not null,
  compared_at timestamptz not null,
  -- When the day was read again because of a difference, and when the difference was reported.
  reread_at timestamptz,
  told_at timestamptz,
  primary key (location_id, source_id, day),
  foreign key (location_id, source_id) references sources (location_id, id) on delete cascade
);
