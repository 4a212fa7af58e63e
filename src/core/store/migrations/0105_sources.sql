-- Systems whose sales are pulled: each is a cursor on the changes there.
create table sources (
  location_id uuid not null,
  id uuid not null,
  adapter text not null,
  -- The shop in the system.
  account text not null,
  -- Where its secret is, as `env:NAME` or `file:/path`; the secret itself is nowhere here.
  secret text not null,
  -- Where the key is with which the system signs what it rings the doorbell with; null without a doorbell.
  bell_secret text,
  -- Null for the usual address of the system.
  base_url text,
  -- Names of devices, payments and kinds of service by the system's ids: JSON.
  profile text not null,
  every_seconds int not null,
  state text not null,
  created_at timestamptz not null,
  -- Sales that changed last before this moment are not read.
  reads_from timestamptz not null,
  -- When it stored for the first time: versions before are of the past, and no event tells of them.
  stored_from timestamptz,
  -- How far the changes there are stored: the system's own time, or what its adapter counts by. Null before the first page.
  cursor text,
  -- When it was last read with the long overlap, and compared with the totals of the system.
  reread_at timestamptz,
  compared_at timestamptz,
  -- When the next run is due; null while it is paused or stopped.
  due_at timestamptz,
  began_at timestamptz,
  succeeded_at timestamptz,
  -- Runs that failed since the last success.
  failures int not null,
  failing_since timestamptz,
  last_error text,
  accepted bigint not null,
  -- Only the holder of the token stores and moves the cursor, until the lease ends.
  lease_token uuid,
  lease_until timestamptz,
  primary key (location_id, id),
  constraint sources_state check (state in ('active', 'paused', 'stopped'))
);
create index sources_id on sources (id);

-- Documents of a source that became nothing, by their key there.
create table source_notices (
  location_id uuid not null,
  source_id uuid not null,
  key text not null,
  kind text not null,
  reason text not null,
  at timestamptz not null,
  -- The rejected record that has the document; null for what was left out.
  rejected_id uuid,
  -- How often it was read again, and when it will be.
  tries int not null,
  due_at timestamptz,
  primary key (location_id, source_id, key),
  foreign key (location_id, source_id) references sources (location_id, id) on delete cascade,
  constraint source_notices_kind check (kind in ('left', 'refused'))
);
create index source_notices_at on source_notices (location_id, source_id, at);

-- Business days beside the totals that the source says, read by another way than its documents. Amounts are minor units.
create table source_days (
  location_id uuid not null,
  source_id uuid not null,
  day date not null,
  here bigint not null,
  there bigint not null,
  compared_at timestamptz not null,
  -- When it was read again for its difference, and told of.
  reread_at timestamptz,
  told_at timestamptz,
  primary key (location_id, source_id, day),
  foreign key (location_id, source_id) references sources (location_id, id) on delete cascade
);
